"""Objects of the program that the judge knows, by number."""

from __future__ import annotations

from ..wire.frames import Malformed
from ..wire.shared import Uncarried

HANDLES = 100_000
"""Objects of the program that the judge may know at a time."""


class Handles:
    """Each object stays alive until the judge lets it go."""

    def __init__(self) -> None:
        self._objects: dict[int, object] = {}
        self._numbers: dict[int, int] = {}
        self._fresh: list[int] = []
        self._last = 0

    def number(self, value: object) -> int:
        """Return the object's number, a new one when it has none. Raises: Uncarried when there are too many."""
        number = self._numbers.get(id(value))
        if number is not None:
            return number
        if len(self._objects) >= HANDLES:
            raise Uncarried(f"more than {HANDLES} objects")
        self._last += 1
        self._objects[self._last] = value
        self._fresh.append(self._last)
        self._numbers[id(value)] = self._last
        return self._last

    def get(self, number: int) -> object:
        """Return the object. Raises: Malformed."""
        if number not in self._objects:
            raise Malformed("an object that was let go")
        return self._objects[number]

    def keep(self) -> None:
        """Note that the judge has been told of every object so far."""
        self._fresh.clear()

    def drop(self) -> None:
        """Let go of the objects since `keep`: the judge was not told of them after all."""
        self.free(self._fresh)
        self._fresh.clear()

    def free(self, numbers: list[int]) -> None:
        """Let objects go."""
        for number in numbers:
            if number in self._objects:
                del self._numbers[id(self._objects.pop(number))]
