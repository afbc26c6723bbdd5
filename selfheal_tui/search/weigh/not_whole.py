"""Calls with numbers that are not whole: what parts repairs that round or convert. Pure.

`int(x)` and `round(x)` are alike on the whole numbers of most tests. Elsewhere such a number is often no input at all.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from selfheal_tui.python_source import parse_expression, parse_or_none

from ..hunt.candidates import Candidate
from .inputs import call_text
from .seeds import seeds_of
from .sequences import own_sequences

_MOST = 16
_LONGEST = 160
_LARGEST = 10**12
"""A larger number plus a part may be no other number."""
_PARTS = (0.25, 0.75)
"""What is added: rounding goes down with the one and up with the other."""
_CONVERT = frozenset(("int", "float", "round", "floor", "ceil", "trunc", "Decimal", "Fraction", "divmod"))
_DIVIDE = (ast.Div, ast.FloorDiv, ast.Mod)


def not_whole_calls(tests: Mapping[str, str], program: Mapping[str, str], candidates: Iterable[Candidate]) -> list[str]:
    """Return calls and sequences of the tests with one whole number a little higher, the shortest first.

    Empty unless a candidate divides, rounds or converts where the program does not, or does not where it does.
    """
    texts = {path: _roundings(text) for path, text in program.items()}
    if not any(_roundings(text) != texts.get(path) for one in candidates for path, text in one.changes.items()):
        return []
    own = [*(call_text(name, arguments) for name, arguments in seeds_of(tests)), *own_sequences(tests)]
    calls = dict.fromkeys(call for text in dict.fromkeys(own) for call in _with_parts(text))
    return sorted((call for call in calls if len(call) <= _LONGEST), key=len)[:_MOST]


def _roundings(text: str) -> Counter[str]:
    tree = parse_or_none(text)
    counts: Counter[str] = Counter()
    for node in ast.walk(tree) if tree is not None else ():
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _CONVERT:
                counts[name] += 1
            case ast.BinOp(op=operator) | ast.AugAssign(op=operator) if isinstance(operator, _DIVIDE):
                counts[type(operator).__name__] += 1
    return counts


def _with_parts(text: str) -> Iterator[str]:
    tree, line = parse_expression(text), text.encode()
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    outside = isinstance(tree, ast.Subscript)  # the `[-1]` of a sequence
    for node in sorted(constants, key=lambda node: node.col_offset)[: -1 if outside else None]:
        if type(node.value) is int and abs(node.value) < _LARGEST:
            for part in _PARTS:
                number = repr(node.value + part).encode()
                yield (line[: node.col_offset] + number + line[node.end_col_offset :]).decode()
