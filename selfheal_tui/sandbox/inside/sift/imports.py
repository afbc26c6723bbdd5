"""What modules import, read from their text."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
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
