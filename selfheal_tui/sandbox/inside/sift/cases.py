"""The cases of a suite, run over and over while the program under them changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Cases(Protocol):
    """What a role needs of a suite."""

    @property
    def ids(self) -> Sequence[str]:
        """pytest node ids, in order."""
        ...

    @property
    def files(self) -> frozenset[str]:
        """`co_filename` of the tests' code."""
        ...

    @property
    def is_sure(self) -> bool:
        """Whether the cases run what was loaded, and nothing of the program as they were collected with it."""
        ...

    def prepare(self, cases: Sequence[str]) -> None:
        """Set up what takes long and may be kept while these run over and over; before any clock of a candidate."""
        ...

    def choose_reload(
        self, variants: Sequence[Mapping[str, str]], passing: Sequence[str], failing: Sequence[str] = ()
    ) -> None:
        """Decide how much of the program `load` imports anew for each of these; these cases may be run for it."""
        ...

    def load(self, whole: bool = False) -> None:
        """Import the program that is on the shelf, and let the tests see it; all of it anew where `whole`.

        Raises what the import raises.
        Of several test files one may fail to import: then its cases fail.
        """
        ...

    def call(self, case: str) -> None:
        """Run one case; raises what it raises, and anything where it does not pass."""
        ...

    def names(self) -> dict[str, Any]:
        """Return what the test files name."""
        ...
