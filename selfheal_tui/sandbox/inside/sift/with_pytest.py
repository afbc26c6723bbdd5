"""Cases that need pytest: collected once with the program as it is, run with each candidate under them."""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import pytest
from _pytest.tmpdir import tmppath_result_key
from _pytest.unittest import TestCaseFunction

from .apart import Apart
from .cases import Cases
from .data import Data
from .reload import Reload
from .shelf import Shelf, TimeOver
from .warm import Warm

_SET_UP_S = 20.0
"""How long what is kept between the cases may take to set up."""


class Batch:
    """The plugin that takes the place of pytest's loop over the cases."""

    def __init__(self, shelf: Shelf, work: str, act: Callable[[Cases], None]) -> None:
        self._shelf = shelf
        self._work = work
        self._act = act

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Let pytest print nothing, and a case end at its first failing subtest."""
        config.get_terminal_writer()._file = io.StringIO()
        end_at_first_subtest()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the batch in place of pytest's loop."""
        self._act(PytestCases(self._shelf, self._work, session.items))
        return True

    def conftest_failed(self, failure: Any) -> None:
        """Say nothing: without cases there is no batch."""


def end_at_first_subtest() -> None:
    """Let a failing subtest raise, as without the plugin: it reports each failure itself, and lets the case pass.

    pytest 9 has the plugin, pytest-subtests brings it to pytest 8.
    """
    if hasattr(TestCaseFunction, "addSubTest"):
        del TestCaseFunction.addSubTest
    for module, kind in (("_pytest.subtests", "Subtests"), ("pytest_subtests.plugin", "SubTests")):
        if (fixture := getattr(sys.modules.get(module), kind, None)) is not None:
            fixture.test = lambda *_, **__: nullcontext()


class PytestCases:
    """Collected items."""

    def __init__(self, shelf: Shelf, work: str, items: Sequence[pytest.Item]) -> None:
        self._items = {item.nodeid: item for item in items}
        self._shelf = shelf
        self._reload = Reload(shelf, [part for item in items for part in _taken(item)])
        names = shelf.possible_names
        self._warm = Warm(Apart(names, work, self._reload.bindings).is_apart, names)
        self._data: Data | None = None
        """As it is before the first candidate, and after what is set up and run before that."""
        shelf.settle()

    @property
    def ids(self) -> Sequence[str]:
        """Their node ids."""
        return list(self._items)

    @property
    def files(self) -> frozenset[str]:
        """All files of the folder that are not the program's."""
        return frozenset(str(module.__file__) for module in self._reload.modules)

    @property
    def is_sure(self) -> bool:
        """Whether the cases run what was loaded, and nothing of the program as they were collected with it."""
        return self._reload.is_sure

    def prepare(self, cases: Sequence[str]) -> None:
        """Set up what may be kept from one case to the next."""
        try:
            self._shelf.start_clock(_SET_UP_S)
            self._warm.prepare(self._items[case] for case in cases if case in self._items)
        except BaseException:  # foreign code, and its time: what is set up stays
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def choose_reload(
        self, variants: Sequence[Mapping[str, str]], passing: Sequence[str], failing: Sequence[str] = ()
    ) -> None:
        """Choose for each set of changed files the first way in which the passing cases still pass."""

        def run() -> None:
            for case in passing:
                self.call(case)

        def run_failing() -> None:
            for case in failing:
                try:
                    self._shelf.tank.fill()
                    self.call(case)
                except BaseException:  # foreign code: it is only asked what it runs
                    if self._shelf.late:
                        return

        if not self._reload.choose(variants, run, run_failing) and self._warm.is_on:
            self._warm.cool()
            self._reload.choose(variants, run, run_failing)

    def load(self, whole: bool = False) -> None:
        """Import what changed anew and bind what the tests imported of it; the rest is as it was collected."""
        if self._data is None:
            parameters = (item.callspec.params for item in self._items.values() if hasattr(item, "callspec"))
            self._data = Data(self._reload.folder, [value for params in parameters for value in params.values()])
        self._data.restore()
        self._reload.load(whole)

    def call(self, case: str) -> None:
        """Run set-up, call and tear-down, without the reports that take most of pytest's time.

        As `_pytest.runner.runtestprotocol` of pytest 8 and 9 does; tests/contract/test_sift.py tells when that moves.
        """
        item: Any = self._items[case]
        if hasattr(item, "_request") and not item._request:
            item._initrequest()
        item.stash.setdefault(tmppath_result_key, {})  # what `tmp_path` looks for in the report
        state = item.session._setupstate
        try:
            state.setup(item)
            item.runtest()
        finally:
            state.teardown_exact(None)
            item._request, item.funcargs = False, None
        if item.__dict__.pop("_excinfo", None):
            # unittest keeps what its case raised to itself, the ring of the clock too
            raise TimeOver if self._shelf.late else AssertionError

    def names(self) -> dict[str, Any]:
        """Return the globals of the test modules."""
        return {name: value for module in self._reload.modules for name, value in vars(module).items()}


def _taken(item: pytest.Item) -> list[Any]:
    """Return what a case was given as it was collected: its parameters and its class."""
    parameters = getattr(getattr(item, "callspec", None), "params", None)
    return [part for part in (parameters, getattr(item, "cls", None)) if part is not None]
