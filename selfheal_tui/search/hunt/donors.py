"""Statements that a like function of the project has, and the function at fault has not, in its own names."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from selfheal_tui.python_source import parse_or_none

from ..operators import Family, Splice
from ..operators.base import bits, quoted
from ..operators.blocks import has_own_lines, inserted, is_docstring
from ..operators.scope import bound_at_top, scope
from ..program.like_functions import Lacking, Likeness, likeness, parameters
from ..program.location import Location
from ..program.source import FunctionNode, Source
from .families import families
from .listing import Edit


def _none(_: Source, __: ast.AST) -> Iterator[Splice]:
    yield from ()


_FAMILY = Family("like_function", 3.6, "a like function does something that this one leaves out", _none)
_LEAST_ALIKE = 0.4
_MOST_FUNCTIONS, _MOST_DONORS = 8, 4
_MOST_LINES = 4
_UNLIKE_BITS = 3.0
"""For functions that have nothing in common; less where they have."""
_INSTEAD_BITS = 0.4
_FILES, _CHARACTERS = 12, 60_000
"""Most other files that are read, and how large one may be."""


def donors(source: Source, location: Location, edits: Sequence[Edit], project: Mapping[str, str]) -> Iterator[Edit]:
    """Yield edits that bring in what a like function of the file or of the project (path -> text) has."""
    nodes = list(source.nodes())
    orders = {node: order for order, node in enumerate(nodes)}
    named = families()
    own = [edit for edit in edits if edit.family.name in named]
    functions = dict.fromkeys(source.function(nodes[edit.order]) for edit in own)
    at_fault = [function for function in functions if function is not None][:_MOST_FUNCTIONS]
    everywhere = [n for n in nodes if isinstance(n, FunctionNode)]
    nearest = sorted((path for path in project if path != source.path), key=lambda path: _apart(path, source.path))
    for path in nearest[:_FILES]:
        everywhere += _functions_of(project[path])
    for function in at_fault:
        alike = [one for other in everywhere if other is not function if (one := likeness(function, other)) is not None]
        alike = sorted((one for one in alike if one.ratio >= _LEAST_ALIKE), key=lambda one: -one.ratio)
        for place, one in enumerate(alike[:_MOST_DONORS]):
            for lacking in one.lacking():
                at = lacking.instead_of or lacking.before or lacking.after
                located = location.bits(at) if at is not None else None
                splice = _splice(source, one, lacking)
                if located is None or splice is None or at is None:
                    continue
                cost = _FAMILY.cost + _UNLIKE_BITS * (1 - one.ratio) + 0.5 * bits(place) + located[0] + splice.extra
                yield Edit(source, splice, _FAMILY, located[1], round(cost, 4), orders[at])


def _splice(source: Source, like: Likeness, lacking: Lacking) -> Splice | None:
    """Return the edit that brings statements in; None where they name what is not there, or are many."""
    rows = [row for statement in lacking.statements for row in ast.unparse(statement).split("\n")]
    if len(rows) > _MOST_LINES or any('"""' in row or "'''" in row for row in rows):
        return None
    what = f"{quoted(' '.join(row.strip() for row in rows))} as in {quoted(like.other.name)}"
    at = lacking.instead_of or lacking.before or lacking.after
    if at is None or is_docstring(at) or not _is_known(source, at, lacking.statements):
        return None
    if (own := lacking.instead_of) is not None:
        return _instead(source, own, lacking.statements[0], what)
    if not has_own_lines(source, at):
        return None
    lines = ["\t" * ((len(row) - len(row.lstrip(" "))) // 4) + row.lstrip(" ") for row in rows]
    return inserted(source, at, lines, f"{what} is added", after=lacking.before is None)


def _instead(source: Source, own: ast.stmt, other: ast.stmt, what: str) -> Splice | None:
    """Return the edit that puts a simple statement, or the condition of an `if` or `while`, in the place of another."""
    match own, other:
        case (ast.If() | ast.While(), ast.If() | ast.While()):
            new, (start, end) = ast.unparse(other.test), source.span(own.test)
            what = f"{quoted(source.text[start:end])} becomes {quoted(new)}"
            around = source.text[start - 1 : start] + source.text[end : end + 1]
            new = new if around.startswith(" ") else f" ({new})"
        case (ast.If() | ast.While() | ast.For() | ast.With() | ast.Try() | ast.FunctionDef() | ast.ClassDef(), _):
            return None
        case _:
            new, (start, end) = ast.unparse(other), source.span(own)
            what = f"{quoted(source.text[start:end])} becomes {what}"
    if "\n" in new or new == source.text[start:end]:
        return None
    return Splice(start, end, new, what, 1.0, _INSTEAD_BITS)


def _is_known(source: Source, at: ast.stmt, statements: Sequence[ast.stmt]) -> bool:
    """Tell whether all that statements read has a value at a place."""
    nodes = [n for statement in statements for n in ast.walk(statement)]
    if any(
        isinstance(n, ast.Nonlocal | ast.Global | ast.FunctionDef | ast.ClassDef | ast.Yield | ast.Await) for n in nodes
    ):
        return False
    names = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    function = source.function(at)
    own = parameters(function) if function is not None else []
    visible = scope(source, at).keys() | bound_at_top(source) | bound | set(own)
    return all(name in visible or hasattr(builtins, name) for name in names)


def _apart(path: str, own: str) -> tuple[int, str]:
    """Return by how many folders two files are apart."""
    one, other = path.split("/"), own.split("/")
    common = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    return len(one) + len(other) - 2 * common, path


@lru_cache(maxsize=64)
def _functions_of(text: str) -> tuple[FunctionNode, ...]:
    tree = parse_or_none(text) if len(text) <= _CHARACTERS else None
    return tuple(n for n in ast.walk(tree) if isinstance(n, FunctionNode)) if tree is not None else ()
