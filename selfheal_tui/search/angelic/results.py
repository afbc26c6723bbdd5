"""A special result: `if ...: return ...` before a `return`, both made from what the variables were there.

The failing cases that return there say what the result should be, the passing ones that nothing changes for them.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Any

from selfheal_tui.sandbox.force import Sample, read_literal
from selfheal_tui.search.program.source import Source

from ..operators import Splice
from ..operators.base import bits, quoted
from ..operators.blocks import has_own_lines, inserter
from ..operators.growing import enumerate_expressions
from .samples import atoms_of, conditions_of

COST = 6.0
NAME, REASON = "angelic_result", "a special case has another result"
_MOST_RESULTS, _MOST_CONDITIONS = 5, 10
_SIZE_BITS = 1.2
_MOST_TRIED = 8_000


def special_results(source: Source, node: ast.AST, failing: Collection[str]) -> Iterator[tuple[Splice, float]]:
    """Yield edits with their bits, for a `return` at which some failing and some passing cases ended."""
    if not isinstance(node, ast.Return) or node.value is None or not has_own_lines(source, node):
        return
    wanted: list[Any] = []
    changed: list[Sample] = []
    kept: list[Sample] = []
    for case, texts in source.observations.returns.get(node.lineno, {}).items():
        values = {name: one[0] for name, text in texts.items() if (one := read_literal(text)) is not None}
        if case not in failing:
            kept.append(Sample(False, False, False, values))
        elif case in source.observations.expected:
            result = read_literal(source.observations.expected[case])
            if result is None:
                return
            wanted.append(result[0])
            changed.append(Sample(False, True, False, values))
    if not changed or not kept:
        return
    results = enumerate_expressions(atoms_of(source, node.value, changed), tuple(wanted), _MOST_TRIED)
    if not results:
        return
    tests = list(conditions_of(source, node.value, [*changed, *kept]))[:_MOST_CONDITIONS]
    insert = inserter(source, node)
    for place, (text, size) in enumerate(results[:_MOST_RESULTS]):
        for test, cost in tests:
            lines = (f"if {test}:", f"\treturn {text}")
            splice = insert(lines, f"{quoted(f'if {test}: return {text}')} is added", 0.0)
            yield splice, cost + _SIZE_BITS * size + bits(place)
