"""What is imported anew for a candidate: the files that it changes, and as much around them as must be.

What the tests hold of the program by its name (imports, class attributes, parameters) is bound anew for each candidate.
What they computed from it as they were imported (objects, module constants) stays as it was, and what they hold in
other ways: then it is not sure that the cases run the candidate. That is told by what is held, by what they ran while
they were collected, and by a trial: a function of the program as it was runs though its module is imported anew.
What is not imported anew is the module that was collected, so that an object among the parameters keeps its class.
"""

from __future__ import annotations

import importlib
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import Any

from .held import Held, Slot
from .imports import Binding, bindings, importers, modules_read
from .kept import Kept
from .shelf import Shelf

_TRIAL_S = 2.0
_FAILING_S = 0.5
"""For the failing cases of all trials together."""
_KINDS_TRIED = 12
"""Sets of changed files, for each of which the passing cases are run."""


class Way(Enum):
    """What a candidate's change makes be imported anew, besides the files that it changes."""

    IMPORTERS = "what imports them"
    ALL = "the whole program: it may register its parts somewhere"
    BINDINGS = "nothing; the names that others imported of them are bound anew"


class Reload:
    """The program's modules as they were collected, and what the last candidate has in their place."""

    def __init__(self, shelf: Shelf, taken: Iterable[Any] = ()) -> None:
        """`taken` is what the cases were given as they were collected, besides what their modules name."""
        self._shelf = shelf
        self._program = [name for name in shelf.names if name in sys.modules]
        self._originals = {name: sys.modules[name] for name in self._program}
        self._kept: Kept | None = None
        """The originals, as long as they are as they were collected."""
        self._ways: dict[frozenset[str], Way] = {}
        """Changed paths -> how the passing cases still pass with them imported anew."""
        self._importers: dict[frozenset[str], frozenset[str]] = {}
        self._bound: dict[frozenset[str], list[Binding]] = {}
        self._undo: list[Callable[[], Any]] = []
        """Put back what the last candidate bound anew."""
        self.is_sure = True
        """The cases run the last candidate, and nothing of the program as they were collected with it."""
        self._is_way_sure: dict[frozenset[str], bool] = {}
        self._failing_left_s = _FAILING_S
        self._replaced: frozenset[str] = frozenset()
        """Modules that the last candidate imported anew."""
        self.folder = shelf.modules()
        """All modules of the folder."""
        self.modules = [m for m in self.folder if m.__name__ not in shelf.names]
        """Of the folder, but not the program's: the tests and what belongs to them."""
        bound = [(module, list(bindings(module, shelf.names))) for module in self.modules]
        self.bindings = [binding for _, of_module in bound for binding in of_module]
        held = Held(self.modules, taken, self._originals)
        self._slots = held.slots
        self._fast = held.fast.union(shelf.asked, *(modules_read(*one) for one in bound))
        """Modules of which the tests hold what is not bound anew."""
        self._own_bindings = {name: list(bindings(module, shelf.names)) for name, module in self._originals.items()}

    def choose(
        self, variants: Sequence[Mapping[str, str]], run: Callable[[], None], run_failing: Callable[[], None]
    ) -> bool:
        """Choose for each set of changed files the first way in which the passing cases still pass; `run` runs them.

        A way in which nothing runs of the program as it was comes first. Return whether there is one for each.
        """
        if self._kept is None:
            self._restore()
            self._kept = Kept([*self._originals.values()], self._shelf.ran)
        is_there = True
        for kind in list(dict.fromkeys(frozenset(variant) for variant in variants))[:_KINDS_TRIED]:
            self._is_way_sure[kind] = False
            self._ways.pop(kind, None)
            for way in Way:
                if kind in self._ways and (way is Way.BINDINGS or self._renewed(kind, way) & self._fast):
                    break
                if not self._passes_twice(kind, way, run):
                    continue
                self._ways.setdefault(kind, way)
                # With bindings alone, what others made of the changed module as they were imported stays.
                if way is not Way.BINDINGS and self._is_reached(kind, way, run_failing):
                    self._ways[kind], self._is_way_sure[kind] = way, True
                    break
            is_there = is_there and kind in self._ways
            self._ways.setdefault(kind, Way.ALL)
        return is_there

    def _is_reached(self, paths: frozenset[str], way: Way, run_failing: Callable[[], None]) -> bool:
        """Tell whether nothing runs of the modules that were imported anew as they were; the passing cases just ran."""
        renewed = self._renewed(paths, way)
        old = {id(vars(self._originals[name])) for name in renewed & self._originals.keys()}
        if renewed & self._fast or old & self._shelf.spaces:
            return False
        if self._failing_left_s <= 0:
            return True
        began = time.monotonic()
        try:
            self._shelf.put({})
            self._shelf.start_clock(self._failing_left_s)
            self._load(paths, way)
            self._shelf.note_spaces()
            run_failing()
        except BaseException:  # foreign code, and its time
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._shelf.clear({})
            self._failing_left_s -= time.monotonic() - began
        return not old & self._shelf.spaces

    def _passes_twice(self, paths: frozenset[str], way: Way, run: Callable[[], None]) -> bool:
        try:
            for _ in range(2):
                self._shelf.put({})
                self._shelf.start_clock(_TRIAL_S)
                self._load(paths, way)
                self._shelf.note_spaces()
                run()
        except BaseException:  # foreign code
            return False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._shelf.clear({})
        return True

    def load(self, whole: bool = False) -> None:
        """Import what changed anew and bind what the tests imported of it; the rest is as it was collected."""
        changed, swap = self._shelf.changed, self._shelf.swap
        self.is_sure = True
        if not whole and swap is not None and self._kept is not None and self._kept.takes(swap):
            self._restore()
            if self._kept.is_fit():
                self._kept.swap(swap)
                return
            # They cannot be collected anew.
            self._kept = None
        way = Way.ALL if whole else self._ways.get(changed, Way.IMPORTERS)
        self.is_sure = self._is_way_sure.get(changed, not self._renewed(changed, way) & self._fast)
        self._load(changed, way)

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
        for slot in self._slots:
            if slot.module in renewed:
                self._exchange(slot)
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
        if self._kept is not None:
            self._kept.put_back()
        while self._undo:
            self._undo.pop()()
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
        self._undo += [partial(space.__setitem__, key, space[key]) for key in values if key in space]
        space.update(values)

    def _exchange(self, slot: Slot) -> None:
        """Let a place of the tests hold what was imported anew."""
        self._undo.append(partial(slot.put, slot.put(slot.value(sys.modules))))
