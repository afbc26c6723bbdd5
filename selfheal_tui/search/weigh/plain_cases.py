"""The test functions of a file, methods of test classes as plain functions too: `self.store` reads `store`. Pure."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from selfheal_tui.python_source import parse_or_none

from ..program.calls import EQUAL_ASSERTIONS

_SET_UP = ("setUp", "setup_method")


def plain_cases(text: str) -> Iterator[ast.FunctionDef]:
    """Yield the test functions of a file; a method has the statements of its class's set-up in front."""
    tree = parse_or_none(text)
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield node
        elif isinstance(node, ast.ClassDef):
            methods = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.args.args]
            set_up = next((one for one in methods if one.name in _SET_UP), None)
            for method in methods:
                if method.name.startswith("test"):
                    yield _plain(method, set_up)


def _plain(method: ast.FunctionDef, set_up: ast.FunctionDef | None) -> ast.FunctionDef:
    plain = copy.deepcopy(method)
    before = copy.deepcopy(set_up.body) if set_up is not None else []
    own = plain.args.args.pop(0).arg
    made = {
        target.attr
        for statement in [*before, *plain.body]
        for target in ast.walk(statement)
        if isinstance(target, ast.Attribute) and isinstance(target.ctx, ast.Store)
    }
    without = _WithoutSelf(own, made)
    plain.body = [without.visit(statement) for statement in [*before, *plain.body]]
    return plain


class _WithoutSelf(ast.NodeTransformer):
    """Reads what the methods set on their object as variables, and unittest's assertions as statements."""

    def __init__(self, own: str, made: set[str]) -> None:
        self._own, self._made = own, made

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Read `self.store` as `store`, where a method sets it."""
        if isinstance(node.value, ast.Name) and node.value.id == self._own and node.attr in self._made:
            return ast.Name(node.attr, node.ctx)
        self.generic_visit(node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        """Read `self.assertEqual(a, b)` as `assert a == b`."""
        self.generic_visit(node)
        match node.value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=own), attr=name), args=args) if own == self._own:
                if name in EQUAL_ASSERTIONS and len(args) > 1:
                    return ast.Assert(ast.Compare(args[0], [ast.Eq()], [args[1]]))
                if name == "assertIsNone" and args:
                    return ast.Assert(ast.Compare(args[0], [ast.Is()], [ast.Constant(None)]))
                if name == "assertTrue" and args:
                    return ast.Assert(args[0])
                if name == "assertFalse" and args:
                    return ast.Assert(ast.UnaryOp(ast.Not(), args[0]))
        return node
