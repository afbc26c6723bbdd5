"""A program file in pieces, its top-level statements: of a candidate only those that changed are compiled.

Compiling takes most of a candidate's time, and in a file of many functions most of that would be for what stays.
"""

from __future__ import annotations
import __future__

import ast
from bisect import bisect_right
from types import CodeType

from .changes import common_ends
from .fuel import fuelled
from .kept import Swap
from .methods import Methods

_FUTURES = {name: getattr(__future__, name).compiler_flag for name in __future__.all_feature_names}


class Pieces:
    """One file as it was; `file` is its `co_filename`. A file that does not parse is one piece."""

    def __init__(self, text: str, file: str) -> None:
        self._text = text.replace("\r\n", "\n")
        self._file = file
        self._starts, self._flags = _cut(self._text)
        self._codes: dict[int, CodeType] = {}
        self._methods: dict[int, Methods] = {}

    @property
    def unchanged(self) -> list[CodeType]:
        """The code of the file as it was. Raises as `codes`."""
        return [self._code(number) for number in range(len(self._starts))]

    def codes(self, text: str) -> tuple[list[CodeType], Swap | None]:
        """Return the code of a changed text, to be run in order, and the one function in which all of the change is.

        Raises: SyntaxError, ValueError, RecursionError, MemoryError.
        """
        text = text.replace("\r\n", "\n")
        old = self._text
        if text == old:
            return self.unchanged, None
        same, alike = common_ends(old, text)
        first = bisect_right(self._starts, same) - 1
        last = bisect_right(self._starts, max(same, len(old) - alike - 1)) - 1
        start, rest = self._starts[first], len(old) - self._end(last)
        new = text[start : len(text) - rest]
        code, swap = (self._methods_of(first).code(new, same - start, alike - rest) if first == last else None) or (
            self._compiled(new),
            None,
        )
        before = [self._code(number) for number in range(first)]
        after = [self._code(number) for number in range(last + 1, len(self._starts))]
        return [*before, code, *after], swap

    def _end(self, number: int) -> int:
        return self._starts[number + 1] if number + 1 < len(self._starts) else len(self._text)

    def _methods_of(self, number: int) -> Methods:
        if number not in self._methods:
            text = self._text[self._starts[number] : self._end(number)]
            self._methods[number] = Methods(text, self._compiled, lambda: self._code(number))
        return self._methods[number]

    def _code(self, number: int) -> CodeType:
        if number not in self._codes:
            self._codes[number] = self._compiled(self._text[self._starts[number] : self._end(number)])
        return self._codes[number]

    def _compiled(self, text: str) -> CodeType:
        code: CodeType
        try:
            code = compile(fuelled(text), self._file, "exec", self._flags, dont_inherit=True)
        except SyntaxError:
            # A header that only looks like a loop's, or no Python at all.
            code = compile(text, self._file, "exec", self._flags, dont_inherit=True)
        return code


def _cut(text: str) -> tuple[list[int], int]:
    """Return where each piece starts, the first at 0, and the compiler's flags for imports from the future."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [0], 0
    lines = [0]
    for line in text.split("\n"):
        lines.append(lines[-1] + len(line) + 1)
    flags = 0
    starts = [0]
    ended = 0
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            for alias in statement.names:
                flags |= _FUTURES.get(alias.name, 0)
        line = min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", ()))])
        if line > ended and lines[line - 1] > starts[-1]:
            starts.append(lines[line - 1])
        ended = statement.end_lineno or line
    return starts, flags
