"""Cases that need pytest: collected once with the program as it is, run with each candidate under them.

What test files import from the program is bound anew for each candidate. What they computed from it as they were
imported (parameters, module constants) stays as it was: a candidate may be misjudged, which costs only its chance.
"""

from __future__ import annotations

import ast
import importlib
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

import pytest
from _pytest.tmpdir import tmppath_result_key

from .cases import Cases
from .shelf import Shelf


class Batch:
    """The plugin that takes the place of pytest's loop over the cases."""

    def __init__(self, shelf: Shelf, work: str, act: Callable[[Cases], None]) -> None:
        self._shelf = shelf
        self._work = work
        self._act = act

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Let pytest print nothing."""
        config.get_terminal_writer()._file = io.StringIO()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the batch in place of pytest's loop."""
        self._act(PytestCases(self._shelf, self._work, session.items))
        return True

    def conftest_failed(self, failure: Any) -> None:
        """Say nothing: without cases there is no batch."""


class PytestCases:
    """Collected items."""

    def __init__(self, shelf: Shelf, work: str, items: Sequence[pytest.Item]) -> None:
        self._shelf = shelf
        self._items = {item.nodeid: item for item in items}
        self._program = [name for name in shelf.names if name in sys.modules]
        self._modules = [m for m in list(sys.modules.values()) if _is_under(m, work) and m.__name__ not in shelf.names]
        self._bindings = [binding for module in self._modules for binding in _bindings(module, shelf.names)]
        shelf.settle()

    @property
    def ids(self) -> Sequence[str]:
        """Their node ids."""
        return list(self._items)

    @property
    def files(self) -> frozenset[str]:
        """All files of the folder that are not the program's."""
        return frozenset(str(module.__file__) for module in self._modules)

    def load(self) -> None:
        """Import the program anew and bind what the tests imported of it."""
        for name in self._shelf.names:
            sys.modules.pop(name, None)
        for name in self._program:
            importlib.import_module(name)
        for space, local, name, attribute in self._bindings:
            module = importlib.import_module(name)
            if attribute == "*":
                space.update({key: value for key, value in vars(module).items() if not key.startswith("_")})
            elif attribute:
                member = vars(module).get(attribute)
                space[local] = importlib.import_module(f"{name}.{attribute}") if member is None else member
            else:
                space[local] = module

    def call(self, case: str) -> None:
        """Run set-up, call and tear-down, without the reports that take most of pytest's time.

        As `_pytest.runner.runtestprotocol` of pytest 8 does; tests/contract/test_sift.py tells when that moves.
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
            raise AssertionError  # unittest keeps what its case raised to itself

    def names(self) -> dict[str, Any]:
        """Return the globals of the test modules."""
        return {name: value for module in self._modules for name, value in vars(module).items()}


def _is_under(module: ModuleType, work: str) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and file.startswith(work)


def _bindings(module: ModuleType, program: frozenset[str]) -> Iterator[tuple[dict[str, Any], str, str, str]]:
    """Yield (globals, local name, program module, attribute or nothing) of a module's imports from the program."""
    try:
        with open(str(module.__file__), "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.split(".")[0]
                if name in program:
                    yield vars(module), alias.asname or name, name, ""
        elif isinstance(node, ast.ImportFrom):
            package = module.__package__ or ""
            above = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
            name = (
                f"{above}.{node.module}" if node.level and node.module else (above if node.level else node.module or "")
            )
            for alias in node.names:
                if name in program:
                    yield vars(module), alias.asname or alias.name, name, alias.name
                elif f"{name}.{alias.name}" in program:
                    yield vars(module), alias.asname or alias.name, f"{name}.{alias.name}", ""
