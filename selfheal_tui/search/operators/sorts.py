"""Sorts: they run the wrong way, or go by the wrong key."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, bits, operator, quoted, ranked, together
from .kinds import MAPPINGS
from .scope import functions, scope

_KEYS = (
    *("len(x)", "-len(x)", "x[0]", "x[1]", "-x", "str(x)", "abs(x)", "len(set(x))", "-len(set(x))", "sum(x)"),
    *("x.lower()", "int(x)", "x[-1]", "-x[1]", "-x[0]"),
)
_TIES = ("{item}[0]", "{item}")
"""By what a sort goes on where what it goes by is the same."""
_LOOSE = ast.BinOp | ast.BoolOp | ast.Compare | ast.IfExp | ast.Lambda
"""What a sign before it would take in part only."""


@operator("order", 3.0, "a sort runs the wrong way")
def order(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Add, drop or turn round the `reverse` of a sort."""
    if not isinstance(node, ast.Call) or _name(node) not in ("sorted", "sort"):
        return
    end = source.span(node)[1]
    reverse = next((k for k in node.keywords if k.arg == "reverse"), None)
    if reverse is None:
        yield _with_keyword(source, node, "reverse=True", "the sort is reversed")
        return
    parts: list[ast.expr | ast.keyword] = [*node.args, *(k for k in node.keywords if k is not reverse)]
    function_end = source.span(node.func)[1]
    inner = ", ".join(source.text[slice(*source.span(part))] for part in parts)
    yield Splice(function_end, end, f"({inner})", "`reverse` is removed from the sort")
    if not isinstance(reverse.value, ast.Constant):
        at, stop = source.span(reverse.value)
        yield Splice(at, stop, f"not ({source.text[at:stop]})", "the sort is reversed", 1.0, 0.3)


@operator("sort_key", 4.5, "a sort goes by the wrong thing")
def sort_key(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Give a sort, a minimum or a maximum a key, or another one."""
    if not isinstance(node, ast.Call) or _name(node) not in ("sorted", "sort", "max", "min"):
        return
    if not node.args and _name(node) != "sort":
        return
    visible = scope(source, node)
    keys = [*_KEYS, *(f"{name}(x)" for name, f in functions(source).items() if len(f.args.args) == 1)]
    keys += [f"{name}[x]" for name, kind in visible.items() if kind & MAPPINGS]
    keys += [f"{name}.index(x)" for name, kind in visible.items() if kind & {"list", "tuple", "str"}]
    keys += [f"{name}.count(x)" for name, kind in visible.items() if kind & {"list", "tuple", "str"}]
    pairs = [f"({key}, {then})" for then in ("x", "x[0]", "len(x)") for key in keys if key != then]
    old = next((k.value for k in node.keywords if k.arg == "key"), None)
    for place, key in enumerate(["len", *(f"lambda x: {key}" for key in (*keys, *pairs))]):
        extra = 0.5 * bits(place)
        if old is None:
            yield _with_keyword(source, node, f"key={key}", f"`{_name(node)}` gets the key {quoted(key)}", extra)
        else:
            yield Splice(*source.span(old), key, f"`{_name(node)}` gets the key {quoted(key)}", 1.0, extra + 0.5)


@operator("sort_ways", 2.0, "a part of what a sort goes by runs the wrong way")
def sort_ways(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn one part of a key round instead of all: `key=lambda p: (-p[1], p[0])` for `(p[1], p[0]), reverse=True`."""
    if not isinstance(node, ast.Call) or _name(node) not in ("sorted", "sort"):
        return
    given = {keyword.arg: keyword for keyword in node.keywords}
    key, reverse = given.get("key"), given.get("reverse")
    if key is None or not isinstance(key.value, ast.Lambda) or len(key.value.args.args) != 1:
        return
    body = key.value.body
    parts = body.elts if isinstance(body, ast.Tuple) else [body]
    if any(isinstance(part, ast.Starred) for part in parts):
        return
    ties = [tie.format(item=key.value.args.args[0].arg) for tie in _TIES]
    if reverse is None:
        if len(parts) == 1:
            texts = [f"({source.segment(body)}, {tie})" for tie in ties if tie != source.segment(body)]
            yield from ranked(source, body, texts)
    elif isinstance(reverse.value, ast.Constant) and reverse.value.value is True:
        begin, end = _argument(source, node, reverse)
        turned = [[_turned(source, one) if one is part else source.segment(one) for one in parts] for part in parts]
        ways = turned if len(parts) > 1 else [[*turned[0], tie] for tie in ties]
        for place, way in enumerate(ways):
            text = f"({', '.join(way)})"
            reason = f"the sort goes by {quoted(text)}, without `reverse`"
            yield together(source, [(*source.span(body), text), (begin, end, "")], reason, 0.5 * bits(place))


def _turned(source: Source, part: ast.expr) -> str:
    """Return a part of a key that runs the other way."""
    if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub):
        return source.segment(part.operand)
    text = source.segment(part)
    return f"-({text})" if isinstance(part, _LOOSE) else f"-{text}"


def _argument(source: Source, call: ast.Call, gone: ast.keyword) -> tuple[int, int]:
    """Return the span of an argument with the comma before it, or after it where it is the first."""
    spans = sorted([*map(source.span, call.args), *map(source.span, call.keywords)])
    at = spans.index(source.span(gone))
    return (spans[at - 1][1], spans[at][1]) if at else (spans[0][0], spans[1][0])


def _with_keyword(source: Source, node: ast.Call, text: str, reason: str, extra: float = 0.0) -> Splice:
    end = source.span(node)[1]
    only = node.args[0] if node.args else None
    if isinstance(only, ast.GeneratorExp) and source.span(only)[1] == end:
        return Splice(*source.span(only), f"({source.segment(only)}, {text})", reason, 1.0, extra)
    body = source.text[source.span(node)[0] : end - 1].rstrip()
    comma = "" if body.endswith("(") else " " if body.endswith(",") else ", "
    return Splice(end - 1, end, f"{comma}{text})", reason, 1.0, extra)


def _name(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr if node.func.attr == "sort" else ""
    return node.func.id if isinstance(node.func, ast.Name) else ""
