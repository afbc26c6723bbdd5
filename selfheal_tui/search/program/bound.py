"""Values that test files give by a name: constants of the module, plain fixtures, what a case binds once. Pure.

`ROW = {"vip": False}` and `assert matches("vip", ROW)` call `matches` as `matches("vip", {"vip": False})` does.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from pathlib import PurePosixPath

from selfheal_tui.python_source import is_literal, parse_or_none

from .calls import imported_names
from .source import FunctionNode

_MOST_READ = 4
"""Places where one result is looked at."""
_LONGEST = 300
"""Characters of a value; longer ones make calls that nobody can judge."""
_CHANGES = frozenset(
    {"add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault"}
    | {"sort", "update"}
)
"""Methods after which a value is another one."""

_Values = Mapping[str, ast.expr]


def with_values(tests: Mapping[str, str]) -> dict[str, str]:
    """Return test files (path -> text) in which cases have the values themselves where they name them.

    An assertion of several (`a == 1 and b == 2`) stands as several, and what a function imports at the top. To be
    read, not to be run: what a case does to an object that others hold too is not followed.
    """
    trees = {path: tree for path, text in tests.items() if (tree := parse_or_none(text)) is not None}
    shared: dict[str, ast.expr] = {}
    for path, tree in trees.items():
        if PurePosixPath(path).name == "conftest.py":
            shared |= _fixtures(tree)
    return {path: _written(trees[path], text, shared) if path in trees else text for path, text in tests.items()}


def _written(tree: ast.Module, text: str, shared: _Values) -> str:
    constants, fixtures = _constants(tree), {**shared, **_fixtures(tree)}
    known = imported_names(text) | set(vars(builtins))
    has_changed = _import_at_top(tree)
    for function in (node for node in ast.walk(tree) if isinstance(node, FunctionNode)):
        if not function.name.startswith("test"):
            continue
        put = PutValues(_values_in(function, constants, fixtures))
        function.body = [put.visit(statement) for statement in function.body]
        put.values = constants
        function.decorator_list = [put.visit(decorator) for decorator in function.decorator_list]
        calls = PutValues(_results_in(function, known))
        function.body = [calls.visit(statement) for statement in function.body]
        each = _EachAssertion()
        each.generic_visit(function)
        has_changed |= put.has_changed or calls.has_changed or each.has_changed
    return ast.unparse(tree) if has_changed else text


def _import_at_top(tree: ast.Module) -> bool:
    """Put what functions import at the top of the file; tell whether there was any."""
    found: list[ast.stmt] = []
    for function in (node for node in ast.walk(tree) if isinstance(node, FunctionNode)):
        own = [one for one in function.body if isinstance(one, ast.Import | ast.ImportFrom)]
        if own and len(own) < len(function.body):
            found += own
            function.body = [one for one in function.body if one not in own]
    start = next((n for n, one in enumerate(tree.body) if isinstance(one, FunctionNode | ast.ClassDef)), 0)
    tree.body[start:start] = found
    return bool(found)


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    """Return the names that the module binds once, to a literal."""
    bound = Counter(name for statement in tree.body for name in _bound_names(statement))
    again = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    return {
        name: value
        for statement in tree.body
        for name, value in _binding(statement)
        if bound[name] == 1 and name not in again and is_literal(value) and _is_short(value)
    }


def _fixtures(tree: ast.Module) -> dict[str, ast.expr]:
    """Return the fixtures that do nothing but give a literal."""
    values: dict[str, ast.expr] = {}
    for node in tree.body:
        if (
            not isinstance(node, ast.FunctionDef)
            or node.args.args
            or not any(map(is_plain_fixture, node.decorator_list))
        ):
            continue
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        match body:
            case [ast.Return(value=ast.expr() as value)] | [ast.Expr(value=ast.Yield(value=ast.expr() as value))]:
                if is_literal(value) and _is_short(value):
                    values[node.name] = value
    return values


def is_plain_fixture(decorator: ast.expr) -> bool:
    """Tell whether a decorator makes a plain fixture: one that has its function's name and no parameters."""
    call = decorator.func if isinstance(decorator, ast.Call) else decorator
    named = isinstance(decorator, ast.Call) and any(keyword.arg in ("name", "params") for keyword in decorator.keywords)
    return not named and ast.unparse(call) in ("pytest.fixture", "fixture")


def _values_in(function: FunctionNode, constants: _Values, fixtures: _Values) -> dict[str, ast.expr]:
    """Return the names that mean one literal throughout a case."""
    parameters = {one.arg for one in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]}
    bound = Counter(name for statement in function.body for name in _bound_names(statement))
    own = {
        name: value
        for statement in function.body
        for name, value in _binding(statement)
        if bound[name] == 1 and name not in parameters and is_literal(value) and _is_short(value)
    }
    given = {name: value for name, value in constants.items() if name not in parameters and not bound[name]}
    asked = {name: value for name, value in fixtures.items() if name in parameters and not bound[name]}
    changed = set(_changed_names(function))
    return {name: value for name, value in {**given, **asked, **own}.items() if name not in changed}


def _results_in(function: FunctionNode, known: Set[str]) -> dict[str, ast.expr]:
    """Return the names that are bound to a function's result and only looked at: `out = f(3)`, `assert out.low == 4`.

    What an object's method gives depends on what was done to the object before. `known` are names that mean the same
    everywhere: what the file imports, and Python's own.
    """
    bound = Counter(name for statement in function.body for name in _bound_names(statement))
    read = Counter(node.id for node in ast.walk(function) if isinstance(node, ast.Name) and _is_read(node))
    changed = {*_changed_names(function), *_handed_on(function)}
    values: dict[str, ast.expr] = {}
    for statement in function.body:
        for name, value in _binding(statement):
            match value:
                case ast.Call(func=ast.Name(id=called), args=arguments, keywords=[]) if called[:1].islower():
                    once = read[name] == 1 or (read[name] <= _MOST_READ and name not in changed)
                    if bound[name] == 1 and once and all(_names(one) <= known for one in arguments):
                        values[name] = value
    return values


def _names(node: ast.expr) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _handed_on(function: FunctionNode) -> Iterator[str]:
    """Yield the names of which a case calls a method, or that it passes to another function than Python's own."""
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
                yield name
            case ast.Call(func=func, args=arguments) if not (isinstance(func, ast.Name) and func.id in vars(builtins)):
                yield from (one.id for one in arguments if isinstance(one, ast.Name))


def _binding(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value


def _bound_names(statement: ast.stmt) -> Iterator[str]:
    """Yield each name as often as a statement, or one in it, binds it."""
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name) if not _is_read(node):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.ExceptHandler(name=str(name)) | ast.arg(arg=name):
                yield name
            case ast.alias():
                yield node.asname or node.name.partition(".")[0]


def _changed_names(function: FunctionNode) -> Iterator[str]:
    """Yield the names whose value a case changes in its place."""
    for node in ast.walk(function):
        match node:
            case ast.Subscript(value=ast.Name(id=name)) | ast.Attribute(value=ast.Name(id=name)) if not _is_read(node):
                yield name
            case ast.AugAssign(target=ast.Name(id=name)):
                yield name
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in _CHANGES:
                yield name


def _is_read(node: ast.Name | ast.Subscript | ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load)


def _is_short(value: ast.expr) -> bool:
    return len(ast.unparse(value)) <= _LONGEST


class _EachAssertion(ast.NodeTransformer):
    """Makes an assertion of each part of one that asserts several."""

    has_changed = False

    def visit_Assert(self, node: ast.Assert) -> ast.stmt | list[ast.stmt]:
        """Split it."""
        match node.test:
            case ast.BoolOp(op=ast.And(), values=values):
                self.has_changed = True
                return [ast.Assert(test=value) for value in values]
        return node


class PutValues(ast.NodeTransformer):
    """Puts values in the place of names."""

    def __init__(self, values: _Values) -> None:
        self.values = values
        self.has_changed = False

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Put the value of a name that is read."""
        if not _is_read(node) or node.id not in self.values:
            return node
        self.has_changed = True
        return copy.deepcopy(self.values[node.id])
