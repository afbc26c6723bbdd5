"""The same edit at several places at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from selfheal_tui.search.blame import PlaceEffect, effects_of, place_sentence
from selfheal_tui.search.hunt.candidates import build_candidates
from selfheal_tui.search.hunt.grown import grown_edits
from selfheal_tui.search.hunt.places import Place
from selfheal_tui.search.hunt.siblings import SUFFIX
from selfheal_tui.search.program.localise import Suspect
from selfheal_tui.search.weigh.found import Found

GRADES = """\
def grade(x):
    if x >= 4:
        return 'A'
    elif x >= 3:
        return 'B'
    elif x >= 0:
        return 'C'
"""
LONGER = """\
def longer(a, b):
    if len(a) < len(b):
        return a
    return b
"""
APART = """\
def apart(a, b):
    x = a * 2
    y = b * 3
    print(x, y)
"""
APART_SUMMARY = "line 2: `a` becomes `abs(a)`, likewise `b`, `x` and `y` in lines 3 and 4"
BOX = """\
class Box:
    def put(self, item):
        self.item.append(item)

    def take(self):
        self.parts = self.item[1:]
        return self.item[0]
"""
UNREACHED = """\
def add(rows):
    total = row[0]
    print(row)
    return total
"""


def several(text: str, *lines: int) -> dict[str, str]:
    """Return the edits at several places of a program in which a failing case runs these lines: text -> summary."""
    reached = lines or tuple(range(1, text.count("\n") + 1))
    suspects = [Suspect("p.py", line, 1.0, "runs in the failing case") for line in reached]
    candidates = build_candidates({"p.py": text}, [], suspects, grown=grown_edits)
    return {c.changes["p.py"]: c.summary for c in candidates if c.operator.endswith(SUFFIX)}


PAGES = "def count(a, b):\n    return a // b\n"
PAGES_AND_REST = "def count(a, b, c):\n    x = a // b\n    return x * (c + b)\n"
TWO = "def depth(box):\n    return 0\n\n\ndef at(box, n):\n    if n == 0:\n        return box\n"


@pytest.mark.parametrize(
    ("program", "lines", "wanted", "summary"),
    [
        (TWO, (), TWO.replace("0", "1"), "line 2: `0` becomes `1`, and so in line 6 (`depth` and `at`)"),
        (GRADES, (), GRADES.replace(">=", ">"), "line 2: `>=` becomes `>`, and so in lines 4 and 6"),
        (GRADES, (), GRADES.replace(">=", ">").replace("> 4", ">= 4"), "line 4: `>=` becomes `>`, and so in line 6"),
        (
            LONGER,
            (),
            LONGER.replace("len(a) < len(b)", "sum(a) < sum(b)"),
            "line 2: `len` becomes `sum`, twice",
        ),
        (PAGES, (), PAGES.replace("a // b", "(a + 1) // (b + 1)"), "line 2: `a` becomes `a + 1`, likewise `b`"),
        (
            PAGES_AND_REST,
            (),
            PAGES_AND_REST.replace("a // b", "(a + 1) // (b + 1)").replace("x * (", "(x + 1) * ("),
            "line 2: `a` becomes `a + 1`, likewise `b` and `x` in lines 2 and 3",
        ),
        (
            APART,
            (),
            APART.replace("a *", "abs(a) *").replace("b *", "abs(b) *").replace("(x, y)", "(abs(x), abs(y))"),
            APART_SUMMARY,
        ),
        (BOX, (), BOX.replace("self.item", "self.parts"), "line 3: `.item` becomes `.parts`, and so in lines 6 and 7"),
        (UNREACHED, (2,), UNREACHED.replace("row", "rows").replace("rowss", "rows"), ""),
    ],
)
def test_one_slip_is_mended_at_all_its_places(program: str, lines: tuple[int, ...], wanted: str, summary: str) -> None:
    edits = several(program, *lines)
    assert wanted in edits, "\n".join(edits.values())
    assert not summary or edits[wanted] == summary


@pytest.mark.parametrize(
    ("edit", "several", "said"),
    [
        ("`0` becomes `1`, and so in line 12 (`depth` and `at`)", False, "lines 5 and 12 (`depth` and `at`), both"),
        ("`x` becomes `f(x)`, likewise in lines 7 and 9", True, "lines 5, 7 and 9 of p.py, both"),
        ("`x` becomes `f(x)`, likewise `y` and `z` in lines 7 and 9", True, "lines 5, 7 and 9 of p.py, both"),
        ("`x` becomes `f(x)`, likewise `y` and `z` in lines 5 and 9", True, "lines 5 and 9 of p.py, both"),
    ],
)
def test_an_edit_at_several_lines_is_not_told_as_one_at_one_line(edit: str, several: bool, said: str) -> None:
    place: PlaceEffect = {
        "file": "p.py",
        "line": 5,
        "edit": edit,
        "together": False,
        "fixes": ["a", "b"],
        "breaks": 0,
        "whole": True,
        "alike": 1,
    }
    assert place_sentence(place, 2, several).startswith(f"With the same edit at {said} failing cases pass: `")
    assert "and so" not in place_sentence(place, 2, several)


def test_the_same_slip_in_several_functions_is_not_one_fault() -> None:
    def effect(program: str, wanted: str) -> PlaceEffect:
        candidates = build_candidates(
            {"p.py": program}, [], [Suspect("p.py", n, 1.0, "runs") for n in range(1, 9)], grown=grown_edits
        )
        one = replace(next(c for c in candidates if c.changes["p.py"] == wanted), complete=True, fixes=("a",))
        return effects_of(Found((), 1, True, places=(Place("p.py", one.line, one, 1, 1, 1.0),)))[0]

    assert effect(TWO, TWO.replace("0", "1")).get("edits") == 2
    assert "edits" not in effect(GRADES, GRADES.replace(">=", ">"))
