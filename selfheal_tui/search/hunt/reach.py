"""Which cases a change can reach: a project's suite is large, and most of it never runs the file that is edited.

The search runs the files of the failing cases; what helps there is judged by every file with a case that ran a line
of the edited file, by the coverage of the suite's own run. The whole suite is run once a repair is taken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from selfheal_tui.sandbox.base import Coverage, Suite, SuiteReport
from selfheal_tui.sandbox.workers import without_workers

from ..program.localise import is_failing


@dataclass(frozen=True, slots=True)
class Reach:
    """The test files of a suite, how its cases ended, and what they ran."""

    suite: Suite
    report: SuiteReport
    near: frozenset[str]
    """Test files with a failing case."""
    _files: dict[str, frozenset[str]] = field(repr=False)
    """Program path -> test files with a case that ran a line of it."""

    def suite_for(self, paths: Iterable[str]) -> Suite:
        """Return the suite with those test files alone that changes of these program files can reach."""
        return narrowed(self.suite, self.near.union(*(self._files.get(path, frozenset()) for path in paths)))

    def report_for(self, suite: Suite) -> SuiteReport:
        """Return the report of the cases that a suite of `suite_for` has: all of them where it is the whole."""
        if suite is self.suite:
            return self.report
        files = {file_of(test) for test in suite.tests}
        return {**self.report, "cases": [case for case in self.report["cases"] if file_of(case["id"]) in files]}

    @property
    def others(self) -> frozenset[str]:
        """Test files of the suite without a failing case, where they can be left out."""
        return frozenset(map(file_of, self.suite.tests)) - frozenset(map(file_of, self.suite_for(()).tests))


def build_reach(suite: Suite, report: SuiteReport, coverage: Coverage) -> Reach:
    """Read from a run with coverage which test files reach which program files."""
    files: dict[str, set[str]] = {}
    for case, lines_by_path in coverage.items():
        for path, lines in lines_by_path.items():
            if lines:
                files.setdefault(path, set()).add(file_of(case))
    near = frozenset(file_of(case["id"]) for case in report["cases"] if is_failing(case))
    return Reach(suite, report, near, {path: frozenset(tests) for path, tests in files.items()})


def narrowed(suite: Suite, files: Collection[str]) -> Suite:
    """Return the suite with the tests in these files alone; the suite itself where its tests are chosen otherwise."""
    tests = tuple(test for test in suite.tests if file_of(test) in files)
    known = {file_of(test) for test in suite.tests}
    if (
        not tests
        or not set(files) <= known
        or any(not arg.startswith("-") for arg in without_workers(suite.pytest_args))
    ):
        return suite
    return replace(suite, tests=tests)


def passing_in(report: SuiteReport) -> list[str]:
    """Return the ids of the cases that pass."""
    return [case["id"] for case in report["cases"] if case["outcome"] == "passed"]


def file_of(case: str) -> str:
    """Return the test file of a node id."""
    return case.partition("::")[0]
