"""Modules of the program, as the tests import them: a finder that comes first, and modules that ask for everything."""

from __future__ import annotations

import builtins
import importlib.abc
import importlib.machinery
import os
import sys
import types
from collections.abc import Collection, Sequence
from importlib.machinery import ModuleSpec
from typing import Any, NoReturn

from ..wire import names
from .askers import asker, is_probe
from .handles import Handle, handle_of
from .notes import Asks

_TOOLS = ("pytest", "_pytest", "conftest", "_sandbox")
"""Never the program's, whatever its files are called; nor is anything of Python's or installed that is loaded."""
_OWN = ("__name__", "__spec__", "__loader__", "__package__", "__path__", "__file__", "__cached__", "__builtins__")
_ABSENT = object()


class RemoteModule(types.ModuleType):
    """A module of the program."""

    _split: Asks
    _split_handle: Handle | None

    def __getattribute__(self, name: str) -> Any:
        if name in ("__dict__", "__doc__") and not asker():
            split: Asks = super().__getattribute__("_split")
            if name == "__doc__":
                return split.get(self, name)
            held = split.ask("vars", [self])
            _mind_names(self, split, held, sys._getframe(1).f_globals)
            return held
        return super().__getattribute__(name)

    def __getattr__(self, name: str) -> Any:
        library = asker()
        if name == "__file__" and not library:
            raise self._split.notes.limit(f"asks for the file of the module {self.__name__}")
        if name in _OWN or (library and (is_probe(name) or names.is_special(name))):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = self._split.get(self, name)
        if name == "__all__" and not library:
            _mind_names(self, self._split, value, sys._getframe(1).f_globals)
        return value

    def __setattr__(self, name: str, value: object) -> None:
        if name in _OWN or name.startswith("_split") or isinstance(value, RemoteModule):
            super().__setattr__(name, value)
            return
        vars_of(self).pop(name, None)
        self._split.set(self, name, value)

    def __delattr__(self, name: str) -> None:
        if name in vars_of(self):
            super().__delattr__(name)
        else:
            self._split.delete(self, name)

    def __dir__(self) -> Any:
        return self._split.ask("special", [self], ["__dir__"])

    def __repr__(self) -> str:
        return f"<module {self.__name__!r} of the program>"


def vars_of(module: types.ModuleType) -> dict[str, Any]:
    """Return what the module itself holds here."""
    held: dict[str, Any] = types.ModuleType.__getattribute__(module, "__dict__")
    return held


def _mind_names(module: RemoteModule, split: Asks, exported: Any, space: dict[str, Any]) -> None:
    """Note it if `from prog import *` gives the test another thing under a name that already means one there."""
    for name in exported if isinstance(exported, Collection) else ():
        before = space.get(name, vars(builtins).get(name, _ABSENT)) if type(name) is str else _ABSENT
        if before is _ABSENT or (name.startswith("_") and type(exported) is dict):
            continue
        is_remote = isinstance(before, RemoteModule) or handle_of(before) is not None
        if not is_remote and split.get(module, name) is not before:
            split.notes.doubt(f"the program gives the test its own {name} in place of the one that the test had")


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the program's modules, and packages that only exist because something in them is the program's."""

    def __init__(self, split: Asks, modules: Collection[str]) -> None:
        self._split = split
        self._modules = frozenset(name for name in modules if not _is_taken(name.partition(".")[0]))
        self._packages = frozenset(
            ".".join(parts[:count])
            for parts in (name.split(".") for name in self._modules)
            for count in range(1, len(parts))
        )
        self._loaded: set[str] = set()

    def install(self) -> None:
        """Come before every other finder, and forget what was loaded under these names."""
        for name in self._modules:
            sys.modules.pop(name, None)
        sys.meta_path.insert(0, self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a module of the program, None for any other."""
        if name in self._modules and not _lies_here(name, path):
            spec = ModuleSpec(name, self, is_package=name in self._packages)
        elif name in self._packages and importlib.machinery.PathFinder.find_spec(name, path) is None:
            spec = ModuleSpec(name, None, is_package=True)
        else:
            return None
        if name in self._packages:
            spec.submodule_search_locations = _folders(name, path)
        return spec

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        """Make an empty module."""
        module = RemoteModule(spec.name)
        for name, value in (("_split", self._split), ("_split_handle", None)):
            types.ModuleType.__setattr__(module, name, value)
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Have the candidate import, or reload, the real one. Raises: what that raises there."""
        held = vars_of(module)
        if held["_split_handle"] is not None:
            self._split.ask("reload", [module])
            return
        name = held["__name__"]
        loaded = self._split.ask("import", [], [name, "afresh"] if name in self._loaded else [name])
        handle = vars_of(loaded)["_split_handle"] if type(loaded) is RemoteModule else handle_of(loaded)
        if not isinstance(handle, Handle):
            raise self._split.notes.fault(f"the program gave no module {name}")
        held["_split_handle"] = handle
        self._loaded.add(name)

    def get_code(self, name: str) -> NoReturn:
        """There is no code on this side of the wire."""
        raise self._split.notes.limit(f"runs the module {name} as a script")


def _is_taken(name: str) -> bool:
    """Say whether a top-level name is Python's own or that of an installed module in use: it is never the program's."""
    return name in _TOOLS or name in sys.stdlib_module_names or (name in sys.modules and names.is_library(name))


def _lies_here(name: str, path: Sequence[str] | None) -> bool:
    """Say whether a file of the tests has this name: what lies beside them is nearer to them than the program."""
    here = os.getcwd()
    folders = [one for one in (sys.path if path is None else path) if one == here or one.startswith(here + os.sep)]
    spec = importlib.machinery.PathFinder.find_spec(name, folders)
    return spec is not None and spec.origin is not None


def _folders(name: str, path: Sequence[str] | None) -> list[str]:
    """Return folders of this package that lie here: tests may lie in a package of the program."""
    last = name.rpartition(".")[2]
    folders = [os.path.join(folder, last) for folder in (sys.path if path is None else path)]
    return [folder for folder in folders if os.path.isdir(folder)]
