"""A parsed program file: spans of its nodes in the original text, parents, and what is known of its values.

Edits are splices of the original text, so formatting and comments survive.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from selfheal_tui.python_source import parse_or_none, parse_python

from .fstrings import place_expressions
from .observations import Observations, Place

_NEWLINE = re.compile(r"\r\n|\r|\n")
_SHORT = 20
_WORD = re.compile(r"[A-Za-z]{4,}")
_WORDS_OF_ALL = frozenset(
    {
        *("this", "that", "with", "from", "each", "given", "return", "returns", "which", "should", "where"),
        *("list", "integer", "string", "number", "write", "function"),
    }
)
_MENTION = re.compile(r"'([^'\n]{1,12})'|\"([^\"\n]{1,12})\"|(?<![\w.])(\d{1,6})(?![\w.])")

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Source:
    """One program file that parses; build it with `parse_source`."""

    path: str
    text: str
    tree: ast.Module
    parents: Mapping[ast.AST, ast.AST]
    observed: tuple[int | str, ...] = ()
    """Integers and strings that the tests mention, in order of first appearance."""
    texts: tuple[str, ...] = ()
    """Short text constants of the file."""
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Variable -> attributes that the file reads or sets on it, without methods it calls."""
    observations: Observations = field(default_factory=Observations)
    """What runs of the cases showed; empty when nothing is known."""
    words: frozenset[str] = frozenset()
    """Lower-case words of docstrings and function names that may say what is meant."""
    mentioned: tuple[int | str, ...] = ()
    """Integers and quoted strings in docstrings."""
    refused: tuple[str, ...] = ()
    """Names of the exceptions that the tests expect."""
    memo: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """What operators have worked out about this file, each under a key of its own."""
    _line_starts: tuple[int, ...] = field(default=(), repr=False)
    _spans: dict[ast.AST, tuple[int, int]] = field(default_factory=dict, repr=False)

    def nodes(self) -> Iterator[ast.AST]:
        """Yield every node whose span can be trusted, in source order within a block; in f-strings as far as known."""
        pending: list[ast.AST] = [self.tree]
        while pending:
            node = pending.pop()
            yield node
            if isinstance(node, ast.JoinedStr):
                if ("expressions", node) not in self.memo:
                    self.memo["expressions", node] = place_expressions(node, self.segment(node))
                pending.extend(reversed(self.memo["expressions", node]))
            else:
                pending.extend(reversed(list(ast.iter_child_nodes(node))))

    def f_string(self, node: ast.AST) -> tuple[int, int] | None:
        """Return the span of the outermost f-string that a node lies in; None for one that lies in none."""
        if "f_strings" not in self.memo:
            around: dict[ast.AST, tuple[int, int]] = {}
            for string in ast.walk(self.tree):  # an outer one before those in it
                if isinstance(string, ast.JoinedStr) and string not in around:
                    around |= dict.fromkeys(list(ast.walk(string))[1:], self.span(string))
            self.memo["f_strings"] = around
        spans: dict[ast.AST, tuple[int, int]] = self.memo["f_strings"]
        return spans.get(node)

    def offset(self, line: int, column: int) -> int:
        """Return the character offset of a 1-based line and a column in UTF-8 bytes, as `ast` counts."""
        start = self._line_starts[line - 1]
        end = self._line_starts[line] if line < len(self._line_starts) else len(self.text)
        row = self.text[start:end]
        return start + (column if row.isascii() else len(row.encode()[:column].decode()))

    def span(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> tuple[int, int]:
        """Return the node's start and end as character offsets; a definition's decorators are outside."""
        offsets = self._spans.get(node)
        if offsets is None:
            end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
            offsets = self.offset(node.lineno, node.col_offset), self.offset(end_line, end_column)
            self._spans[node] = offsets
        return offsets

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """Return the node's own text."""
        start, end = self.span(node)
        return self.text[start:end]

    def line(self, number: int) -> str:
        """Return the text of a 1-based line without its newline; empty beyond the end."""
        if number < 1:
            return ""
        return self.text[self.line_start(number) : self.line_start(number + 1)].rstrip("\r\n")

    def line_start(self, number: int) -> int:
        """Return the character offset at which a 1-based line starts; the text's end beyond the last."""
        return self._line_starts[number - 1] if number <= len(self._line_starts) else len(self.text)

    def types(self, node: ast.expr) -> frozenset[str]:
        """Return the names of the types that an expression had; empty when unknown."""
        return self.observations.types.get(place(node), frozenset())

    def values(self, node: ast.expr) -> tuple[int | str, ...]:
        """Return integers and short strings that an expression was."""
        return self.observations.values.get(place(node), ())

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """Return the innermost statement that holds the node, or the node itself."""
        at: ast.AST | None = node
        while at is not None and not isinstance(at, ast.stmt):
            at = self.parents.get(at)
        return at

    def function(self, node: ast.AST) -> FunctionNode | None:
        """Return the function whose body holds the node; None at module or class level."""
        below, at = node, self.parents.get(node)
        while at is not None:
            if isinstance(at, FunctionNode) and below in at.body:
                return at
            below, at = at, self.parents.get(at)
        return None


def place(node: ast.expr) -> Place:
    """Return the place of an expression, as Observations name it."""
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def parse_source(
    path: str,
    text: str,
    observed: tuple[int | str, ...] = (),
    observations: Observations | None = None,
    refused: tuple[str, ...] = (),
) -> Source:
    """Parse one file. Raises: SyntaxError."""
    tree = parse_python(text)
    nodes = list(ast.walk(tree))
    parents = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
    texts = dict.fromkeys(n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str))
    attributes: dict[str, dict[str, None]] = {}
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            holder = parents[node]
            if not (isinstance(holder, ast.Call) and holder.func is node):
                attributes.setdefault(node.value.id, {})[node.attr] = None
    cuts = [match.end() for match in _NEWLINE.finditer(text)]
    return Source(
        path,
        text,
        tree,
        parents,
        observed,
        tuple(value for value in texts if len(value) <= _SHORT),
        {name: tuple(names) for name, names in attributes.items()},
        observations or Observations(),
        *_said(nodes),
        refused,
        _line_starts=(0, *cuts),
    )


def with_defaults(arguments: ast.arguments) -> list[tuple[ast.arg, ast.expr | None]]:
    """Return each argument but `*` and `**`, in order, with its default; None where it has none."""
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults))
    pairs = [*zip(plain, [*defaults, *arguments.defaults], strict=True)]
    return [*pairs, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]


def _said(nodes: Iterable[ast.AST]) -> tuple[frozenset[str], tuple[int | str, ...]]:
    """Return the words of docstrings and function names, and the numbers and quoted strings in docstrings."""
    texts: list[str] = []
    names: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | FunctionNode):
            texts.append(ast.get_docstring(node, clean=False) or "")
        if isinstance(node, FunctionNode):
            names.append(node.name.replace("_", " "))
    words = {word.lower() for text in (*texts, *names) for word in _WORD.findall(text)} - _WORDS_OF_ALL
    mentioned: dict[int | str, None] = {}
    for text in texts:
        for one, other, number in _MENTION.findall(text):
            mentioned[int(number) if number else one or other] = None
    return frozenset(words), tuple(mentioned)


def observed_values(test_texts: Iterable[str]) -> tuple[int | str, ...]:
    """Return integers and short strings written in tests that parse, without duplicates."""
    values: dict[tuple[type, int | str], int | str] = {}
    for tree in filter(None, map(parse_or_none, test_texts)):
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and not isinstance(node.value, bool):
                value = node.value
                if isinstance(value, int) or (isinstance(value, str) and 0 < len(value) <= _SHORT):
                    values.setdefault((type(value), value), value)
    return tuple(values.values())


def refused_types(test_texts: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the exceptions that tests expect: `ValueError` of `pytest.raises(ValueError)`."""
    names: dict[str, None] = {}
    for tree in filter(None, map(parse_or_none, test_texts)):
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(attr=called) | ast.Name(id=called), args=[kind, *_]):
                    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
                    for one in kinds if called in ("raises", "assertRaises", "assertRaisesRegex") else ():
                        names[ast.unparse(one).rpartition(".")[2]] = None
    return tuple(names)
