"""Which cases of a suite a source means, and the tests that are left when other failing cases are left out (pure)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Matched:
    """What named ids mean in a suite."""

    cases: tuple[str, ...]
    """Collected cases, in the suite's order."""
    unknown: tuple[str, ...]
    """Ids that name no case of the suite."""


def match_ids(ids: Iterable[str], collected: Sequence[str]) -> Matched:
    """Find named ids among the collected cases.

    An id of a file, a class or a function means all cases below it. Where pytest ran from a folder above or below, the
    paths differ by their beginning.
    """
    below: dict[str, list[str]] = {}
    for case in collected:
        for prefix in _prefixes(case):
            below.setdefault(prefix, []).append(case)
    cases: set[str] = set()
    unknown: list[str] = []
    for one in dict.fromkeys(ids):
        named = below.get(one) or _elsewhere(one, below)
        cases.update(named)
        unknown += [] if named else [one]
    return Matched(tuple(case for case in collected if case in cases), tuple(unknown))


def collected_only_here(ids: Iterable[str], collected: Sequence[str]) -> list[str]:
    """Return the test files that a red run names as a whole, as it could not collect them, and whose cases are here."""
    cases = {one: match_ids([one], collected).cases for one in ids if one.endswith(".py")}
    return [one for one, named in cases.items() if named and all("::" in case for case in named)]


def without_cases(tests: Sequence[str], collected: Sequence[str], left_out: Collection[str]) -> tuple[str, ...]:
    """Return what to name to pytest, so that it runs what `tests` collected but for the cases that are left out."""
    if not left_out:
        return tuple(tests)
    touched = {_file(case) for case in left_out}
    kept: dict[str, None] = {}
    for test in tests:
        cases = [case for case in collected if case == test or case.startswith((f"{test}::", f"{test}[", f"{test}/"))]
        if not any(_file(case) in touched for case in cases):
            kept[test] = None
            continue
        for case in cases:
            if _file(case) not in touched:
                kept[_file(case) if "::" not in test else test] = None
            elif case not in left_out:
                kept[case] = None
    return tuple(kept)


def _prefixes(case: str) -> list[str]:
    """Return what names a case: itself, its function without parameters, its classes, its file."""
    path, bracket, _ = case.partition("[")
    parts = path.split("::")
    names = ["::".join(parts[:count]) for count in range(1, len(parts) + 1)]
    return [*names, case] if bracket else names


def _elsewhere(one: str, below: dict[str, list[str]]) -> list[str]:
    """Return the cases of the one id that ends like the other; none where several do."""
    ends = [name for name in below if name.endswith(f"/{one}") or one.endswith(f"/{name}")]
    return below[ends[0]] if len(ends) == 1 else []


def _file(case: str) -> str:
    return case.partition("::")[0]
