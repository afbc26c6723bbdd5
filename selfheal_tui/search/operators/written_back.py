"""What a method works out from an attribute, or compares with it, and does not write back."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, bits, operator, quoted
from .blocks import block_of, has_own_lines, inserter
from .companions import class_of, maker_of
from .scope import scope

_JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_AFTER_BITS = 0.5
"""For keeping a value whether or not the condition on it held."""


@operator("written_back", 4.0, "what is taken from an attribute stays in it")
def written_back(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `self.paid -= change` or `self.paid = self.total` after `change = self.paid - self.total`."""
    match node:
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.BinOp(left=ast.Attribute(value=ast.Name()) as left, op=ast.Sub(), right=right),
        ) if has_own_lines(source, node):
            pass
        case _:
            return
    whole, rest = source.segment(left), source.segment(right)
    if "\n" in rest:
        return
    insert = inserter(source, node, True)
    for place, text in enumerate((f"{whole} -= {name}", f"{whole} = {rest}")):
        yield insert((text,), f"{quoted(text)} is added", 0.5 * bits(place))


@operator("brought_up_to_date", 3.8, "what was there last is compared with and never brought up to date")
def brought_up_to_date(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Insert `self.read = now` after `elapsed = now - self.read`, or at the end of `if now > self.read:`.

    Only for an attribute that `__init__` sets, to more than an argument of it, and that nothing else in the file sets.
    """
    match node:
        case ast.BinOp(left=ast.Name(id=name), op=ast.Sub(), right=ast.Attribute(value=ast.Name()) as kept):
            pass
        case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[ast.Attribute(value=ast.Name()) as kept]):
            if isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn):
                return
        case ast.Compare(left=ast.Attribute(value=ast.Name()) as kept, ops=[op], comparators=[ast.Name(id=name)]):
            if isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn):
                return
        case _:
            return
    statement, holder = source.statement(node), class_of(source, node)
    if statement is None or holder is None or kept.attr not in _set_once(source, holder):
        return
    if name not in scope(source, statement):
        return
    text = f"{source.segment(kept)} = {name}"
    for at, after, extra in _behind(source, statement, kept):
        if has_own_lines(source, at):
            yield inserter(source, at, after)((text,), f"{quoted(text)} is added", extra)


def _behind(source: Source, statement: ast.stmt, kept: ast.Attribute) -> Iterator[tuple[ast.stmt, bool, float]]:
    """Yield where an attribute can be set once it has been read, as (statement, whether after it, bits)."""
    if isinstance(statement, ast.If):
        last = statement.body[-1]
        is_refused = isinstance(last, ast.Raise)
        if not is_refused:
            yield last, not isinstance(last, _JUMPS), 0.0
        yield statement, True, 0.0 if is_refused else _AFTER_BITS
    elif not isinstance(statement, ast.For | ast.While | ast.With | ast.Return | ast.Raise):
        body, _ = block_of(source, statement)
        readers = [one for one in body[body.index(statement) :] if _reads(one, kept.attr)]
        last = readers[-1]
        yield last, not isinstance(last, _JUMPS), 0.0


def _reads(statement: ast.stmt, attribute: str) -> bool:
    return any(isinstance(inner, ast.Attribute) and inner.attr == attribute for inner in ast.walk(statement))


def _set_once(source: Source, holder: ast.ClassDef) -> frozenset[str]:
    """Return the attributes that `__init__` sets, to more than an argument of it, and that nothing else sets."""
    once_in: dict[ast.AST, frozenset[str]] = source.memo.setdefault("set_once", {})
    if holder not in once_in:
        maker = maker_of(holder)
        inside = list(ast.walk(maker)) if maker is not None else []
        given = {arg.arg for arg in maker.args.args} if maker is not None else set()
        started = {
            target.attr
            for one in inside
            if isinstance(one, ast.Assign) and not (isinstance(one.value, ast.Name) and one.value.id in given)
            for target in one.targets
            if isinstance(target, ast.Attribute)
        }
        within = set(inside)
        elsewhere = {
            one.attr
            for one in ast.walk(source.tree)
            if isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load) and one not in within
        }
        once_in[holder] = frozenset(started - elsewhere)
    return once_in[holder]
