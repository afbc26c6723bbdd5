"""The pytest plugin inside the sandbox: says what was planned, started and ended, as frames on a private descriptor.

A frame is a big-endian 32-bit length and ASCII JSON: `{"n": nonce, "s": sequence number, "t": type, ...}`. The
host makes the verdict from them; nothing here is believed by itself. Imports nothing of ours.
"""

from __future__ import annotations

import io
import json
import os
import signal
import struct
import sys
from collections.abc import Generator, Mapping
from types import FrameType
from typing import Any

import pytest

from .coverage import Coverage
from .describe import CaseTimeout, describe, message_of, one_line, repr_of, text_of

_SWALLOWED_ALARMS = 5
"""A case that survives this many alarms is ended from outside the interpreter's exceptions."""


class CaseStopped(Exception):
    """The program raised what would have ended the whole run."""


class Reporter:
    """Plugin of one run; `fd` takes the frames, `job` is the host's order, `work` the folder of the files."""

    def __init__(self, fd: int, job: Mapping[str, Any], work: str) -> None:
        self._fd = fd
        self._nonce: str = job["nonce"]
        self._sequence = 0
        self._pid = os.getpid()
        self._work = work.rstrip("/") + "/"
        self._program = frozenset(job.get("program", ()))
        self._skip = frozenset(job.get("skip", ()))
        self._case_time_s: float = job["case_time_s"]
        self._coverage = Coverage(self._work, self._program) if job.get("coverage") else None
        self._armed = self._fired = 0
        self._case: dict[str, Any] = {}
        self._compared: tuple[str, str] | None = None
        self._stopped = False
        self._internal_error = ""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Keep what pytest itself prints out of the program's output."""
        config.get_terminal_writer()._file = io.StringIO()

    # -- frames

    def send(self, kind: str, /, **fields: Any) -> None:
        """Write one frame; a child that the program forked may not speak."""
        if os.getpid() != self._pid:
            os._exit(0)
        frame = {"n": self._nonce, "s": self._sequence, "t": kind, **fields}
        self._sequence += 1
        body = json.dumps(frame).encode("ascii")
        data = struct.pack("!I", len(body)) + body
        while data:
            data = data[os.write(self._fd, data) :]

    def finish(self, error: str = "") -> None:
        """Say that the run came to its end."""
        self.send("done", stopped=self._stopped, error=error or self._internal_error)

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Pass on that pytest itself stumbled."""
        self._internal_error = message_of(excinfo.value)

    def _mark_output(self) -> None:
        """Part the output of one case from the next, in the stream itself: attribution only, no evidence."""
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:  # the program may have put anything there
                pass
        try:
            os.write(1, b"\0%s\0" % self._nonce.encode())
        except OSError:
            pass

    # -- time

    def on_alarm(self, _: int, frame: FrameType | None) -> None:
        """Interrupt the case, again and again: a bare `except` may swallow one exception, not all."""
        if not self._armed:
            return
        self._fired += 1
        if self._fired > _SWALLOWED_ALARMS and self._case:
            self._case["outcome"] = "timeout"
            self._send_case()
            os._exit(75)
        while frame is not None:
            if frame.f_code.co_filename.startswith(self._work):
                raise CaseTimeout(f"no result within {self._case_time_s:g} s")
            frame = frame.f_back

    def _arm(self) -> None:
        self._fired, self._armed = 0, 1
        signal.setitimer(signal.ITIMER_REAL, self._case_time_s, 0.2)

    def _disarm(self) -> None:
        self._armed = 0
        signal.setitimer(signal.ITIMER_REAL, 0)

    # -- collection

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, Any, Any]:
        """Time the import of a test file and explain why it cannot be collected."""
        if not isinstance(collector, pytest.Module):
            return (yield)
        self.send("collecting", id=collector.nodeid)
        self._arm()
        try:
            report = yield
        except (SystemExit, KeyboardInterrupt) as stopped:
            self._uncollectable(collector.nodeid, stopped)
            return pytest.CollectReport(collector.nodeid, "failed", repr(stopped), [])
        finally:
            self._disarm()
        call = getattr(report, "call", None)
        if report.failed and call is not None and call.excinfo is not None:
            error = call.excinfo.value
            self._uncollectable(
                collector.nodeid, error.__cause__ if isinstance(error, collector.CollectError) else error
            )
        return report

    def _uncollectable(self, nodeid: str, error: BaseException | None) -> None:
        self.send("uncollectable", id=nodeid, **self._describe(error))

    def conftest_failed(self, failure: Any) -> None:
        """Report a conftest.py that cannot be imported like any other file."""
        self._uncollectable(str(failure.path).removeprefix(self._work), failure.cause)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what an earlier attempt has already answered."""
        unique = {item.nodeid: item for item in reversed(items)}
        items[:] = [item for nodeid, item in reversed(unique.items()) if nodeid not in self._skip]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Say which cases will run."""
        self.send("plan", ids=[item.nodeid for item in session.items])

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Remember whether the run was cut short."""
        self._stopped = bool(session.shouldfail or session.shouldstop)

    # -- cases

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Frame one case: its start, its time, its output, its end."""
        file, line, _ = item.location
        self._case = {
            "id": item.nodeid,
            "outcome": "passed",
            "message": "",
            "location": f"{file}:{(line or 0) + 1}",
            "expected": None,
            "actual": None,
            "duration_s": 0.0,
        }
        self._compared = None
        self.send("start", id=item.nodeid)
        self._mark_output()
        self._arm()
        if self._coverage:
            self._coverage.start()
        try:
            return (yield)
        finally:
            if self._coverage:
                self._case["lines"] = self._coverage.stop()
            self._disarm()
            if self._fired and self._case["outcome"] != "timeout":
                self._case.update(outcome="timeout", message=f"no result within {self._case_time_s:g} s")
            self._mark_output()
            self._send_case()

    def _send_case(self) -> None:
        case, self._case = self._case, {}
        if case["outcome"] == "passed":
            case["location"] = None
        if case["outcome"] == "timeout":
            case["message"] = case["message"] or f"no result within {self._case_time_s:g} s"
        self.send("case", **case)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self) -> Generator[None, Any, Any]:
        """Turn what would end the whole run into a failure of the case."""
        try:
            return (yield)
        except (KeyboardInterrupt, pytest.exit.Exception) as stopped:
            raise CaseStopped(f"the program raised {type(stopped).__name__}") from stopped

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """Fold a phase into its case."""
        report = yield
        case = self._case
        if not case:
            return report
        case["duration_s"] += call.duration
        if report.skipped and case["outcome"] == "passed":
            case["outcome"] = "skipped"
            case["message"] = one_line(getattr(report, "wasxfail", "") or text_of(call.excinfo and call.excinfo.value))
        elif report.failed and case["outcome"] == "passed":
            error = call.excinfo.value if call.excinfo else None
            case["outcome"] = "failed" if call.when == "call" else "error"
            if isinstance(error, CaseTimeout):
                case["outcome"] = "timeout"
            case.update(
                self._describe(error, case["location"]) if error else {"message": one_line(report.longreprtext)}
            )
        return report

    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> None:
        """Keep both sides of the comparison that failed last; the explanation stays pytest's."""
        self._compared = (repr_of(left), repr_of(right))

    def _describe(self, error: BaseException | None, location: str | None = None) -> dict[str, Any]:
        return describe(error, self._work, self._program, self._compared, location)
