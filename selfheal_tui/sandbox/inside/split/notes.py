"""What the judge notes about a case beside its outcome, and the two exceptions that a test may meet because of it."""

from __future__ import annotations


class NotCarried(TypeError):
    """The test did what cannot be done from another process; it says nothing about the program."""


class ProgramFault(Exception):
    """The program gave what no value is, broke the protocol or ended its process."""


class Notes:
    """Notes of one case, each said once."""

    def __init__(self) -> None:
        self.limits: list[str] = []
        self.doubts: list[str] = []
        self.lies: list[str] = []
        self.faults: list[str] = []

    def limit(self, what: str) -> NotCarried:
        """Note what the test did (a verb phrase); return the exception for the caller to raise."""
        _note(self.limits, f"the test {what}")
        return NotCarried(f"not possible from another process: the test {what}")

    def doubt(self, why: str) -> None:
        """Note why a pass is no proof (a sentence without its full stop)."""
        _note(self.doubts, why)

    def lie(self, what: str) -> None:
        """Note what the program was caught at."""
        _note(self.lies, what)

    def fault(self, what: str) -> ProgramFault:
        """Note what the program did; return the exception for the caller to raise."""
        _note(self.faults, what)
        return ProgramFault(what)


def _note(notes: list[str], text: str) -> None:
    if text not in notes:
        notes.append(text)
