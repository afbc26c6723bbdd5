"""Default values that become other numbers are marked, in each edit of a change."""

from __future__ import annotations

import pytest

from selfheal_tui.search.hunt.candidates import Candidate
from selfheal_tui.search.weigh.joined import joined_candidates
from selfheal_tui.search.weigh.marks import find_marks

PROGRAM = """def f(rows, step=3):
    for key in rows[1:]:
        totals[key] = totals.get(key, 0) + step
    return 1
"""


def whys(*edits: tuple[str, str], program: str = PROGRAM) -> list[str]:
    text = program
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return [mark.why for mark in find_marks({"p.py": program}, {"p.py": text}, {}) if mark.kind == "start"]


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("(key, 0)", "(key, -1)", "`totals.get(key, 0)` at `-1` instead of `0`"),
        ("step=3", "step=4", "the default of `step` at `4` instead of `3`"),
    ],
)
def test_a_default_at_another_number_is_marked(old: str, new: str, what: str) -> None:
    assert whys((old, new)) == [f"It only starts {what}."]
    assert whys(("rows[1:]", "rows"), (old, new)) == [f"It only starts {what}."], "as the second edit too"


@pytest.mark.parametrize(
    "call", ["d.setdefault(k, 5)", "sum(xs, 5)", "sum(xs, start=5)", "max(xs, default=5)", "next(xs, 5)"]
)
def test_every_kind_of_default_counts(call: str) -> None:
    assert len(whys(("5", "6"), program=f"x = {call}\n")) == 1


@pytest.mark.parametrize("edit", [("(key, 0)", "(key, step)"), ("[1:]", "[2:]"), ("return 1", "return 2")])
def test_other_numbers_are_no_defaults(edit: tuple[str, str]) -> None:
    assert whys(edit) == []


def test_a_default_that_becomes_0_is_where_counts_start() -> None:
    assert whys(("5", "0"), program="x = d.get(k, 5)\n") == []


def test_an_edit_of_a_default_is_not_joined() -> None:
    def candidate(old: str, new: str, line: int, case: str) -> Candidate:
        return Candidate({"p.py": PROGRAM.replace(old, new)}, new, "o", "p.py", line, 1.0, 1, fixes=(case,))

    slices, default = candidate("rows[1:]", "rows", 2, "a"), candidate("(key, 0)", "(key, -1)", 3, "b")
    assert joined_candidates({"p.py": PROGRAM}, [slices, default], {}) == []
    assert joined_candidates({"p.py": PROGRAM}, [slices, candidate("+ step", "- step", 3, "b")], {})
