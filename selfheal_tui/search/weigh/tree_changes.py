"""What a change does to the syntax tree of a file: the smallest parts that differ, and where they stand. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

Node = ast.AST


@dataclass(frozen=True, slots=True)
class TreeChange:
    """One part of a tree that goes, comes, or stands in the place of another."""

    old: Node | None
    """None for a part that comes."""
    new: Node | None
    """None for a part that goes."""
    inside: tuple[Node, ...]
    """What it stands in, outermost first; of the tree before the change."""
    rest: tuple[Node, ...] = ()
    """Statements of its block that follow it after the change."""


def tree_changes(before: ast.AST, after: ast.AST) -> list[TreeChange]:
    """Return the smallest changes that lead from one tree to the other."""
    return [] if are_same(before, after) else list(_between(before, after, ()))


def are_same(old: object, new: object) -> bool:
    """Tell whether two trees are the same but for their places; far quicker than to compare dumps of a whole file."""
    if type(old) is not type(new):
        return False
    if isinstance(old, ast.AST):
        for name in old._fields:  # noqa: SIM110 - a loop is quicker, and this is asked for each node of a file
            if not are_same(getattr(old, name, None), getattr(new, name, None)):
                return False
        return True
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(are_same, old, new))
    return old == new


def _between(old: Node, new: Node, inside: tuple[Node, ...]) -> Iterator[TreeChange]:
    another = type(old) is not type(new) or _own(old) != _own(new) or _is_another_call(old, new)
    if another or _is_around(old, new) or _is_around(new, old) or _is_regrouped(old, new) or _is_swapped(old, new):
        yield TreeChange(old, new, inside)
        return
    within = (*inside, old)
    for name in old._fields:
        one, other = getattr(old, name, None), getattr(new, name, None)
        if isinstance(one, list) and isinstance(other, list):
            yield from _between_lists(one, other, within)
        elif isinstance(one, ast.AST) and isinstance(other, ast.AST):
            yield from () if are_same(one, other) else _between(one, other, within)
        elif isinstance(one, ast.AST) or isinstance(other, ast.AST):
            there = (one if isinstance(one, ast.AST) else None, other if isinstance(other, ast.AST) else None)
            yield TreeChange(*there, within)


def _is_swapped(old: Node, new: Node) -> bool:
    """Tell whether an operand has changed sides: `n // m`, `m // n` or `9 // n`. Read apart it would be `n // n`."""
    match old, new:
        case ast.BinOp(left=left, right=right), ast.BinOp(left=other_left, right=other_right):
            if not are_same(left, other_left) and not are_same(right, other_right):
                return are_same(left, other_right) or are_same(right, other_left)
    return False


def _is_another_call(old: Node, new: Node) -> bool:
    """Tell whether two calls have neither method nor receiver in common: then their arguments are not comparable."""
    match old, new:
        case ast.Call(func=ast.Attribute() as one), ast.Call(func=ast.Attribute() as other):
            return one.attr != other.attr and _dump(one.value) != _dump(other.value)
    return False


def _is_around(inner: Node, outer: Node) -> bool:
    """Tell whether one holds all of the other: `(n + 50) // 10` in `((n + 50) // 10) // 10`."""
    return isinstance(inner, ast.expr | ast.stmt) and any(are_same(inner, part) for part in ast.walk(outer))


def _is_regrouped(old: Node, new: Node) -> bool:
    """Tell whether the same names and constants are worked out in another order: `a + b * 9` as `(a + b) * 9`."""
    match old, new:
        case ast.BinOp(op=one), ast.BinOp(op=other) if type(one) is not type(other):
            return _leaves(old) == _leaves(new)
    return False


def _leaves(node: Node) -> list[str]:
    return sorted(_dump(leaf) for leaf in ast.walk(node) if isinstance(leaf, ast.Name | ast.Constant))


def _own(node: Node) -> list[object]:
    """Return what a node is beside its parts: the name of a variable, the value of a constant."""
    plain = [getattr(node, name, None) for name in node._fields]
    return [(type(value), value) for value in plain if not isinstance(value, ast.AST | list)]


def _between_lists(old: Sequence[object], new: Sequence[object], inside: tuple[Node, ...]) -> Iterator[TreeChange]:
    one = [node for node in old if isinstance(node, ast.AST)]
    other = [node for node in new if isinstance(node, ast.AST)]
    most = min(len(one), len(other))
    head = next((at for at in range(most) if not are_same(one[at], other[at])), most)
    tail = next((at for at in range(most - head) if not are_same(one[-1 - at], other[-1 - at])), most - head)
    middle, new_middle = one[head : len(one) - tail], other[head : len(other) - tail]
    if len(middle) == len(new_middle) == 1:
        yield from _with_rest(_between(middle[0], new_middle[0], inside), tuple(other[head + 1 :]))
        return
    matcher = SequenceMatcher(None, [*map(_dump, middle)], [*map(_dump, new_middle)], autojunk=False)
    for tag, *ends in matcher.get_opcodes():
        if tag == "equal":
            continue
        i1, i2, j1, j2 = (head + end for end in ends)
        for before, after in _pairs(one[i1:i2], other[j1:j2]):
            rest = tuple(other[j2:] if after is None else other[other.index(after) + 1 :])
            if before is not None and after is not None:
                yield from () if are_same(before, after) else _with_rest(_between(before, after, inside), rest)
            else:
                yield TreeChange(before, after, inside, rest)


def _pairs(gone: Sequence[Node], come: Sequence[Node]) -> Iterator[tuple[Node | None, Node | None]]:
    """Yield what stands in the place of what, in order: of several that come for one, the likest one does."""
    ahead = 0
    if len(gone) == 1 < len(come):
        ahead = max(range(len(come)), key=lambda at: (_likeness(gone[0], come[at]), -at))
    elif len(come) == 1 < len(gone):
        ahead = -max(range(len(gone)), key=lambda at: (_likeness(gone[at], come[0]), -at))
    return zip_longest([*[None] * ahead, *gone], [*[None] * -ahead, *come])


def _likeness(one: Node, other: Node) -> float:
    return (type(one) is type(other)) + SequenceMatcher(None, _dump(one), _dump(other), autojunk=False).quick_ratio()


def _with_rest(changes: Iterator[TreeChange], rest: tuple[Node, ...]) -> Iterator[TreeChange]:
    for change in changes:
        yield TreeChange(change.old, change.new, change.inside, change.rest or rest)


def _dump(node: Node) -> str:
    return ast.dump(node)
