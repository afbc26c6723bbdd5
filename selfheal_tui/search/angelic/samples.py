"""From samples of a place to edits: expressions that are what is wanted in each."""

from __future__ import annotations

import ast
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from selfheal_tui.python_source import parse_expression
from selfheal_tui.sandbox.force import Forced, Sample
from selfheal_tui.search.program.source import Source

from ..operators import Splice
from ..operators.growing import enumerate_expressions
from ..operators.scope import expressions, own_nodes, owner, scope
from .base import Spot
from .pieces import evaluate
from .predicates import predicates
from .words import weigher

_MOST_SAMPLES = 60
_MOST_WAYS = 5
"""Choices of one way for each failing case."""
_MOST_TRIED = 8_000
_WEIGHT = 0.25
"""Bits of words are counted for a part: they tell expressions apart, the number of samples has chosen them."""
_SIZE_BITS = 1.2
_TRIED_BITS, _BY_CHANCE = 12.0, 0.4
"""Of so many conditions one is chosen; how much each bit costs that the samples do not tell."""
_MOST_PIECES = 24
_MOST_CONSTANTS, _LONGEST_CONSTANT = 14, 12
_BUILTIN = frozenset({"len", "sum", "max", "min", "abs", "sorted", "set", "str", "int", "float", "ord", "any", "all"})


def written(source: Source, spot: Spot, ways: Sequence[Forced]) -> Iterator[tuple[Splice, float]]:
    """Yield edits of a place with their bits, from the ways in which cases pass there."""
    made: set[str] = set()
    for samples in chosen(ways):
        found = _values(source, spot, samples) if spot.trials else conditions_of(source, spot.node, samples, spot.now)
        for text, bits in found:
            if text not in made and text != spot.now:
                made.add(text)
                if (splice := spot.write(text)) is not None:
                    yield splice, bits


def chosen(ways: Sequence[Forced]) -> Iterator[list[Sample]]:
    """Yield samples of all cases together, one way for each: first ways that are alike, then others."""
    kept = [sample for way in ways if not way.changed for sample in way.samples]
    by_case: dict[str, list[Forced]] = defaultdict(list)
    for way in ways:
        if way.changed and way.samples:
            by_case[way.case].append(way)
    if not by_case:
        return
    most = max(map(len, by_case.values()))
    alike = [tuple(min(at, len(some) - 1) for some in by_case.values()) for at in range(most)]
    others = product(*(range(len(some)) for some in by_case.values()))
    picks = dict.fromkeys([*alike, *(pick for _, pick in zip(range(_MOST_WAYS), others, strict=False))])
    for pick in list(picks)[:_MOST_WAYS]:
        changed = [one for some, at in zip(by_case.values(), pick, strict=True) for one in some[at].samples]
        together = _distinct([*changed, *kept])
        if together is not None:
            yield together


def _distinct(samples: Sequence[Sample]) -> list[Sample] | None:
    """Return samples that differ, one that is not free before its like; None where two contradict each other."""
    by_state: dict[str, Sample] = {}
    for sample in samples:
        key = repr(sorted(sample.local.items()))
        before = by_state.get(key)
        if before is None or (before.is_free and not sample.is_free):
            by_state[key] = sample
        elif not sample.is_free and repr(before.wanted) != repr(sample.wanted):
            return None
    return list(by_state.values())[:_MOST_SAMPLES]


def atoms_of(source: Source, node: ast.AST, samples: Sequence[Sample]) -> list[tuple[str, tuple[Any, ...]]]:
    """Return names, attributes, the function's own calculations and constants, with their values in the samples."""
    visible = scope(source, node)
    names = [*visible, *(f"{name}.{field}" for name in (*visible, "self") for field in source.attributes.get(name, ()))]
    atoms = [
        (name, tuple(sample.local[name] for sample in samples))
        for name in names
        if all(name in sample.local for sample in samples)
    ]
    for text, (free, _) in list(expressions(source, owner(source, node)).items())[:_MOST_PIECES]:
        if free <= {*visible, "self", *_BUILTIN} and (values := _calculated(text, samples)) is not None:
            atoms.append((text, values))
    literals = [repr(value) for value in _constants(source, node)]
    if any(value is None for _, values in atoms for value in values):
        literals.append("None")
    return [*atoms, *((text, (ast.literal_eval(text),) * len(samples)) for text in literals)]


def _constants(source: Source, node: ast.AST) -> list[int | str]:
    """Return constants of the function and its docstring, and common ones; those of the tests would fit the tests."""
    own = [
        n.value
        for n in own_nodes(source, owner(source, node))
        if isinstance(n, ast.Constant) and not isinstance(source.parents.get(n), ast.Expr)
    ]
    distinct: dict[tuple[type, int | str], int | str] = {}
    for value in (*own, 0, 1, 2, "", *source.mentioned):
        if isinstance(value, int | str) and not isinstance(value, bool) and len(str(value)) <= _LONGEST_CONSTANT:
            distinct.setdefault((type(value), value), value)
    return list(distinct.values())[:_MOST_CONSTANTS]


def conditions_of(
    source: Source, node: ast.AST, samples: Sequence[Sample], now: str = ""
) -> Iterator[tuple[str, float]]:
    """Yield conditions that are what the samples want, with their bits; `now` is the text of the one that is there."""
    if not {bool(sample.wanted) for sample in samples if not sample.is_free} >= {True, False}:
        samples = [replace(sample, is_free=False) for sample in samples]
    wanted = [bool(sample.wanted) for sample in samples]
    if all(wanted) or not any(wanted):
        return
    known = [(now, tuple(bool(sample.was) for sample in samples))] if now and "\n" not in now else []
    weigh = weigher([source.text])

    def bits(text: str) -> float:
        return _WEIGHT * (weigh(text) if text != now else 0.0)

    free = [sample.is_free for sample in samples]
    extra = _BY_CHANCE * max(0.0, _TRIED_BITS - _told(wanted, free))
    for text, cost in predicates(atoms_of(source, node, samples), wanted, free, bits, known):
        yield text, cost + extra


def _told(wanted: Sequence[bool], is_free: Sequence[bool]) -> float:
    """Return the bits that samples tell: with few of them some condition fits by chance."""
    bound = [want for want, free in zip(wanted, is_free, strict=True) if not free]
    return math.log2(math.comb(len(bound), sum(bound)))


def _values(source: Source, spot: Spot, samples: Sequence[Sample]) -> Iterator[tuple[str, float]]:
    wanted = tuple(sample.wanted for sample in samples)
    if len({repr(value) for value in wanted}) < 2:
        return
    atoms = atoms_of(source, spot.node, samples)
    if spot.now and "\n" not in spot.now:
        atoms.insert(0, (spot.now, tuple(sample.was for sample in samples)))
    weigh = weigher([source.text])
    for text, size in enumerate_expressions(atoms, wanted, _MOST_TRIED):
        yield text, _WEIGHT * weigh(text) + _SIZE_BITS * size


def _calculated(text: str, samples: Sequence[Sample]) -> tuple[Any, ...] | None:
    """Return what a calculation is in each sample; None where that is not known of one."""
    try:
        node = parse_expression(text)
        values = tuple(evaluate(node, sample.local) for sample in samples)
    except (SyntaxError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError):
        return None
    return values
