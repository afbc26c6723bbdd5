"""The program's objects that something here stands for: each has one handle, and is let go when that is gone."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from typing import Any

from ..wire.codec import Json
from ..wire.frames import Malformed
from .handles import Handle

HANDLES = 100_000
"""Objects of the program that may be held here at a time."""
_PINNED = 256
"""Values that cannot be referred to weakly and are kept, so that the same object is the same value again."""


class _Reference(weakref.ref[Handle]):
    """A reference to a handle that still knows the number when the handle is gone."""

    __slots__ = ("number",)
    number: int


class Objects:
    """Handles by number."""

    def __init__(self) -> None:
        self._live: dict[int, _Reference] = {}
        self._dead: set[int] = set()
        self._pinned: OrderedDict[int, object] = OrderedDict()

    def handle(self, number: Json, text: str = "") -> Handle:
        """Return the handle of an object, a new one when nothing here stands for it. Raises: Malformed."""
        if type(number) is not int or number < 1:
            raise Malformed("an object without a number")
        reference = self._live.get(number)
        handle = reference() if reference is not None else None
        if handle is None:
            if len(self._live) >= HANDLES:
                raise Malformed(f"more than {HANDLES} objects")
            handle = Handle(number, text)
            reference = _Reference(handle, self._gone)
            reference.number = number
            self._dead.discard(number)
            self._live[number] = reference
        return handle

    def keep(self, handle: Handle, proxy: Any) -> None:
        """Make `proxy` stand for the object from now on."""
        try:
            handle.proxy = weakref.ref(proxy)
        except TypeError:  # tuples and integers know no weak references, nor do their subclasses
            number = handle.number
            self._pinned[number] = proxy
            handle.proxy = lambda: self._pinned.get(number)
            if len(self._pinned) > _PINNED:
                self._pinned.popitem(last=False)

    def take_dead(self) -> list[int]:
        """Return the numbers of objects that nothing here stands for any longer, and forget them."""
        dead, self._dead = self._dead, set()
        return [*dead]

    def _gone(self, reference: weakref.ref[Handle]) -> None:
        number: int = reference.number  # type: ignore[attr-defined]
        if self._live.get(number) is reference:
            del self._live[number]
            self._dead.add(number)
