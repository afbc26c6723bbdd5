"""Textual's documents, made to cost what is changed or seen at a key, not what the file is long.

Textual walks through all lines for the size and the text of a document, for the height of its rows (for each line that
is drawn), and for its colours. Remove when typing into 5,000 lines of a plain `TextArea` meets the goal in
tests/benchmarks/app.py.
"""

from __future__ import annotations

from collections.abc import Container

from rich.cells import cell_len
from textual.document._document import Document, EditResult, Location
from textual.document._syntax_aware_document import SyntaxAwareDocument
from textual.document._wrapped_document import WrappedDocument
from textual.geometry import Size
from tree_sitter import Node, Query

_ROWS = 64
"""Lines that are coloured at once: about a screen."""


class CodeDocument(Document):
    """Keeps its text and the widths of its lines until an edit, and then measures only what was edited."""

    _whole: str | None = None
    _widths: list[int] | None = None
    _tab_width = 0

    @property
    def text(self) -> str:
        """The whole text."""
        if self._whole is None:
            self._whole = super().text
        return self._whole

    def get_size(self, tab_width: int) -> Size:
        """Return the cells of the longest line, and how many lines there are."""
        if self._widths is None or tab_width != self._tab_width:
            self._tab_width = tab_width
            self._widths = self._measure(self._lines)
        return Size(max(self._widths, default=0), len(self._widths))

    def replace_range(self, start: Location, end: Location, text: str) -> EditResult:
        """Replace a range; return where the new text ends and what stood there."""
        result = super().replace_range(start, end, text)
        self._whole = None
        if self._widths is not None:
            (top, _), (bottom, _) = sorted((start, end))
            self._widths[top : bottom + 1] = self._measure(self._lines[top : result.end_location[0] + 1])
            if len(self._widths) != len(self._lines):
                self._widths = None
        return result

    def _measure(self, lines: list[str]) -> list[int]:
        tab_width = self._tab_width
        return [
            len(line) if line.isascii() and "\t" not in line else cell_len(line.expandtabs(tab_width)) for line in lines
        ]


class ColouredDocument(CodeDocument, SyntaxAwareDocument):
    """A `CodeDocument` with the syntax tree that colours are taken from."""


class CodeRows(WrappedDocument):
    """The rows of a document on the screen; knows how many there are."""

    @property
    def height(self) -> int:
        """How many rows there are."""
        return len(self._offset_to_line_info)


class LineColours(dict[int, list[tuple[int, int | None, str]]]):
    """Line, from 0 -> ranges of its bytes (None: to its end) and what is there; looked up where a line is drawn."""

    def __init__(self, document: CodeDocument, query: Query | None, names: Container[str]) -> None:
        """Only what has one of these names is looked for."""
        super().__init__()
        self._document = document
        self._query = query
        capture_names = [query.capture_name(n) for n in range(query.capture_count)] if query else []
        # As in the query: what is special stands after what is general, whatever a screen begins with.
        self._names = [name for name in capture_names if name in names]

    def __bool__(self) -> bool:
        return self._query is not None

    def __missing__(self, row: int) -> list[tuple[int, int | None, str]]:
        first = row - row % _ROWS
        after = first + _ROWS
        for n in range(first, after):
            self[n] = []
        if self._query is None:
            return self[row]
        captures = self._document.query_syntax_tree(self._query, (first, 0), (after, 0))
        for name in self._names:
            for node in sorted(captures.get(name, ()), key=_outer_first):
                (top, start), (bottom, end) = node.start_point, node.end_point
                for n in range(max(top, first), min(bottom, after - 1) + 1):
                    self[n].append((start if n == top else 0, end if n == bottom else None, name))
        return self[row]


def _outer_first(node: Node) -> tuple[int, int]:
    return node.start_byte, -node.end_byte
