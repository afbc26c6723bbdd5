"""Where a person said that the search must not edit: functions, lines, and constants in data."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from selfheal_tui.python_source import parse_or_none, parse_python

from .source import FunctionNode, Source, parse_source

IsClosed = Callable[[int, int, str], bool]
"""Tells whether the splice (start, end, new text) is where nothing may be edited."""
_NEWLINE = re.compile(r"\r\n|\r|\n")
_DISPLAYS = ast.Dict | ast.List | ast.Tuple | ast.Set


@dataclass(frozen=True, slots=True)
class Avoid:
    """What is closed to the search."""

    functions: frozenset[tuple[str, str]] = frozenset()
    """(path, qualified name), as `("lru.py", "Cache.get")`."""
    lines: frozenset[tuple[str, int, str]] = frozenset()
    """(path, 1-based number, text without blanks around it): after other edits the nearest line with this text."""
    data: bool = False
    """Tables of the module or of a class, and displays of constants: `{"a": 1}`, `[1, 2]`, `(0, 1)`."""

    together: frozenset[frozenset[tuple[str, int, str]]] = frozenset()
    """Lines (as `lines`) that may be edited, but not all of one set in one repair."""

    def __bool__(self) -> bool:
        return bool(self.functions or self.lines or self.data or self.together)


NOTHING = Avoid()


def closed_in(avoid: Avoid, source: Source) -> IsClosed:
    """Return what tells whether an edit of this file is closed."""
    numbers = {found for path, line, text in avoid.lines if path == source.path if (found := _find(source, line, text))}
    ranges = [range(number, number + 1) for number in sorted(numbers)]
    names = {name for path, name in avoid.functions if path == source.path}
    ranges += [lines for name, lines in functions_of(source.tree) if name in names]
    data = list(_data_spans(source)) if avoid.data else []

    def is_closed(start: int, end: int, text: str) -> bool:
        if any(start < stop and begin < end and source.text[begin:stop] not in text for begin, stop in data):
            return True
        if not ranges:
            return False
        begin, stop = _changed(source.text[start:end], text)
        lines = {_line_of(source, start), *range(_line_of(source, start + begin), _line_of(source, start + stop) + 1)}
        return any(not lines.isdisjoint(closed) for closed in ranges)

    return is_closed


def closed_together(avoid: Avoid, program: Mapping[str, str]) -> list[frozenset[tuple[str, int]]]:
    """Return the sets of places (path, 1-based line) that no repair may edit all at once; `program` is path -> text."""
    sources = {path: parse_source(path, text) for path, text in program.items() if parse_or_none(text) is not None}
    found = [
        frozenset((path, _find(sources[path], line, text)) for path, line, text in lines if path in sources)
        for lines in avoid.together
    ]
    return [one for one, lines in zip(found, avoid.together, strict=True) if len(one) == len(lines)]


def functions_of(tree: ast.Module) -> Iterator[tuple[str, range]]:
    """Yield the qualified name of every function and its lines, decorators included."""
    pending: list[tuple[ast.AST, str]] = [(tree, "")]
    while pending:
        node, prefix = pending.pop()
        for child in ast.iter_child_nodes(node):
            named = isinstance(child, FunctionNode | ast.ClassDef)
            name = f"{prefix}{child.name}" if isinstance(child, FunctionNode | ast.ClassDef) else ""
            if isinstance(child, FunctionNode):
                first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                yield name, range(first, (child.end_lineno or child.lineno) + 1)
            pending.append((child, f"{name}." if named else prefix))


def functions_at(text: str, line: int) -> list[str]:
    """Return the qualified names of the functions that a line (1-based) is in; none where the text does not parse."""
    tree = parse_or_none(text)
    return [name for name, lines in functions_of(tree) if line in lines] if tree is not None else []


@lru_cache(maxsize=64)
def has_data(text: str) -> bool:
    """Tell whether a file holds tables or displays of constants, which `Avoid.data` would close."""
    try:
        return any(True for _ in _data_spans(parse_source("", text)))
    except SyntaxError:
        return False


def is_closed_line(avoid: Avoid, program: Mapping[str, str], path: str, line: int) -> bool:
    """Tell whether a line (path, 1-based) is in a function, or is one, that is closed; `program` is path -> text."""
    rows = _NEWLINE.split(program.get(path, ""))
    text = rows[line - 1].strip() if 0 < line <= len(rows) else ""
    if any((where, words) == (path, text) for where, _, words in avoid.lines):
        return True
    names = {name for where, name in avoid.functions if where == path}
    return bool(names) and any(
        line in lines for name, lines in functions_of(parse_python(program[path])) if name in names
    )


def _find(source: Source, line: int, text: str) -> int:
    """Return the number of the line with this text that is nearest to `line`; 0 when there is none any more."""
    rows = _NEWLINE.split(source.text)
    numbers = [number for number, row in enumerate(rows, 1) if row.strip() == text]
    return min(numbers, key=lambda number: abs(number - line), default=0)


def _data_spans(source: Source) -> Iterator[tuple[int, int]]:
    """Yield the spans of tables: outside of functions any display, inside of them those of constants alone."""
    for node in ast.walk(source.tree):
        if not isinstance(node, _DISPLAYS) or isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
            continue
        if (source.function(node) is None and _holds_constant(node)) or _is_constant(node):
            yield source.span(node)


def _holds_constant(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Constant) for part in ast.walk(node))


def _is_constant(node: ast.expr | None) -> bool:
    """Tell whether a display holds constants and nothing else, and at least one."""
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(operand=operand):
            return isinstance(operand, ast.Constant)
        case ast.Dict(keys=keys, values=values):
            return bool(values) and all(map(_is_constant, [*keys, *values]))
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return bool(elements) and all(map(_is_constant, elements))
    return False


def _changed(old: str, new: str) -> tuple[int, int]:
    """Return the part of the old text that is changed, without what both texts begin and end with."""
    begin, most = 0, min(len(old), len(new))
    while begin < most and old[begin] == new[begin]:
        begin += 1
    stop = 0
    while stop < most - begin and old[-1 - stop] == new[-1 - stop]:
        stop += 1
    return begin, len(old) - stop


def _line_of(source: Source, offset: int) -> int:
    return source.text.count("\n", 0, offset) + 1
