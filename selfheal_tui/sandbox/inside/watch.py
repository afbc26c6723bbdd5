"""Values at chosen lines: what the locals of a function are just before one of its lines runs.

`sys.monitoring` from Python 3.12 on (PEP 669), where unwatched lines cost nothing after their first run; on 3.11
`sys.settrace`, in functions that hold a watched line. A program that sets a trace function of its own on 3.11 ends
the watch, not its run.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Mapping
from itertools import islice
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any, TypedDict

from .coverage import MONITORING, ProgramFiles, leave_tool, take_tool
from .describe import repr_of

_MOST_LOCALS = 20
_MOST_TEXT = 200
_MOST_ITEMS = 50
_OPENINGS: dict[type, str] = {list: "[", tuple: "(", dict: "{", set: "{", frozenset: "frozenset({"}
_Trace = Callable[[FrameType, str, Any], Any]
_QUIET = (StopIteration, StopAsyncIteration, GeneratorExit)
"""How iteration ends: no news."""


class Observation(TypedDict, total=False):
    """A line about to run, or one that raised."""

    file: str
    """Program path."""
    line: int
    """1-based."""
    function: str
    """Qualified name; `<module>` for a file's own lines."""
    locals: dict[str, str]
    """Name -> repr, capped; modules and dunder names left out. Of a module its globals, functions and classes last."""
    raised: str
    """Type of the exception that just left this line, watched or not, of a function with a watched line."""
    more: bool
    """True, as only key of the last entry: there was more than could be kept."""


class Watcher:
    """Observes the lines (program path -> 1-based) that run between start and stop; `work` ends with a slash."""

    def __init__(self, work: str, lines: Mapping[str, Collection[int]], most: int = 200) -> None:
        self._files = ProgramFiles(work, lines)
        self._lines = {path: frozenset(numbers) for path, numbers in lines.items()}
        self._most = most
        self._seen: list[Observation] = []
        self._tracers = {path: self._tracer(path) for path in self._lines}
        self._codes: dict[int, tuple[CodeType, str | None]] = {}
        self._on = self._full = False
        self._tool: int | None = None
        self._before: tuple[Any, Any] = (None, None)

    def start(self) -> None:
        """Forget what was seen and watch, in this thread and those that start from now on (3.12: in all)."""
        self._seen = []
        self._on, self._full = True, False
        if not MONITORING:
            self._before = sys.gettrace(), threading.gettrace()
            threading.settrace(self._on_call)
            sys.settrace(self._on_call)
            return
        self._tool = take_tool(MONITORING.DEBUGGER_ID)
        if self._tool is not None:
            events = MONITORING.events
            MONITORING.register_callback(self._tool, events.LINE, self._on_line)
            MONITORING.register_callback(self._tool, events.RAISE, self._on_raise)
            MONITORING.restart_events()
            MONITORING.set_events(self._tool, events.LINE | events.RAISE)

    def stop(self) -> list[Observation]:
        """Return what was seen, in order."""
        self._end()
        return [*self._seen[: self._most], *([Observation(more=True)] if self._full else [])]

    def _end(self) -> None:
        self._on = False
        if MONITORING:
            leave_tool(self._tool)
            self._tool = None
            return
        if sys.gettrace() == self._on_call:
            sys.settrace(self._before[0])
        if threading.gettrace() == self._on_call:
            threading.settrace(self._before[1])

    # -- sys.monitoring

    def _on_line(self, code: CodeType, line: int) -> Any:
        path = self._files[code.co_filename]
        if path is None or line not in self._lines[path]:
            return MONITORING.DISABLE
        return self._note(sys._getframe(1), path, line)

    def _on_raise(self, code: CodeType, _: int, error: BaseException) -> None:
        frame = sys._getframe(1)
        if (path := self._watched(code)) is not None and not issubclass(type(error), _QUIET):
            self._note(frame, path, frame.f_lineno, type(error))

    # -- sys.settrace

    def _on_call(self, frame: FrameType, event: str, arg: object) -> _Trace | None:
        path = self._watched(frame.f_code)
        return self._tracers[path] if self._on and path is not None else None

    def _tracer(self, path: str) -> _Trace:
        """Return the trace function of a file's frames; a frame that outlives its case may still call it."""
        lines = self._lines[path]

        def on_event(frame: FrameType, event: str, arg: Any) -> _Trace:
            if event == "line":
                if frame.f_lineno in lines and self._on:
                    self._note(frame, path, frame.f_lineno)
            elif event == "exception" and self._on and not issubclass(arg[0], _QUIET):
                self._note(frame, path, frame.f_lineno, arg[0])
            return on_event

        return on_event

    # -- both

    def _watched(self, code: CodeType) -> str | None:
        """Return the program path of code that holds a watched line."""
        if (path := self._files[code.co_filename]) is None:
            return None
        if (entry := self._codes.get(id(code))) is None:
            held = any(line in self._lines[path] for _, _, line in code.co_lines())
            entry = self._codes[id(code)] = code, path if held else None  # kept with it: no other code gets its id
        return entry[1]

    def _note(self, frame: FrameType, path: str, line: int, error: type[BaseException] | None = None) -> None:
        if len(self._seen) >= self._most:
            self._full = True
            self._end()
            return
        observation = Observation(file=path, line=line, function=frame.f_code.co_qualname, locals=_locals(frame))
        if error is not None:
            observation["raised"] = error.__name__
        self._seen.append(observation)


def _locals(frame: FrameType) -> dict[str, str]:
    # type() and no isinstance: the program may have given a value a `__class__` that runs code
    named = [
        (name, value)
        for name, value in list(frame.f_locals.items())
        if type(name) is str and name.isidentifier() and not (name.startswith("__") and name.endswith("__"))
        if not issubclass(type(value), ModuleType)
    ]
    if frame.f_code.co_name == "<module>":
        named.sort(key=lambda item: issubclass(type(item[1]), FunctionType | BuiltinFunctionType | type))
    return {name: _shown(value) for name, value in named[:_MOST_LOCALS]}


def _shown(value: Any) -> str:
    """Return a short repr; of a long container of Python's own only its beginning is asked for."""
    kind = type(value)
    if kind in (str, bytes) and len(value) > _MOST_TEXT:
        return _begun(repr_of(value[:_MOST_TEXT]), len(value))
    if kind in _OPENINGS and len(value) > _MOST_ITEMS:
        return _begun(_OPENINGS[kind] + _items(value, kind), len(value))
    text = repr_of(value)
    half = (_MOST_TEXT - 3) // 2
    return text if len(text) <= _MOST_TEXT else f"{text[:half]}...{text[-half:]}"


def _items(value: Any, kind: type) -> str:
    texts: list[str] = []
    try:
        for item in islice(value.items() if kind is dict else value, _MOST_ITEMS):
            texts.append(f"{repr_of(item[0])}: {repr_of(item[1])}" if kind is dict else repr_of(item))
            if sum(map(len, texts)) > _MOST_TEXT:
                break
    except RuntimeError:  # another thread, or the repr, changes it
        pass
    return ", ".join(texts)


def _begun(text: str, length: int) -> str:
    note = f"... ({length} in all)"
    return text[: _MOST_TEXT - len(note)] + note
