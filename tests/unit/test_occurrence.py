"""Which of several like pieces of a line an edit means."""

from __future__ import annotations

import pytest

from selfheal_tui.search.hunt.candidates import build_candidates
from selfheal_tui.search.hunt.occurrence import which_of
from selfheal_tui.search.program.localise import Suspect

SUSPECTS = (Suspect("p.py", 2, 1.0, "runs in the failing case"),)
TEXT = "x = 4\narea = (4, 14, x4, 4.5, 4)\nif a < b <= c < d: pass\n"


@pytest.mark.parametrize(
    "before, piece, told",
    [
        ("x = ", "4", ""),
        ("area = (", "4", "the first "),
        ("4.5, ", "4", "the second "),
        ("area = (4, 1", "4", ""),
        ("a ", "<", "the first "),
        ("c ", "<", "the second "),
        ("b ", "<=", ""),
    ],
)
def test_a_piece_is_counted_among_its_like(before: str, piece: str, told: str) -> None:
    at = TEXT.index(f"{before}{piece}") + len(before)
    assert which_of(TEXT, at, at + len(piece)) == told


def test_an_edit_names_the_piece_that_it_means() -> None:
    """`4` becomes `5` was said of both."""
    program = {"p.py": "def f(a):\n    return (4, 4) if a else 4\n"}
    made = {one.changes["p.py"].splitlines()[1].strip(): one.summary for one in build_candidates(program, [], SUSPECTS)}
    assert made["return (5, 4) if a else 4"] == "line 2: the first `4` becomes `5`"
    assert made["return (4, 4) if a else 5"] == "line 2: the third `4` becomes `5`"
    assert made["return (4, 4) if not a else 4"] == "line 2: `a` becomes `not a`"
