"""One edit at several places at once: the same slip, wherever the same thing was written."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from ..operators import Family, Splice
from ..operators.base import quoted, together
from ..program.location import Location
from ..program.source import FunctionNode, Source
from .families import families
from .listing import Edit
from .several_lines import same_line_words, several_lines_words

SUFFIX = "_in_several_places"
"""Of the names of these families."""
_NAME = re.compile(r"\b[^\W\d]\w*")
_COMMON = frozenset(dir(builtins)) | frozenset(keyword.kwlist)
_MOST_BITS = 5.0
"""Of an edit's own, apart from its place."""
_MOST_PLACES = 16
_MANY_EDITS, _MOST_BITS_OF_MANY = 25_000, 2.4
"""In a large file only the commonest slips are looked at."""
_MOST_NEIGHBOURS = 8
_MOST_HOLDERS = 3
"""Functions and classes that are named."""
_TOGETHER_BITS = 3.0
"""For the same slip at several places instead of one."""
_FURTHER = {
    "statement": 0.0,
    "block": 0.4,
    "likeness": 0.4,
    "function": 0.4,
    "all but one": 1.2,
    "neighbours": 1.4,
    "class": 1.4,
    "file": 2.0,
}
"""Bits for how far apart the places are."""
_ALIKE_BITS = 1.2
"""For places where other variables stand."""
_UNREACHED_BITS = 0.8
"""For places that no failing case came to, perhaps because the first of them raised."""

_Form = tuple[str, type[ast.AST], str, str]
"""Family, type of the node, what stands there and what is written, with the variables of the first as numbers."""


@dataclass(frozen=True, slots=True)
class _Place:
    node: ast.AST
    splice: Splice
    edit: Edit | None
    """None where no failing case came."""
    bits: float
    """Of the splice alone."""


def siblings(source: Source, location: Location, edits: Sequence[Edit], _: Mapping[str, str]) -> Iterator[Edit]:
    """Yield for edits that several places of a function, class or file have in common one that makes them all."""
    groups = _groups(source, location, edits)
    seen: set[tuple[int, int, str]] = set()
    for places in groups.values():
        if len(places) < 2:
            continue
        for further, chosen in _choices(source, places):
            if (edit := _joined(source, chosen, _FURTHER[further])) is None:
                continue
            key = (edit.splice.start, edit.splice.end, edit.splice.text)
            if key not in seen:
                seen.add(key)
                yield edit


def _groups(source: Source, location: Location, edits: Sequence[Edit]) -> dict[_Form, list[_Place]]:
    """Return the places of each form, in the order of the text; each has an edit at one of them at least."""
    nodes, named = list(source.nodes()), families()
    groups: dict[_Form, dict[tuple[int, int], _Place]] = defaultdict(dict)
    types: dict[tuple[str, type[ast.AST]], None] = {}
    holders: set[ast.AST | None] = set()
    most = _MOST_BITS if len(edits) <= _MANY_EDITS else _MOST_BITS_OF_MANY
    for edit in edits:
        own = edit.family.cost * edit.splice.weight + edit.splice.extra
        node = nodes[edit.order]
        if edit.family.name in named and own <= most and (form := _form(source, node, edit.splice, edit.family)):
            groups[form].setdefault((edit.splice.start, edit.splice.end), _Place(node, edit.splice, edit, own))
            types[edit.family.name, type(node)] = None
            holders.add(_holder(source, node))
    for node in nodes:
        if isinstance(node, ast.expr | ast.stmt) and _holder(source, node) in holders and location.bits(node) is None:
            for name, kind in types:
                if kind is type(node):
                    family = named[name]
                    for splice in family.edits(source, node):
                        form = _form(source, node, splice, family)
                        if form is not None and form in groups:
                            bits = family.cost * splice.weight + splice.extra
                            groups[form].setdefault((splice.start, splice.end), _Place(node, splice, None, bits))
    return {form: _apart(at.values()) for form, at in groups.items()}


def _form(source: Source, node: ast.AST, splice: Splice, family: Family) -> _Form | None:
    """Return what an edit does whatever the place; None where it is none of one spot within a line."""
    if not isinstance(node, ast.expr | ast.stmt) or isinstance(node, FunctionNode | ast.ClassDef):
        return None
    start, end = source.span(node)
    if not start <= splice.start <= splice.end <= end:
        return None
    old, new = source.text[splice.start : splice.end], splice.text
    if "\n" in old or "\n" in new or "\r" in new:
        return None
    if not old:  # an insertion is told by what stands there
        if not isinstance(node, ast.expr) or "\n" in source.segment(node):
            return None
        old, new = source.segment(node), source.text[start : splice.start] + new + source.text[splice.end : end]
    pattern, numbered = _without_names(old)
    if numbered and all(name in new for name in numbered):
        return family.name, type(node), pattern, _NAME.sub(lambda match: numbered.get(match[0], match[0]), new)
    return family.name, type(node), old, new


@lru_cache(maxsize=4096)
def _without_names(text: str) -> tuple[str, dict[str, str]]:
    """Return code with numbers for its variables, and variable -> number."""
    names = (name for name in dict.fromkeys(_NAME.findall(text)) if name not in _COMMON)
    numbered = {name: f"<{n}>" for n, name in enumerate(names)}
    return _NAME.sub(lambda match: numbered.get(match[0], match[0]), text), numbered


def _apart(places: Iterable[_Place]) -> list[_Place]:
    """Return the places in order, without those that lie within another."""
    apart: list[_Place] = []
    for place in sorted(places, key=lambda p: (p.splice.start, -p.splice.end)):
        if not apart or place.splice.start >= apart[-1].splice.end:
            apart.append(place)
    return apart


def _choices(source: Source, places: list[_Place]) -> Iterator[tuple[str, list[_Place]]]:
    """Yield which of the places change together: those of one statement, block, function, class, then of the file."""
    wider: list[tuple[str, list[_Place]]] = [("file", places)]
    classes: dict[ast.AST | None, list[_Place]] = defaultdict(list)
    functions: dict[ast.AST | None, list[_Place]] = defaultdict(list)
    for place in places:
        function = source.function(place.node)
        functions[function].append(place)
        holder = source.parents.get(function) if function is not None else None
        if isinstance(holder, ast.ClassDef):
            classes[holder].append(place)
    wider += [("class", some) for some in classes.values()]
    for some in functions.values():
        exact: dict[str, list[_Place]] = defaultdict(list)
        for place in some:
            exact[source.text[place.splice.start : place.splice.end]].append(place)
        for alike in (*exact.values(), some):
            yield from _nearby(source, alike)
    yield from reversed(wider)


def _nearby(source: Source, places: list[_Place]) -> Iterator[tuple[str, list[_Place]]]:
    """Yield the places of a function that change together."""
    if len(places) > 2:
        statements: dict[tuple[str, object], list[_Place]] = defaultdict(list)
        for place in places:
            statement = source.statement(place.node)
            statements["statement", statement].append(place)
            if statement is not None:
                statements["block", source.parents.get(statement)].append(place)
            parent = source.parents.get(place.node)
            if isinstance(parent, ast.expr):
                statements["likeness", source.segment(parent)].append(place)
        yield from ((further, some) for (further, _), some in statements.items())
    yield "function", places
    if len(places) > 2:
        yield "all but one", places[1:]
        yield "all but one", places[:-1]
    if 3 < len(places) <= _MOST_NEIGHBOURS:
        yield from (("neighbours", [one, other]) for one, other in pairwise(places))


def _joined(source: Source, places: list[_Place], further: float) -> Edit | None:
    reached = [place.edit for place in places if place.edit is not None]
    if not reached or not 2 <= len(places) <= _MOST_PLACES:
        return None
    first = min(reached, key=lambda edit: edit.cost)
    texts = {(source.text[p.splice.start : p.splice.end], p.splice.text) for p in places}
    extra = _TOGETHER_BITS + further + _ALIKE_BITS * (len(texts) > 1) + _UNREACHED_BITS * (len(reached) < len(places))
    parts = [(p.splice.start, p.splice.end, p.splice.text) for p in places]
    splice = together(source, parts, f"{places[0].splice.reason}, {_where(source, places, len(texts) > 1)}")
    family = Family(
        f"{first.family.name}{SUFFIX}", first.family.cost, f"{first.family.reason}, in several places", _none
    )
    return replace(first, splice=splice, family=family, cost=round(first.cost + extra, 4))


def _none(_: Source, __: ast.AST) -> Iterator[Splice]:
    yield from ()


def _where(source: Source, places: list[_Place], unlike: bool) -> str:
    """Return where else an edit is made; `unlike` where other variables stand there."""
    first, *rows = [source.text.count("\n", 0, place.splice.start) + 1 for place in places]
    others = [place.node for place in places[1:] if isinstance(place.node, ast.expr | ast.stmt)] if unlike else []
    texts = [*dict.fromkeys(quoted(source.segment(node)) for node in others)]
    if {*rows} == {first}:
        return same_line_words(len(places), texts)
    holders = [*dict.fromkeys(getattr(_holder(source, place.node), "name", "") for place in places)]
    are_told = 1 < len(holders) <= _MOST_HOLDERS and all(holders)
    told = [*dict.fromkeys(row for row in rows if texts or row != first)]
    return several_lines_words(told, holders if are_told else (), texts)


def _holder(source: Source, node: ast.AST) -> ast.AST | None:
    """Return the class of a method's node, else its function."""
    function = source.function(node)
    parent = source.parents.get(function) if function is not None else None
    return parent if isinstance(parent, ast.ClassDef) else function
