"""Fuel goes into every loop and function that its pattern finds, and changes nothing else."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

import pytest

from selfheal_tui.sandbox.inside.sift.fuel import NAME, Exhausted, Tank, fuelled


@pytest.fixture
def tank() -> Iterator[Tank]:
    made = Tank(1000)
    made.fill()
    vars(builtins)[NAME] = made.burn
    yield made
    del vars(builtins)[NAME]


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("for x in range(5):\n    pass\n", 5),
        ("for x in range(3):\n    for y in range(2):\n        pass\n", 9),
        ("n = 4\nwhile n:  # down\n\n    # to nothing\n    n -= 1\n", 4),
        ("for x in 'ab': pass\n", 0),
        ("for x in 'ab':\r\n    pass\r\n", 2),
        ("class A:\n    def f(self):\n        for x in range(2):\n            pass\nA().f()\n", 3),
        ("def f(n):\n    return f(n - 1) if n else 0\nf(6)\n", 7),
        ("def f(n,\n      m=3):  # two lines\n    return f(n - 1) if n else 0\nf(6)\n", 7),
        ("def f(\n    n: int,\n    *,\n\n    # how\n    m={1: 2},\n) -> int:\n    return n\nf(6)\n", 1),
        ("x = [1 for y in range(9)]\n", 0),
    ],
)
def test_rounds_are_counted(text: str, used: int, tank: Tank) -> None:
    exec(fuelled(text), {})
    assert tank.used == used


def test_an_endless_loop_ends(tank: Tank) -> None:
    with pytest.raises(Exhausted):
        exec(fuelled("while True:\n    pass\n"), {})
    tank.fill()
    exec(fuelled("for x in range(1000):\n    pass\n"), {})


def test_what_runs_before_it_is_filled_is_not_counted(tank: Tank) -> None:
    made = Tank(10)
    vars(builtins)[NAME] = made.burn
    exec(fuelled("for x in range(100):\n    pass\n"), {})
    made.fill()
    with pytest.raises(Exhausted):
        exec(fuelled("for x in range(100):\n    pass\n"), {})
