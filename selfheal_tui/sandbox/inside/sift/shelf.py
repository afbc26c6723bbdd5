"""Program files that change from candidate to candidate, imported from memory; what the last one left is cleared."""

from __future__ import annotations

import builtins
import os
import random
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import CodeType, ModuleType
from typing import Any

from ..roots import module_names
from .fuel import NAME, Exhausted, Tank
from .kept import Swap
from .pieces import Pieces

_ALARMS = 3
"""A candidate that swallows this many alarms ends the process."""
_RANDOM = ("random", "shuffle", "choice", "sample")


class TimeOver(BaseException):
    """The candidate's time is over."""


class Shelf:
    """Finds and loads the program's modules; `work` ends with a slash."""

    def __init__(self, work: str, program: Mapping[str, str], rounds: int, roots: Sequence[str]) -> None:
        self.tank = Tank(rounds)
        self._work = work
        self._texts = dict(program)
        self.paths: dict[str, str] = {}
        """Module name -> path, of the program's files that were imported: a file may have several names."""
        self._may_be = frozenset(module_names(program, roots))
        self._pieces: dict[str, Pieces] = {}
        self._random = {path for path, text in program.items() if any(word in text for word in _RANDOM)}
        """Paths of the files that say something of chance."""
        self._python = [path for path in program if path.endswith(".py")]
        self._now: dict[str, list[CodeType]] = {}
        """Of the files that are not as they were."""
        self._is_filled = False
        self.swap: Swap | None = None
        """The one function in which the program differs from the one that was given; None where more is changed."""
        self.ran: set[CodeType] = set()
        """Functions of the program that ran while that was noted, of those with fuel at their start."""
        self.asked: set[str] = set()
        """Modules of the program of which the tests ran a function meanwhile: what came of it, they may have kept."""
        self.spaces: set[int] = set()
        """Ids of the globals of functions that ran while these were noted."""
        self._fired = 0
        self._pid = os.getpid()
        sys.meta_path.insert(0, self)
        self.settle()

    def modules(self) -> list[ModuleType]:
        """Return the modules of the folder."""
        return [module for module in list(sys.modules.values()) if is_under(module, self._work)]

    def note_runs(self) -> None:
        """Note which functions run, and burn no fuel; until it is settled."""
        program = {self._work + path for path in self._texts}

        def note() -> None:
            frame = sys._getframe(1)
            self.ran.add(frame.f_code)
            caller = frame.f_back
            while caller is not None and not caller.f_code.co_filename.startswith(self._work):
                caller = caller.f_back
            if caller is not None and caller.f_code.co_filename not in program:
                self.asked.add(frame.f_globals["__name__"])

        vars(builtins)[NAME] = note

    def note_spaces(self) -> None:
        """Note whose functions run besides burning fuel, until it is cleared: one text may be imported twice."""
        burn, noted = self.tank.burn, self.spaces
        noted.clear()

        def note() -> None:
            noted.add(id(sys._getframe(1).f_globals))
            burn()

        vars(builtins)[NAME] = note

    def settle(self) -> None:
        """Record the interpreter's state, which `clear` restores."""
        vars(builtins)[NAME] = self.tank.burn
        self._builtins = dict(vars(builtins))
        self._system = (list(sys.path), list(sys.meta_path), sys.getrecursionlimit(), sys.stdout, sys.stderr)
        self._loaded = set(sys.modules)

    # -- importing

    def put(self, changes: Mapping[str, str], prepare: Callable[[str, str], CodeType] | None = None) -> None:
        """Make these texts the program, the others as they were; `prepare` compiles instead of us.

        Raises: SyntaxError, ValueError, RecursionError, MemoryError.
        """
        self._is_filled = True
        self.swap = None
        if prepare is None:
            changed = {
                path: self._pieces_of(path).codes(text) for path, text in changes.items() if path in self._python
            }
            self._now = {path: codes for path, (codes, _) in changed.items()}
            swaps = [swap for _, swap in changed.values()]
            if len(changes) == len(swaps) == 1 and swaps[0] is not None and swaps[0].is_all:
                self.swap = swaps[0]
        else:
            self._now = {path: [prepare(path, changes.get(path, self._texts[path]))] for path in self._python}

    @property
    def changed(self) -> frozenset[str]:
        """Paths of the files that are not as they were."""
        return frozenset(self._now)

    @property
    def names(self) -> frozenset[str]:
        """Names of the modules that the program's files became so far."""
        return frozenset(self.paths)

    @property
    def possible_names(self) -> frozenset[str]:
        """Names of the modules that the program's files may become."""
        return self.names | self._may_be

    def names_of(self, path: str) -> list[str]:
        """Return the module names under which a program file was imported."""
        return [name for name, file in self.paths.items() if file == path]

    def text_at(self, name: str) -> str:
        """Return the text of a module of the program as it was."""
        return self._texts[self.paths[name]]

    def _pieces_of(self, path: str) -> Pieces:
        if path not in self._pieces:
            self._pieces[path] = Pieces(self._texts[path], self._work + path)
        return self._pieces[path]

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find a program file, as `sys.meta_path` asks for it."""
        file = (self.paths.get(name) or self._looked_up(name, path)) if self._is_filled else None
        if file is None:
            return None
        package = file.endswith("/__init__.py")
        spec = ModuleSpec(name, self, origin=self._work + file, is_package=package)  # type: ignore[arg-type]
        spec.has_location = True
        if package:
            spec.submodule_search_locations = [os.path.dirname(self._work + file)]
        return spec

    def _looked_up(self, name: str, path: Any) -> str | None:
        """Return the program file that Python would import now; pytest and the tests have made `sys.path`."""
        spec = PathFinder.find_spec(name, path)
        origin = os.path.normpath(spec.origin) if spec and spec.has_location and spec.origin else ""
        file = origin.removeprefix(self._work)
        if file == origin or file not in self._texts:
            return None
        self.paths[name] = file
        return file

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to the import system."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code."""
        path = self.paths[module.__name__]
        for code in self._now[path] if path in self._now else self._pieces_of(path).unchanged:
            exec(code, module.__dict__)

    # -- time

    def on_alarm(self, *_: Any) -> None:
        """End what runs; what swallows that ends with the process."""
        self._fired += 1
        if self._fired > _ALARMS:
            os._exit(75)
        raise TimeOver

    @property
    def late(self) -> bool:
        """Whether the clock has rung since it was started."""
        return self._fired > 0

    def start_clock(self, seconds: float) -> None:
        """Interrupt what runs after so many seconds."""
        self._fired = 0
        self.tank.fill()
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)

    # -- clearing

    def clear(self, changes: Mapping[str, Any]) -> bool:
        """Put back what a candidate (its changes, packed) may have changed; False when only a fresh process will do.

        No defence: it spares the candidates after one that patches a builtin, adds to `sys.path` or prints.
        """
        if os.getpid() != self._pid:
            os._exit(0)  # a child that the candidate forked
        names = vars(builtins)  # `vars` is one of them
        if names != self._builtins:
            names.clear()
            names.update(self._builtins)
        path, finders, depth, out, err = self._system
        if sys.path != path:
            sys.path[:] = path
        if sys.meta_path != finders:
            sys.meta_path[:] = finders
        if sys.getrecursionlimit() != depth:
            sys.setrecursionlimit(depth)
        sys.stdout, sys.stderr = out, err
        if signal.getsignal(signal.SIGALRM) != self.on_alarm:
            signal.signal(signal.SIGALRM, self.on_alarm)
        if len(sys.modules) != len(self._loaded):
            for name in set(sys.modules) - self._loaded:
                if is_under(sys.modules[name], self._work):
                    del sys.modules[name]
            self._loaded = set(sys.modules)
        if any(path in self._random or any(word in change[2] for word in _RANDOM) for path, change in changes.items()):
            random.seed(0)
        return threading.active_count() == 1


def is_under(module: ModuleType, work: str) -> bool:
    """Tell whether a module's file lies in the folder."""
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and file.startswith(work)


__all__ = ["Exhausted", "Shelf", "TimeOver", "is_under"]
