"""What the conftest files of a project keep pytest from collecting: their `collect_ignore` and `collect_ignore_glob`.

The files are read and never run, so lists that code works out, as in an `if`, are not known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path

from selfheal_tui.python_source import parse_or_none

_NAMES = ("collect_ignore", "collect_ignore_glob")


def ignored_patterns(files: Mapping[Path, str]) -> tuple[str, ...]:
    """Return patterns of whole paths that pytest does not collect unless they are named."""
    conftests = {path: text for path, text in files.items() if path.name == "conftest.py" and _NAMES[0] in text}
    return tuple(str(path.parent / one) for path, text in conftests.items() for one in _listed(text))


def is_ignored(path: Path, patterns: tuple[str, ...]) -> bool:
    """Tell whether a path, or a folder above it, is left out by one of the patterns."""
    return any(fnmatch(str(one), pattern) for pattern in patterns for one in (path, *path.parents))


def _listed(text: str) -> Iterator[str]:
    tree = parse_or_none(text)
    for node in tree.body if tree is not None else ():
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=rows)) if name in _NAMES:
                yield from _texts(rows)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.List(elts=rows)) if name in _NAMES:
                yield from _texts(rows)
            case ast.AugAssign(target=ast.Name(id=name), value=ast.List(elts=rows)) if name in _NAMES:
                yield from _texts(rows)


def _texts(rows: list[ast.expr]) -> Iterator[str]:
    for row in rows:
        if isinstance(row, ast.Constant) and isinstance(row.value, str):
            yield row.value
