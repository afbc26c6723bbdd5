"""Imports: a name of the standard library is used but never bound."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, operator
from .blocks import newline_of

_MEMBERS = {
    "bisect": "bisect_left bisect_right insort insort_left",
    "cmath": "phase polar rect",
    "collections": "defaultdict Counter deque OrderedDict namedtuple ChainMap",
    "copy": "deepcopy",
    "dataclasses": "dataclass field",
    "datetime": "date timedelta timezone",
    "decimal": "Decimal ROUND_HALF_UP getcontext",
    "enum": "Enum IntEnum auto",
    "fractions": "Fraction",
    "functools": "reduce lru_cache cache partial wraps cmp_to_key total_ordering",
    "heapq": "heappush heappop heapify nlargest nsmallest heappushpop heapreplace merge",
    "itertools": "chain combinations permutations product groupby accumulate pairwise count cycle repeat islice "
    "takewhile dropwhile zip_longest combinations_with_replacement starmap",
    "math": "sqrt ceil floor gcd lcm isclose log log2 log10 pi e prod hypot factorial comb perm inf sin cos tan isqrt "
    "radians degrees fabs trunc exp",
    "operator": "itemgetter attrgetter mul add sub xor",
    "pathlib": "Path",
    "random": "randint choice shuffle",
    "statistics": "mean median stdev mode",
    "string": "ascii_lowercase ascii_uppercase ascii_letters digits punctuation",
    "typing": "Any Callable Dict Iterable Iterator List Optional Sequence Set Tuple Union",
}
_HOMES = {name: module for module, names in _MEMBERS.items() for name in names.split()}
_ALIASES = {
    "np": "numpy",
    "pd": "pandas",
    "hq": "heapq",
    "dt": "datetime",
    "it": "itertools",
    "plt": "matplotlib.pyplot",
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
        if word in sys.stdlib_module_names and not word.startswith("_"):
            lines[f"import {word}"] = None
        if word in _ALIASES:
            lines[f"import {_ALIASES[word]} as {word}"] = None
        if word in _HOMES:
            lines[f"from {_HOMES[word]} import {word}"] = None
        if word == "datetime":
            lines["from datetime import datetime"] = None
    at, newline = _first_import(source, node), newline_of(source)
    for line in lines:
        yield Splice(at, at, f"{line}{newline}", f"`{line}` is added")


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
