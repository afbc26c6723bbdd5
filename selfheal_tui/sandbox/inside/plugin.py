"""The pytest plugin inside the sandbox: turns pytest's hooks into the frames of `report.py`."""

from __future__ import annotations

import io
import os
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.fixtures import FixtureLookupError
from _pytest.pathlib import ImportPathMismatchError

from .describe import WORDS, one_line, repr_of, text_of
from .examples import told
from .report import CaseStopped, Reporter, must_fail

if TYPE_CHECKING:
    from .split.judge.split import Split


_AS_EXPECTED = ("==", "!=", "is", "is not")
_BY_CACHE = ("lf", "failedfirst", "newfirst", "cacheshow")
"""Options that ask pytest's cache, which is empty here: `config.cache` and the fixture are for tests."""
_NO_CACHE = (
    "--lf, --ff, --nf and --cache-show ask for earlier runs of pytest, which the sandbox does not have: "
    "leave them out, or start with selfheal fix --last-failed"
)


def _same_name(error: ImportPathMismatchError) -> str:
    _, other, path = error.args
    other = os.path.relpath(other, os.path.commonpath([os.path.dirname(other), os.path.dirname(path)]))
    ways = "give each folder an __init__.py, add -- --import-mode=importlib, or heal one folder at a time"
    return f"{other} has the same name, and pytest takes both for one module: {ways}"


WORDS[FixtureLookupError] = lambda error: f"fixture {error.argname!r} not found"
WORDS[ImportPathMismatchError] = _same_name


class Plugin(Reporter):
    """Reports a run of pytest."""

    def __init__(self, fd: int, job: Mapping[str, Any], work: str, split: Split | None = None) -> None:
        super().__init__(fd, job, work, split)
        self._skip = frozenset(job.get("skip", ()))
        self._control: pytest.Item | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Keep what pytest itself prints out of the program's output, and its cache out of the order of cases."""
        config.get_terminal_writer()._file = io.StringIO()
        if any(config.getoption(name, None) for name in _BY_CACHE):
            raise pytest.UsageError(_NO_CACHE)
        for name in ("lfplugin", "nfplugin"):
            config.pluginmanager.unregister(name=name)

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Pass on that pytest itself stumbled."""
        self.stumbled(excinfo.value)

    # -- collection

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, Any, Any]:
        """Time the import of a test file and explain why it cannot be collected."""
        if not isinstance(collector, pytest.Module):
            return (yield)
        self.send("collecting", id=collector.nodeid)
        try:
            with self.timed():
                report = yield
        except (SystemExit, KeyboardInterrupt) as stopped:
            self.uncollectable(collector.nodeid, stopped)
            return pytest.CollectReport(collector.nodeid, "failed", repr(stopped), [])
        call = getattr(report, "call", None)
        if report.failed and call is not None and call.excinfo is not None:
            error = call.excinfo.value
            self.uncollectable(
                collector.nodeid, error.__cause__ if isinstance(error, collector.CollectError) else error
            )
        return report

    def conftest_failed(self, failure: Any) -> None:
        """Report a conftest.py that cannot be imported like any other file."""
        self.uncollectable(str(failure.path).removeprefix(self._work), failure.__cause__ or failure)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what an earlier attempt has already answered."""
        unique = {item.nodeid: item for item in reversed(items)}
        items[:] = [item for nodeid, item in reversed(unique.items()) if nodeid not in self._skip]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Say which cases will run, and add the control after them."""
        self.send("plan", ids=[item.nodeid for item in session.items])
        module = session.items[-1].getparent(pytest.Module) if session.items else None
        if module is not None:
            self._control = pytest.Function.from_parent(module, name="must_fail", callobj=must_fail)
            session.items.append(self._control)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Remember whether the run was cut short, not counting the control at its end."""
        self.stopped = bool(session.shouldfail or session.shouldstop) and not self.control

    # -- cases

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Frame one case."""
        file, line, _ = item.location
        with self.controlled() if item is self._control else self.framed(item.nodeid, f"{file}:{(line or 0) + 1}"):
            if self._split:
                self._split.mind_test(getattr(item, "obj", None))
            return (yield)

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
        self.took(call.duration)
        error = call.excinfo.value if call.excinfo else None
        if report.skipped and self.undecided:
            self.skip(one_line(getattr(report, "wasxfail", "") or text_of(error)))
        elif report.failed and self.undecided:
            if error is not None and (example := told(error)).line is not None:
                error, self.compared = example.error, example.compared
                self.locate(example.line)
            self.fail(error, call.when == "call", one_line(report.longreprtext) if error is None else "")
        return report

    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> None:
        """Keep both sides of the comparison that failed last; the explanation stays pytest's.

        Of `"a" in c` and `n < 3` neither side is what the other should have been.
        """
        self.compared = (repr_of(left), repr_of(right)) if op in _AS_EXPECTED else None
