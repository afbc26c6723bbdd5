"""What can be named at a place: variables with their kinds, functions of the file, values used in a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.observations import compatible
from selfheal_tui.search.program.source import FunctionNode, Source

from .kinds import UNKNOWN, Kinds, kinds, variable_kinds

Owner = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module

_SHORT = 45
_LONG = 60
_UNIQUE = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_HIDDEN = frozenset({"self", "cls", "_"})


def scope(source: Source, node: ast.AST) -> dict[str, Kinds]:
    """Return the variables that can be read at a node, nearest first, with their kinds."""
    variables_at: dict[tuple[ast.AST | None, ast.AST | None], dict[str, Kinds]] = source.memo.setdefault("scope", {})
    statement = source.statement(node)
    holder = _holder(source, node)
    key = (statement, holder)
    if key not in variables_at:
        variables_at[key] = dict(_visible(source, statement, holder)) if statement is not None else {}
    return variables_at[key]


def functions(source: Source) -> dict[str, FunctionNode]:
    """Return the functions of the file by name; methods are left out."""
    if "functions" not in source.memo:
        source.memo["functions"] = {
            node.name: node
            for node in ast.walk(source.tree)
            if isinstance(node, FunctionNode) and not isinstance(source.parents.get(node), ast.ClassDef)
        }
    by_name: dict[str, FunctionNode] = source.memo["functions"]
    return by_name


def function_names(source: Source) -> frozenset[str]:
    """Return the names of the file's functions and methods."""
    if "function_names" not in source.memo:
        named = (node.name for node in ast.walk(source.tree) if isinstance(node, FunctionNode))
        source.memo["function_names"] = frozenset(named)
    names: frozenset[str] = source.memo["function_names"]
    return names


def may_be(source: Source, node: ast.AST, name: str, its: Kinds, wanted: Kinds) -> bool:
    """Tell whether a variable may be of a wanted kind; of one that nothing around the node reads no run shows it."""
    return bool(its & wanted) or (not its and name not in _read_around(source, node))


def _read_around(source: Source, node: ast.AST) -> frozenset[str]:
    """Return the names that the outermost function around a node reads, with those within it."""
    function = source.function(node)
    while function is not None and (outer := source.function(function)) is not None:
        function = outer
    names_of: dict[ast.AST, frozenset[str]] = source.memo.setdefault("read_names", {})
    within: ast.AST = function or source.tree
    if within not in names_of:
        read = (n.id for n in ast.walk(within) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        names_of[within] = frozenset(read)
    return names_of[within]


def owner(source: Source, node: ast.AST) -> Owner:
    """Return the function whose body holds the node, else the module."""
    return source.function(node) or source.tree


def own_nodes(source: Source, function: Owner) -> list[ast.AST]:
    """Return the nodes of a function's body that have a trusted span, without its header, in source order.

    Of a module those outside its functions and classes.
    """
    nodes_of: dict[ast.AST, list[ast.AST]] = source.memo.setdefault("own_nodes", {})
    if function not in nodes_of:
        nodes: list[ast.AST] = []
        top = isinstance(function, ast.Module)
        body = [s for s in function.body if not (top and isinstance(s, FunctionNode | ast.ClassDef))]
        pending: list[ast.AST] = list(reversed(body))
        while pending:
            node = pending.pop()
            nodes.append(node)
            if not isinstance(node, ast.JoinedStr):
                pending.extend(reversed(list(ast.iter_child_nodes(node))))
        nodes_of[function] = nodes
    return nodes_of[function]


def bound_at_top(source: Source) -> frozenset[str]:
    """Return the names that the module's own statements bind: imports, classes, functions, constants."""
    if "bound_at_top" not in source.memo:
        bound: set[str] = set()
        for node in source.tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                bound.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
            elif isinstance(node, FunctionNode | ast.ClassDef):
                bound.add(node.name)
            else:
                bound.update(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        source.memo["bound_at_top"] = frozenset(bound)
    names: frozenset[str] = source.memo["bound_at_top"]
    return names


def expressions(source: Source, function: Owner) -> dict[str, tuple[frozenset[str], Kinds]]:
    """Return the short calculations of a function: text -> variables it needs, kinds."""
    expressions_in: dict[ast.AST, dict[str, tuple[frozenset[str], Kinds]]] = source.memo.setdefault("expressions", {})
    if function not in expressions_in:
        calculations: dict[str, tuple[frozenset[str], Kinds]] = {}
        for node in own_nodes(source, function):
            if not isinstance(node, ast.expr) or not is_value(source, node):
                continue
            if isinstance(node, ast.Name | ast.Constant | ast.Slice | ast.Starred | ast.JoinedStr | ast.Lambda):
                continue
            text = source.segment(node)
            if len(text) > _SHORT or "\n" in text or any(isinstance(n, _UNIQUE) for n in ast.walk(node)):
                continue
            free, kinds_so_far = calculations.get(text, (free_names(node), UNKNOWN))
            calculations[text] = free, kinds_so_far | kinds(source, node)
        expressions_in[function] = calculations
    return expressions_in[function]


def numbers(source: Source, node: ast.AST) -> tuple[int, ...]:
    """Return integers worth trying in a node's function: its own, common ones, those of docstring and tests."""
    own = [n.value for n in _constants(source, node) if type(n.value) is int]
    mentioned = [value for value in source.mentioned if type(value) is int][:12]
    observed = [value for value in source.observed if type(value) is int][:8]
    return tuple(dict.fromkeys((*own, 1, 0, 2, -1, 10, *mentioned, *observed)))


def texts(source: Source, node: ast.AST) -> tuple[str, ...]:
    """Return strings worth trying in a node's function: its own, common ones, those of docstring and tests."""
    own = [n.value for n in _constants(source, node) if isinstance(n.value, str) and len(n.value) < 40]
    others = [value for value in (*source.mentioned, *source.observed, *source.texts) if isinstance(value, str)]
    return tuple(dict.fromkeys((*own, "", " ", *others)))[:30]


def is_value(source: Source, node: ast.AST) -> bool:
    """Tell whether an expression is read as a value: no target, callee, annotation, decorator, pattern or import."""
    if not isinstance(node, ast.expr) or isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return False
    if isinstance(node, ast.Slice | ast.Starred | ast.Yield | ast.YieldFrom | ast.NamedExpr):
        return False
    if isinstance(node, ast.Tuple) and any(isinstance(item, ast.Slice) for item in node.elts):
        return False
    parent = source.parents.get(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        return False
    if isinstance(parent, ast.Expr | ast.JoinedStr | ast.FormattedValue | ast.Delete):
        return False
    return node not in _fixed(source)


def editable(source: Source, node: ast.AST) -> bool:
    """Tell whether an expression is a short value on one line: what the general families look at."""
    is_editable: dict[ast.AST, bool] = source.memo.setdefault("editable", {})
    if node not in is_editable:
        is_editable[node] = False
        if is_value(source, node):
            text = source.segment(node)  # type: ignore[arg-type]
            is_editable[node] = (
                len(text) <= _LONG and "\n" not in text and not isinstance(node, ast.Slice | ast.Starred)
            )
    return is_editable[node]


def free_names(node: ast.expr) -> frozenset[str]:
    """Return the names that an expression reads and does not bind itself."""
    read = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return frozenset(read - bound - {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)})


def kin(some: Kinds, others: Kinds) -> bool | None:
    """Tell whether a value of one kind may stand for the other; None when either is unknown."""
    return compatible(some, others)


def _fixed(source: Source) -> set[ast.AST]:
    """Return the nodes that are never values: annotations, decorators, bases, handlers, patterns."""
    if "fixed" not in source.memo:
        nodes: set[ast.AST] = set()
        for node in ast.walk(source.tree):
            roots: list[ast.AST | None] = []
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    roots = [node.returns, *node.decorator_list]
                case ast.ClassDef():
                    roots = [*node.bases, *node.decorator_list, *node.keywords]
                case ast.arg() | ast.AnnAssign():
                    roots = [node.annotation]
                case ast.ExceptHandler():
                    roots = [node.type]
                case ast.match_case():
                    roots = [node.pattern]
            for root in roots:
                if root is not None:
                    nodes.update(ast.walk(root))
        source.memo["fixed"] = nodes
    fixed: set[ast.AST] = source.memo["fixed"]
    return fixed


def _visible(source: Source, statement: ast.stmt, holder: ast.AST | None) -> Iterator[tuple[str, Kinds]]:
    yielded = set(_HIDDEN)
    at = holder
    while at is not None and not isinstance(at, ast.stmt):
        for name, node in _bound_by(at):
            if name not in yielded:
                yielded.add(name)
                yield name, _inner_kinds(source, at, name) if node is not None else UNKNOWN
        at = source.parents.get(at)
    function = source.function(statement)
    place: ast.AST = statement
    while function is not None:
        for name in _names(source, function, place, place is not statement):
            if name not in yielded:
                yielded.add(name)
                yield name, variable_kinds(source, function, name)
        place, function = function, source.function(function)
    module_level = source.function(statement) is None
    for top in source.tree.body:
        if module_level and isinstance(top, ast.For) and top.lineno <= statement.lineno:
            for target in ast.walk(top.target):
                if isinstance(target, ast.Name) and target.id not in yielded:
                    yielded.add(target.id)
                    yield target.id, variable_kinds(source, None, target.id)
        if module_level and top.lineno >= statement.lineno:
            break
        targets = top.targets if isinstance(top, ast.Assign) else [top.target] if isinstance(top, ast.AnnAssign) else []
        for target in targets:
            if isinstance(target, ast.Name) and target.id not in yielded and top is not statement:
                yielded.add(target.id)
                yield target.id, variable_kinds(source, None, target.id)


def _names(source: Source, function: FunctionNode, place: ast.AST, nested: bool) -> list[str]:
    """Return arguments and locals of a function that are bound when `place` in its body runs, all when `nested`."""
    spec = function.args
    names = [arg.arg for arg in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, spec.vararg, spec.kwarg) if arg]
    line = getattr(place, "lineno", 0)
    loops = _loops(source, place, function)
    own_loop = isinstance(place, _LOOPS)
    for name in _stores(source, function):
        bound = source.statement(name)
        before = name.lineno < line or (own_loop and bound is place and not isinstance(place, ast.While))
        if nested or before or loops & _loops(source, name, function):
            names.append(name.id)
    return list(dict.fromkeys(names))


def _stores(source: Source, function: FunctionNode) -> list[ast.Name]:
    stores_in: dict[ast.AST, list[ast.Name]] = source.memo.setdefault("stores", {})
    if function not in stores_in:
        stores_in[function] = [
            node
            for node in own_nodes(source, function)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and _holder(source, node) is None
        ]
    return stores_in[function]


def _loops(source: Source, node: ast.AST, function: FunctionNode) -> set[ast.AST]:
    loops: set[ast.AST] = set()
    below, at = node, source.parents.get(node)
    while at is not None and at is not function:
        if isinstance(at, _LOOPS) and below in at.body:
            loops.add(at)
        below, at = at, source.parents.get(at)
    return loops


def _holder(source: Source, node: ast.AST) -> ast.AST | None:
    """Return the innermost comprehension or lambda around a node, the first iterable of a comprehension excepted."""
    below, at = node, source.parents.get(node)
    while at is not None and not isinstance(at, ast.stmt):
        if isinstance(at, _COMPREHENSIONS) and not (
            isinstance(below, ast.comprehension)
            and below is getattr(at, "generators", [None])[0]
            and _within(source, node, below.iter)
        ):
            return at
        below, at = at, source.parents.get(at)
    return None


def _within(source: Source, node: ast.AST, root: ast.AST) -> bool:
    at: ast.AST | None = node
    while at is not None and at is not root:
        at = source.parents.get(at)
    return at is root


def _bound_by(holder: ast.AST) -> list[tuple[str, ast.AST | None]]:
    if isinstance(holder, ast.Lambda):
        return [(arg.arg, None) for arg in holder.args.args]
    return [
        (name.id, name)
        for part in getattr(holder, "generators", ())
        for name in ast.walk(part.target)
        if isinstance(name, ast.Name)
    ]


def _inner_kinds(source: Source, holder: ast.AST, name: str) -> Kinds:
    inner = UNKNOWN
    for node in ast.walk(holder):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            inner |= kinds(source, node)
    return inner


def _constants(source: Source, node: ast.AST) -> list[ast.Constant]:
    return [n for n in own_nodes(source, owner(source, node)) if isinstance(n, ast.Constant)]
