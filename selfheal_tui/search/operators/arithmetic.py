"""Arithmetic: the wrong operator, operands the wrong way round, assignment that should accumulate."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.source import Source

from .base import Splice, operator, quoted, replace, token_between

_TOKEN = r"\*\*|//|<<|>>|[-+*/%@&|^]"
_OTHERS: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-", "*"),
    ast.Sub: ("+", "*"),
    ast.Mult: ("+", "/", "//", "**"),
    ast.Div: ("//", "*"),
    ast.FloorDiv: ("/", "%", "*"),
    ast.Mod: ("//", "/"),
    ast.Pow: ("*",),
    ast.LShift: (">>",),
    ast.RShift: ("<<",),
    ast.BitAnd: ("|", "^"),
    ast.BitOr: ("&", "^"),
    ast.BitXor: ("&", "|"),
}


@operator("arithmetic", 1.3, "an arithmetic operator is wrong or its operands are swapped")
def arithmetic(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap an arithmetic operator for its kin, or its two operands."""
    if isinstance(node, ast.BinOp):
        found = token_between(source, node.left, node.right, _TOKEN)
        if found is None or _is_text(node.left) or _is_text(node.right):
            return
        start, end = found
        for place, text in enumerate(_OTHERS.get(type(node.op), ())):
            yield Splice(start, end, text, f"`{source.text[start:end]}` becomes `{text}`", 1.0 + 0.3 * place)
        if isinstance(node.op, ast.Sub | ast.Div | ast.FloorDiv | ast.Mod | ast.Pow):
            left, right = source.operand(node.left), source.operand(node.right)
            yield replace(source, node, f"{right} {source.text[start:end]} {left}", 1.5)


@operator("sign", 1.8, "a value has the wrong sign")
def sign(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Drop a minus sign, or negate a value that is returned, passed, compared or part of a tuple."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield replace(source, node, source.operand(node.operand))
    elif isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        parent = source.parents.get(node)
        passed = isinstance(parent, ast.Call) and node in parent.args
        valued = passed or isinstance(parent, ast.Return | ast.Tuple | ast.Compare | ast.Lambda | ast.AugAssign)
        if valued and not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
            above = source.parents.get(parent) if parent is not None else None
            sorts = isinstance(parent, ast.Lambda) or isinstance(above, ast.Lambda)
            yield replace(source, node, f"-{source.segment(node)}", 0.8 if sorts else 1.0)


@operator("accumulate", 1.5, "an assignment should add up, or the other way round")
def accumulate(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `=` into `+=`, `+=` into `=` or `-=`, and the like."""
    if isinstance(node, ast.AugAssign):
        found = token_between(source, node.target, node.value, r"(?:\*\*|//|<<|>>|[-+*/%@&|^])=")
        others = {
            ast.Add: ("-=", "=", "*="),
            ast.Sub: ("+=", "="),
            ast.Mult: ("+=", "//="),
            ast.FloorDiv: ("/=", "-="),
        }
        texts = others.get(type(node.op), ("=",))
    elif isinstance(node, ast.Assign) and len(node.targets) == 1 and not isinstance(node.targets[0], ast.Tuple):
        found = token_between(source, node.targets[0], node.value, "=")
        texts = ("+=", "-=") if _may_exist(source, node) else ()
    else:
        return
    if found is not None:
        start, end = found
        for text in texts:
            reason = f"{quoted(source.text[start:end])} becomes {quoted(text)}"
            yield Splice(start, end, text, reason)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _may_exist(source: Source, node: ast.Assign) -> bool:
    target = node.targets[0]
    if isinstance(target, ast.Name):
        return target.id in source.names_before(target)
    return True
