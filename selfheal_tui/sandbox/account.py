"""The host's account of one run: what was planned, what started, what ended; the verdict is made here and only here.

Passed means: one plan, one start and one result for every planned case, the end reported last, exit status 0, and
no outcome but passed or skipped. Whatever a program prints, returns or raises cannot add up to that by itself.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from typing import Any, NamedTuple, get_args

from selfheal_tui.python_source import NestedTooDeeply, parse_python
from selfheal_tui.text import one_line, strip_controls, truncate_middle

from .base import NO_TEST, CaseResult, Coverage, Outcome, Suite, SuiteReport
from .host import AttemptEnd
from .inside.describe import OF_EXAMPLE
from .protocol import Frame, OutputLog, ProtocolFault
from .sides import side_in

NOT_VERIFIED = "tests and program ran in one process"
ENDED = "the process ended before this case finished"
"""How the message of a case begins that took its process along."""
PRINTED_TOO_MUCH, HELD_TOO_MUCH = "the program printed more than", "the program and what it started held more than"
"""The same for one that was ended as it filled the output or the memory."""

_OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
_SYNTAX = ("SyntaxError", "IndentationError", "TabError")
_GIVEN_UP = ("RecursionError", "MemoryError")
"""What Python's parser raises over code that is nested too deeply, as other code may."""
_DEEP = "it is nested too deeply"
_FIELD_CHARACTERS = 8000


class Remarks(NamedTuple):
    """What the split judge noted of one case."""

    limits: list[str]
    """What the test did that cannot be carried between two processes."""
    doubts: list[str]
    """Why a pass is no proof."""
    lies: list[str]
    """Where the program was caught."""


class Account:
    """Adds up the frames of one run over all its attempts."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._plan: list[str] | None = None
        self._results: dict[str, CaseResult] = {}
        self._uncollectable: dict[str, CaseResult] = {}
        self._sentence = ""
        self._fault = ""
        self._lines: dict[str, Mapping[str, frozenset[int]]] = {}
        self._server_losses = 0
        self._control = ""
        self.compiled: list[Any] | None = None
        """The test files, compiled before any code of the program ran; for later runs with the same tests."""
        self.remarks: dict[str, Remarks] = {}
        """case id or file -> what the split judge noted."""
        self.watched: dict[str, list[dict[str, Any]]] = {}
        self.truncated = False
        self._output = ""
        self._begin()

    def _begin(self) -> None:
        self.current: str | None = None
        """The case that runs, or the file that is being imported."""
        self._collecting = False
        self._planned = self._done = self._stopped = False
        self.started = 0
        """Cases started in this attempt."""
        self._progress = False

    @property
    def finished(self) -> list[str]:
        """Ids of the cases that need not run again."""
        return list(self._results)

    @property
    def told_its_end(self) -> bool:
        """Whether the run came to its end and said so."""
        return self._done

    @property
    def coverage(self) -> Coverage:
        """Lines per case, where they were asked for."""
        return self._lines

    @property
    def number_of_cases(self) -> int:
        """How many cases the run has, with the files that cannot be collected."""
        return len(self._plan or ()) + len(self._uncollectable)

    @property
    def cases(self) -> list[CaseResult]:
        """Results so far: files that cannot be collected, then the cases in collection order."""
        planned = [self._results[i] for i in self._plan or () if i in self._results]
        return [*self._uncollectable.values(), *planned]

    def take(self, frame: Frame, output: str) -> CaseResult | None:
        """Record one frame; return the case it ended.

        Raises: ProtocolFault when it does not fit what came before.
        """
        kind, name = frame.get("t"), frame.get("id")
        _need(not self._done, "something was reported after the end")
        if kind == "compiled":
            files = frame.get("files")
            _need(not self._planned and self.current is None and isinstance(files, list), "it was compiled too late")
            self.compiled = files
        elif kind == "plan":
            self._take_plan(frame.get("ids"))
        elif kind == "done":
            _need(self.current is None or self._collecting, "the end came inside a case")
            self._done, self._stopped = True, frame.get("stopped") is True
            self._control = str(frame.get("control"))
            if isinstance(error := frame.get("error"), str) and error:
                self._sentence = self._sentence or f"pytest could not run the suite: {one_line(error)}"
        else:
            _need(isinstance(name, str), "a report names no case")
            return self._take_named(str(kind), str(name), frame, output)
        return None

    def _take_plan(self, ids: object) -> None:
        _need(not self._planned and isinstance(ids, list), "there was more than one plan")
        plan = [i for i in ids if isinstance(i, str)] if isinstance(ids, list) else []
        _need(len(set(plan)) == len(ids), "the plan is not a list of cases")  # type: ignore[arg-type]
        remaining = plan if self._plan is None else [i for i in self._plan if i not in self._results]
        _need(plan == remaining, "the plan changed between two attempts")
        self._plan = self._plan if self._plan is not None else plan
        self._planned, self._collecting, self.current = True, False, None

    def _take_named(self, kind: str, name: str, frame: Frame, output: str) -> CaseResult | None:
        if kind == "collecting":
            _need(not self._planned, "a file was imported after the plan")
            self.current, self._collecting = name, True
            return None
        if kind == "uncollectable":
            if name in self._uncollectable:
                return None
            return self._refuse_file(name, frame, output)
        _need(self._planned and name in (self._plan or ()), "a case ran that was not planned")
        if kind == "start":
            _need(self.current is None and name not in self._results, "a case started twice")
            self.current = name
            self.started += 1
            return None
        _need(kind == "case" and name == self.current, "a result came for a case that did not run")
        outcome = frame.get("outcome")
        _need(outcome in _OUTCOMES, "a result has no outcome")
        return self._end_case(name, {**frame, "output": output})

    def _end_case(self, name: str, fields: Mapping[str, object]) -> CaseResult:
        case = build_case(self._suite, name, fields)
        self._results[name] = case
        lines = fields.get("lines")
        if self._suite.coverage and isinstance(lines, dict):
            self._lines[case["id"]] = {
                path: frozenset(n for n in numbers if isinstance(n, int))
                for path, numbers in lines.items()
                if path in self._suite.program and isinstance(numbers, list)
            }
        self._note(case["id"], fields)
        watched = fields.get("watched")
        if self._suite.watch and isinstance(watched, list):
            self.watched[case["id"]] = [observation for observation in watched if isinstance(observation, dict)]
        self.current, self._progress = None, True
        return case

    def _refuse_file(self, name: str, fields: Mapping[str, object], output: str) -> CaseResult:
        if fields.get("kind") in _GIVEN_UP and (deep := _too_deep(self._suite)):
            # What Python says of it names neither the file nor the reason.
            self._sentence = self._sentence or f"{deep} does not parse: {_DEEP}"
            fields = {**fields, "message": f"SyntaxError: {_DEEP}", "location": f"{deep}:1"}
        case = build_case(self._suite, name, {**fields, "outcome": "error", "output": output})
        self._uncollectable[name] = case
        self._note(case["id"], fields)
        if not self._sentence:
            file, _, line = (case["location"] or "").rpartition(":")
            if fields.get("kind") in _SYNTAX and file:
                self._sentence = f"{file} does not parse, line {line}: {case['message'].partition(': ')[2]}"
            else:
                self._sentence = f"{case['id']} cannot be collected: {case['message']}"
        return case

    def _note(self, case_id: str, fields: Mapping[str, object]) -> None:
        self.remarks[case_id] = Remarks(*(_texts(fields.get(name)) for name in Remarks._fields))

    def close_attempt(self, end: AttemptEnd, cause: Outcome | None, why: str, output: str) -> CaseResult | None:
        """Record how the process ended; return the case that ended with it.

        `cause` and `why` tell of our own kill; without one the process ended by itself.
        """
        self._fault = self._fault or end.fault
        if self._done and end.code != 0 and not self._fault:
            self._fault = f"the process ended with {_status(end)} after it had reported its end"
        if self._done or self._fault:
            return None
        if end.code is None and not cause:
            self._server_losses += 1
            if self._server_losses == 1:
                self._progress = self._planned or self._progress
                return None
        culprit, self.current = self.current, None
        message = why or f"{ENDED} ({_status(end)})"
        if culprit is None:
            self._sentence = self._sentence or f"the process ended before its report was complete ({_status(end)})"
            return None
        fields = {"outcome": cause or "error", "message": message, "output": output}
        if not self._collecting:
            return self._end_case(culprit, fields)
        if not why:
            fields["message"] = f"the process ended while this file was imported ({_status(end)})"
        return self._refuse_file(culprit, fields, output)

    def hear(self, output: OutputLog) -> None:
        """Record what an attempt printed outside of its cases; each one imports the files, so the first says enough."""
        self.truncated |= output.truncated
        self._output = self._output or output.outside()

    def next_attempt(self) -> bool:
        """Tell whether cases are left that another process should run, and make ready for it."""
        if self._done or self._fault or self._plan is None or not self._progress:
            return False
        failed = any(case["outcome"] not in ("passed", "skipped") for case in self.cases)
        if len(self._results) == len(self._plan) or (failed and self._suite.stop_on_failure):
            return False
        self._begin()
        return True

    def give_up(self, cause: Outcome, why: str) -> list[CaseResult]:
        """Close the cases that no process will run any more."""
        failed = any(case["outcome"] not in ("passed", "skipped") for case in self.cases)
        if self._stopped or (failed and self._suite.stop_on_failure):
            return []
        unanswered = [name for name in self._plan or () if name not in self._results]
        return [self._end_case(name, {"outcome": cause, "message": why}) for name in unanswered]

    def refuse(self, fault: ProtocolFault) -> None:
        """Believe nothing of this run any more."""
        self._fault = self._fault or str(fault)

    def report(self, isolation: tuple[str, ...], duration_s: float) -> SuiteReport:
        """Return the report with its verdict."""
        cases = self.cases
        outcomes = [case["outcome"] for case in cases]
        error = self._what_is_wrong(outcomes)
        failed = any(outcome not in ("passed", "skipped") for outcome in outcomes)
        return {
            "passed": outcomes.count("passed"),
            "failed": outcomes.count("failed"),
            "errors": outcomes.count("error"),
            "timeouts": outcomes.count("timeout"),
            "skipped": outcomes.count("skipped"),
            "duration_s": round(duration_s, 3),
            "isolation": list(isolation),
            "trust": "provisional",
            "not_verified": NOT_VERIFIED,
            "truncated": self.truncated,
            "cases": cases,
            "verdict": "error" if error else "failed" if failed else "passed",
            "error": error,
            "output": strip_controls(self._output),
        }

    def _what_is_wrong(self, outcomes: list[Outcome]) -> str | None:
        tests = ", ".join(self._suite.tests) or "the files"
        if self._fault:
            return f"The run's account does not add up: {self._fault}."
        if self._uncollectable:
            return self._sentence
        if not self._plan:
            return self._sentence or f"{NO_TEST} in {one_line(tests)}"
        if all(outcome == "skipped" for outcome in outcomes):
            return "every test was skipped, so nothing was checked"
        if any(outcome not in ("passed", "skipped") for outcome in outcomes):
            return None
        if not self._done or self._stopped or len(outcomes) != len(self._plan):
            return self._sentence or "the process ended before its report was complete"
        if self._control not in ("failed", "error"):
            return "an assertion that must fail passed: the program has changed how tests are run"
        return None


def build_case(suite: Suite, name: str, fields: Mapping[str, object]) -> CaseResult:
    """Make a case of what was reported: every text safe and capped, every type checked."""
    duration = fields.get("duration_s")
    location = fields.get("location")
    outcome = fields.get("outcome")
    message = one_line(str(fields.get("message") or ""), 1000)
    if not isinstance(location, str):
        location = None
    case: CaseResult = {
        "id": strip_controls(name),
        "outcome": next(o for o in _OUTCOMES if o == outcome),
        "message": message,
        "expected": None,
        "actual": None,
        "location": one_line(location, 500) if location else None,
        "traceback": _traceback(suite, fields.get("trace"), message),
        "duration_s": round(duration, 6) if isinstance(duration, int | float) else 0.0,
        "output": strip_controls(str(fields.get("output") or "")),
    }
    left, right = _optional_text(fields.get("left")), _optional_text(fields.get("right"))
    if left is not None and right is not None:
        match "left" if fields.get("kind") == OF_EXAMPLE else side_in(suite, fields.get("trace")):
            case "left":
                case["actual"], case["expected"] = left, right
            case "right":
                case["actual"], case["expected"] = right, left
            case None:
                case["compared"] = [left, right]
    return case


def _too_deep(suite: Suite) -> str:
    """Return the first file that is nested too deeply; empty when none is."""
    for path, text in suite.files.items():
        try:
            if path.endswith(".py"):
                parse_python(text)
        except NestedTooDeeply:
            return path
        except SyntaxError:
            pass
    return ""


def _traceback(suite: Suite, frames: object, message: str) -> str:
    lines = []
    for frame in frames if isinstance(frames, list) else ():
        match frame:
            case [str(file), int(line), str(function)]:
                lines.append(f"{file}:{line}" + (f" in {function}" if function else ""))
                source = suite.files.get(file, "").splitlines()
                if 0 < line <= len(source):
                    lines.append(f"    {source[line - 1].strip()}")
    return strip_controls(truncate_middle("\n".join([*lines, message]), _FIELD_CHARACTERS)) if lines else ""


def _optional_text(value: object) -> str | None:
    return strip_controls(value[:_FIELD_CHARACTERS]) if isinstance(value, str) else None


def _texts(value: object) -> list[str]:
    return [one_line(text, 300) for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _status(end: AttemptEnd) -> str:
    if end.code is None:
        return "its server was killed"
    if end.code >= 0:
        return f"exit status {end.code}"
    try:
        return f"killed by {signal.Signals(-end.code).name}"
    except ValueError:
        return f"killed by signal {-end.code}"


def _need(condition: bool, why: str) -> None:
    if not condition:
        raise ProtocolFault(why)
