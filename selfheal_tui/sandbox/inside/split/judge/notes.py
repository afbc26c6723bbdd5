"""What the judge notes about a case beside its outcome, and the two exceptions that a test may meet because of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol
from weakref import WeakValueDictionary


class NotCarried(TypeError):
    """The test did what cannot be done from another process; it says nothing about the program."""


class ProgramFault(Exception):
    """The program gave what no value is, broke the protocol or ended its process."""


class Notes:
    """Notes of one case, each said once."""

    def __init__(self) -> None:
        self.limits: list[str] = []
        """What the test did that cannot be carried: with one of these neither a pass nor a failure says anything."""
        self.doubts: list[str] = []
        """Why a pass is no proof."""
        self.lies: list[str] = []
        """What the program was caught at."""
        self.faults: list[str] = []
        """What every `ProgramFault` said, also where the test swallowed it."""

    def limit(self, deed: str) -> NotCarried:
        """Note what the test did (a verb phrase); return the exception for the caller to raise."""
        _note(self.limits, f"the test {deed}")
        return NotCarried(f"not possible from another process: the test {deed}")

    def doubt(self, why: str) -> None:
        """Note why a pass is no proof (a sentence without its full stop)."""
        _note(self.doubts, why)

    def lie(self, deed: str) -> None:
        """Note what the program was caught at."""
        _note(self.lies, deed)

    def fault(self, deed: str) -> ProgramFault:
        """Note what the program did; return the exception for the caller to raise."""
        _note(self.faults, deed)
        return ProgramFault(deed)


def with_article(name: str) -> str:
    """Return `a Stock`, `an Inventory`."""
    return f"{'an' if name[:1].lower() in (*'aeio',) else 'a'} {name}"


class Asks(Protocol):
    """How proxies ask the program: what `split.Split` is to them."""

    methods: WeakValueDictionary[int, Any]

    @property
    def notes(self) -> Notes: ...
    @property
    def acts(self) -> int: ...
    def ask(self, operation: str, values: Sequence[object], words: Sequence[str] = ()) -> Any: ...
    def get(self, owner: object, name: str) -> Any: ...
    def set(self, owner: object, name: str, value: object) -> None: ...
    def delete(self, owner: object, name: str) -> None: ...
    def call(self, function: object, arguments: Sequence[object], keywords: Mapping[str, object]) -> Any: ...
    def crosses(self, value: object) -> bool: ...


def _note(notes: list[str], text: str) -> None:
    if text not in notes:
        notes.append(text)
