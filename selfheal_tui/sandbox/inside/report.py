"""What a run says of itself: frames on a private descriptor, cases with their time and output.

A frame is a big-endian 32-bit length and ASCII JSON: `{"n": nonce, "s": sequence number, "t": type, ...}`. The
host makes the verdict from them; nothing here is believed by itself. Imports nothing of ours.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from .coverage import Coverage
from .describe import CaseTimeout, describe, message_of
from .watch import Watcher

if TYPE_CHECKING:
    from .split.judge.split import Split

_HELD_BACK_S = 0.002
"""How long a run that nobody watches may gather frames: each write wakes the host, which costs both."""
_SWALLOWED_ALARMS = 5
"""A case that survives this many alarms is ended from outside the interpreter's exceptions."""


class CaseStopped(Exception):
    """The program raised what would have ended the whole run."""


def must_fail() -> None:
    """The negative control: when this passes, somebody has changed what an assertion or a test call does."""
    assert [1] == [2]


class Reporter:
    """Reports one run; `fd` takes the frames, `job` is the host's order, `work` the folder of the files."""

    def __init__(self, fd: int, job: Mapping[str, Any], work: str, split: Split | None = None) -> None:
        self._fd = fd
        self._nonce: str = job["nonce"]
        self._sequence = 0
        self._quiet: bool = job.get("quiet", False)
        self._unsent = bytearray()
        self._sent_at = 0.0
        self._pid = os.getpid()
        self._work = work.rstrip("/") + "/"
        self._program = frozenset(job.get("program", ()))
        self._case_time_s: float = job["case_time_s"]
        self._coverage = Coverage(self._work, self._program) if job.get("coverage") else None
        self._watcher = Watcher(self._work, job["watch"]) if job.get("watch") else None
        self._split = split
        self._armed = self._fired = 0
        self._case: dict[str, Any] = {}
        self.compared: tuple[str, str] | None = None
        """Both sides of the comparison that failed last."""
        self.stopped = False
        """The run was cut short at a failure."""
        self.control = ""
        """How the negative control ended: an assertion that must fail, and be seen to."""
        self.broken = ""
        """Why the machinery itself could not go on."""

    # -- frames

    def send(self, kind: str, /, **fields: Any) -> None:
        """Write one frame; a child that the program forked may not speak."""
        if os.getpid() != self._pid:
            os._exit(0)
        frame = {"n": self._nonce, "s": self._sequence, "t": kind, **fields}
        self._sequence += 1
        body = json.dumps(frame).encode("ascii")
        self._unsent += struct.pack("!I", len(body)) + body
        if not self._quiet or time.monotonic() - self._sent_at > _HELD_BACK_S:
            self._flush()

    def _flush(self) -> None:
        data, self._unsent = bytes(self._unsent), bytearray()
        while data:
            data = data[os.write(self._fd, data) :]
        self._sent_at = time.monotonic()

    def finish(self, error: str = "") -> None:
        """Say that the run came to its end."""
        _flush_streams()
        self.send("done", stopped=self.stopped, error=error or self.broken, control=self.control)
        self._flush()

    def uncollectable(self, name: str, error: BaseException | None) -> None:
        """Say why a file cannot be collected."""
        noted = {"limits": self._split.notes.limits} if self._split else {}
        _flush_streams()
        self.send("uncollectable", id=name, **self.describe(error), **noted)

    def describe(self, error: BaseException | None, location: str | None = None) -> dict[str, Any]:
        """Return an exception in words."""
        return describe(error, self._work, self._program, self.compared, location)

    # -- time

    def on_alarm(self, _: int, frame: FrameType | None) -> None:
        """Interrupt the case, again and again: a bare `except` may swallow one exception, not all."""
        if not self._armed:
            return
        self._fired += 1
        self._flush()
        if self._fired > _SWALLOWED_ALARMS and self._case:
            self._case["outcome"] = "timeout"
            self._send_case()
            self._flush()
            os._exit(75)
        while frame is not None:
            if frame.f_code.co_filename.startswith(self._work):
                raise CaseTimeout(f"no result within {self._case_time_s:g} s")
            frame = frame.f_back

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Interrupt what runs inside once a case's time is over."""
        self._fired, self._armed = 0, 1
        signal.setitimer(signal.ITIMER_REAL, self._case_time_s, 0.2)
        try:
            yield
        finally:
            self._armed = 0
            signal.setitimer(signal.ITIMER_REAL, 0)

    # -- cases

    @contextmanager
    def framed(self, name: str, location: str) -> Iterator[None]:
        """Frame one case: its start, its time, its output, its end."""
        self._case = _fresh(name, location)
        self.compared = None
        self.send("start", id=name)
        self._mark_output()
        if self._split:
            self._split.begin_case()
        for recorder in (self._coverage, self._watcher):
            if recorder:
                recorder.start()
        try:
            with self.timed():
                yield
        finally:
            if self._coverage:
                self._case["lines"] = self._coverage.stop()
            if self._watcher:
                self._case["watched"] = self._watcher.stop()
            if self._fired and self._case["outcome"] != "timeout":
                self._case.update(outcome="timeout", message=f"no result within {self._case_time_s:g} s")
            if self._split:
                notes = self._split.notes
                caught = [*notes.lies, *notes.faults]  # a test may have swallowed what was raised
                self._case.update(limits=notes.limits, doubts=notes.doubts, lies=caught)
            self._mark_output()
            self._send_case()

    @contextmanager
    def controlled(self) -> Iterator[None]:
        """Run the negative control instead of a case: nothing is framed, its outcome goes with the end."""
        self._case = _fresh("", "")
        try:
            with self.timed():
                yield
        finally:
            self.control = self._case["outcome"]
            self._case = {}

    @property
    def undecided(self) -> bool:
        """Whether a case runs and nothing has gone against it yet."""
        return bool(self._case) and self._case["outcome"] == "passed"

    @property
    def skipped(self) -> bool:
        """Whether the case that runs was skipped."""
        return self._case.get("outcome") == "skipped"

    def took(self, seconds: float) -> None:
        """Add to the time of the case."""
        if self._case:
            self._case["duration_s"] += seconds

    def skip(self, reason: str) -> None:
        """The case was skipped."""
        self._case.update(outcome="skipped", message=reason)

    def locate(self, line: int) -> None:
        """Put another line of its file in the place of the one where the case begins."""
        self._case["location"] = f"{self._case['location'].rpartition(':')[0]}:{line}"

    def fail(self, error: BaseException | None, called: bool, words: str = "") -> None:
        """The case failed with an exception; one that was not raised by its own call is an error of the case."""
        outcome = "timeout" if isinstance(error, CaseTimeout) else "failed" if called else "error"
        self._case["outcome"] = outcome
        self._case.update(self.describe(error, self._case["location"]) if error else {"message": words})

    def stumbled(self, error: BaseException) -> None:
        """Pass on that the machinery itself broke."""
        self.broken = message_of(error)

    def _send_case(self) -> None:
        case, self._case = self._case, {}
        if case["outcome"] == "passed":
            case["location"] = None
        if case["outcome"] == "timeout":
            case["message"] = case["message"] or f"no result within {self._case_time_s:g} s"
        self.send("case", **case)

    def _mark_output(self) -> None:
        """Part the output of one case from the next, in the stream itself: attribution only, no evidence."""
        if self._quiet:
            return
        _flush_streams()
        try:
            os.write(1, b"\0%s\0" % self._nonce.encode())
        except OSError:
            pass


def _flush_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # the program may have put anything there
            pass


def _fresh(name: str, location: str) -> dict[str, Any]:
    return {
        "id": name,
        "outcome": "passed",
        "message": "",
        "location": location,
        "duration_s": 0.0,
    }
