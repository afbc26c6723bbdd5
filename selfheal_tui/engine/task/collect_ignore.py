"""What the conftest files of a project keep pytest from collecting: their `collect_ignore` and `collect_ignore_glob`.

The files are read and never run. Of what stands in an `if`, that counts whose condition asks for Python's version or
the platform alone; those are this process's own. A file that stays in wrongly is set aside if it cannot be collected.
"""

from __future__ import annotations

import ast
import operator
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from selfheal_tui.python_source import parse_or_none

_NAMES = ("collect_ignore", "collect_ignore_glob")
_FACTS: dict[str, object] = {
    "sys.version_info": tuple(sys.version_info),
    "sys.version_info.major": sys.version_info.major,
    "sys.version_info.minor": sys.version_info.minor,
    "sys.platform": sys.platform,
    "os.name": os.name,
}
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def ignored_patterns(files: Mapping[Path, str]) -> tuple[str, ...]:
    """Return patterns of whole paths that pytest does not collect unless they are named."""
    conftests = {path: text for path, text in files.items() if path.name == "conftest.py" and _NAMES[0] in text}
    return tuple(str(path.parent / one) for path, text in conftests.items() for one in _listed(text))


def is_ignored(path: Path, patterns: tuple[str, ...]) -> bool:
    """Tell whether a path, or a folder above it, is left out by one of the patterns."""
    return any(fnmatch(str(one), pattern) for pattern in patterns for one in (path, *path.parents))


def _listed(text: str) -> Iterator[str]:
    tree = parse_or_none(text)
    for node in _reached(tree.body) if tree is not None else ():
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=rows) if name in _NAMES:
                yield from _texts(rows)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as rows) if name in _NAMES:
                yield from _texts(rows)
            case ast.AugAssign(target=ast.Name(id=name), value=rows) if name in _NAMES:
                yield from _texts(rows)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="extend"), args=[rows])) if (
                name in _NAMES
            ):
                yield from _texts(rows)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[row])) if (
                name in _NAMES
            ):
                yield from _texts(ast.List(elts=[row]))


def _reached(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that run, those in an `if` too where its condition is known."""
    for node in body:
        if not isinstance(node, ast.If):
            yield node
        elif (holds := _holds(node.test)) is not None:
            yield from _reached(node.body if holds else node.orelse)


def _holds(test: ast.expr) -> bool | None:
    """Tell whether a condition holds; None where it asks for anything but Python's version or the platform."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return None if (holds := _holds(inner)) is None else not holds
        case ast.BoolOp(op=op, values=values):
            known = [_holds(value) for value in values]
            return None if None in known else all(known) if isinstance(op, ast.And) else any(known)
        case ast.Call(func=ast.Attribute(value=subject, attr="startswith"), args=[ast.Constant(value=str(start))]):
            return sys.platform.startswith(start) if ast.unparse(subject) == "sys.platform" else None
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARED:
            try:
                return bool(_COMPARED[type(op)](_fact(left), ast.literal_eval(right)))
            except (ValueError, TypeError, IndexError):
                return None
    return None


def _fact(subject: ast.expr) -> object:
    """Return `sys.version_info`, whole or a part, `sys.platform` or `os.name`. Raises: ValueError for anything else."""
    words, _, part = ast.unparse(subject).partition("[")
    if words not in _FACTS:
        raise ValueError(words)
    if isinstance(subject, ast.Subscript):
        version = tuple(sys.version_info)
        match subject.slice:
            case ast.Constant(value=int(at)) if words == "sys.version_info":
                return version[at]
            case ast.Slice(lower=None, upper=ast.Constant(value=int(end)), step=None) if words == "sys.version_info":
                return version[:end]
        raise ValueError(part)
    return _FACTS[words]


def _texts(rows: ast.expr) -> Iterator[str]:
    for row in rows.elts if isinstance(rows, ast.List | ast.Tuple) else ():
        if isinstance(row, ast.Constant) and isinstance(row.value, str):
            yield row.value
