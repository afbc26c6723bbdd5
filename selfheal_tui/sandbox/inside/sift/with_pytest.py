"""Cases that need pytest: collected once with the program as it is, run with each candidate under them.

What test files import from the program is bound anew for each candidate. What they computed from it as they were
imported (parameters, module constants) stays as it was: a candidate may be misjudged, which costs only its chance.
"""

from __future__ import annotations

import ast
import importlib
import io
import signal
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import pytest
from _pytest.tmpdir import tmppath_result_key

from .cases import Cases
from .shelf import Shelf

_TRIAL_S = 2.0
_KINDS_TRIED = 2
"""Sets of changed files, for each of which the passing cases are run."""


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
        self._in_part = False
        """Whether only what a candidate changes, and what imports that, is imported anew."""
        self._renewed: dict[frozenset[str], frozenset[str]] = {}
        """Changed paths -> the modules that are imported anew then."""
        self._changed: frozenset[str] = frozenset()
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

    def choose_reload(self, variants: Sequence[Mapping[str, str]], passing: Sequence[str]) -> None:
        """Import anew only what a candidate changes and what imports that, where the passing cases allow it.

        A program may have to be imported as a whole: where it registers its parts somewhere, say.
        """
        kinds = list(dict.fromkeys(frozenset(variant) for variant in variants))
        self._in_part = all(self._passes_twice(kind, case) for kind in kinds[:_KINDS_TRIED] for case in passing)

    def _passes_twice(self, paths: frozenset[str], case: str) -> bool:
        try:
            for _ in range(2):
                self._shelf.put({})
                self._shelf.start_clock(_TRIAL_S)
                self._load(self._importers(paths))
                self.call(case)
        except BaseException:  # foreign code
            return False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._shelf.clear({})
        return True

    def _importers(self, paths: frozenset[str]) -> frozenset[str]:
        if paths not in self._renewed:
            changed = {name for path in paths for name in self._shelf.names_of(path)}
            self._renewed[paths] = importers(changed, {name: self._shelf.text_at(name) for name in self._program})
        return self._renewed[paths]

    def load(self) -> None:
        """Import the program anew and bind what the tests imported of it."""
        changed, self._changed = self._changed | self._shelf.changed, self._shelf.changed
        self._load(self._importers(changed) if self._in_part else self._shelf.names)

    def _load(self, renewed: frozenset[str]) -> None:
        for name in renewed:
            sys.modules.pop(name, None)
        for name in self._program:
            if name in renewed:
                importlib.import_module(name)
        for name in self._program:
            package, _, last = name.rpartition(".")
            if package in renewed and name not in renewed and package in sys.modules:
                setattr(sys.modules[package], last, sys.modules[name])
        for space, local, name, attribute in self._bindings:
            if name not in renewed and f"{name}.{attribute}" not in renewed:
                continue
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


def importers(changed: Collection[str], program: Mapping[str, str]) -> frozenset[str]:
    """Return these modules and all that import one of them, directly or not.

    `program` is module -> text; a package is known by the modules in it.
    """
    packages = {name.rpartition(".")[0] for name in program}
    imports = {
        name: {
            one
            for _, module, attribute in _imports(text, name if name in packages else name.rpartition(".")[0])
            for one in (module, f"{module}.{attribute}")
        }
        for name, text in program.items()
    }
    renewed, grown = set(changed), 0
    while grown != len(renewed):
        grown = len(renewed)
        renewed |= {name for name, imported in imports.items() if imported & renewed}
    return frozenset(renewed)


def _is_under(module: ModuleType, work: str) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and file.startswith(work)


def _bindings(module: ModuleType, program: frozenset[str]) -> Iterator[tuple[dict[str, Any], str, str, str]]:
    """Yield (globals, local name, program module, attribute or nothing) of a module's imports from the program."""
    try:
        with open(str(module.__file__), "rb") as file:
            text = file.read()
    except OSError:
        return
    for local, name, attribute in _imports(text, module.__package__ or ""):
        if not local:
            continue
        if name in program:
            yield vars(module), local, name, attribute
        elif f"{name}.{attribute}" in program:
            yield vars(module), local, f"{name}.{attribute}", ""


def _imports(text: str | bytes, package: str) -> Iterator[tuple[str, str, str]]:
    """Yield (local name, module, attribute or nothing) of each import in a module of this package.

    `import a.b` binds `a`, and loads `a.b` without a name of its own.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.split(".")[0]
                yield alias.asname or name, name, ""
                if name != alias.name:
                    yield "", alias.name, ""
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
            name = (
                f"{above}.{node.module}" if node.level and node.module else (above if node.level else node.module or "")
            )
            for alias in node.names:
                yield alias.asname or alias.name, name, alias.name
