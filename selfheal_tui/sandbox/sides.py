"""Which side of a failing comparison is the program's answer: the one that calls the program, left or right.

Read from the test's own text. Example: in `assert 6 == lib.total([1, 2, 3])` it is the right one.
"""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from selfheal_tui.python_source import parse_python

from .base import Suite
from .inside.roots import import_roots, module_names

Side = Literal["left", "right"]
_NOTHING, _PERHAPS, _NAMES, _CALLS = 0, 2, 3, 4
"""What an expression has of the program: nothing, it may come from there (a fixture), it names or calls the program."""
_Scope = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def side_in(suite: Suite, frames: object) -> Side | None:
    """Return the side for a failure with these frames (file, line, function), innermost last."""
    match frames:
        case [*_, [str(file), int(line), str()]] if file in suite.files and file not in suite.program:
            roots = import_roots(suite.files, suite.tests, suite.program, suite.pytest_args)
            modules = frozenset(name.partition(".")[0] for name in module_names(suite.program, roots))
            return side_of_program(suite.files[file], line, modules)
    return None


@functools.lru_cache(maxsize=4096)
def side_of_program(text: str, line: int, modules: frozenset[str]) -> Side | None:
    """Return the side of the comparison asserted at this line; None where neither calls the program, or each does.

    `modules` are the first names by which the program is imported.
    """
    try:
        scopes, test = _asserted(_parsed(text), line)
    except SyntaxError:
        return None
    comparisons = list(_comparisons(test)) if test is not None else []
    ranks = _ranks(scopes, modules)
    sides = {_nearer(_rank(left, ranks), _rank(right, ranks)) for left, right in comparisons}
    return sides.pop() if len(sides) == 1 else None


@functools.lru_cache(maxsize=16)
def _parsed(text: str) -> ast.Module:
    return parse_python(text)


def _nearer(left: int, right: int) -> Side | None:
    # A fixture may be the program's as much as a name of it: neither of them is nearer.
    left, right = left // 2, right // 2
    return None if left == right else "left" if left > right else "right"


def _asserted(tree: ast.Module, line: int) -> tuple[list[_Scope], ast.expr | None]:
    """Return the scopes around the assert statement at a line, outermost first, and what it asserts."""
    scopes: list[_Scope] = []
    node: ast.AST | None = tree
    while node is not None:
        if isinstance(node, ast.Assert) and node.lineno <= line:
            return scopes, node.test
        if isinstance(node, _Scope):
            scopes.append(node)
        children = (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt | ast.excepthandler))
        node = next((child for child in children if child.lineno <= line <= (child.end_lineno or 0)), None)
    return scopes, None


def _comparisons(test: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    match test:
        case ast.Compare(left=left, comparators=others):
            yield from zip([left, *others], others, strict=False)
        case ast.BoolOp(values=values):
            for value in values:
                yield from _comparisons(value)
        case ast.UnaryOp(operand=operand):
            yield from _comparisons(operand)


def _ranks(scopes: Iterable[_Scope], modules: frozenset[str]) -> dict[str, int]:
    """Return what each name seen from the innermost scope has of the program."""
    ranks: dict[str, int] = {}
    for scope in scopes:
        if isinstance(scope, _Function):
            given = _parameters(scope)
            arguments = scope.args
            for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
                ranks[one.arg] = _NOTHING if one.arg in given else ranks.get(one.arg, _PERHAPS)
        bound = list(_bound(scope))
        for name, source in bound:
            if isinstance(source, ast.Import | ast.ImportFrom):
                ranks[name] = _rank_of_import(name, source, modules)
        before: dict[str, int] = {}
        while before != ranks:
            before = dict(ranks)
            for name, source in bound:
                if not isinstance(source, ast.Import | ast.ImportFrom):
                    ranks[name] = max(ranks.get(name, _NOTHING), _rank(source, ranks))
    return ranks


def _rank_of_import(name: str, node: ast.Import | ast.ImportFrom, modules: frozenset[str]) -> int:
    if isinstance(node, ast.ImportFrom):
        return _NAMES if node.level or (node.module or "").partition(".")[0] in modules else _NOTHING
    own = [alias.name.partition(".")[0] for alias in node.names if (alias.asname or alias.name.split(".")[0]) == name]
    return _NAMES if modules.intersection(own) else _NOTHING


def _parameters(function: _Function) -> set[str]:
    """Return the arguments that `pytest.mark.parametrize` gives: values of the test's own."""
    names: set[str] = set()
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("parametrize"):
            for node in ast.walk(decorator.args[0]) if decorator.args else ():
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    names |= {name.strip() for name in node.value.split(",")}
    return names


def _bound(scope: _Scope) -> Iterator[tuple[str, ast.AST]]:
    """Yield the names that a scope binds, each with what it is bound to; scopes inside it are not entered."""
    pending: list[ast.AST] = list(scope.body)
    while pending:
        node = pending.pop()
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node
                continue
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                yield from (((alias.asname or alias.name).split(".")[0], node) for alias in aliases)
            case ast.Assign(targets=targets, value=value):
                yield from ((name, value) for target in targets for name in _names(target))
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.AugAssign(target=target, value=value):
                yield from ((name, value) for name in _names(target))
            case ast.NamedExpr(target=target, value=value):
                yield from ((name, value) for name in _names(target))
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                yield from ((name, value) for name in _names(target))
            case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
                yield from ((name, value) for name in _names(target))
        pending += ast.iter_child_nodes(node)


def _names(target: ast.expr) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def _rank(node: ast.AST, ranks: Mapping[str, int]) -> int:
    highest = _NOTHING
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name):
                highest = max(highest, _rank_of_name(name, ranks))
            case ast.Call(func=function) if _rank_of_name(_root(function), ranks) >= _NAMES:
                return _CALLS
    return highest


def _rank_of_name(name: str, ranks: Mapping[str, int]) -> int:
    """Return what a name has; `from prog import *` may have brought one that nothing else binds."""
    return ranks.get(name, _NOTHING if hasattr(builtins, name) else ranks.get("*", _NOTHING))


def _root(node: ast.expr) -> str:
    """Return the name that a chain of attributes, items and calls begins with; empty for none."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
