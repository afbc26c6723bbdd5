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
import threading
import time
from collections.abc import Callable, Generator, Mapping
from pathlib import PurePath
from types import CodeType, FrameType, TracebackType
from typing import Any

import pytest
from _pytest.fixtures import FixtureLookupError

_SWALLOWED_ALARMS = 5
"""A case that survives this many alarms is ended from outside the interpreter's exceptions."""
_REPR_LIMIT = 400
_MESSAGE_LIMIT = 1000
_TRACE_FRAMES = 12


class CaseTimeout(BaseException):
    """A case ran longer than it may."""


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
        self._internal_error = _message(excinfo.value)

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
            case["message"] = _one_line(getattr(report, "wasxfail", "") or _text(call.excinfo and call.excinfo.value))
        elif report.failed and case["outcome"] == "passed":
            error = call.excinfo.value if call.excinfo else None
            case["outcome"] = "failed" if call.when == "call" else "error"
            if isinstance(error, CaseTimeout):
                case["outcome"] = "timeout"
            case.update(
                self._describe(error, case["location"]) if error else {"message": _one_line(report.longreprtext)}
            )
        return report

    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> None:
        """Keep both sides of the comparison that failed last; the explanation stays pytest's."""
        self._compared = (_repr(left), _repr(right))

    def _describe(self, error: BaseException | None, location: str | None = None) -> dict[str, Any]:
        """Return message, location, traceback and both sides of the comparison for an exception."""
        message = _message(error)
        frames = _user_frames(error, self._work)
        inside = [f"{file}:{line}" for file, line, _ in frames if file in self._program]
        if isinstance(error, SyntaxError) and str(error.filename).startswith(self._work):
            file = str(error.filename)[len(self._work) :]
            inside.append(f"{file}:{error.lineno}")
            frames.append((file, error.lineno or 1, ""))
        where = inside[-1] if inside else f"{frames[-1][0]}:{frames[-1][1]}" if frames else location
        left, right = self._compared if self._compared and isinstance(error, AssertionError) else (None, None)
        return {
            "message": message,
            "location": where,
            "trace": frames[-_TRACE_FRAMES:],
            "actual": left,
            "expected": right,
            "kind": type(error).__name__,
        }


class Coverage:
    """Lines of the program that run between start and stop."""

    def __init__(self, work: str, program: frozenset[str]) -> None:
        self._names = {work + name: name for name in program}
        self._hits: set[tuple[str, int]] = set()
        self._monitoring: Any = getattr(sys, "monitoring", None)
        if self._monitoring:
            self._monitoring.use_tool_id(self._monitoring.COVERAGE_ID, "selfheal")
            self._monitoring.register_callback(
                self._monitoring.COVERAGE_ID, self._monitoring.events.LINE, self._on_line
            )

    def start(self) -> None:
        """Forget what ran before and record."""
        self._hits.clear()
        if self._monitoring:
            self._monitoring.restart_events()
            self._monitoring.set_events(self._monitoring.COVERAGE_ID, self._monitoring.events.LINE)
        else:
            threading.settrace(self._on_call)
            sys.settrace(self._on_call)

    def stop(self) -> dict[str, list[int]]:
        """Return program path -> lines."""
        if self._monitoring:
            self._monitoring.set_events(self._monitoring.COVERAGE_ID, 0)
        else:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
        lines: dict[str, list[int]] = {}
        for filename, line in sorted(self._hits):
            lines.setdefault(self._names[filename], []).append(line)
        return lines

    def _on_line(self, code: CodeType, line: int) -> Any:
        if code.co_filename in self._names:
            self._hits.add((code.co_filename, line))
        return self._monitoring.DISABLE

    def _on_call(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any] | None:
        return self._on_step if frame.f_code.co_filename in self._names else None

    def _on_step(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any]:
        if event == "line":
            self._hits.add((frame.f_code.co_filename, frame.f_lineno))
        return self._on_step


def _user_frames(error: BaseException | None, work: str) -> list[tuple[str, int, str]]:
    frames = []
    step: TracebackType | None = error.__traceback__ if error is not None else None
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename.startswith(work):
            frames.append((str(PurePath(code.co_filename[len(work) :])), step.tb_lineno, code.co_name))
        step = step.tb_next
    return frames


def _message(error: BaseException | None) -> str:
    """Return one line; of a failed assert pytest's own line, after the test's words if it has some."""
    text = _text(error)
    if isinstance(error, AssertionError) and text:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if lines[0].startswith("assert "):
            return lines[0][:_MESSAGE_LIMIT]
        claim = next((f" ({line})" for line in lines if line.startswith("assert ")), "")
        return f"AssertionError: {lines[0]}{claim}"[:_MESSAGE_LIMIT]
    name = type(error).__name__
    return f"{name}: {_one_line(text)}" if text else name


def _one_line(text: str) -> str:
    return " ".join(text[: 4 * _MESSAGE_LIMIT].split())[:_MESSAGE_LIMIT]


def _text(error: BaseException | None) -> str:
    """Return the exception's words; its class may lie or fail."""
    if isinstance(error, SyntaxError):
        return str(error.msg)
    if isinstance(error, FixtureLookupError):
        return f"fixture {error.argname!r} not found"
    return _fenced(str, error)


def _repr(value: object) -> str:
    text = _fenced(repr, value)
    half = (_REPR_LIMIT - 3) // 2
    return text if len(text) <= _REPR_LIMIT else f"{text[:half]}...{text[-half:]}"


def _fenced(function: Callable[[object], str], value: object) -> str:
    try:
        text = function(value)
        return text if type(text) is str else f"<{type(value).__name__}>"
    except CaseTimeout:
        raise
    except BaseException as error:
        return f"<{type(value).__name__} whose text cannot be had: {type(error).__name__}>"
