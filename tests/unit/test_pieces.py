"""A changed file compiled in pieces does what it does compiled whole."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

import pytest

from selfheal_tui.sandbox.inside.sift.fuel import NAME, Tank
from selfheal_tui.sandbox.inside.sift.pieces import Pieces

BASE = '''"""Doc."""

from __future__ import annotations

import math; LIMIT = 3  # two on a line


def one(x: Unknown) -> Missing:
    for y in range(LIMIT):
        x += y
    return x


# about two
@staticmethod
def two(x):
    return one(x) * 2


RESULT = one(1), two(2), math.floor(2.5)
'''


@pytest.fixture(autouse=True)
def fuel() -> Iterator[None]:
    vars(builtins)[NAME] = Tank(10_000).burn
    yield
    del vars(builtins)[NAME]


def ran(codes: list[Any]) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "p"}
    for code in codes:
        exec(code, space)
    return {name: value for name, value in space.items() if isinstance(value, int | tuple | str)}


@pytest.mark.parametrize(
    ("old", "new", "compiled"),
    [
        ("LIMIT = 3", "LIMIT = 4", 1),
        ("x += y", "x -= y", 1),
        ("* 2", "* 3", 1),
        ("one(1), two", "one(3), two", 1),
        ("# about two\n", "", 1),
        ("@staticmethod\n", "", 1),
        ("\n# about two", "\nLIMIT = 1\n# about two", 1),
        ("annotations\n", "annotations\nEXTRA = 1\n", 1),
        ("math.floor(2.5)\n", "math.floor(2.5)\nMORE = RESULT\n", 1),
        ("    return x\n\n\n# about two\n@staticmethod\ndef two(x):\n", "    return -x\ndef two(x):\n", 1),
        ("x", "x", 0),
        ("\n", "\r\n", 0),
    ],
)
def test_pieces_do_what_the_whole_does(old: str, new: str, compiled: int) -> None:
    pieces = Pieces(BASE, "p.py")
    pieces.codes(BASE)
    known = list(pieces._codes.values())
    text = BASE.replace(old, new)
    codes = pieces.codes(text)
    assert ran(codes) == ran([compile(text, "p.py", "exec", dont_inherit=True)])
    assert len([code for code in codes if not any(code is other for other in known)]) == compiled


@pytest.mark.parametrize("text", ["def f(:\n", BASE.replace("x += y", "x += "), BASE + "    y\n"])
def test_what_does_not_parse_is_refused(text: str) -> None:
    with pytest.raises(SyntaxError):
        Pieces(BASE, "p.py").codes(text)


def test_a_file_that_does_not_parse_may_be_mended() -> None:
    assert ran(Pieces("x = (1\n", "p.py").codes("x = 1\n"))["x"] == 1
