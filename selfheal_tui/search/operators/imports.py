"""Imports: a name of the standard library is used but never bound."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from selfheal_tui.search.source import Source

from .base import Splice, operator

_MODULES = frozenset(
    (
        *("bisect", "collections", "copy", "csv", "datetime", "functools", "hashlib", "heapq", "io", "itertools"),
        *("json", "math", "operator", "os", "random", "re", "statistics", "string", "sys", "textwrap", "time"),
    )
)
_HOMES: dict[str, str] = {
    **dict.fromkeys(("defaultdict", "Counter", "deque", "OrderedDict", "namedtuple"), "collections"),
    **dict.fromkeys(("sqrt", "ceil", "floor", "gcd", "isclose", "log", "pi", "prod", "hypot"), "math"),
    **dict.fromkeys(("reduce", "lru_cache", "cache", "partial", "wraps", "cmp_to_key"), "functools"),
    **dict.fromkeys(
        ("chain", "combinations", "permutations", "product", "groupby", "accumulate", "pairwise"), "itertools"
    ),
    **dict.fromkeys(("date", "timedelta", "timezone"), "datetime"),
    **dict.fromkeys(("bisect_left", "bisect_right", "insort"), "bisect"),
    **dict.fromkeys(("heappush", "heappop", "heapify"), "heapq"),
    **dict.fromkeys(("mean", "median", "stdev"), "statistics"),
    **dict.fromkeys(("Any", "Callable", "Dict", "List", "Optional", "Tuple"), "typing"),
    **dict.fromkeys(("itemgetter", "attrgetter"), "operator"),
    **dict.fromkeys(("dataclass", "field"), "dataclasses"),
    "deepcopy": "copy",
    "Decimal": "decimal",
    "Fraction": "fractions",
    "Path": "pathlib",
}


@operator("import", 0.4, "an import is missing")
def missing_import(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Import each name of the standard library that the file reads and never binds."""
    if not isinstance(node, ast.Module):
        return
    bound = _bound(node)
    unbound: dict[str, None] = {}
    for name in ast.walk(node):
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load) and name.id not in bound:
            unbound[name.id] = None
    lines: dict[str, None] = {}
    for word in unbound:
        if word in _MODULES:
            lines[f"import {word}"] = None
        if word in _HOMES:
            lines[f"from {_HOMES[word]} import {word}"] = None
        if word == "datetime":
            lines["from datetime import datetime"] = None
    at = _first_import(source, node)
    for line in lines:
        yield Splice(at, at, f"{line}\n", f"`{line}` is added")


def _bound(tree: ast.Module) -> set[str]:
    names = set(dir(builtins)) | {"__name__", "__file__", "__doc__"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names


def _first_import(source: Source, tree: ast.Module) -> int:
    """Return where an import line can go: after the docstring and future imports."""
    for place, node in enumerate(tree.body):
        if place == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            continue
        decorators = getattr(node, "decorator_list", [])
        return source.line_start(min([node.lineno, *(d.lineno for d in decorators)]))
    return len(source.text)
