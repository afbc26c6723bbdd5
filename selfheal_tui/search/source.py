"""A parsed program file: spans of its nodes in the original text, parents, and what names are in scope.

Edits are splices of the original text, so formatting and comments survive.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .evidence import Evidence, Place

_NEWLINE = re.compile(r"\r\n|\r|\n")
_TIGHT = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Attribute, ast.Await, ast.Starred)
_ATOMS = (
    ast.Name,
    ast.Constant,
    ast.Call,
    ast.Attribute,
    ast.Subscript,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.ListComp,
)

_SHORT = 20
_WORD = re.compile(r"[A-Za-z]{4,}")
_WORDS_OF_ALL = frozenset(
    {
        *("this", "that", "with", "from", "each", "given", "return", "returns", "which", "should", "where"),
        *("list", "integer", "string", "number", "write", "function"),
    }
)
_MENTION = re.compile(r"'([^'\n]{1,12})'|\"([^\"\n]{1,12})\"|(?<![\w.])(\d{1,6})(?![\w.])")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

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
    evidence: Evidence = field(default_factory=Evidence)
    """What runs of the cases showed; empty when nothing is known."""
    words: frozenset[str] = frozenset()
    """Lower-case words of docstrings and function names that may say what is meant."""
    mentioned: tuple[int | str, ...] = ()
    """Integers and quoted strings in docstrings."""
    memo: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """What operators have worked out about this file, each under a key of its own."""
    _line_starts: tuple[int, ...] = field(default=(), repr=False)
    _stores: dict[ast.AST, list[tuple[str, int, ast.AST | None]]] = field(default_factory=dict, repr=False)
    """Memo: function -> names it binds, on which line, within which comprehension."""
    _spans: dict[ast.AST, tuple[int, int]] = field(default_factory=dict, repr=False)
    _bound: dict[ast.AST, frozenset[str]] = field(default_factory=dict, repr=False)
    """Memo: comprehension -> names it binds."""

    def nodes(self) -> Iterator[ast.AST]:
        """Yield every node whose span can be trusted, in source order within a block.

        Nodes inside f-strings are left out: before Python 3.12 their columns are wrong.
        """
        pending: list[ast.AST] = [self.tree]
        while pending:
            node = pending.pop()
            yield node
            if not isinstance(node, ast.JoinedStr):
                pending.extend(reversed(list(ast.iter_child_nodes(node))))

    def offset(self, line: int, column: int) -> int:
        """Return the character offset of a 1-based line and a column in UTF-8 bytes, as `ast` counts."""
        start = self._line_starts[line - 1]
        end = self._line_starts[line] if line < len(self._line_starts) else len(self.text)
        row = self.text[start:end]
        return start + (column if row.isascii() else len(row.encode()[:column].decode()))

    def span(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> tuple[int, int]:
        """Return the node's start and end as character offsets; a definition's decorators are outside."""
        found = self._spans.get(node)
        if found is None:
            end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
            found = self.offset(node.lineno, node.col_offset), self.offset(end_line, end_column)
            self._spans[node] = found
        return found

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

    def operand(self, node: ast.expr) -> str:
        """Return the node's text fit to stand beside an operator: in parentheses unless it is an atom."""
        text = self.segment(node)
        return text if isinstance(node, _ATOMS) else f"({text})"

    def fitted(self, node: ast.expr, text: str) -> str:
        """Return `text`, an operator expression, in parentheses where the node's place would part it."""
        parent = self.parents.get(node)
        if isinstance(parent, ast.BoolOp):
            return text
        bound = isinstance(parent, _TIGHT) or (isinstance(parent, ast.Subscript) and parent.value is node)
        return f"({text})" if bound and not self._in_parentheses(node) else text

    def fitted_sum(self, node: ast.expr, text: str) -> str:
        """Return `text`, a sum or difference, in parentheses only where its value would change without."""
        parent = self.parents.get(node)
        if isinstance(parent, ast.Compare):
            return text
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add | ast.Sub):
            return text if parent.left is node or isinstance(parent.op, ast.Add) else f"({text})"
        return self.fitted(node, text)

    def types(self, node: ast.expr) -> frozenset[str]:
        """Return the names of the types that an expression had; empty when unknown."""
        return self.evidence.types.get(place(node), frozenset())

    def values(self, node: ast.expr) -> tuple[int | str, ...]:
        """Return integers and short strings that an expression was."""
        return self.evidence.values.get(place(node), ())

    def scope(self, node: ast.expr | ast.stmt) -> dict[str, frozenset[str]]:
        """Return the variables of `names_before` with the names of the types they had; empty when unknown."""
        known: dict[str, frozenset[str]] = dict(self.evidence.variables.get("", {}))
        functions: list[FunctionNode] = []
        at = self.function(node)
        while at is not None:
            functions.append(at)
            at = self.function(at)
        for function in reversed(functions):
            known.update(self.evidence.variables.get(function.name, {}))
        found = {name: known.get(name, frozenset()) for name in self.names_before(node)}
        holder = self._comprehension(node)
        while holder is not None:
            inner: dict[str, frozenset[str]] = {}
            for name in ast.walk(holder):
                if isinstance(name, ast.Name) and name.id in self._targets(holder):
                    inner[name.id] = inner.get(name.id, frozenset()) | self.types(name)
            found = {**found, **inner}
            holder = self._comprehension(holder)
        return found

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

    def names_before(self, node: ast.expr | ast.stmt) -> list[str]:
        """Return variables bound where the node is evaluated: arguments, locals bound on an earlier line
        or by the header of a loop or comprehension around it, then module constants."""
        function = self.function(node)
        names: dict[str, None] = {}
        if function is not None:
            spec = function.args
            for arg in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, spec.vararg, spec.kwarg):
                if arg is not None:
                    names[arg.arg] = None
            names.update(dict.fromkeys(self._bound_locals(function, node)))
        for statement in self.tree.body:
            if isinstance(statement, ast.Assign | ast.AnnAssign):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                names.update({t.id: None for t in targets if isinstance(t, ast.Name)})
        return [name for name in names if name not in ("self", "cls")]

    def _bound_locals(self, function: FunctionNode, node: ast.expr | ast.stmt) -> Iterator[str]:
        if function not in self._stores:
            names = (n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
            self._stores[function] = [(name.id, name.lineno, self._comprehension(name)) for name in names]
        for name, line, holder in self._stores[function]:
            if line < node.lineno if holder is None else self._inside(node, holder):
                yield name

    def _comprehension(self, node: ast.AST) -> ast.AST | None:
        at = self.parents.get(node)
        while at is not None and not isinstance(at, ast.stmt):
            if isinstance(at, _COMPREHENSIONS):
                return at
            at = self.parents.get(at)
        return None

    def _targets(self, holder: ast.AST) -> frozenset[str]:
        """Return the variables that a comprehension binds."""
        if holder not in self._bound:
            names = (n for part in getattr(holder, "generators", ()) for n in ast.walk(part.target))
            self._bound[holder] = frozenset(n.id for n in names if isinstance(n, ast.Name))
        return self._bound[holder]

    def _inside(self, node: ast.AST, holder: ast.AST) -> bool:
        at: ast.AST | None = node
        while at is not None and at is not holder:
            at = self.parents.get(at)
        return at is holder

    def _in_parentheses(self, node: ast.expr) -> bool:
        start, end = self.span(node)
        return self.text[:start].rstrip().endswith("(") and self.text[end:].lstrip().startswith(")")


def place(node: ast.expr) -> Place:
    """Return where an expression stands, as evidence names it."""
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def parse_source(
    path: str, text: str, observed: tuple[int | str, ...] = (), evidence: Evidence | None = None
) -> Source:
    """Parse one file. Raises: SyntaxError, ValueError (a null byte)."""
    tree = ast.parse(text)
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
        {name: tuple(found) for name, found in attributes.items()},
        evidence or Evidence(),
        *_said(nodes),
        _line_starts=(0, *cuts),
    )


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
    found: dict[int | str, None] = {}
    for text in texts:
        for one, other, number in _MENTION.findall(text):
            found[int(number) if number else one or other] = None
    return frozenset(words), tuple(found)


def observed_values(test_texts: Iterable[str]) -> tuple[int | str, ...]:
    """Return integers and short strings written in tests that parse, without duplicates."""
    values: dict[tuple[type, int | str], int | str] = {}
    for text in test_texts:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and not isinstance(node.value, bool):
                value = node.value
                if isinstance(value, int) or (isinstance(value, str) and 0 < len(value) <= _SHORT):
                    values.setdefault((type(value), value), value)
    return tuple(values.values())
