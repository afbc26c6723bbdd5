"""The table of mutable containers that both processes hold: one list there and here, kept alike by what is sent.

A container enters when it first crosses, in whichever direction, and leaves as soon as one side alone can reach it.
Before a process hands over control it says what it changed, so an alias is an alias on both sides: a program that
keeps its argument, or gives away its own list, behaves as it would in one process.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .containers import Kind, Parts
from .frames import Malformed

DEPTH = 100
"""Containers within containers; a value nested deeper does not cross."""
SIZE = 1_000_000
"""Values in one value, counted along every way that leads to them: what printing it would cost."""
LARGE = 10_000
"""A container of more parts is followed during the call that it crosses in and one more, then no longer."""
_ONLY_THE_TABLE = 2
"""References to a container that nobody else holds: the table's and the one of the call that counts."""


class Uncarried(ValueError):
    """A value that has no form on the wire."""


@dataclass(slots=True)
class Entry:
    """One container of the table."""

    number: int
    kind: Kind
    container: object
    parts: Parts
    """What it held when both sides last agreed; in the same order on both."""
    calls: int = 0
    """Calls that have ended since it entered."""


class Shared:
    """The table of one side; the sides draw their numbers from different halves: odd and even."""

    def __init__(self, first_number: int) -> None:
        self._parity = first_number % 2
        self._next = first_number
        self._entries: dict[int, Entry] = {}
        self._by_id: dict[int, Entry] = {}
        self._orphans: list[int] = []

    def __len__(self) -> int:
        return len(self._entries)

    def clear(self) -> None:
        """Forget everything: the sides no longer agree. Numbers are not used again."""
        self._entries.clear()
        self._by_id.clear()
        self._orphans.clear()

    def find(self, container: object) -> Entry | None:
        """Return the container's entry, by identity."""
        return self._by_id.get(id(container))

    def get(self, number: object) -> Entry:
        """Return the entry of this number. Raises: Malformed."""
        if type(number) is not int or number not in self._entries:
            raise Malformed("a container that nobody has named")
        return self._entries[number]

    def draw(self) -> int:
        """Return a number of ours that was never used."""
        self._next += 2
        return self._next - 2

    def add(self, entry: Entry) -> None:
        """Enter a container."""
        self._entries[entry.number] = self._by_id[id(entry.container)] = entry

    def add_theirs(self, number: object, kind: Kind, container: object, parts: Parts) -> None:
        """Enter a container that the other side numbered. Raises: Malformed."""
        if type(number) is not int or number < 1 or number % 2 == self._parity or number in self._entries:
            raise Malformed("a container with a number of somebody else's")
        self.add(Entry(number, kind, container, parts))

    def forget(self, numbers: Iterable[object]) -> None:
        """Take entries out; a number that is gone already is no fault."""
        for number in numbers:
            entry = self._entries.pop(number, None) if type(number) is int else None
            if entry is not None:
                self._by_id.pop(id(entry.container), None)

    def give_up(self, numbers: Iterable[int]) -> None:
        """Take out what is not kept alike any longer; the other side hears of it with the next frame."""
        self._orphans += numbers
        self.forget(self._orphans)

    def take_orphans(self) -> list[int]:
        """Return what was given up since the last frame."""
        orphans, self._orphans = self._orphans, []
        return orphans

    def unheld(self) -> list[int]:
        """Return the numbers of containers that only this table still reaches on our side."""
        return [n for n, entry in self._entries.items() if sys.getrefcount(entry.container) <= _ONLY_THE_TABLE]

    def changed(self) -> Iterator[tuple[Entry, Parts]]:
        """Yield what no longer holds what both sides agreed on, with what it holds now."""
        for entry in list(self._entries.values()):
            parts = entry.kind.parts(entry.container)
            if not entry.kind.unchanged(entry.parts, parts):
                yield entry, parts

    def end_call(self) -> list[Entry]:
        """Take out and return what is too large to be followed any longer."""
        tired = []
        for entry in self._entries.values():
            entry.calls += 1
            if entry.calls > 1 and len(entry.parts) > LARGE:
                tired.append(entry)
        self.give_up([entry.number for entry in tired])
        return tired

    def check(self) -> None:
        """Make sure that nothing of the table holds itself or is endless to print.

        Raises: Uncarried.
        """
        sizes: dict[int, int] = {}
        for entry in self._entries.values():
            self._size(entry.container, sizes, 0)

    def _size(self, value: object, sizes: dict[int, int], depth: int) -> int:
        entry = self._by_id.get(id(value))
        if entry is None:
            parts: Iterable[object] = value if type(value) is tuple else ()
        elif entry.number in sizes:
            return sizes[entry.number]
        else:
            parts = entry.parts
            sizes[entry.number] = SIZE  # until known: one that holds itself is too large
        size = 1
        for part in parts:
            if type(part) is tuple or id(part) in self._by_id:
                if depth > DEPTH:
                    raise Uncarried(f"a container nested deeper than {DEPTH}")
                size += self._size(part, sizes, depth + 1)
            else:
                size += 1
            if size > SIZE:
                raise Uncarried("a container that holds itself or more than a million values")
        if entry is not None:
            sizes[entry.number] = size
        return size
