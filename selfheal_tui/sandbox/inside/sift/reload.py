"""What is imported anew for a candidate: the files that it changes, and as much around them as must be.

What test files import from the program is bound anew for each candidate. What they computed from it as they were
imported (parameters, module constants) stays as it was: a candidate may be misjudged, which costs only its chance.
What is not imported anew is the module that was collected, so that an object among the parameters keeps its class.
"""

from __future__ import annotations

import importlib
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from types import ModuleType
from typing import Any

from .imports import Binding, bindings, importers
from .shelf import Shelf

_TRIAL_S = 2.0
_KINDS_TRIED = 12
"""Sets of changed files, for each of which the passing cases are run."""


class Way(Enum):
    """What a candidate's change makes be imported anew, besides the files that it changes."""

    IMPORTERS = "what imports them"
    ALL = "the whole program: it may register its parts somewhere"
    BINDINGS = "nothing; the names that others imported of them are bound anew"


class Reload:
    """The program's modules as they were collected, and what the last candidate has in their place.

    `work` ends with a slash.
    """

    def __init__(self, shelf: Shelf, work: str) -> None:
        self._shelf = shelf
        self._program = [name for name in shelf.names if name in sys.modules]
        self._originals = {name: sys.modules[name] for name in self._program}
        self._ways: dict[frozenset[str], Way] = {}
        """Changed paths -> how the passing cases still pass with them imported anew."""
        self._importers: dict[frozenset[str], frozenset[str]] = {}
        self._bound: dict[frozenset[str], list[Binding]] = {}
        self._undo: list[tuple[dict[str, Any], str, Any]] = []
        """(globals, name, value) of what the last candidate bound anew."""
        self._replaced: frozenset[str] = frozenset()
        """Modules that the last candidate imported anew."""
        self.modules = [m for m in list(sys.modules.values()) if _is_under(m, work) and m.__name__ not in shelf.names]
        """Of the folder, but not the program's: the tests and what belongs to them."""
        self.bindings = [binding for module in self.modules for binding in bindings(module, shelf.names)]
        self._own_bindings = {name: list(bindings(module, shelf.names)) for name, module in self._originals.items()}

    def choose(self, variants: Sequence[Mapping[str, str]], run: Callable[[], None]) -> bool:
        """Choose for each set of changed files the first way in which the passing cases still pass; `run` runs them.

        Return whether there is one for each.
        """
        is_sure = True
        for kind in list(dict.fromkeys(frozenset(variant) for variant in variants))[:_KINDS_TRIED]:
            way = next((way for way in Way if self._passes_twice(kind, way, run)), None)
            self._ways[kind] = way or Way.ALL
            is_sure = is_sure and way is not None
        return is_sure

    def _passes_twice(self, paths: frozenset[str], way: Way, run: Callable[[], None]) -> bool:
        try:
            for _ in range(2):
                self._shelf.put({})
                self._shelf.start_clock(_TRIAL_S)
                self._load(paths, way)
                run()
        except BaseException:  # foreign code
            return False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._shelf.clear({})
        return True

    def load(self, whole: bool = False) -> None:
        """Import what changed anew and bind what the tests imported of it; the rest is as it was collected."""
        changed = self._shelf.changed
        self._load(changed, Way.ALL if whole else self._ways.get(changed, Way.IMPORTERS))

    def _load(self, changed: frozenset[str], way: Way) -> None:
        self._restore()
        renewed = self._renewed(changed, way)
        self._replaced = renewed
        for name in renewed:
            sys.modules.pop(name, None)
        for name in self._program:
            if name in renewed:
                importlib.import_module(name)
        for name in self._program:
            package, _, last = name.rpartition(".")
            if package in renewed and name not in renewed and package in sys.modules:
                setattr(sys.modules[package], last, sys.modules[name])
        for binding in self._bindings_to(renewed):
            self._bind(*binding)

    def _renewed(self, changed: frozenset[str], way: Way) -> frozenset[str]:
        if way is Way.ALL:
            return self._shelf.names
        names = frozenset(name for path in changed for name in self._shelf.names_of(path))
        if way is Way.BINDINGS:
            return names
        if changed not in self._importers:
            self._importers[changed] = importers(names, {name: self._shelf.text_at(name) for name in self._program})
        return self._importers[changed]

    def _restore(self) -> None:
        """Put back the modules as they were collected, and what was bound to those of the last candidate."""
        for space, local, value in reversed(self._undo):
            space[local] = value
        self._undo.clear()
        for name in self._replaced:
            original = self._originals.get(name)
            if original is None:
                sys.modules.pop(name, None)
                continue
            sys.modules[name] = original
            package, _, last = name.rpartition(".")
            if package in self._originals:
                setattr(self._originals[package], last, original)
        self._replaced = frozenset()

    def _bindings_to(self, renewed: frozenset[str]) -> list[Binding]:
        """Return the imports of renewed modules in those that stay."""
        if renewed not in self._bound:
            others = (self._own_bindings[name] for name in self._program if name not in renewed)
            self._bound[renewed] = [
                binding
                for binding in (*self.bindings, *(one for ones in others for one in ones))
                if binding[2] in renewed or f"{binding[2]}.{binding[3]}" in renewed
            ]
        return self._bound[renewed]

    def _bind(self, space: dict[str, Any], local: str, name: str, attribute: str) -> None:
        """Bind one import of a module that stays to what was imported anew."""
        module = importlib.import_module(name)
        if attribute == "*":
            values = {key: value for key, value in vars(module).items() if not key.startswith("_")}
        elif attribute:
            member = vars(module).get(attribute)
            values = {local: importlib.import_module(f"{name}.{attribute}") if member is None else member}
        else:
            values = {local: module}
        self._undo += [(space, key, space[key]) for key in values if key in space]
        space.update(values)


def _is_under(module: ModuleType, work: str) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and file.startswith(work)
