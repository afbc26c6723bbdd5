"""What plug-ins of pytest that are left out give to tests all the same: fixtures, marks and hooks of conftest files.

A plug-in is left out for how it changes a run (`long_way.py`). A fixture has the value that it has in a run in one
process, without reruns and without a report.
"""

from __future__ import annotations

import importlib
import re
import uuid
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import pytest

_HOOKS = {
    re.compile(r"\bdef pytest_(?:xdist_|configure_node|testnode|handlecrashitem)"): "xdist.newhooks",
    re.compile(r"\bdef pytest_html_"): "pytest_html.hooks",
}
"""What a conftest says that has hooks of a plug-in -> the module that declares them: pytest refuses a hook that none
declares."""


class _Xdist:
    marks: ClassVar = {"xdist_group(name): cases that run in one process"}

    @pytest.fixture(scope="session")
    def worker_id(self) -> str:
        """Name the only process."""
        return "master"

    @pytest.fixture(scope="session")
    def testrun_uid(self) -> str:
        """Name this run."""
        return uuid.uuid4().hex


class _Cov:
    marks: ClassVar = {"no_cover: coverage is not measured"}

    @pytest.fixture
    def no_cover(self) -> None:
        """Measure nothing."""

    @pytest.fixture
    def cov(self) -> None:
        """Give no measurement: none is made."""


class _Html:
    marks: ClassVar[set[str]] = set()

    @pytest.fixture
    def extra(self) -> list[object]:
        """Take what would go into the report."""
        return []

    @pytest.fixture
    def extras(self) -> list[object]:
        """Take what would go into the report."""
        return []


class _Reruns:
    marks: ClassVar = {"flaky(reruns=1, reruns_delay=0): how often a case is run again"}


class _RandomOrder:
    marks: ClassVar = {"random_order(disabled=True): the order of cases"}


_GIVES: dict[str, Any] = {
    "xdist": _Xdist,
    "pytest_cov": _Cov,
    "html": _Html,
    "rerunfailures": _Reruns,
    "random_order": _RandomOrder,
}
"""Name of a plug-in's entry point -> what it gives."""


class LeftOut:
    """Declares the marks of left-out plug-ins, and the hooks that conftest files have for them."""

    def __init__(self, given: Iterable[Any], modules: Iterable[str]) -> None:
        self._marks = [mark for one in given for mark in sorted(one.marks)]
        self._modules = list(modules)

    def pytest_addhooks(self, pluginmanager: pytest.PytestPluginManager) -> None:
        """Declare the hooks."""
        for name in self._modules:
            try:
                module = importlib.import_module(name)
            except ImportError:
                continue  # pytest says itself that the hook is unknown
            pluginmanager.add_hookspecs(module)

    def pytest_configure(self, config: pytest.Config) -> None:
        """Declare the marks: an unknown one is an error where a project's settings make warnings errors."""
        for mark in self._marks:
            config.addinivalue_line("markers", mark)


def stand_ins(installed: Iterable[str], files: Mapping[str, str]) -> list[object]:
    """Return plug-ins in the place of those of these names (entry points) that are installed and left out."""
    given = [_GIVES[name]() for name in installed if name in _GIVES]
    conftests = [
        str(text) for path, text in files.items() if path.rpartition("/")[2] == "conftest.py" and "pytest_" in text
    ]
    modules = [module for pattern, module in _HOOKS.items() if any(map(pattern.search, conftests))]
    return [*given, LeftOut(given, modules)] if given else []
