"""All single edits of some files, cheapest first, made only as far as they are drawn.

A module of 1,000 lines has 100,000 edits, and what mends it is mostly among the first few hundred. A family is asked
for its edits at a place once nothing cheaper is left: no edit costs less than the place's bits and its family's least.
"""

from __future__ import annotations

import ast
import heapq
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..operators import Family, Splice
from ..operators.base import quoted
from ..program.avoid import IsClosed
from ..program.location import Location
from ..program.source import Source
from .difference import difference_words
from .families import families
from .occurrence import which_of

_WORD = re.compile(r"[a-z]{4,}")
_SAID_BITS = -0.8
"""For an edit that brings in a word of the docstring."""
_SAME_TWICE = re.compile(r"\b(\w+) (?:-|/|//|%|==|!=|<|<=|>|>=) \1\b(?![.(\[])")
_SAME_BITS = 3.0
"""For `x - x`, `x == x` and the like."""
_STEP_BITS = 0.5
"""Families whose least costs are that near are asked together."""
_ROUNDED = 1e-4
_LEAST_GROWN = 3.0
"""Bits that an edit made of others costs at least, above the likeliest place: a common slip, and being made twice."""

Grow = Callable[[Sequence["Edit"]], Iterable["Edit"]]
"""From all edits of a file, those that are made of them."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of one file, before its text is made: a large file has thousands."""

    source: Source = field(repr=False)
    splice: Splice
    family: Family
    why: str
    cost: float
    """Bits of the operator and of the place."""
    order: int

    @property
    def line(self) -> int:
        """1-based line at which it begins."""
        return self.source.text.count("\n", 0, self.splice.start) + 1

    @property
    def summary(self) -> str:
        """One line: "line 12: `<` becomes `<=`", "line 7: the second `4` becomes `5`"."""
        text, start, end = self.source.text, self.splice.start, self.splice.end
        reason, old = self.splice.reason, text[start:end]
        if reason == f"{quoted(old)} becomes {quoted(old)}":  # both are cut before they differ
            return f"line {self.line}: {difference_words(old, self.splice.text)}"
        which = which_of(text, start, end) if reason.startswith(f"{quoted(old)} becomes ") else ""
        return f"line {self.line}: {which}{reason}"

    def apply(self) -> str:
        """Return the file's new text; all outside the splice stays as it is."""
        text = self.source.text
        return text[: self.splice.start] + self.splice.text + text[self.splice.end :]


@dataclass(frozen=True, slots=True)
class _Place:
    source: Source
    node: ast.AST
    order: int
    bits: float
    why: str
    least: float
    """Bits that no edit here is below, without its family's."""
    is_closed: IsClosed | None


_Key = tuple[float, int, str, int, int, int]
"""Cost, size, path, order of the place, number of the family, number of the edit: edits are sorted by these."""


class Listing:
    """Edits in the order of their cost; of those that cost the same the smaller ones first."""

    def __init__(self, edits: Iterable[Edit] = ()) -> None:
        """`edits` are some that are made already."""
        self.sources: list[Source] = []
        self._made: list[tuple[_Key, Edit]] = []
        self._waiting: list[tuple[_Key, Edit]] = []
        """A heap of edits that may still follow on cheaper ones."""
        self._places: list[tuple[float, int, int, _Place]] = []
        """A heap of places, each by the least cost of the families that are asked next, by their number."""
        named = families()
        self._groups = _grouped_families(named)
        self._count = len(named)
        self._growing: list[tuple[float, Source, Grow, IsClosed | None]] = []
        """By the least cost of what is made of all edits of a file."""
        self._may_be_closed = False
        self._left_out = 0
        for number, edit in enumerate(edits):
            self._wait(edit, (-1, number))

    def add(
        self,
        source: Source,
        location: Location,
        more: Iterable[Edit] = (),
        is_closed: IsClosed | None = None,
        grow: Grow = lambda edits: (),
    ) -> None:
        """Add the edits of a file, but for those that `is_closed` names.

        `more` are those that no operator makes; `grow` makes larger ones of all the others.
        """
        self.sources.append(source)
        self._may_be_closed = self._may_be_closed or is_closed is not None
        for number, edit in enumerate(more):
            self._offer(edit, (-1, number), is_closed)
        said = _SAID_BITS if source.words else 0.0
        for order, node in enumerate(source.nodes()):
            if (located := location.bits(node)) is not None:
                place = _Place(source, node, order, *located, located[0] + said - _ROUNDED, is_closed)
                self._places.append((place.least + self._groups[0][0], len(self._places), 0, place))
        heapq.heapify(self._places)
        cheapest = min((place.least for _, _, _, place in self._places if place.source is source), default=0.0)
        self._growing.append((cheapest + _LEAST_GROWN, source, grow, is_closed))

    def __iter__(self) -> Iterator[Edit]:
        number = 0
        while number < len(self._made) or self._make():
            yield self._made[number][1]
            number += 1

    def first(self, most: int) -> Sequence[Edit]:
        """Return the cheapest edits."""
        while len(self._made) < most and self._make():
            pass
        return [edit for _, edit in self._made[:most]]

    @property
    def left_out(self) -> int:
        """How many edits of all are closed; where some may be, all are made for this."""
        while self._may_be_closed and self._make():
            pass
        return self._left_out

    def _make(self) -> bool:
        """Make one more edit; False where there is none."""
        while self._places and (not self._waiting or self._places[0][0] <= self._waiting[0][0][0]):
            self._ask()
            self._grow()
        self._grow()
        if self._waiting:
            self._made.append(heapq.heappop(self._waiting))
            return True
        return False

    def _ask(self) -> None:
        """Ask the families that come next at the place that may have the cheapest edit."""
        _, number, group, place = self._places[0]
        if group + 1 < len(self._groups):
            heapq.heapreplace(self._places, (place.least + self._groups[group + 1][0], number, group + 1, place))
        else:
            heapq.heappop(self._places)
        source = place.source
        for family_number, family in self._groups[group][1]:
            for edit_number, splice in enumerate(family.edits(source, place.node)):
                cost = family.cost * splice.weight + splice.extra + place.bits + _meant(source, splice)
                edit = Edit(source, splice, family, place.why, round(cost, 4), place.order)
                self._offer(edit, (family_number, edit_number), place.is_closed)

    def _grow(self) -> None:
        """Make what is made of all edits of a file, once nothing cheaper than that is left."""
        least = min(
            [*(places[0] for places in self._places[:1]), *(key[0] for (key, _) in self._waiting[:1])], default=0.0
        )
        while self._growing and (not (self._places or self._waiting) or least >= min(one[0] for one in self._growing)):
            _, source, grow, is_closed = self._growing.pop(0)
            while self._places:
                self._ask()
            own = [pair for pair in (*self._made, *self._waiting) if pair[1].source is source]
            # In the order of the text: restored ones, then by place and family.
            own.sort(key=lambda pair: (pair[0][4] >= 0, *pair[0][3:]))
            for number, edit in enumerate(grow([edit for _, edit in own])):
                if not _is_in(is_closed, edit):
                    self._wait(edit, (self._count, number))

    def _offer(self, edit: Edit, number: tuple[int, int], is_closed: IsClosed | None) -> None:
        if _is_in(is_closed, edit):
            self._left_out += 1
        else:
            self._wait(edit, number)

    def _wait(self, edit: Edit, number: tuple[int, int]) -> None:
        splice = edit.splice
        size = splice.end - splice.start + len(splice.text)
        heapq.heappush(self._waiting, ((edit.cost, size, edit.source.path, edit.order, *number), edit))


def _is_in(is_closed: IsClosed | None, edit: Edit) -> bool:
    return is_closed is not None and is_closed(edit.splice.start, edit.splice.end, edit.splice.text)


def _grouped_families(named: Mapping[str, Family]) -> list[tuple[float, list[tuple[int, Family]]]]:
    """Return least cost, and the families with about that as (number, family); the cheapest first."""
    groups: dict[float, list[tuple[int, Family]]] = {}
    for number, family in enumerate(named.values()):
        groups.setdefault((family.cost - family.discount) // _STEP_BITS * _STEP_BITS, []).append((number, family))
    return sorted(groups.items())


def _meant(source: Source, splice: Splice) -> float:
    """Return bits for the words of an edit: fewer when the docstring has them, more for an operand used twice."""
    bits = _SAME_BITS if _SAME_TWICE.search(splice.text) else 0.0
    if source.words:
        new = set(_WORD.findall(splice.text.lower())) - set(
            _WORD.findall(source.text[splice.start : splice.end].lower())
        )
        if any(_is_said(source, word) for word in new):
            bits += _SAID_BITS
    return bits


def _is_said(source: Source, word: str) -> bool:
    """Tell whether a docstring or the name of a function has the word, or a part of it."""
    said: dict[str, bool] = source.memo.setdefault("said", {})
    if word not in said:
        said[word] = any(word in doc_word or doc_word in word for doc_word in source.words)
    return said[word]
