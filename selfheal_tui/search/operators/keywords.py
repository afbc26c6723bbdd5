"""Keywords that turn what a call of the standard library does: `popitem()` where `popitem(last=False)` was meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from selfheal_tui.search.program.source import Source

from .base import Splice, operator, quoted
from .kinds import kinds

_TURNING: Mapping[str, tuple[str, ...]] = {
    "popitem": ("last=False",),
    "move_to_end": ("last=False",),
    "splitlines": ("keepends=True",),
    "dumps": ("sort_keys=True", "ensure_ascii=False"),
    "dump": ("sort_keys=True", "ensure_ascii=False"),
    "makedirs": ("exist_ok=True",),
    "mkdir": ("exist_ok=True", "parents=True"),
    "unlink": ("missing_ok=True",),
    "rmtree": ("ignore_errors=True",),
    "copytree": ("dirs_exist_ok=True",),
    "escape": ("quote=False",),
    "parse_qs": ("keep_blank_values=True",),
    "parse_qsl": ("keep_blank_values=True",),
    "from_bytes": ("signed=True",),
    "to_bytes": ("signed=True",),
    "glob": ("recursive=True",),
    "merge": ("reverse=True",),
    "urlencode": ("doseq=True",),
}
"""Name of a function or method -> keywords with what is not their default (Python 3.11's library)."""
_OWNERS: Mapping[str, frozenset[str]] = {
    "popitem": frozenset({"OrderedDict"}),
    "move_to_end": frozenset({"OrderedDict"}),
    "splitlines": frozenset({"str", "bytes"}),
    "from_bytes": frozenset({"type"}),
    "to_bytes": frozenset({"int"}),
    "escape": frozenset({"module"}),
    "glob": frozenset({"module"}),
    "merge": frozenset({"module"}),
}
"""Method -> the types that have the keyword, where others have a method of that name without it."""
_SELDOM = frozenset({"move_to_end", "splitlines"})
_SELDOM_BITS = 1.5
"""For a method that is seldom called with its keyword: items move to the end where they were used last."""
_LEAST: Mapping[str, str] = {
    "month": "1",
    "day": "1",
    **dict.fromkeys(("hour", "minute", "second", "microsecond"), "0"),
}
"""Unit that `replace` of a date or time sets -> its least value, the largest unit first."""
_LADDER = tuple(_LEAST)


@operator("keyword", 2.6, "a call lacks the keyword that turns what it does")
def keyword(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Add a keyword that is true or false to a call that has it in the standard library."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name, value=receiver)):
            known = kinds(source, receiver)
            if known and name in _OWNERS and not known & _OWNERS[name]:
                return
        case ast.Call(func=ast.Name(id=name)):
            pass
        case _:
            return
    if any(isinstance(arg, ast.GeneratorExp) for arg in node.args):
        return
    extra = _SELDOM_BITS if name in _SELDOM else 0.0
    there = {one.arg for one in node.keywords}
    for place, text in enumerate(_TURNING.get(name, ())):
        if text.partition("=")[0] not in there and None not in there:
            yield _passed_too(source, node, text, extra + 0.5 * place)


@operator("unit", 2.6, "a time is rounded down without one of its units")
def unit(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `t.replace(second=0, microsecond=0)` into `t.replace(minute=0, second=0, microsecond=0)`.

    A unit between those that are given, the next larger one of one that is set to its least, and the smaller ones.
    """
    match node:
        case ast.Call(func=ast.Attribute(attr="replace"), args=[], keywords=[_, *_] as given):
            places = {_LADDER.index(one.arg): one for one in given if one.arg in _LADDER}
        case _:
            return
    if len(places) < len(given):
        return
    first, last = min(places), max(places)
    if first > 0 and source.segment(places[first].value) == _LEAST[_LADDER[first]]:
        yield _beside(source, places[first], _LADDER[first - 1 : first], before=True)
    for place in range(first + 1, last):
        if place not in places:
            yield _beside(source, places[max(one for one in places if one < place)], _LADDER[place : place + 1])
    for smaller in dict.fromkeys((_LADDER[last + 1 : last + 2], _LADDER[last + 1 :])):
        if smaller:
            yield _beside(source, places[last], smaller, 0.4)


def _beside(
    source: Source, given: ast.keyword, units: Sequence[str], extra: float = 0.0, before: bool = False
) -> Splice:
    """Return the edit that sets units to their least, before or after a keyword."""
    text = ", ".join(f"{one}={_LEAST[one]}" for one in units)
    start, end = source.span(given)
    at, more = (start, f"{text}, ") if before else (end, f", {text}")
    return Splice(at, at, more, f"{quoted(text)} is passed too", 1.0, extra)


@operator("numbering", 2.4, "things are numbered from 0 that people number from 1")
def numbering(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Turn `enumerate(lines)` into `enumerate(lines, start=1)`; into `enumerate(lines, 1)` where the file has it so."""
    match node:
        case ast.Call(func=ast.Name(id="enumerate"), args=[over], keywords=[]):
            if not isinstance(over, ast.Starred | ast.GeneratorExp):
                yield _passed_too(source, node, "1" if _has_bare_start(source) else "start=1", 0.0)


def _has_bare_start(source: Source) -> bool:
    """Tell whether the file gives an `enumerate` its first number without the keyword."""
    if "bare_start" not in source.memo:
        calls = (one for one in ast.walk(source.tree) if isinstance(one, ast.Call) and len(one.args) > 1)
        source.memo["bare_start"] = any(isinstance(c.func, ast.Name) and c.func.id == "enumerate" for c in calls)
    bare: bool = source.memo["bare_start"]
    return bare


def _passed_too(source: Source, call: ast.Call, text: str, extra: float) -> Splice:
    """Return the edit that puts one more argument behind the others of a call."""
    end = source.span(call)[1]
    body = source.text[: end - 1].rstrip()
    comma = "" if body.endswith("(") else " " if body.endswith(",") else ", "
    return Splice(end - 1, end, f"{comma}{text})", f"{quoted(text)} is passed too", 1.0, extra)
