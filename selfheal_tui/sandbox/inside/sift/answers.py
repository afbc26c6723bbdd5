"""Ask candidates for the values of some calls, to tell apart those that behave differently.

Sends `answers`: per candidate the repr of each call's value, `!Name` for an exception, `!` where it took too long.
"""

from __future__ import annotations

import enum
import itertools
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ..report import Reporter
from .cases import Cases
from .changes import unpacked
from .fuel import Exhausted
from .shelf import Shelf, TimeOver
from .state import State

_MOST_ANSWER = 300
_MOST_ITEMS = 200
_SLOW = 4
"""Calls that take too long after which a candidate is asked no more."""


class Answers:
    """Asks the candidates of one order."""

    def __init__(self, reporter: Reporter, job: Mapping[str, Any], shelf: Shelf) -> None:
        self._reporter = reporter
        self._shelf = shelf
        self._cases: Cases
        self._files: Mapping[str, str] = job["files"]
        self._variants: Sequence[Mapping[str, Any]] = job["variants"]
        """What each changes, packed."""
        self._seconds: float = job["variant_time_s"]
        self._imports = [compile(line, "<import>", "exec", dont_inherit=True) for line in job["imports"]]
        """What functions of the test files import."""
        self._homes: Mapping[str, Sequence[str]] = job["homes"]
        """Name -> modules of the program that may define it."""
        self._calls = [compile(text, "<call>", "eval", dont_inherit=True) for text in job["calls"]]

    def before_collection(self) -> None:
        """Let the suite import the program as it is."""
        self._shelf.put({})

    def run(self, cases: Cases) -> None:
        """Ask them all."""
        self._cases = cases
        signal.signal(signal.SIGALRM, self._shelf.on_alarm)
        for changes in self._variants:
            self._reporter.send("answers", of=self._ask(unpacked(self._files, changes)))
            if not self._shelf.clear(changes):
                self._reporter.send("renew")
                return

    def _ask(self, variant: Mapping[str, str]) -> list[str]:
        answers: list[str] = []
        slow = 0
        names = self._loaded(variant)
        if names is None:
            return []
        state = State(self._shelf.modules())
        for call in self._calls:
            if slow >= _SLOW:
                answers.append("!")
                continue
            try:
                self._shelf.start_clock(self._seconds)
                answers.append(self._value(eval(call, dict(names))))
            except (TimeOver, Exhausted):
                slow += 1
                answers.append("!")
            except BaseException as error:  # foreign code
                answers.append(f"!{type(error).__name__}")
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            # What a call leaves in a default, a class or a global is no answer of the next call.
            if state.is_watched and not state.is_as_it_was() and not state.restore():
                if (names := self._loaded(variant)) is None:
                    return []
                state = State(self._shelf.modules())
        return answers

    def _loaded(self, variant: Mapping[str, str]) -> dict[str, Any] | None:
        """Import the program with these texts; return what a call may name, None where it cannot be imported."""
        try:
            self._shelf.start_clock(self._seconds)
            self._shelf.put(variant)
            self._cases.load()
            return {**self._imported(), **self._cases.names()}
        except BaseException:  # foreign code
            return None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _imported(self) -> dict[str, Any]:
        names: dict[str, Any] = {}
        for name, module in ((name, module) for name, modules in self._homes.items() for module in modules):
            # A module that no test reaches is not imported for this: it may do something as it is.
            if hasattr(sys.modules.get(module), name):
                names[name] = getattr(sys.modules[module], name)
        for line in self._imports:
            try:
                exec(line, names)
            except (TimeOver, Exhausted):
                raise
            except BaseException:  # foreign code: what it names is missing then
                continue
        return names

    def _value(self, value: Any) -> str:
        if hasattr(value, "__next__"):
            value = list(itertools.islice(value, _MOST_ITEMS))
        text = f"{{{', '.join(sorted(map(_shown, value)))}}}" if isinstance(value, set) and value else _shown(value)
        return str(text[:_MOST_ANSWER])


def _shown(value: Any) -> str:
    """Return a repr, of a member of an enumeration `Color.RED` as a test would write it; in lists and tuples too."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if type(value) in (list, tuple) and any(isinstance(item, enum.Enum) for item in value):
        items = ", ".join(map(_shown, value))
        return f"[{items}]" if type(value) is list else f"({items}{',' if len(value) == 1 else ''})"
    return repr(value)
