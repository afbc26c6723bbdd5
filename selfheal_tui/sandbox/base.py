"""What a sandbox is: the protocol, what goes in (a suite) and what comes out (cases, a report).

A sandbox runs files it is handed in a throw-away folder; it never sees the user's own. The TypedDicts are
checkpointed and printed as they are (the contract of `--json`); the dataclasses live in memory only.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Literal, NotRequired, Protocol, TypedDict

from selfheal_tui.errors import SandboxError

NO_TEST = "no test was found"
"""How the error of a report begins whose suite holds no test."""

Outcome = Literal["passed", "failed", "error", "timeout", "skipped"]


class CaseResult(TypedDict):
    """One test case, as it ended."""

    id: str
    """pytest node id, relative to the work folder: `test_x.py::test_y[3]`."""
    outcome: Outcome
    message: str
    """One line: the exception's type and text; empty when passed."""
    expected: str | None
    """The test's own side of the failing comparison, as repr; None when the failure is no comparison of such sides."""
    actual: str | None
    """The side that calls the program, as repr; None as `expected` is."""
    location: str | None
    """`file:line` of the innermost frame in a program file, else of the failing test line."""
    traceback: str
    """User frames only, innermost last."""
    duration_s: float
    output: str
    """What the case printed, capped, control sequences made visible."""
    compared: NotRequired[list[str]]
    """Left and right side of a failing comparison where neither calls the program, or each does, as repr."""
    suite: NotRequired[str]
    """Which suite it is of: yours, examples, spec, adversarial or critic; told of a session's cases only."""


class SuiteReport(TypedDict):
    """One run of a suite; `cases` in collection order."""

    passed: int
    failed: int
    errors: int
    timeouts: int
    skipped: int
    duration_s: float
    isolation: list[str]
    """Layers in force, by name; `["UNSANDBOXED"]` when none."""
    trust: Literal["provisional", "verified"]
    not_verified: str | None
    """Why the verdict is provisional, one sentence; None when verified."""
    truncated: bool
    """Output or cases were cut at a limit."""
    cases: list[CaseResult]
    verdict: Literal["passed", "failed", "error"]
    """passed: at least one case and every one passed or skipped; error: the suite itself could not run."""
    error: str | None
    """With verdict error: one sentence (a file does not parse, a test file cannot be collected, no tests)."""
    output: NotRequired[str]
    """What was printed outside of the cases (while files were imported, at the end), capped, without control
    sequences; missing in reports of older sessions."""
    notes: NotRequired[list[str]]
    """What else there is to know of the run, one sentence each; missing where there is nothing."""
    flaky: NotRequired[list[str]]
    """Ids of cases that failed and passed with the same code: they are not in `cases`."""
    set_aside: NotRequired[dict[str, str]]
    """Failing case or test file that was set aside, and is not in `cases` -> why, in a few words."""
    first_failed: NotRequired[int]
    """Where cases were set aside: how many failed in the first run, with these."""
    red_only_here: NotRequired[list[str]]
    """Cases of these that nobody saw fail outside of the sandbox: they are not counted as failing."""
    collected_only_here: NotRequired[str]
    """Sentences about test files that the user's own pytest could not collect and the sandbox can; missing for none."""
    left_out: NotRequired[int]
    """How many failing cases of the project are no part of the session; missing for none."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use."""

    time_s: float = 30.0
    """Wall clock for the whole suite."""
    case_time_s: float = 5.0
    """Wall clock for one case; a case over it is a timeout and the others still run."""
    memory_bytes: int = 512 << 20
    """Memory of the program and all it starts; also the address space of each process, above the interpreter's own."""
    output_bytes: int = 256 * 1024
    """Kept of what the program prints; a program that writes far more is killed."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Files and which tests to run over them."""

    files: Mapping[str, str]
    """Relative POSIX path -> text: program, tests and data, the whole folder."""
    tests: tuple[str, ...]
    """Test files, folders or node ids."""
    program: tuple[str, ...] = ()
    """The files under test; coverage is reported for these only."""
    pytest_args: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    coverage: bool = False
    """Record per-case line coverage (slower)."""
    watch: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Program path -> lines at which the values of locals are recorded (slower)."""
    stop_on_failure: bool = False
    """End at the first case that does not pass."""
    verify: bool = False
    """Judge a passing suite once more from a process that the program never enters; for `run` only."""
    explain: bool = True
    """Say of a case that fails what pytest says: both sides of a comparison. Without it a run takes a fraction."""


NOT_JUDGED_AGAIN = "not judged again with tests and program in two processes"
"""How `not_verified` begins where a second opinion was not tried."""

Coverage = Mapping[str, Mapping[str, frozenset[int]]]
"""case id -> program path -> 1-based lines that ran while the case did."""


@dataclass(frozen=True, slots=True)
class CaseFinished:
    """A case ended; sent as it happens."""

    case: CaseResult
    of: int = 0
    """How many cases the run has; 0 where that is not known."""


@dataclass(frozen=True, slots=True)
class SuiteFinished:
    """The last value of `Sandbox.run`."""

    report: SuiteReport
    coverage: Coverage = field(default_factory=dict)
    """Empty unless asked for."""
    watched: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    """case id -> observations in order: file, line, function, locals (name -> repr); empty unless asked for."""


@dataclass(frozen=True, slots=True)
class VariantJudged:
    """One candidate program ran."""

    index: int
    """Its position among the variants handed in."""
    outcomes: Mapping[str, Outcome]
    """case id -> outcome; cases not reached (stop_on_failure) are absent."""
    all_passed: bool
    """The suite's verdict is passed: every planned case passed, by our account and not the program's."""


class Sandbox(Protocol):
    """Runs hostile code; safe to share between tasks of one event loop."""

    name: str

    @property
    def isolation(self) -> tuple[str, ...]:
        """Names of the layers in force."""
        ...

    async def layers(self) -> dict[str, str]:
        """Return layer -> empty when in force, else why not, one sentence. Raises: SandboxError."""
        ...

    async def warm_up(self, suite: Suite) -> None:
        """Start what a run of the suite will need, so that it begins at once. Raises: SandboxError."""
        ...

    def run(self, suite: Suite) -> AsyncGenerator[CaseFinished | SuiteFinished, None]:
        """Run the suite once; the last value is `SuiteFinished`. Closing the iterator kills the run.

        Raises: SandboxError when the run could not be started (never for failing code).
        """
        ...

    async def verdict(self, suite: Suite) -> SuiteReport:
        """Run the suite once and say how it ended; what single cases say may be shorter than that of `run`.

        Raises: SandboxError as `run`.
        """
        ...

    def judge(self, suite: Suite, variants: Iterable[Mapping[str, str]]) -> AsyncGenerator[VariantJudged, None]:
        """Run the suite over `files | variant` for each variant, several at a time, in the order they end.

        `variants` is drawn lazily, so a caller may stop early by closing the iterator; that kills what runs.
        Raises: SandboxError.
        """
        ...

    async def aclose(self) -> None:
        """Kill everything that still runs and free the processes kept warm."""
        ...


async def run_through(
    sandbox: Sandbox, suite: Suite, tell: Callable[[CaseFinished], None] | None = None
) -> SuiteFinished:
    """Run the suite to its end, telling of each case as it ends. Raises: SandboxError."""
    async with aclosing(sandbox.run(suite)) as results:
        async for result in results:
            match result:
                case SuiteFinished():
                    return result
                case CaseFinished() if tell:
                    tell(result)
    raise SandboxError("The sandbox ended a run without a report.", "Run it again; if it persists, report it.")
