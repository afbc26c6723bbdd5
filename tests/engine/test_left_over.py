"""What passes only by what other cases leave behind is no repair, and says so."""

from __future__ import annotations

import pytest

from selfheal_tui.sandbox.base import Suite
from selfheal_tui.search.hunt.candidates import Candidate
from selfheal_tui.search.weigh.left_over import keeps_something, left_over_marks
from tests.warm import WarmSandbox

PROGRAM = """class Room:
    def __init__(self, booked=[]):
        self.booked = booked

    def book(self, start, end):
        if any(start <= b and a <= end for a, b in self.booked):
            return False
        self.booked.append((start, end))
        return True
"""
TESTS = """from prog import Room


def test_beside():
    room = Room()
    assert room.book(9, 10)
    assert room.book(10, 11)


def test_over():
    room = Room()
    room.book(20, 23)
    assert not room.book(22, 24)
"""


def candidate(old: str, new: str) -> Candidate:
    text = PROGRAM.replace(old, new)
    return Candidate({"prog.py": text}, new, "x", "prog.py", 6, 1.0, 1, (), ("test_prog.py::test_over",), (), True)


async def test_a_case_that_passes_only_after_others_is_named() -> None:
    suite = Suite({"prog.py": PROGRAM, "test_prog.py": TESTS}, ("test_prog.py",), ("prog.py",))
    right = candidate("booked=[]", "booked=()")
    right.changes["prog.py"] = right.changes["prog.py"].replace("= booked\n", "= list(booked)\n").replace("<=", "<")  # type: ignore[index]
    lucky = candidate("start <= b and a <= end", "start > b and a <= end")
    sandbox = WarmSandbox()
    try:
        failing = ["test_prog.py::test_over"]
        marks = await left_over_marks(sandbox, suite, {"prog.py": PROGRAM}, failing, [right, lucky])
        none = await left_over_marks(sandbox, suite, {"prog.py": "def f(n=0):\n    return n\n"}, failing, [lucky])
    finally:
        await sandbox.aclose()
    assert marks[0] == () and none == [()]
    assert [mark.why for mark in marks[1]] == [
        "`test_over` passes with it only after other cases, by what they leave behind: alone it fails."
    ]


@pytest.mark.parametrize(
    ("text", "keeps"),
    [
        ("def f(a, b=[]):\n    pass\n", True),
        ("def f(*, b=dict()):\n    pass\n", True),
        ("class A:\n    seen: list = []\n", True),
        ("N = 0\ndef f():\n    global N\n    N += 1\n", True),
        ("TABLE = {'a': 1}\ndef f(a, b=()):\n    seen = []\n", False),
        ("class A:\n    size = 3\n", False),
        ("def f(:\n", False),
    ],
)
def test_what_one_call_may_leave_for_the_next(text: str, keeps: bool) -> None:
    assert keeps_something(text) == keeps
