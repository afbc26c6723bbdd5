"""Arguments that say what is wanted and that nothing reads: a loop or a comprehension should leave the others out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from selfheal_tui.search.program.source import FunctionNode, Source, with_defaults

from .base import Splice, bits, operator, quoted
from .blocks import has_own_lines, inserter
from .scope import own_nodes

_LOW = frozenset({"min", "minimum", "least", "lowest", "from", "since", "start", "after"})
_HIGH = frozenset({"max", "maximum", "most", "highest", "to", "until", "end", "before", "limit"})
_LIKE_BITS = 0.6
"""For an attribute whose name is only like that of the argument."""
_ELSEWHERE_BITS = 0.4
"""For one that the file reads only of variables with another name than the loop's."""
_MOST = 4


class _Wanted(NamedTuple):
    keeps: str
    """The condition on an item that is wanted."""
    drops: str
    """Its opposite."""
    extra: float


@operator("unread_filter", 3.4, "an argument says what is wanted, and nothing else is left out")
def unread_filter(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `if e.account != account: continue` first in a loop, or give a comprehension `if e.account == account`.

    Only for an argument that the function reads nowhere, but for calls that are statements, where the file reads an
    attribute or a key of that name, or of a like one, of something: `min_amount` asks for `e.amount < min_amount`, and
    `kinds` for `e.kind not in kinds`.
    """
    if not isinstance(node, ast.For | ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
        return
    function = source.function(node)
    if function is None or not (unread := _unread(source, function)):
        return
    match node:
        case ast.For(target=ast.Name(id=item), body=[first, *_]) if has_own_lines(source, first):
            insert = inserter(source, first)
            for place, wanted in enumerate(_wanted(source, unread, item)):
                reason = f"{quoted(f'if {wanted.drops}: continue')} is added"
                yield insert((f"if {wanted.drops}:", "\tcontinue"), reason, wanted.extra + 0.5 * bits(place))
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            last = node.generators[-1]
            before = last.ifs[-1] if last.ifs else last.iter
            end = source.span(before)[1]
            if not isinstance(last.target, ast.Name) or isinstance(before, ast.BoolOp | ast.IfExp | ast.Lambda):
                return
            if source.text[end : source.span(node)[1]].strip() not in ("]", "}", ")"):
                return
            for place, wanted in enumerate(_wanted(source, unread, last.target.id)):
                joined = last.ifs and " or " in wanted.keeps
                text = f" {'and' if last.ifs else 'if'} {f'({wanted.keeps})' if joined else wanted.keeps}"
                yield Splice(end, end, text, f"{quoted(text.strip())} is added", 1.0, wanted.extra + 0.5 * bits(place))


def _unread(source: Source, function: FunctionNode) -> dict[str, ast.expr | None]:
    """Return the arguments that a function does not read, but to check them, each with its default."""
    unread_in: dict[ast.AST, dict[str, ast.expr | None]] = source.memo.setdefault("unread_arguments", {})
    if function not in unread_in:
        given = {argument.arg: default for argument, default in with_defaults(function.args)}
        names = [one for one in own_nodes(source, function) if isinstance(one, ast.Name) and one.id in given]
        used = {one.id for one in names if not _is_checked(source, one)}
        unread_in[function] = {name: default for name, default in given.items() if name not in used}
    return unread_in[function]


def _is_checked(source: Source, name: ast.Name) -> bool:
    """Tell whether a name is only handed to a call that is a statement: `self._check(account)`."""
    call = source.parents.get(name)
    return isinstance(call, ast.Call) and name in call.args and isinstance(source.parents.get(call), ast.Expr)


def _wanted(source: Source, unread: dict[str, ast.expr | None], item: str) -> list[_Wanted]:
    """Return the conditions that arguments make on an item, the likeliest first."""
    found: list[_Wanted] = []
    read_here = source.attributes.get(item, ())
    attributes = dict.fromkeys([*read_here, *(attr for attrs in source.attributes.values() for attr in attrs)])
    parts = [(attr, f"{item}.{attr}", 0.0 if attr in read_here else _ELSEWHERE_BITS) for attr in attributes]
    parts += [(key, f"{item}[{text}]", 0.0) for key, text in _keys(source).items()]
    for name, default in unread.items():
        optional = isinstance(default, ast.Constant) and default.value is None
        for attribute, part, extra in parts:
            if item != name and (signs := _signs(name, attribute)) is not None:
                keep, drop = (f"{part} {sign} {name}" for sign in signs)
                keep, drop = (
                    (f"{name} is None or {keep}", f"{name} is not None and {drop}") if optional else (keep, drop)
                )
                found.append(_Wanted(keep, drop, extra + (0.0 if name == attribute else _LIKE_BITS)))
    return sorted(found, key=lambda wanted: wanted.extra)[:_MOST]


def _signs(argument: str, attribute: str) -> tuple[str, str] | None:
    """Return how an item is compared with an argument to keep it and to drop it; None where their names are unlike."""
    if argument == attribute:
        return "==", "!="
    if argument in (f"{attribute}s", f"{attribute}es"):
        return "in", "not in"
    words = argument.split("_")
    if attribute not in words:
        return None
    others = {*words} - {attribute}
    if others & _LOW:
        return ">=", "<"
    return ("<=", ">") if others & _HIGH else ("==", "!=")


def _keys(source: Source) -> dict[str, str]:
    """Return the text keys that the file looks up, each as it is written."""
    if "text_keys" not in source.memo:
        source.memo["text_keys"] = {
            one.slice.value: source.segment(one.slice)
            for one in source.nodes()
            if isinstance(one, ast.Subscript)
            and isinstance(one.slice, ast.Constant)
            and isinstance(one.slice.value, str)
            and "\n" not in source.segment(one.slice)
        }
    keys: dict[str, str] = source.memo["text_keys"]
    return keys
