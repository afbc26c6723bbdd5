"""Cases that are plain functions of their test files: run without pytest, over one program after the other."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from ..fast import Compiled
from .kept import Kept
from .shelf import Shelf

_IMPORT_S = 2.0


class PlainCases:
    """Test files of plain functions: loaded anew for each program that cannot be had by a swap in the one kept."""

    def __init__(self, compiled: Sequence[Compiled], shelf: Shelf) -> None:
        self._compiled = compiled
        self._shelf = shelf
        self._spaces: list[dict[str, Any]] = []
        self._broken: dict[int, Exception] = {}
        """What the import of a file raised: its cases fail, and those of the others run."""
        self._places = {f"{one.path}::{name}": (at, name) for at, one in enumerate(compiled) for name, _ in one.cases}
        self._kept: Kept | None = None
        self._names: frozenset[str] = frozenset()
        """Modules that are not cleared after each candidate, as what is kept has them."""
        self._kept_spaces: list[dict[str, Any]] = []

    @property
    def ids(self) -> Sequence[str]:
        """Their ids, as pytest would name them."""
        return list(self._places)

    @property
    def files(self) -> frozenset[str]:
        """The test files' paths."""
        return frozenset(one.code.co_filename for one in self._compiled)

    @property
    def is_sure(self) -> bool:
        """Always: the test files are loaded anew, or what is kept has the change wherever it is held."""
        return True

    def prepare(self, cases: Sequence[str]) -> None:
        """Nothing: such cases have no set-up."""

    def choose_reload(
        self, variants: Sequence[Mapping[str, Any]], passing: Sequence[str], failing: Sequence[str] = ()
    ) -> None:
        """Import the program as it is, to keep it where it can be kept; a plain suite imports few files."""
        self._shelf.put({})
        self._shelf.note_runs()
        try:
            self._shelf.start_clock(_IMPORT_S)
            self._keep()
        except BaseException:  # foreign code: it cannot be imported
            self._kept = None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._shelf.settle()
            self._shelf.clear({})

    def load(self, whole: bool = False) -> None:
        """Make the program on the shelf the one under the cases."""
        swap = self._shelf.swap
        if self._kept is not None:
            self._kept.put_back()
            if swap is not None and not whole and self._kept.takes(swap):
                if self._kept.is_fit():
                    sys.modules.update(self._kept.modules)
                    self._spaces, self._broken = self._kept_spaces, {}
                    self._kept.swap(swap)
                    return
                self._kept = None
        self._import()

    def call(self, case: str) -> None:
        """Call the function."""
        at, name = self._places[case]
        if at in self._broken:
            raise self._broken[at]
        self._spaces[at][name]()

    def names(self) -> dict[str, Any]:
        """Return the globals of all test files."""
        return {name: value for space in self._spaces for name, value in space.items()}

    def _import(self) -> None:
        """Run the test files, which import the program."""
        for name in self._names:
            sys.modules.pop(name, None)
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

    def _keep(self) -> None:
        self._import()
        modules = self._shelf.modules()
        self._names = frozenset(module.__name__ for module in modules)
        kept = Kept(modules, self._shelf.ran)
        self._kept = kept if kept.is_fit() and not self._broken else None
        self._kept_spaces = self._spaces
