"""What each idea of the search gives, from searches that were run: `python -m tests.benchmarks.ablation FILE ...`.

Each file is what `python -m tests.benchmarks.search --out FILE` wrote: for each bug, all repairs that pass the tests
which the search saw, and which of them are right. Prints how many first-ranked repairs are right when the same repairs
are ranked without a kind of sign, and without those of a family of edits. `--ids IDEA` prints instead the bugs
whose repairs hold an edit of that idea: only these can change when `search --without IDEA --ids ...` runs them again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from selfheal_tui.search.hunt.candidates import Candidate
from selfheal_tui.search.program.mark import Mark
from selfheal_tui.search.weigh.behaviour import Behaviour
from selfheal_tui.search.weigh.rank import scores
from selfheal_tui.search.weigh.relations.breaches import Breach
from selfheal_tui.search.weigh.signs import Signs

from .search import IDEAS

Row = dict[str, Any]
Ranked = tuple[Candidate, Behaviour, Signs]
Weigh = Callable[[Sequence[Ranked]], Sequence[float]]


def _scored(change: Callable[[Ranked], Ranked]) -> Weigh:
    def weigh(pool: Sequence[Ranked]) -> Sequence[float]:
        return scores(*zip(*map(change, pool), strict=True))

    return weigh


def _alone(pool: Sequence[Ranked]) -> list[Ranked]:
    """Return the repairs as if none was ever asked for a call."""
    return [(one, Behaviour((), number), sign) for number, (one, _, sign) in enumerate(pool)]


RANKINGS: dict[str, Weigh] = {
    "all signs": _scored(lambda one: one),
    "without what held of results before": _scored(lambda one: (*one[:2], replace(one[2], breaches=()))),
    "without marks of coincidence": _scored(lambda one: (*one[:2], replace(one[2], marks=()))),
    "without any sign of text and runs": _scored(lambda one: (*one[:2], Signs())),
    "without calls that no test makes": lambda pool: scores(*zip(*_alone(pool), strict=True)),
    "by the cost of the edit alone": lambda pool: [one.cost + one.size / 1e6 for one, _, _ in pool],
}
FAMILIES: dict[str, Callable[[str], bool]] = {
    "angelic": lambda name: name.startswith("angelic"),
    "siblings": lambda name: name.endswith("_in_several_places"),
    "donors": "like_function".__eq__,
    "pairs": {name for _, name in IDEAS["pairs"]}.__contains__,
}
TWO = "two edits, one after the other"


def main() -> None:
    """Print a table for each file, or ids."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--ids", default="", choices=["", *FAMILIES], help="print the bugs that hold an edit of it")
    options = parser.parse_args()
    for name in options.files:
        rows = [json.loads(line) for line in Path(name).read_text("utf-8").splitlines()]
        rows = [row for row in rows if row.get("all")]
        if options.ids:
            has = [row["id"] for row in rows if any(is_of(options.ids, one) for one in row["all"])]
            print(",".join(has))
            continue
        print(
            f"\n{name}: {len(rows)} bugs with a repair, {sum(_has_right(row) for row in rows)} of them with a right one"
        )
        print("| ranked | first-ranked right |\n| --- | --- |")
        for words, weigh in RANKINGS.items():
            print(f"| {words} | {sum(first_is_right(row, weigh) for row in rows)} |")
        print("\n| without | bugs that have one | first-ranked right |\n| --- | --- | --- |")
        for left_out in [*([family] for family in (*FAMILIES, TWO)), [*FAMILIES, TWO]]:
            holding = sum(any(is_of(family, one) for one in row["all"] for family in left_out) for row in rows)
            print(f"| {', '.join(left_out)} | {holding} | {sum(is_right_without(row, left_out) for row in rows)} |")


def is_of(family: str, one: Row) -> bool:
    """Tell whether a repair holds an edit of the family."""
    parts = one["operator"].split(" + ")
    return len(parts) > 1 if family == TWO else any(map(FAMILIES[family], parts))


def is_right_without(row: Row, families: Sequence[str]) -> bool:
    """Tell whether the first-ranked repair that holds no edit of these families is right.

    The search would have gone on where none is left, so this is the least that is right without them.
    """
    rest = [one for one in row["all"] if not any(is_of(family, one) for family in families)]
    return bool(rest) and bool(rest[0]["right"])


def first_is_right(row: Row, weigh: Weigh) -> bool:
    """Tell whether the repair of the least score is right."""
    bits = weigh([_ranked(one) for one in row["all"]])
    return bool(row["all"][min(range(len(bits)), key=bits.__getitem__)]["right"])


def _has_right(row: Row) -> bool:
    return any(one["right"] for one in row["all"])


def _ranked(one: Row) -> Ranked:
    """Build what was ranked from its JSON."""
    known = ("operator", "line", "cost", "size", "parts")
    candidate = Candidate(changes={"prog.py": one["text"]}, summary="", path="prog.py", **{n: one[n] for n in known})
    behaviour = Behaviour(**{**one["behaviour"], "answers": (), "raises": frozenset()})
    marks = tuple(Mark(**mark) for mark in one["signs"]["marks"])
    breaches = tuple(Breach(**breach) for breach in one["signs"]["breaches"])
    return candidate, behaviour, Signs(**{**one["signs"], "marks": marks, "breaches": breaches})


if __name__ == "__main__":
    main()
