"""What modules import, read from their text."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

Binding = tuple[dict[str, Any], str, str, str]
"""Globals of a module, local name, program module, its attribute or nothing."""


def importers(changed: Collection[str], program: Mapping[str, str]) -> frozenset[str]:
    """Return these modules and all that import one of them, directly or not.

    `program` is module -> text; a package is known by the modules in it.
    """
    packages = {name.rpartition(".")[0] for name in program}
    imports = {
        name: {
            one
            for _, module, attribute in imports_of(text, name if name in packages else name.rpartition(".")[0])
            for one in (module, f"{module}.{attribute}")
        }
        for name, text in program.items()
    }
    renewed, grown = set(changed), 0
    while grown != len(renewed):
        grown = len(renewed)
        renewed |= {name for name, imported in imports.items() if imported & renewed}
    return frozenset(renewed)


def bindings(module: ModuleType, program: frozenset[str]) -> Iterator[Binding]:
    """Yield a module's imports from the program."""
    try:
        with open(str(module.__file__), "rb") as file:
            text = file.read()
    except OSError:
        return
    for local, name, attribute in imports_of(text, module.__package__ or ""):
        if not local:
            continue
        if name in program:
            yield vars(module), local, name, attribute
        elif f"{name}.{attribute}" in program:
            yield vars(module), local, f"{name}.{attribute}", ""


def imports_of(text: str | bytes, package: str) -> Iterator[tuple[str, str, str]]:
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


def modules_read(module: ModuleType, bound: Iterable[Binding]) -> frozenset[str]:
    """Return the program's modules of which a module took a value as it was imported: a constant, not a class.

    `bound` are its imports from the program.
    """
    try:
        with open(str(module.__file__), "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    owners: dict[str, set[str]] = {}
    for _, local, name, _ in bound:
        for one in vars(sys.modules[name]) if local == "*" and name in sys.modules else (local,):
            owners.setdefault(one, set()).add(name)
    paths = {path for path in _paths_at_import(tree) if path[0] in owners}
    return frozenset(name for path in paths if _is_value(module, path) for name in owners[path[0]])


def _is_value(module: ModuleType, path: Sequence[str]) -> bool:
    try:
        found = functools.reduce(getattr, path[1:], vars(module)[path[0]])
    except Exception:  # foreign code: it may be gone since
        return True
    return not isinstance(found, type | ModuleType) and not callable(found)


def _paths_at_import(tree: ast.AST) -> Iterator[tuple[str, ...]]:
    """Yield the dotted names that are looked up as a module is imported, each as its parts."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if path := _path(node):
            yield path
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += [*getattr(node, "decorator_list", ()), *node.args.defaults]
            waiting += [default for default in node.args.kw_defaults if default is not None]
        else:
            waiting += ast.iter_child_nodes(node)


def _path(node: ast.AST) -> tuple[str, ...]:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return (node.id, *reversed(names)) if isinstance(node, ast.Name) else ()
