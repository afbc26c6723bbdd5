"""How long what the human closed to the search stays closed: while one of the cases fails that it was said about. Pure.

A function that is no cause of one fault may well hold the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .steering import Avoid
from .words import failing_cases


def about_cases(avoid: Sequence[Avoid], cases: Sequence[str]) -> list[Avoid]:
    """Return what is closed while one of `cases` fails; data stay closed whatever fails, as all does without cases."""
    return [{**one, "cases": list(cases)} if cases and one["what"] != "data" else one for one in avoid]


def with_avoided(before: Sequence[Avoid], more: Sequence[Avoid]) -> list[Avoid]:
    """Return both, each place once; what is said again holds for the cases of both."""
    places = {_place(one): one for one in before}
    for one in more:
        old = places.get(_place(one), one)
        if "cases" in one and "cases" in old:
            places[_place(one)] = {**one, "cases": list(dict.fromkeys([*old["cases"], *one["cases"]]))}
        else:
            places[_place(one)] = old if "cases" in one else one
    return list(places.values())


def still_closed(avoid: Sequence[Avoid], report: Mapping[str, Any] | None) -> list[Avoid]:
    """Return what holds for the failing cases of a report; all of it without one."""
    if report is None:
        return list(avoid)
    failing = {case["id"] for case in failing_cases(report)}
    return [one for one in avoid if "cases" not in one or not failing.isdisjoint(one["cases"])]


def open_again(avoid: Sequence[Avoid], report: Mapping[str, Any] | None) -> list[Avoid]:
    """Return what was closed for other cases than those that fail in a report."""
    closed = still_closed(avoid, report)
    return [one for one in avoid if one not in closed]


def _place(one: Avoid) -> tuple[object, ...]:
    together = tuple((line["file"], line["line"], line["text"]) for line in one.get("lines", ()))
    return one["what"], one.get("file"), one.get("name"), one.get("line"), one.get("text"), together
