"""A pytest function written as a method of a unittest class. Pure."""

from __future__ import annotations

import ast
import copy

Function = ast.FunctionDef | ast.AsyncFunctionDef

_COMPARED: dict[type[ast.cmpop], str] = {ast.Eq: "assertEqual", ast.NotEq: "assertNotEqual", ast.Is: "assertIs"}


def as_method(function: Function) -> Function:
    """Return the method that claims the same as a test function."""
    node = copy.deepcopy(function)
    node.args.args.insert(0, ast.arg("self"))
    method: Function = ast.fix_missing_locations(_Method().visit(node))
    return method


class _Method(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        match node.test:
            case ast.Compare(left=left, ops=[how], comparators=[right]) if type(how) in _COMPARED:
                return _claim(_COMPARED[type(how)], left, right)
        return _claim("assertTrue", node.test)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if ast.unparse(node.func) == "pytest.raises":
            node.func = _of_self("assertRaises")
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if ast.unparse(node) == "caught.value":
            node.attr = "exception"
        return node


def _claim(name: str, *values: ast.expr) -> ast.Expr:
    return ast.Expr(ast.Call(_of_self(name), list(values), []))


def _of_self(name: str) -> ast.Attribute:
    return ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load())
