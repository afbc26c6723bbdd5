"""What names of a test file stand for outside of it: constants, plain fixtures and helpers that make objects. Pure.

`SEASON = [Match("A", "B", 2, 0)]` or `def some(): return [Task("a", due=3)]`: a call that is to be made elsewhere needs
what they give, and only that can be changed a little.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from selfheal_tui.python_source import parse_or_none

from ..program.bound import PutValues, is_plain_fixture
from ..program.source import FunctionNode

_LONGEST = 800
"""Characters of a value: of longer ones no part is looked at."""
_MOST_DEEP = 3
"""How often a helper in what a helper gives, or a fixture in a fixture, is looked up."""


@dataclass(frozen=True, slots=True)
class Helper:
    """A function of a test file that gives one expression."""

    parameters: tuple[str, ...]
    gives: ast.expr


@dataclass(frozen=True, slots=True)
class NamedValues:
    """What the names of one test file stand for."""

    constants: Mapping[str, ast.expr] = field(default_factory=dict)
    fixtures: Mapping[str, ast.FunctionDef] = field(default_factory=dict)
    """Those without parameters of `pytest.fixture`; a `conftest.py` gives its own to all files."""
    helpers: Mapping[str, Helper] = field(default_factory=dict)

    def put_into(self, expression: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr:
        """Return the expression with `values` for names, and what helpers give for their calls; the old one stays."""
        expression = copy.deepcopy(expression)
        for _ in range(_MOST_DEEP):
            put = _Put(values, self.helpers)
            expression = put.visit(expression)
            if not put.has_changed or len(ast.unparse(expression)) > _LONGEST:
                break
        return expression

    def given_to(self, test: FunctionNode) -> dict[str, ast.expr]:
        """Return the constants, and the fixtures that are one expression, that a test neither binds nor changes."""
        parameters = {one.arg for one in test.args.args}
        fixtures = {
            name: value
            for name, fixture in self.fixtures.items()
            if name in parameters and not fixture.args.args
            if isinstance(value := _one_value(fixture.body), ast.expr)
        }
        constants = {name: value for name, value in self.constants.items() if name not in parameters}
        own = {node.id for node in ast.walk(test) if isinstance(node, ast.Name) and not _is_read(node)}
        unfit = own | acted_on(test)
        return {name: value for name, value in {**constants, **fixtures}.items() if name not in unfit}

    def steps_before(self, test: ast.FunctionDef) -> list[ast.stmt] | None:
        """Return the statements that make a test's parameters; None where one is no plain fixture."""
        steps: list[ast.stmt] = []
        for parameter in test.args.args:
            made = self._made(parameter.arg, _MOST_DEEP)
            if made is None:
                return None
            steps += made
        return steps

    def _made(self, name: str, deep: int) -> list[ast.stmt] | None:
        fixture = self.fixtures.get(name)
        if fixture is None or not deep:
            return None
        steps: list[ast.stmt] = []
        for parameter in fixture.args.args:
            inner = self._made(parameter.arg, deep - 1)
            if inner is None:
                return None
            steps += inner
        *body, last = _until_given(fixture.body) or [ast.Pass()]
        match last:
            case ast.Return(value=ast.expr() as value) | ast.Expr(value=ast.Yield(value=ast.expr() as value)):
                if isinstance(value, ast.Name):
                    return [*steps, *_called(body, value.id, name)]
                given = ast.fix_missing_locations(ast.Assign([ast.Name(name, ast.Store())], value))
                return [*steps, *body, given]
        return None


def _called(body: list[ast.stmt], before: str, after: str) -> list[ast.stmt]:
    """Return the statements with one variable called otherwise: what a fixture calls `i` is the test's `inv`."""
    renamed = copy.deepcopy(body)
    for node in (node for statement in renamed for node in ast.walk(statement)):
        if isinstance(node, ast.Name) and node.id == before:
            node.id = after
    return renamed


def _until_given(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a fixture up to its `yield`: what follows takes down what it made."""
    own = _without_docstring(body)
    at = next((n for n, one in enumerate(own) if isinstance(one, ast.Expr) and isinstance(one.value, ast.Yield)), None)
    return own if at is None else own[: at + 1]


def named_values(tests: Mapping[str, str]) -> dict[str, NamedValues]:
    """Return what the names of each test file (path -> text) stand for."""
    trees = {path: tree for path, text in tests.items() if (tree := parse_or_none(text)) is not None}
    shared: dict[str, ast.FunctionDef] = {}
    for path, tree in trees.items():
        if PurePosixPath(path).name == "conftest.py":
            shared |= _fixtures(tree)
    return {
        path: NamedValues(dict(_constants(tree)), {**shared, **_fixtures(tree)}, _helpers(tree))
        for path, tree in trees.items()
    }


def acted_on(function: FunctionNode) -> set[str]:
    """Return the names on which a function calls a method, or in which it stores something."""
    return {
        node.value.id
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.value, ast.Name)
        if not (isinstance(node, ast.Subscript) and _is_read(node))
    }


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a module binds once, with what it binds them to."""
    bound = Counter(
        node.id
        for statement in tree.body
        if not isinstance(statement, FunctionNode | ast.ClassDef)
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and not _is_read(node)
    )
    changed = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    for statement in tree.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                if bound[name] == 1 and name not in changed and len(ast.unparse(value)) <= _LONGEST:
                    yield name, value


def _fixtures(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and any(map(is_plain_fixture, node.decorator_list))
    }


def _helpers(tree: ast.Module) -> dict[str, Helper]:
    helpers: dict[str, Helper] = {}
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or node.decorator_list or node.name.startswith("test"):
            continue
        arguments = node.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs or arguments.defaults:
            continue
        if (value := _one_value(node.body)) is not None:
            helpers[node.name] = Helper(tuple(one.arg for one in arguments.args), value)
    return helpers


def _one_value(body: Sequence[ast.stmt]) -> ast.expr | None:
    """Return what a function gives that does nothing else."""
    match _without_docstring(body):
        case [ast.Return(value=ast.expr() as value)] | [ast.Expr(value=ast.Yield(value=ast.expr() as value))]:
            return value if len(ast.unparse(value)) <= _LONGEST else None
        case [
            ast.Assign(targets=[ast.Name(id=name)], value=value),
            ast.Return(value=ast.Name(id=given)),
        ] if name == given:
            return value if len(ast.unparse(value)) <= _LONGEST else None
    return None


def _without_docstring(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
    return [*body]


def _is_read(node: ast.Name | ast.Subscript) -> bool:
    return isinstance(node.ctx, ast.Load)


class _Put(PutValues):
    """Puts values in the place of names, and what helpers give in the place of their calls."""

    def __init__(self, values: Mapping[str, ast.expr], helpers: Mapping[str, Helper]) -> None:
        super().__init__(values)
        self._helpers = helpers

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Put what a helper gives."""
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in self._helpers:
                helper = self._helpers[name]
                if len(arguments) == len(helper.parameters):
                    self.has_changed = True
                    values = dict(zip(helper.parameters, arguments, strict=True))
                    given: ast.expr = PutValues(values).visit(copy.deepcopy(helper.gives))
                    return given
        return node
