"""What the cases left out: lines, and branches and loops that were taken one way only."""

from __future__ import annotations

import pytest

from selfheal_tui.engine.moment.not_run import few_ranges, idle_in
from selfheal_tui.engine.suites.exercise import exercised
from selfheal_tui.text import ranges

TEXT = '''"""Module."""
LIMIT = 3


class Basket:
    """A basket."""

    size: int = 0

    def add(self, n):
        """Add."""
        global LIMIT
        extra: int
        if n < 0:
            raise ValueError(n)
        for _ in range(n):
            self.size += 1
        if n > LIMIT:
            self.size = LIMIT
        return self.size


def idle(a):
    """Never called."""
    while True:
        a = -a
        break
    return a
'''


def lines(*numbers: int) -> dict[str, frozenset[int]]:
    return {"m.py": frozenset(numbers)}


def test_only_statements_in_functions_that_leave_a_trace_count() -> None:
    found = exercised({"m.py": TEXT}, {"t.py::a": lines(14, 16, 17, 18, 20)})
    assert found.measured and found.idle == {"m.py": [15, 19, 26, 27, 28]}
    assert found.sentence == "No case ran lines 15, 19, 26-28 of m.py."


def test_all_lines_ran() -> None:
    every = lines(14, 15, 16, 17, 18, 19, 20, 26, 27, 28)
    found = exercised({"m.py": TEXT}, {"t.py::a": every, "t.py::b": lines(14, 15)})
    assert not found.idle and found.sentence == "The cases ran every line of the program."


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        ([(14, 16, 17, 18, 20)], [16]),
        ([(14, 16, 17, 18, 20), (14, 16, 18, 20)], []),
        ([(14, 16, 17, 18, 19, 20)], [16, 18]),
        ([(14, 15)], [14]),
        ([(14, 15), (14, 16, 18, 19, 20)], [18]),
        ([(14, 15, 16, 17, 18, 19, 20)], [16, 18]),
    ],
)
def test_branches_and_loops_taken_one_way(cases: list[tuple[int, ...]], expected: list[int]) -> None:
    coverage = {f"t.py::{n}": lines(*ran) for n, ran in enumerate(cases)}
    found = exercised({"m.py": TEXT}, coverage).one_sided
    assert [line for line, _ in found.get("m.py", [])] == expected


def test_nothing_recorded_is_unknown_and_not_idle() -> None:
    found = exercised({"m.py": TEXT}, {"t.py::a": {}})
    assert not found.measured and not found.idle and "could not be seen" in found.sentence
    assert exercised({"m.py": "X = 1\n"}, {}).sentence == "The cases ran every line of the program."
    assert exercised({"m.py": "def f(:\n"}, {}).measured


def test_ranges() -> None:
    assert ranges([3, 4, 5, 9, 11, 12]) == "3-5, 9, 11-12"
    assert ranges([]) == ""
    assert few_ranges([*range(1, 21, 2), 30, 31]) == "1, 3, 5, 7, 9, 11, 13, 15 and 4 more lines"
    idle = {path: [1, 2] for path in ("conf.py", "a.py", "b.py", "c.py", "d.py")}
    assert idle_in(idle, ["a.py", "b.py", "c.py", "d.py"]) == dict.fromkeys(("a.py", "b.py", "c.py"), "1-2")
