"""Several sums that only together give the number of one case."""

from __future__ import annotations

import pytest

from selfheal_tui.search.hunt.candidates import Candidate
from selfheal_tui.search.weigh.sums import sums_mark

STOCK = """class Stock:
    def add(self, name, count, price):
        old = self.items.get(name)
        self.items[name] = (count, price)
"""
CHANCE = STOCK.replace("        self", "        count += 1\n        self").replace("(count,", "(count + price,")
MID = "def mid(low, high):\n    if low > high:\n        return -1\n    return (low + high) // 2\n"


def why(before: str, after: str, fixes: tuple[str, ...] = ("test_p.py::test_f",), parts: int = 1) -> str:
    two = Candidate({"p.py": after}, "", "", "p.py", 4, 9.0, 9, fixes=fixes, parts=parts, before=(("p.py", 3),))
    return "".join(mark.why for mark in sums_mark({"p.py": before}, two))


def test_two_sums_that_one_case_needs_are_marked() -> None:
    told = "Only 1 case needs `count += 1` and `count + price` together: it joins `count` with `price`, and `old` "
    assert why(STOCK, CHANCE) == f"{told}stays unused."


@pytest.mark.parametrize(
    "after",
    [
        STOCK.replace("count,", "count + old[0],"),
        STOCK.replace("count,", "old + count,").replace(".get(name)", ".get(name, 0)"),
    ],
)
def test_one_sum_is_not_marked(after: str) -> None:
    assert why(STOCK, after) == ""


def test_sums_of_what_the_program_joins_are_not_marked() -> None:
    assert why(MID, MID.replace("-1", "-1 + low").replace("high)", "high + 1)")) == ""


def test_sums_that_two_cases_need_or_that_mend_mistakes_of_their_own_are_not_marked() -> None:
    assert why(STOCK, CHANCE, ("a", "b")) == why(STOCK, CHANCE, parts=2) == ""
