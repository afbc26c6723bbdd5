"""Cases that need pytest: collected once with the program as it is, run with each candidate under them.

What test files import from the program is bound anew for each candidate. What they computed from it as they were
imported (parameters, module constants) stays as it was: a candidate may be misjudged, which costs only its chance.
What is not imported anew is the module that was collected, so that an object among the parameters keeps its class.
"""

from __future__ import annotations

import ast
import importlib
import io
import signal
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import Enum
from types import ModuleType
from typing import Any

import pytest
from _pytest.tmpdir import tmppath_result_key

from .cases import Cases
from .shelf import Shelf

_TRIAL_S = 2.0
_KINDS_TRIED = 12
"""Sets of changed files, for each of which the passing cases are run."""


_Binding = tuple[dict[str, Any], str, str, str]
"""Globals of a module, local name, program module, its attribute or nothing."""


class Way(Enum):
    """What a candidate's change makes be imported anew, besides the files that it changes."""

    IMPORTERS = "what imports them"
    ALL = "the whole program: it may register its parts somewhere"
    BINDINGS = "nothing; the names that others imported of them are bound anew"


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
        self._originals = {name: sys.modules[name] for name in self._program}
        self._ways: dict[frozenset[str], Way] = {}
        """Changed paths -> how the passing cases still pass with them imported anew."""
        self._importers: dict[frozenset[str], frozenset[str]] = {}
        self._bound: dict[frozenset[str], list[_Binding]] = {}
        self._undo: list[tuple[dict[str, Any], str, Any]] = []
        """(globals, name, value) of what the last candidate bound anew."""
        self._replaced: frozenset[str] = frozenset()
        """Modules that the last candidate imported anew."""
        self._modules = [m for m in list(sys.modules.values()) if _is_under(m, work) and m.__name__ not in shelf.names]
        self._bindings = [binding for module in self._modules for binding in _bindings(module, shelf.names)]
        self._own_bindings = {name: list(_bindings(module, shelf.names)) for name, module in self._originals.items()}
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
        """Choose for each set of changed files the first way in which the passing cases still pass."""
        for kind in list(dict.fromkeys(frozenset(variant) for variant in variants))[:_KINDS_TRIED]:
            self._ways[kind] = next((way for way in Way if self._passes_twice(kind, way, passing)), Way.ALL)

    def _passes_twice(self, paths: frozenset[str], way: Way, passing: Sequence[str]) -> bool:
        try:
            for _ in range(2):
                self._shelf.put({})
                self._shelf.start_clock(_TRIAL_S)
                self._load(paths, way)
                for case in passing:
                    self.call(case)
        except BaseException:  # foreign code
            return False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._shelf.clear({})
        return True

    def load(self, whole: bool = False) -> None:
        """Import what changed anew and bind what the tests imported of it; the rest is as it was collected."""
        changed = self._shelf.changed
        self._load(changed, Way.ALL if whole else self._ways.get(changed, Way.IMPORTERS))

    def _load(self, changed: frozenset[str], way: Way) -> None:
        self._restore()
        renewed = self._renewed(changed, way)
        self._replaced = renewed
        for name in renewed:
            sys.modules.pop(name, None)
        for name in self._program:
            if name in renewed:
                importlib.import_module(name)
        for name in self._program:
            package, _, last = name.rpartition(".")
            if package in renewed and name not in renewed and package in sys.modules:
                setattr(sys.modules[package], last, sys.modules[name])
        for binding in self._bindings_to(renewed):
            self._bind(*binding)

    def _renewed(self, changed: frozenset[str], way: Way) -> frozenset[str]:
        if way is Way.ALL:
            return self._shelf.names
        names = frozenset(name for path in changed for name in self._shelf.names_of(path))
        if way is Way.BINDINGS:
            return names
        if changed not in self._importers:
            self._importers[changed] = importers(names, {name: self._shelf.text_at(name) for name in self._program})
        return self._importers[changed]

    def _restore(self) -> None:
        """Put back the modules as they were collected, and what was bound to those of the last candidate."""
        for space, local, value in reversed(self._undo):
            space[local] = value
        self._undo.clear()
        for name in self._replaced:
            original = self._originals.get(name)
            if original is None:
                sys.modules.pop(name, None)
                continue
            sys.modules[name] = original
            package, _, last = name.rpartition(".")
            if package in self._originals:
                setattr(self._originals[package], last, original)
        self._replaced = frozenset()

    def _bindings_to(self, renewed: frozenset[str]) -> list[_Binding]:
        """Return the imports of renewed modules in those that stay."""
        if renewed not in self._bound:
            others = (self._own_bindings[name] for name in self._program if name not in renewed)
            self._bound[renewed] = [
                binding
                for binding in (*self._bindings, *(one for bindings in others for one in bindings))
                if binding[2] in renewed or f"{binding[2]}.{binding[3]}" in renewed
            ]
        return self._bound[renewed]

    def _bind(self, space: dict[str, Any], local: str, name: str, attribute: str) -> None:
        """Bind one import of a module that stays to what was imported anew."""
        module = importlib.import_module(name)
        if attribute == "*":
            values = {key: value for key, value in vars(module).items() if not key.startswith("_")}
        elif attribute:
            member = vars(module).get(attribute)
            values = {local: importlib.import_module(f"{name}.{attribute}") if member is None else member}
        else:
            values = {local: module}
        self._undo += [(space, key, space[key]) for key in values if key in space]
        space.update(values)

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


def _bindings(module: ModuleType, program: frozenset[str]) -> Iterator[_Binding]:
    """Yield a module's imports from the program."""
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
