"""The cases of a suite, run over and over while the program under them changes."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Protocol

from ..fast import Compiled


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

    def prepare(self, cases: Sequence[str]) -> None:
        """Set up what takes long and may be kept while these run over and over; before any clock of a candidate."""
        ...

    def choose_reload(self, variants: Sequence[Mapping[str, str]], passing: Sequence[str]) -> None:
        """Decide how much of the program `load` imports anew for each of these; `passing` cases may be run for it."""
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


class PlainCases:
    """Test files of plain functions: loaded anew for each program."""

    def __init__(self, compiled: Sequence[Compiled]) -> None:
        self._compiled = compiled
        self._spaces: list[dict[str, Any]] = []
        self._broken: dict[int, Exception] = {}
        """What the import of a file raised: its cases fail, and those of the others run."""
        self._places = {f"{one.path}::{name}": (at, name) for at, one in enumerate(compiled) for name, _ in one.cases}

    @property
    def ids(self) -> Sequence[str]:
        """Their ids, as pytest would name them."""
        return list(self._places)

    @property
    def files(self) -> frozenset[str]:
        """The test files' paths."""
        return frozenset(one.code.co_filename for one in self._compiled)

    def prepare(self, cases: Sequence[str]) -> None:
        """Nothing: such cases have no set-up."""

    def choose_reload(self, variants: Sequence[Mapping[str, str]], passing: Sequence[str]) -> None:
        """All of it: a plain suite imports few files."""

    def load(self, whole: bool = False) -> None:
        """Run the test files, which import the program."""
        self._spaces, self._broken = [], {}
        for at, one in enumerate(self._compiled):
            module = ModuleType(one.path.removesuffix(".py"))
            module.__file__ = one.code.co_filename
            sys.modules[module.__name__] = module
            self._spaces.append(module.__dict__)
            try:
                exec(one.code, module.__dict__)
            except MemoryError:
                raise
            except Exception as error:
                self._broken[at] = error

    def call(self, case: str) -> None:
        """Call the function."""
        at, name = self._places[case]
        if at in self._broken:
            raise self._broken[at]
        self._spaces[at][name]()

    def names(self) -> dict[str, Any]:
        """Return the globals of all test files."""
        return {name: value for space in self._spaces for name, value in space.items()}
