"""Conditions from samples: comparisons of values at hand that hold exactly where they should, alone or two together."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from selfheal_tui.python_source import is_literal, parse_expression

from ..operators.fitting import AND, NOT, OR, grouped
from ..operators.growing import Binary, Unary, Values, grow

_UNARY: tuple[Unary, ...] = (
    ("len({})", len),
    ("sum({})", sum),
    ("max({})", max),
    ("min({})", min),
    ("abs({})", abs),
    ("set({})", set),
    ("sorted({})", sorted),
    ("str({})", str),
    ("{a}[0]", lambda x: x[0]),
    ("{a}[-1]", lambda x: x[-1]),
    ("{a}[::-1]", lambda x: x[::-1]),
    ("{a}.lower()", lambda x: x.lower()),
    ("{a}.isdigit()", lambda x: x.isdigit()),
    ("{a}.isalpha()", lambda x: x.isalpha()),
    ("{a}.isupper()", lambda x: x.isupper()),
    ("{a}.islower()", lambda x: x.islower()),
    ("{a}.isspace()", lambda x: x.isspace()),
)
_BINARY: tuple[Binary, ...] = (
    ("{l} == {r}", lambda x, y: x == y),
    ("{l} < {r}", lambda x, y: x < y if _have_size(x, y) else _no_value()),
    ("{l} <= {r}", lambda x, y: x <= y if _have_size(x, y) else _no_value()),
    ("{l} in {r}", lambda x, y: x in y),
    ("{l} is {r}", lambda x, y: x is y if y is None else _no_value()),
    ("{a} % {b}", lambda x, y: x % y if isinstance(x, int) else _no_value()),
    ("{a} + {b}", lambda x, y: x + y),
    ("{a} - {b}", lambda x, y: x - y),
    ("{p}[{q}]", lambda x, y: x[y]),
    ("{p}.count({q})", lambda x, y: x.count(y)),
    ("{p}.startswith({q})", lambda x, y: x.startswith(y)),
    ("{p}.endswith({q})", lambda x, y: x.endswith(y)),
)
_SIGNS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
_OPPOSITES = {"==": "!=", "<": ">=", ">": "<=", "in": "not in", "is": "is not"}
_OPPOSITES |= {other: sign for sign, other in _OPPOSITES.items()}
_TURNED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_ORDER = frozenset({"<", "<=", ">", ">="})
_BEGIN_CONSTANT = frozenset("0123456789-'\"")
_OF_TEXT = re.compile(r"""['"](?:[.\[]| %)""")
"""A method or an item of a text constant: such a test fits samples by chance."""
_TRIED = 8_000
_LARGEST = 5
_MOST_HALVES = 250
_MOST_LIKE = 4
_TOGETHER_BITS = 2.0


def _have_size(*values: Any) -> bool:
    """Tell whether "less than" is likely meant: of texts, lists and truths it fits samples by chance."""
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _no_value() -> Any:
    raise TypeError


def predicates(
    atoms: Sequence[tuple[str, Values]],
    wanted: Sequence[bool],
    is_free: Sequence[bool],
    bits: Callable[[str], float],
    known: Iterable[tuple[str, Values]] = (),
    most: int = 24,
) -> list[tuple[str, float]]:
    """Return conditions over atoms (text, its value in each sample) with their bits, likeliest first.

    Each is what is `wanted` in every sample that is not free. `known` are conditions to be built upon as they are.
    """
    hard = sum(1 << at for at, free in enumerate(is_free) if not free)
    yes = sum(1 << at for at, want in enumerate(wanted) if want) & hard
    no = hard & ~yes
    everything = (1 << len(wanted)) - 1
    soft = sum(1 << at for at, want in enumerate(wanted) if want)
    by_mask: dict[int, dict[str, float]] = {}
    for text, values in _tests(atoms, known):
        mask = sum(1 << at for at, value in enumerate(values) if value)
        # One that is always the same says nothing; also not together with another.
        if mask not in (0, everything):
            by_mask.setdefault(mask, {}).setdefault(oriented(text), bits(text))
    both_ways: dict[int, list[tuple[float, str]]] = {}
    for mask, texts in by_mask.items():
        likeliest = sorted((cost, text) for text, cost in texts.items())[:_MOST_LIKE]
        both_ways.setdefault(mask, []).extend(likeliest)
        both_ways.setdefault(everything & ~mask, []).extend((cost, oriented(negated(text))) for cost, text in likeliest)
    for mask, same in both_ways.items():
        both_ways[mask] = sorted(set(same))[:_MOST_LIKE]
    ranked: dict[str, float] = {}
    for mask, same in both_ways.items():
        if mask & hard == yes:
            apart = (mask ^ soft).bit_count() / len(wanted)
            for cost, text in same:
                ranked[text] = min(cost + apart, ranked.get(text, cost + apart))
    for cost, text, mask in _pairs(both_ways, yes, no):
        if len(ranked) >= 4 * most:
            break
        ranked.setdefault(text, cost + _TOGETHER_BITS + (mask ^ soft).bit_count() / len(wanted))
    return sorted(ranked.items(), key=lambda one: (one[1], one[0]))[:most]


def negated(text: str) -> str:
    """Return the opposite of a condition as a person would write it."""
    node = parse_expression(text)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ast.unparse(node.operand)
    if (compared := _compared(text, node)) is not None:
        left, sign, right = compared
        return f"{left} {_OPPOSITES[sign]} {right}"
    return f"not {grouped(text, NOT)}"


def oriented(text: str) -> str:
    """Return a comparison with a constant as a person would write it: the constant behind."""
    if text[:1] in _BEGIN_CONSTANT and (compared := _compared(text, parse_expression(text))) is not None:
        left, sign, right = compared
        if sign in _TURNED and is_literal(left) and not is_literal(right):
            return f"{right} {_TURNED[sign]} {left}"
    return text


def together(one: str, word: str, other: str) -> str:
    """Return two comparisons of one value as a person would write them: `low <= n <= high`, `n < low or n > high`.

    Empty where they are none.
    """
    pairs = [_compared(text, parse_expression(text)) for text in (one, other)]
    rising = [
        (left, sign, right) if sign[0] == "<" else (right, _TURNED[sign], left)
        for left, sign, right in filter(None, pairs)
        if sign in _ORDER
    ]
    if len(rising) < 2:
        return ""
    for (low, first, middle), (between, second, high) in (rising, rising[::-1]):
        if middle == between and word == "and":
            return f"{low} {first} {middle} {second} {high}"
        if middle == between:
            return f"{middle} {_TURNED[first]} {low} or {middle} {second} {high}"
    return ""


def _compared(text: str, node: ast.expr) -> tuple[str, str, str] | None:
    """Return the two sides of a comparison that is all of a text, and the sign between them."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return None
    sign = _SIGNS[type(node.ops[0])]
    left, right = ast.get_source_segment(text, node.left), ast.get_source_segment(text, node.comparators[0])
    for one, other in ((left, right), (f"({left})", right), (left, f"({right})"), (f"({left})", f"({right})")):
        if f"{one} {sign} {other}" == text:
            return str(one), sign, str(other)
    return None


def _tests(atoms: Sequence[tuple[str, Values]], known: Iterable[tuple[str, Values]]) -> Iterator[tuple[str, Values]]:
    yield from known
    for text, values, size in grow(atoms, _UNARY, _BINARY, _LARGEST, _TRIED):
        if (size == 1 or all(isinstance(value, bool) for value in values)) and not _OF_TEXT.search(text):
            yield text, values


def _pairs(tests: dict[int, list[tuple[float, str]]], yes: int, no: int) -> Iterator[tuple[float, str, int]]:
    """Yield two conditions joined by `and` or `or`, the cheapest first of each kind."""
    joined: dict[str, tuple[float, str, int]] = {}
    for word, level in (("and", AND), ("or", OR)):
        if word == "and":
            halves = [(same[0], mask) for mask, same in tests.items() if mask & yes == yes and mask & no != no]
        else:
            halves = [(same[0], mask) for mask, same in tests.items() if not mask & no and mask & yes]
        halves.sort()
        del halves[_MOST_HALVES:]
        for at, ((cost, one), mask) in enumerate(halves):
            for (more, other), other_mask in halves[at + 1 :]:
                both = mask & other_mask if word == "and" else mask | other_mask
                if (both & no == 0 and both & yes == yes) and mask & (yes | no) != both & (yes | no):
                    if other_mask & (yes | no) == both & (yes | no):
                        continue
                    text = together(one, word, other) or f"{grouped(one, level)} {word} {grouped(other, level)}"
                    joined[text] = cost + more, text, both
    yield from sorted(joined.values())
