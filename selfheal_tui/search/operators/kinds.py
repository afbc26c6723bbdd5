"""Types of expressions and variables: what runs showed, else a guess from literals, annotations and use.

A kind is a set of type names ("int", "list", ...); the empty set is unknown. Guesses only order and thin out edits.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from selfheal_tui.python_source import parse_expression
from selfheal_tui.search.program.source import FunctionNode, Source

Kinds = frozenset[str]
UNKNOWN: Kinds = frozenset()
NUMBERS = frozenset({"int", "float", "complex"})
SEQUENCES = frozenset({"list", "tuple", "str", "deque", "range"})
MAPPINGS = frozenset({"dict", "Counter", "defaultdict", "OrderedDict"})
SIZED = SEQUENCES | MAPPINGS | {"set", "frozenset", "bytes", "dict_keys", "dict_values", "dict_items"}
ITERABLES = SIZED | {"generator", "map", "filter", "zip", "enumerate", "reversed"}

_ANNOTATIONS = {"List": "list", "Dict": "dict", "Set": "set", "Tuple": "tuple", "Sequence": "list", "Iterable": "list"}
_PLAIN = frozenset({"int", "float", "str", "bool", "list", "dict", "set", "tuple", "bytes", "complex", "frozenset"})
_CALLS = {
    **dict.fromkeys(("len", "ord", "int", "hash", "id", "round", "floor", "ceil", "gcd", "factorial"), "int"),
    **dict.fromkeys(("str", "chr", "repr", "bin", "hex", "oct", "input", "format", "ascii"), "str"),
    **dict.fromkeys(("sorted", "list", "dir"), "list"),
    **dict.fromkeys(("isinstance", "any", "all", "bool", "callable", "hasattr", "issubclass"), "bool"),
    **dict.fromkeys(("float", "sqrt", "pow", "log", "sin", "cos"), "float"),
    **{name: name for name in ("set", "dict", "tuple", "range", "enumerate", "zip", "map", "filter", "reversed")},
    **{name: name for name in ("frozenset", "Counter", "defaultdict", "deque", "OrderedDict", "bytes")},
}
_METHODS = {
    **dict.fromkeys(("count", "index", "find", "rfind", "rindex", "bit_length"), "int"),
    **dict.fromkeys(
        ("join", "lower", "upper", "strip", "lstrip", "rstrip", "replace", "title", "capitalize", "swapcase"), "str"
    ),
    **dict.fromkeys(("format", "zfill", "ljust", "rjust", "center", "hexdigest", "decode"), "str"),
    **dict.fromkeys(("split", "rsplit", "splitlines"), "list"),
    **dict.fromkeys(
        ("isdigit", "isalpha", "isalnum", "isupper", "islower", "isspace", "startswith", "endswith", "issubset"), "bool"
    ),
    "keys": "dict_keys",
    "values": "dict_values",
    "items": "dict_items",
    "encode": "bytes",
}
TEXT_METHODS = frozenset(name for name, kind in _METHODS.items() if kind == "str") - {"hexdigest", "decode"} | {
    "split",
    "isdigit",
    "isalpha",
    "isupper",
    "islower",
    "startswith",
    "endswith",
}
"""Methods that hardly anything else has."""
_LIST_METHODS = frozenset({"append", "extend", "insert", "sort", "reverse"})
_DEEPEST = 6


def kinds(source: Source, node: ast.expr) -> Kinds:
    """Return the kinds of an expression."""
    observed = source.types(node)
    return observed or guess(source, node)


def guess(source: Source, node: ast.expr | None, depth: int = 0) -> Kinds:
    """Return the kinds that an expression should have by its form."""
    if node is None or depth > _DEEPEST:
        return UNKNOWN
    guesses: dict[ast.AST, Kinds] = source.memo.setdefault("kinds", {})
    if node not in guesses:
        guesses[node] = UNKNOWN
        guesses[node] = _guess(source, node, depth + 1)
    return guesses[node]


def variable_kinds(source: Source, function: FunctionNode | None, name: str) -> Kinds:
    """Return the kinds of a variable of a function, or of the module when `function` is None."""
    observed = source.observations.variables.get(function.name if function else "", {}).get(name)
    if observed:
        return observed
    guesses: dict[tuple[ast.AST | None, str], Kinds] = source.memo.setdefault("variables", {})
    key = (function, name)
    if key not in guesses:
        guesses[key] = UNKNOWN
        guesses[key] = _variable(source, function, name)
    return guesses[key]


def annotation_kinds(node: ast.expr | None) -> Kinds:
    """Return the kinds that an annotation names."""
    match node:
        case ast.Constant(value=None):
            return frozenset({"NoneType"})
        case ast.Constant(value=str(text)):
            return annotation_kinds(_parsed(text))
        case ast.Name(id=name):
            name = _ANNOTATIONS.get(name, name)
            return frozenset({name}) if name in _PLAIN else UNKNOWN
        case ast.Subscript(value=ast.Name(id="Optional"), slice=inner):
            return annotation_kinds(inner) | {"NoneType"}
        case ast.Subscript(value=value):
            return annotation_kinds(value)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return annotation_kinds(left) | annotation_kinds(right)
    return UNKNOWN


def element_kinds(source: Source, node: ast.expr, depth: int = 0) -> Kinds:
    """Return the kinds of what iterating over an expression gives."""
    element_guesses: dict[ast.AST, Kinds] = source.memo.setdefault("element_kinds", {})
    if node not in element_guesses:
        element_guesses[node] = UNKNOWN
        element_guesses[node] = _element(source, node, depth) if depth <= _DEEPEST else UNKNOWN
    return element_guesses[node]


def _element(source: Source, node: ast.expr, depth: int) -> Kinds:
    kind = guess(source, node, depth)
    if kind == {"str"}:
        return kind
    match node:
        case ast.Call(func=ast.Name(id="range")):
            return frozenset({"int"})
        case ast.Call(func=ast.Name(id="enumerate" | "zip")):
            return frozenset({"tuple"})
        case ast.Call(func=ast.Name(id="sorted" | "list" | "set" | "reversed" | "tuple"), args=[inner, *_]):
            return element_kinds(source, inner, depth + 1)
        case ast.List(elts=[first, *_]) | ast.Tuple(elts=[first, *_]) | ast.Set(elts=[first, *_]):
            return guess(source, first, depth + 1)
        case ast.ListComp(elt=inner) | ast.SetComp(elt=inner) | ast.GeneratorExp(elt=inner):
            return guess(source, inner, depth + 1)
        case ast.Call(func=ast.Attribute(attr="split")):
            return frozenset({"str"})
        case ast.Subscript(value=value, slice=ast.Slice()):
            return element_kinds(source, value, depth + 1)
        case ast.Name(id=name):
            return _annotated_element(source, node, name)
    return UNKNOWN


def _guess(source: Source, node: ast.expr, depth: int) -> Kinds:
    match node:
        case ast.Constant(value=value):
            return frozenset({type(value).__name__})
        case ast.JoinedStr():
            return frozenset({"str"})
        case ast.List() | ast.ListComp():
            return frozenset({"list"})
        case ast.Tuple():
            return frozenset({"tuple"})
        case ast.Dict() | ast.DictComp():
            return frozenset({"dict"})
        case ast.Set() | ast.SetComp():
            return frozenset({"set"})
        case ast.GeneratorExp():
            return frozenset({"generator"})
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return frozenset({"bool"})
        case ast.UnaryOp(operand=operand):
            return guess(source, operand, depth)
        case ast.BoolOp(values=values):
            return _union(guess(source, value, depth) for value in values)
        case ast.IfExp(body=body, orelse=orelse):
            return _union(guess(source, value, depth) for value in (body, orelse))
        case ast.BinOp():
            return _operation(source, node, depth)
        case ast.Call():
            return _call(source, node, depth)
        case ast.Subscript(value=value, slice=ast.Slice()):
            return guess(source, value, depth)
        case ast.Subscript(value=value):
            return element_kinds(source, value, depth) if not guess(source, value, depth) & MAPPINGS else UNKNOWN
        case ast.Name(id=name):
            return _name(source, node, name)
    return UNKNOWN


def _operation(source: Source, node: ast.BinOp, depth: int) -> Kinds:
    left, right = guess(source, node.left, depth), guess(source, node.right, depth)
    if isinstance(node.op, ast.Mod) and "str" in left:
        return left
    if isinstance(node.op, ast.Add):
        return left or right
    if isinstance(node.op, ast.Mult):
        whole = (left | right) & SEQUENCES
        return whole or ((left | right) & NUMBERS) or frozenset({"int"})
    if isinstance(node.op, ast.Div):
        return frozenset({"float"})
    if isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor | ast.Sub):
        return left or right
    return ((left | right) & NUMBERS) or frozenset({"int"})


def _call(source: Source, node: ast.Call, depth: int) -> Kinds:
    match node.func:
        case ast.Name(id="abs" | "min" | "max" | "sum"):
            first = guess(source, node.args[0], depth) if node.args else UNKNOWN
            return (first & NUMBERS) or (element_kinds(source, node.args[0], depth) if node.args else UNKNOWN)
        case ast.Name(id=name) if name in _CALLS:
            return frozenset({_CALLS[name]})
        case ast.Name(id=name):
            return _returned(source, name)
        case ast.Attribute(value=value, attr="copy"):
            return guess(source, value, depth)
        case ast.Attribute(attr=name):
            return frozenset({_METHODS[name]}) if name in _METHODS else UNKNOWN
    return UNKNOWN


def _returned(source: Source, name: str) -> Kinds:
    for statement in source.tree.body:
        if isinstance(statement, FunctionNode) and statement.name == name:
            return annotation_kinds(statement.returns)
    return UNKNOWN


def _name(source: Source, node: ast.expr, name: str) -> Kinds:
    at: ast.AST | None = source.parents.get(node)
    while at is not None and not isinstance(at, ast.stmt):
        for part in getattr(at, "generators", ()):
            if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(part.target)):
                return _target(source, part.target, part.iter, name)
        if isinstance(at, ast.Lambda) and any(arg.arg == name for arg in at.args.args):
            return UNKNOWN
        at = source.parents.get(at)
    function = source.function(node)
    while function is not None:
        variable = variable_kinds(source, function, name)
        if variable:
            return variable
        function = source.function(function)
    return variable_kinds(source, None, name)


def _variable(source: Source, function: FunctionNode | None, name: str) -> Kinds:
    bound_kinds: list[Kinds] = []
    if function is not None:
        spec = function.args
        for arg in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
            if arg.arg == name:
                return annotation_kinds(arg.annotation) or _by_use(source, function, name)
    for node in _bindings(source, function).get(name, ()):
        match node:
            case ast.Assign(targets=[target, *_], value=value):
                bound_kinds.append(_target(source, target, value, name, whole=True))
            case ast.AnnAssign(annotation=annotation):
                return annotation_kinds(annotation)
            case ast.AugAssign(value=value):
                bound_kinds.append(guess(source, value))
            case ast.For(target=target, iter=over):
                bound_kinds.append(_target(source, target, over, name))
    return _union(bound_kinds) or (_by_use(source, function, name) if function else UNKNOWN)


def _target(source: Source, target: ast.expr, value: ast.expr, name: str, whole: bool = False) -> Kinds:
    """Return the kinds of a name in a target: of the value when `whole`, else of its elements."""
    if isinstance(target, ast.Name):
        return guess(source, value) if whole else element_kinds(source, value)
    if isinstance(target, ast.Tuple):
        place = next((n for n, e in enumerate(target.elts) if isinstance(e, ast.Name) and e.id == name), None)
        if whole:
            parts = value.elts if isinstance(value, ast.Tuple) else []
            return guess(source, parts[place]) if place is not None and place < len(parts) else UNKNOWN
        match value:
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
                return frozenset({"int"}) if place == 0 else element_kinds(source, inner)
            case ast.Call(func=ast.Name(id="zip"), args=args) if place is not None and place < len(args):
                return element_kinds(source, args[place])
    return UNKNOWN


def _bindings(source: Source, function: FunctionNode | None) -> dict[str, list[ast.stmt]]:
    bindings_in: dict[ast.AST | None, dict[str, list[ast.stmt]]] = source.memo.setdefault("bindings", {})
    if function not in bindings_in:
        bindings: dict[str, list[ast.stmt]] = {}
        for node in ast.walk(function) if function else source.tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for name in (n for target in targets for n in ast.walk(target)):
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                        bindings.setdefault(name.id, []).append(node)
        bindings_in[function] = bindings
    return bindings_in[function]


def _by_use(source: Source, function: FunctionNode, name: str) -> Kinds:
    """Return the kinds of a variable, guessed from its uses: `x.append(...)` says that `x` is a list."""
    uses: dict[ast.AST, dict[str, Kinds]] = source.memo.setdefault("uses", {})
    if function not in uses:
        kinds_by_name: dict[str, Kinds] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id not in kinds_by_name:
                kind = _use(source, node)
                if kind:
                    kinds_by_name[node.id] = kind
        uses[function] = kinds_by_name
    return uses[function].get(name, UNKNOWN)


def _use(source: Source, node: ast.Name) -> Kinds:
    parent = source.parents.get(node)
    match parent:
        case ast.Attribute(attr=attr) if isinstance(source.parents.get(parent), ast.Call):
            if attr in TEXT_METHODS:
                return frozenset({"str"})
            return frozenset({"list"}) if attr in _LIST_METHODS else UNKNOWN
        case ast.For(iter=over) | ast.comprehension(iter=over) if over is node:
            return frozenset({"list"})
        case ast.Call(func=ast.Name(id="len" | "sum" | "sorted" | "enumerate" | "max" | "min"), args=[only]):
            return frozenset({"list"}) if only is node else UNKNOWN
        case ast.Call(func=ast.Name(id="range"), args=args) if node in args:
            return frozenset({"int"})
        case ast.Subscript(value=value) if value is node:
            return frozenset({"list"})
        case ast.Subscript(slice=index) if index is node:
            return frozenset({"int"})
        case ast.Slice():
            return frozenset({"int"})
        case ast.BinOp(op=ast.Sub() | ast.Div() | ast.FloorDiv() | ast.Mod() | ast.Pow()):
            return frozenset({"int"}) if not isinstance(parent.op, ast.Mod) or parent.left is not node else UNKNOWN
        case ast.BinOp(left=left, right=ast.Constant(value=value)) if left is node and type(value) in (int, float):
            return frozenset({"int"})
        case ast.Compare(left=left, comparators=[ast.Constant(value=value)]) if left is node and type(value) is int:
            return frozenset({"int"})
    return UNKNOWN


def _annotated_element(source: Source, node: ast.expr, name: str) -> Kinds:
    function = source.function(node)
    for arg in function.args.args if function else ():
        if arg.arg == name and isinstance(arg.annotation, ast.Subscript):
            inner = arg.annotation.slice
            return annotation_kinds(inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner)
    if variable_kinds(source, function, name) == {"str"}:
        return frozenset({"str"})
    for binding in _bindings(source, function).get(name, ()):
        if isinstance(binding, ast.Assign) and isinstance(binding.targets[0], ast.Name):
            value = binding.value
            if not isinstance(value, ast.Name):
                return element_kinds(source, value)
    return UNKNOWN


def _union(parts: Iterable[Kinds]) -> Kinds:
    whole: Kinds = UNKNOWN
    for part in parts:
        whole |= part
    return whole


def _parsed(text: str) -> ast.expr | None:
    try:
        return parse_expression(text)
    except SyntaxError:
        return None
