"""`--events -|FILE`: every event of a run as a line of JSON, and `result` as the last.

With `-` the lines have stdout for themselves: all else that would go there goes to stderr. Where the lines cannot be
written any more (nobody reads them, the disk is full) one sentence says so, and the run goes on without them.
"""

from __future__ import annotations

import errno
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TYPE_CHECKING, Any, TextIO

from selfheal_tui.errors import InputError, SelfHealError
from selfheal_tui.text import one_line, strip_controls

from . import CANCELLED

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.events import Event

STDOUT = "-"


def add_events(parser: ArgumentParser, *, opens_app: bool = False) -> None:
    """Add `--events`."""
    parser.add_argument(
        "--events",
        metavar="-|FILE",
        help=f"{'no app, and ' if opens_app else ''}write each event as a line of JSON (docs/events.md): to stdout, "
        "which then holds nothing else, or to the end of a file",
    )


class EventStream:
    """Where the lines of one command go."""

    def __init__(self, stream: TextIO, name: str) -> None:
        from selfheal_tui.engine.out.event_lines import EventLines

        self._lines = EventLines(os.environ)
        self._stream: TextIO | None = stream
        self._name = name
        self._result: Mapping[str, Any] | None = None
        self._session = self._outcome = self._reason = ""

    @property
    def has_stdout(self) -> bool:
        """Whether the lines have stdout for themselves."""
        return self._name == STDOUT

    def told(self, event: Event, session_id: str, task_id: str = "") -> None:
        """Write an event."""
        self._write(lambda: self._lines.line(event, session_id, task_id))

    def of_bench(self, event: object) -> None:
        """Write an event of a benchmark run."""
        from selfheal_tui.bench.running.event_forms import BENCH

        self._write(lambda: self._lines.made(BENCH[type(event)], event, {}))

    def ends_with(self, result: Mapping[str, Any], *, whole: bool) -> None:
        """Keep what the command came to, for the last line; `whole`: all of it, as `--json` prints it."""
        self._session = str(result.get("session_id", ""))
        self._outcome, self._reason = str(result.get("outcome", "")), str(result.get("reason", ""))
        self._result = result if whole else None

    def end(self, exit_code: int, error: str = "", outcome: str = "") -> None:
        """Write the last line."""
        fields = {
            "session": self._session,
            "exit_code": exit_code,
            "outcome": outcome or self._outcome,
            "reason": error or self._reason,
            "result": self._result,
        }
        self._write(lambda: self._lines.of("result", fields))

    def _write(self, line: Callable[[], str]) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(line())
            self._stream.flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        stream, self._stream = self._stream, None
        why = (
            "nobody reads them any more"
            if isinstance(error, BrokenPipeError)
            else f"{'stdout' if self.has_stdout else one_line(self._name, 200)} cannot be written ({_words(error)})"
        )
        print(f"selfheal: no more events: {strip_controls(why)}. The run goes on without them.", file=sys.stderr)
        if self.has_stdout and stream is not None:
            # What is left in the buffer would be tried again, and fail again, when Python ends.
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def events_of(args: Namespace) -> EventStream | None:
    """Return where the command's events go; None where nobody asked for them."""
    stream: EventStream | None = getattr(args, "event_stream", None)
    return stream


def say_result(text: str, result: Mapping[str, Any], *, as_json: bool, events: EventStream | None) -> None:
    """Print what a command came to, as text or JSON; where the events have stdout, the object is in their last line."""
    if events is not None:
        events.ends_with(result, whole=as_json)
    if not (as_json and events is not None and events.has_stdout):
        print(text, flush=True)


def run_with_events(args: Namespace, run: Callable[[Namespace], int]) -> int:
    """Run a command that has `--events`; its last line is written however it ends. Raises: InputError."""
    if args.events is None:
        return run(args)
    with _opened(args.events) as stream:
        args.event_stream = stream
        try:
            code = run(args)
        except SelfHealError as error:
            stream.end(error.exit_code, strip_controls(str(error)), "failed")
            error.shown = error.shown or stream.has_stdout
            raise
        except KeyboardInterrupt:
            stream.end(CANCELLED, outcome="cancelled")
            raise
        stream.end(code, outcome="cancelled" if code == CANCELLED else "")
        return code


@contextmanager
def _opened(name: str) -> Iterator[EventStream]:
    if name == STDOUT:
        stdout = sys.stdout
        with redirect_stdout(sys.stderr):
            yield EventStream(stdout, name)
        return
    try:
        # Appended: what an earlier run told is not lost.
        file = open(name, "a", encoding="utf-8")  # noqa: SIM115 - closed below
    except OSError as error:
        place = one_line(name, 200) or "An empty name"
        raise InputError(f"{place} cannot be written ({_words(error)}).", "Name another file for --events.") from error
    try:
        yield EventStream(file, name)
    finally:
        with suppress(OSError):  # what was in the buffer could not be written, and was told
            file.close()


def _words(error: OSError) -> str:
    return "the disk is full" if error.errno == errno.ENOSPC else (error.strerror or "it failed")
