"""One file in units that a prompt shows or leaves out: functions with class headers, signatures, imports, constants."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from selfheal_tui.python_source import parse_python

from ..workshop.editing.functions import first_line, last_line, signature_lines

_AROUND = 12
"""Lines above and below a line whose function is too long to be shown."""
_LONGEST_CONSTANT = 12
"""Lines of a constant that is shown for a function that uses it."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class _Unit:
    """A function that is in no other, or a class without its methods."""

    name: str
    lines: range
    """All of it, decorators included; from 1."""
    signature: tuple[int, ...]
    """The lines of its header, and of the headers of the classes around it, each with the first of its docstring."""


class Outline:
    """What a file consists of. A file that is not Python, or does not parse, has lines and no units."""

    def __init__(self, text: str) -> None:
        self.lines = text.removesuffix("\n").split("\n")
        self._fault = 0
        try:
            tree = parse_python(text)
        except SyntaxError as error:
            tree, self._fault = ast.Module([], []), error.lineno or 0
        self._tree = tree
        self._units = list(self._units_in(tree.body, ()))
        self.imports = [
            line
            for node in tree.body
            if isinstance(node, ast.Import | ast.ImportFrom)
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        ]

    def unit(self, line: int) -> list[int]:
        """Return the lines of the function that a line is in, with its classes' headers; else of its statement."""
        for unit in self._units:
            if line in unit.lines:
                return [*unit.signature, *unit.lines]
        for node in self._tree.body:
            if not isinstance(node, ast.ClassDef) and node.lineno <= line <= (node.end_lineno or node.lineno):
                return list(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        return self.window(line)

    def signature(self, line: int) -> tuple[int, ...]:
        """Return the header of the function that a line is in; nothing outside of functions and classes."""
        return next((unit.signature for unit in self._units if line in unit.lines), ())

    def window(self, line: int) -> list[int]:
        """Return the lines around a line, and the header of what it is in."""
        lines = range(max(1, line - _AROUND), min(len(self.lines), line + _AROUND) + 1)
        return [*(number for unit in self._units if line in unit.lines for number in unit.signature), *lines]

    def names_in(self, lines: Collection[int]) -> set[str]:
        """Return the names that code on these lines uses."""
        names: set[str] = set()
        for node in ast.walk(self._tree) if lines else ():
            if isinstance(node, ast.Name) and node.lineno in lines:
                names.add(node.id)
            elif isinstance(node, ast.Attribute) and node.lineno in lines:
                names.add(node.attr)
        return names

    def defining(self, names: Collection[str]) -> Iterator[tuple[int, ...]]:
        """Yield the lines of short constants and the signatures of functions and classes of these names."""
        yield from (tuple(lines) for lines in self._constants(names))
        yield from (unit.signature for unit in self._units if unit.name in names)

    def signatures_near(self, lines: Collection[int]) -> Iterator[tuple[int, ...]]:
        """Yield all signatures, those nearest to these lines first."""
        here = sorted(lines)
        middle = here[len(here) // 2] if here else 1
        for unit in sorted(self._units, key=lambda unit: abs(unit.lines.start - middle)):
            yield unit.signature

    def places_of(self, words: Collection[str]) -> Iterable[int]:
        """Return the first lines of the functions and classes that have one of these names, then of short constants.

        `Point = namedtuple(...)` is such a constant: no case runs its line, and a test may use nothing else.
        """
        units = [unit.lines.start for unit in self._units if unit.name in words]
        return [*units, *(lines.start for lines in self._constants(words))]

    @property
    def names(self) -> set[str]:
        """Names of the functions and classes, methods too."""
        return {unit.name for unit in self._units}

    @property
    def fault(self) -> int:
        """The line at which the file does not parse; 0 when it does."""
        return self._fault

    def _constants(self, names: Collection[str]) -> Iterator[range]:
        """Yield the lines of the short assignments outside of functions and classes to one of these names."""
        for node in self._tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
                if len(lines) <= _LONGEST_CONSTANT and not stored.isdisjoint(names):
                    yield lines

    def _units_in(self, body: Iterable[ast.AST], headers: tuple[int, ...]) -> Iterator[_Unit]:
        for node in body:
            if isinstance(node, _Function):
                lines = range(first_line(node), last_line(node) + 1)
                yield _Unit(node.name, lines, (*headers, *self._header(node)))
            elif isinstance(node, ast.ClassDef):
                own = (*headers, *self._header(node))
                yield from self._units_in(node.body, own)
                methods = [one for one in node.body if isinstance(one, _Function | ast.ClassDef)]
                until = min((first_line(one) for one in methods), default=last_line(node) + 1)
                yield _Unit(node.name, range(first_line(node), until), own)
            elif isinstance(node, ast.stmt):
                yield from self._units_in(_inner(node), headers)

    def _header(self, node: _Function | ast.ClassDef) -> tuple[int, ...]:
        """Return the lines of a signature, and of the docstring up to its first line with words."""
        header = tuple(signature_lines(node, self.lines))
        doc = node.body[0].value if isinstance(node.body[0], ast.Expr) else None
        if not isinstance(doc, ast.Constant) or not isinstance(doc.value, str) or doc.lineno in header:
            return header
        blank = len(doc.value) - len(doc.value.lstrip())
        return (*header, *range(doc.lineno, doc.lineno + doc.value.count("\n", 0, blank) + 1))


def _inner(node: ast.stmt) -> Iterator[ast.AST]:
    """Yield the statements inside an `if`, `try`, `with` or loop."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from child.body
