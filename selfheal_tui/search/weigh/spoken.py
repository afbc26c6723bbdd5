"""Calls whose arguments are no plain values, in the words of the tests: `fee(date(2024, 1, 5), date(2024, 1, 10))`.

An argument is exchanged for that of another call, a number in it is moved by one, or what it holds is put in another
order: the items of a list, the numbers of a text (`ranking(parse("a,9\\nb,5"))` with 5 and 9). What a test parametrises
is called with its parameters, and what it calls by its module (`shop.fee(...)`) by that. Pure.
"""

from __future__ import annotations

import ast
import builtins
import copy
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice

from selfheal_tui.python_source import parse_or_none

from ..program.source import FunctionNode
from .inputs import imported_names

_MOST, _MOST_SEEDS, _MOST_ROWS = 32, 40, 12
_LONGEST = 160
_MOST_DEEP = 3
"""How often a name in the value of a name is looked up."""
_MOST_ORDERS = 6
"""Other orders of one value."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_ITERATES = frozenset({"list", "tuple", "sorted"})
"""What a test puts around a generator: its own repr would be an address."""
_EQUAL = frozenset({"assertEqual", "assertEquals", "assertListEqual", "assertTrue", "assertFalse", "assertIs"})


@dataclass(frozen=True, slots=True)
class Spoken:
    """One call of a test, as source text."""

    function: str
    arguments: tuple[str, ...]
    around: str = ""
    """`list` and the like."""

    @property
    def text(self) -> str:
        """The call as a test would write it."""
        call = f"{self.function}({', '.join(self.arguments)})"
        return f"{self.around}({call})" if self.around else call


def build_spoken_calls(tests: Mapping[str, str]) -> list[str]:
    """Return calls as source text, distinct, none of them written in the tests (path -> text)."""
    seeds = [*islice(dict.fromkeys(call for text in tests.values() for call in spoken_calls(text)), _MOST_SEEDS)]
    written = {seed.text for seed in seeds}
    calls = dict.fromkeys(
        call.text
        for call in (*_exchanged(seeds), *_moved(seeds), *_reordered(seeds))
        if call.text not in written and len(call.text) <= _LONGEST
    )
    return [*islice(calls, _MOST)]


def spoken_calls(text: str) -> Iterator[Spoken]:
    """Yield the calls that a test file's assertions look at and that can be made outside of their test.

    Calls of names with plain values alone are left out: `seeds_of` has them.
    """
    tree = parse_or_none(text)
    if tree is None:
        return
    imported = imported_names(text)
    known = imported | set(vars(builtins))
    for function in (node for node in ast.walk(tree) if isinstance(node, FunctionNode)):
        if not function.name.startswith("test"):
            continue
        made = _made_in(function)
        rows = [{**made, **row} for row in _rows(function, tree)]
        for looked_at in (side for node in ast.walk(function) for side in _sides(node)):
            for row in rows:
                spoken = _spoken(_Put(row).visit(copy.deepcopy(looked_at)) if row else looked_at, known, imported)
                if spoken is not None:
                    yield spoken


def _sides(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the calls that one assertion compares or asks for the truth of."""
    sides: Sequence[ast.expr] = ()
    match node:
        case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right])):
            sides = (left, right)
        case ast.Assert(test=ast.UnaryOp(op=ast.Not(), operand=test)) | ast.Assert(test=test):
            sides = (test,)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=args) if name in _EQUAL:
            sides = args[:2]
    yield from (side for side in sides if isinstance(side, ast.Call))


def _spoken(call: ast.expr, known: set[str], imported: set[str]) -> Spoken | None:
    around = ""
    match call:
        case ast.Call(func=ast.Name(id=name), args=[ast.Call() as inner], keywords=[]) if name in _ITERATES:
            around, call = name, inner
    match call:
        case ast.Call(func=func, args=arguments, keywords=[]):
            name = ast.unparse(func)
        case _:
            return None
    if name.partition(".")[0] not in imported or any(isinstance(node, ast.Call) for node in ast.walk(func)):
        return None
    for argument in arguments:
        for node in ast.walk(argument):
            if isinstance(node, ast.Lambda | ast.Await | ast.Yield | ast.NamedExpr | ast.Starred):
                return None
            if isinstance(node, ast.Name) and node.id not in known:
                return None
    return Spoken(name, tuple(map(ast.unparse, arguments)), around)


def _rows(function: FunctionNode, tree: ast.Module) -> list[dict[str, ast.expr]]:
    """Return the values of a test's parameters, a row for each case; one empty row where it has none."""
    for decorator in function.decorator_list:
        match decorator:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[names, values, *_]):
                row_names, table = _names(names), _display(values, tree)
                if row_names and table is not None:
                    rows = [_row(row_names, value) for value in table[:_MOST_ROWS]]
                    return [row for row in rows if row] or [{}]
    return [{}]


def _names(node: ast.expr) -> list[str]:
    match node:
        case ast.Constant(value=str(text)):
            return [name.strip() for name in text.split(",")]
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return []


def _display(node: ast.expr, tree: ast.Module) -> list[ast.expr] | None:
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return parts
        case ast.Name(id=name):
            for statement in tree.body:
                match statement:
                    case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                        return _display(value, tree) if not isinstance(value, ast.Name) else None
    return None


def _row(names: Sequence[str], value: ast.expr) -> dict[str, ast.expr]:
    if len(names) == 1:
        return {names[0]: value}
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if len(parts) == len(names):
            return dict(zip(names, parts, strict=True))
    return {}


def _made_in(function: FunctionNode) -> dict[str, ast.expr]:
    """Return the names that a test binds once, to what no method of theirs is called on: `rows = [Row("a", 2)]`."""
    bound = Counter(node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not _is_read(node))
    used = {
        node.value.id
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.value, ast.Name)
        if not (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load))
    }
    made: dict[str, ast.expr] = {}
    for statement in function.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if bound[name] == 1 and name not in used:
                for _ in range(_MOST_DEEP):
                    value = _Put(made).visit(copy.deepcopy(value))
                if len(ast.unparse(value)) <= _LONGEST:
                    made[name] = value
    return made


def _is_read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


class _Put(ast.NodeTransformer):
    """Puts values in the place of names."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Put the value of a name that is read."""
        return copy.deepcopy(self._values.get(node.id, node))


def _exchanged(seeds: Sequence[Spoken]) -> Iterator[Spoken]:
    """Yield calls in which one argument is that of another call of the same function."""
    for at in range(max((len(seed.arguments) for seed in seeds), default=0)):
        for seed in seeds:
            for other in seeds:
                if other.function == seed.function and at < min(len(seed.arguments), len(other.arguments)):
                    arguments = (*seed.arguments[:at], other.arguments[at], *seed.arguments[at + 1 :])
                    yield Spoken(seed.function, arguments, seed.around)


def _moved(seeds: Sequence[Spoken]) -> Iterator[Spoken]:
    """Yield calls in which one whole number of an argument is one more or less, the last number of each first."""
    for step in (1, -1):
        for seed in seeds:
            for at in reversed(range(len(seed.arguments))):
                tree = ast.parse(seed.arguments[at], mode="eval")
                numbers = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and type(n.value) is int]
                for number in reversed(numbers):
                    value = number.value
                    number.value = value + step if isinstance(value, int) else value
                    arguments = (*seed.arguments[:at], ast.unparse(tree), *seed.arguments[at + 1 :])
                    number.value = value
                    yield Spoken(seed.function, arguments, seed.around)


def _reordered(seeds: Sequence[Spoken]) -> Iterator[Spoken]:
    """Yield calls in which one list or text of an argument has what it holds in another order, or a list one less."""
    for seed in seeds:
        for at, argument in enumerate(seed.arguments):
            for text in islice(_other_orders(ast.parse(argument, mode="eval")), _MOST_ORDERS):
                yield replace(seed, arguments=(*seed.arguments[:at], text, *seed.arguments[at + 1 :]))


def _other_orders(tree: ast.Expression) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.List(elts=[_, _, *_] as items) if any(isinstance(part, ast.Call) for part in items):
                for order in (items[::-1], items[:-1]):
                    node.elts = order
                    yield ast.unparse(tree)
                node.elts = items
            case ast.Constant(value=str(text)):
                for exchanged in _numbers_exchanged(text):
                    node.value = exchanged
                    yield ast.unparse(tree)
                node.value = text


def _numbers_exchanged(text: str) -> Iterator[str]:
    """Yield a text with two of its numbers exchanged, the last ones first."""
    for one, other in combinations(reversed([*_NUMBER.finditer(text)]), 2):
        if one[0] != other[0]:
            yield text[: other.start()] + one[0] + text[other.end() : one.start()] + other[0] + text[one.end() :]
