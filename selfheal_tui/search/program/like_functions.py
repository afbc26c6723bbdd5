"""Functions that are alike, statement by statement: what one of them has and the other has not. Pure."""

from __future__ import annotations

import ast
import builtins
import copy
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from .source import FunctionNode

_MOST_STATEMENTS = 80
_LEAST_EQUAL = 2
_DETAIL = re.compile(r"[<>=!]=|[<>]|\*\*|//|[-+*/%]|(?<!\w)\d+(?!\w)|\b(?:Add|Sub|Mult|Div|FloorDiv)\b")
_CALLED = re.compile(r"\.\w+\(.*")
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True, slots=True)
class Lacking:
    """Statements that a like function has at a place where the function has none or others."""

    statements: tuple[ast.stmt, ...]
    """With the function's own names."""
    before: ast.stmt | None
    """The function's own statement that they belong before."""
    after: ast.stmt | None
    """The one that they belong after, where there is none to be before."""
    instead_of: ast.stmt | None = None


@dataclass(frozen=True, slots=True)
class Likeness:
    """Two functions side by side."""

    own: FunctionNode
    other: FunctionNode
    ratio: float
    """From 0 to 1: how much they have in common."""
    equal: Mapping[ast.stmt, ast.stmt]
    """Statement of the other -> the same one here."""
    replaced: Sequence[tuple[ast.stmt, ast.stmt]]
    """Statement of the other, the one in its place here."""
    names: Mapping[str, str]
    """Variable of the other -> the same one here."""

    def lacking(self) -> Iterator[Lacking]:
        """Yield what the function lacks, in the order of the other one."""
        for block in _blocks(self.other):
            at = 0
            while at < len(block):
                end = at
                while end < len(block) and self._is_missing(block[end]):
                    end += 1
                if end > at:
                    before = self.equal.get(block[end]) if end < len(block) else None
                    after = self.equal.get(block[at - 1]) if at else None
                    if before is None and after is None and at == 0 and block is self.other.body:
                        before = _first(self.own)
                    if before is not None or after is not None:
                        yield Lacking(self._renamed(block[at:end]), before, after)
                at = end + 1
        for other, own in self.replaced:
            yield Lacking(self._renamed([other]), None, None, own)

    def _is_missing(self, statement: ast.stmt) -> bool:
        if _is_docstring(statement) or any(statement is other for other, _ in self.replaced):
            return False
        inner = [n for n in ast.walk(statement) if isinstance(n, ast.stmt)]
        return not any(n in self.equal for n in inner)

    def _renamed(self, statements: Sequence[ast.stmt]) -> tuple[ast.stmt, ...]:
        return tuple(renamed(statement, self.names) for statement in statements)


def renamed(statement: ast.stmt, names: Mapping[str, str]) -> ast.stmt:
    """Return a copy of a statement with other variables."""
    changed = copy.deepcopy(statement)
    for node in ast.walk(changed):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
    return changed


def likeness(own: FunctionNode, other: FunctionNode) -> Likeness | None:
    """Return two functions side by side; None where they have nearly nothing in common."""
    here, there = _flat(own), _flat(other)
    if max(len(here), len(there)) > _MOST_STATEMENTS:
        return None
    forms = [[rough for _, _, rough in rows] for rows in (there, here)]
    if sum((Counter(forms[0]) & Counter(forms[1])).values()) < _LEAST_EQUAL:
        return None
    matcher = SequenceMatcher(None, forms[0], forms[1], autojunk=False)
    equal: dict[ast.stmt, ast.stmt] = {}
    replaced: list[tuple[ast.stmt, ast.stmt]] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        pairs = list(zip(there[a:b], here[c:d], strict=False))
        if kind == "equal":
            equal |= {theirs: ours for (theirs, _, _), (ours, _, _) in pairs}
            replaced += [(theirs, ours) for (theirs, form, _), (ours, own_form, _) in pairs if form != own_form]
        elif kind == "replace" and b - a == d - c:
            replaced += [(theirs, ours) for (theirs, _, _), (ours, _, _) in pairs if type(theirs) is type(ours)]
    return Likeness(own, other, matcher.ratio(), equal, replaced, _names(own, other, equal))


def parameters(function: FunctionNode) -> list[str]:
    """Return the names of a function's positional parameters."""
    return [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]


def _names(own: FunctionNode, other: FunctionNode, equal: Mapping[ast.stmt, ast.stmt]) -> dict[str, str]:
    """Return which variable of the other function is which one here: those at the same places of equal statements."""
    votes: Counter[tuple[str, str]] = Counter()
    for theirs, ours in equal.items():
        pair = _variables(theirs), _variables(ours)
        votes.update(zip(*pair, strict=True) if len(pair[0]) == len(pair[1]) else ())
    names: dict[str, str] = {}
    for (theirs_name, ours_name), _ in votes.most_common():
        names.setdefault(theirs_name, ours_name)
    theirs_args, ours_args = parameters(other), parameters(own)
    for name, same in zip(theirs_args, ours_args, strict=False):
        names.setdefault(name, name if name in ours_args else same)
    return names


def _variables(statement: ast.stmt) -> list[str]:
    return [n.id for part in _header(statement) for n in ast.walk(part) if isinstance(n, ast.Name)]


@lru_cache(maxsize=512)
def _flat(function: FunctionNode) -> list[tuple[ast.stmt, str, str]]:
    """Return the statements of a function, each with its form: its text with blanks for variables, and the same with
    its depth and blanks for operators, numbers and what is called on an object.
    """
    stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own = stored | {n.arg for n in ast.walk(function.args) if isinstance(n, ast.arg)}
    rows: list[tuple[ast.stmt, str, str]] = []

    def add(block: Sequence[ast.stmt], depth: int) -> None:
        for statement in block:
            if _is_docstring(statement):
                continue
            parts = [_form(part, own) for part in _header(statement)]
            form = f"{depth} {type(statement).__name__} {' '.join(parts)}"
            rows.append((statement, form, _CALLED.sub(".?(", _DETAIL.sub("?", form))))
            for inner in _inner(statement):
                add(inner, depth + 1)

    add(function.body, 0)
    return rows


def _form(part: ast.AST, own: set[str]) -> str:
    blank = copy.deepcopy(part)
    for node in ast.walk(blank):
        if isinstance(node, ast.Name) and node.id in own and not hasattr(builtins, node.id):
            node.id = "_"
    return ast.unparse(blank) if isinstance(blank, ast.expr) else ast.dump(blank)


def _header(statement: ast.stmt) -> list[ast.AST]:
    """Return the parts of a statement that are not blocks under it."""
    return [
        n for n in ast.iter_child_nodes(statement) if not isinstance(n, ast.stmt | ast.ExceptHandler | ast.match_case)
    ]


def _inner(statement: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in _BLOCKS:
        block = getattr(statement, name, None)
        if isinstance(block, list) and block:
            if isinstance(block[0], ast.stmt):
                yield block
            else:
                for part in block:
                    yield from _inner(part)


def _blocks(function: FunctionNode) -> Iterator[list[ast.stmt]]:
    pending: list[ast.AST] = [function]
    while pending:
        at = pending.pop(0)
        for block in _inner(at):
            yield block
            pending += block


def _first(function: FunctionNode) -> ast.stmt:
    return function.body[1] if _is_docstring(function.body[0]) and len(function.body) > 1 else function.body[0]


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
