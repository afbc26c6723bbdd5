"""From samples of a place to edits: expressions that are what is wanted in each."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product

from selfheal_tui.sandbox.force import Forced, Sample
from selfheal_tui.search.program.source import Source

from ..operators import Splice
from ..operators.growing import enumerate_expressions
from ..operators.scope import numbers, scope, texts
from .base import Spot
from .predicates import predicates
from .words import weigher

_MOST_SAMPLES = 60
_MOST_WAYS = 8
"""Choices of one way for each failing case."""
_MOST_TRIED = 15_000
_WEIGHT = 0.25
"""Bits of words are counted for a part: they tell expressions apart, the number of samples has chosen them."""
_SIZE_BITS = 1.2


def written(source: Source, spot: Spot, ways: Sequence[Forced]) -> Iterator[tuple[Splice, float]]:
    """Yield edits of a place with their bits, from the ways in which cases pass there."""
    made: set[str] = set()
    for samples in chosen(ways):
        found = _values(source, spot, samples) if spot.trials else _conditions(source, spot, samples)
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


def _atoms(source: Source, spot: Spot, samples: Sequence[Sample]) -> list[tuple[str, tuple[object, ...]]]:
    """Return names, attributes and constants with their values in the samples."""
    visible = scope(source, spot.node)
    names = [*visible, *(f"{name}.{field}" for name in (*visible, "self") for field in source.attributes.get(name, ()))]
    atoms = [
        (name, tuple(sample.local[name] for sample in samples))
        for name in names
        if all(name in sample.local for sample in samples)
    ]
    literals = [*map(repr, numbers(source, spot.node)[:8]), *map(repr, texts(source, spot.node)[:8])]
    if any(value is None for _, values in atoms for value in values):
        literals.append("None")
    return [*atoms, *((text, (ast.literal_eval(text),) * len(samples)) for text in literals)]


def _conditions(source: Source, spot: Spot, samples: Sequence[Sample]) -> Iterator[tuple[str, float]]:
    if not {bool(sample.wanted) for sample in samples if not sample.is_free} >= {True, False}:
        samples = [Sample(s.was, s.wanted, False, s.local) for s in samples]
    wanted = [bool(sample.wanted) for sample in samples]
    if all(wanted) or not any(wanted):
        return
    known = [(spot.now, tuple(bool(sample.was) for sample in samples))] if spot.now and "\n" not in spot.now else []
    weigh = weigher([source.text])

    def bits(text: str) -> float:
        return _WEIGHT * (weigh(text) if text != spot.now else 0.0)

    free = [sample.is_free for sample in samples]
    yield from predicates(_atoms(source, spot, samples), wanted, free, bits, known)


def _values(source: Source, spot: Spot, samples: Sequence[Sample]) -> Iterator[tuple[str, float]]:
    wanted = tuple(sample.wanted for sample in samples)
    if len({repr(value) for value in wanted}) < 2:
        return
    atoms = _atoms(source, spot, samples)
    if spot.now and "\n" not in spot.now:
        atoms.insert(0, (spot.now, tuple(sample.was for sample in samples)))
    weigh = weigher([source.text])
    for text, size in enumerate_expressions(atoms, wanted, _MOST_TRIED):
        yield text, _WEIGHT * weigh(text) + _SIZE_BITS * size


