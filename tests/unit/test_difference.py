"""Two long expressions are told by what differs."""

from __future__ import annotations

import pytest

from selfheal_tui.search.hunt.candidates import build_candidates
from selfheal_tui.search.hunt.difference import difference_words
from selfheal_tui.search.program.localise import Suspect

LONG = "(dr, dc) != (0, 0) and 0 <= r + dr < self.rows and 0 <= c + dc < self.cols"


@pytest.mark.parametrize(
    ("new", "told"),
    [
        (f"{LONG} and not self.flags", "`and not self.flags` is added after `…0 <= c + dc < self.cols`"),
        (LONG.replace("self.cols", "self.rows"), "`cols` becomes `rows` after `…and 0 <= c + dc < self.`"),
        (
            LONG.replace(" and 0 <= c + dc < self.cols", ""),
            "`and 0 <= c + dc < self.cols` is dropped after `…0 <= r + dr < self.rows`",
        ),
    ],
)
def test_what_differs_is_told_with_what_stands_before_it(new: str, told: str) -> None:
    assert difference_words(LONG, new) == told


def test_no_edit_is_told_as_x_becomes_x() -> None:
    program = {"p.py": f"def f(self, dr, dc, r, c):\n    return {LONG}\n"}
    suspects = (Suspect("p.py", 2, 1.0, "runs in the failing case"),)
    for one in build_candidates(program, [], suspects):
        old, _, new = one.summary.partition(" becomes ")
        assert not new or old.partition(": ")[2] != new, one.summary
