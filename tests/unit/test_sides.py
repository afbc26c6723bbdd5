"""Which side of a failing comparison is the program's answer."""

from __future__ import annotations

import pytest

from selfheal_tui.sandbox.sides import Side, side_of_program

HEAD = "import json, pytest, lib\nfrom lib import total, WANTED\n\n\ndef run(n):\n    return total([n])\n\n\n"
ASSERTIONS: dict[str, tuple[str, Side | None]] = {
    "the usual order": ("def test_a():\n    assert total([1]) == 6", "left"),
    "the other order": ("def test_a():\n    assert 6 == lib.total([1, 2, 3])", "right"),
    "a parameter": (
        "@pytest.mark.parametrize('number, wanted', [(21, '21st')])\ndef test_a(number, wanted):\n"
        "    assert wanted == lib.ordinalize(number)",
        "right",
    ),
    "through variables": (
        "def test_a():\n    box = lib.Box()\n    got = box.first\n    wanted = [1]\n    assert wanted == got",
        "right",
    ),
    "through a helper": ("def test_a():\n    assert 3 == run(3)", "right"),
    "a fixture and a literal": ("def test_a(box):\n    assert 3 == box.size", "right"),
    "a method of a test class": ("class TestA:\n    def test_a(self):\n        assert 3 == self.box.size", "right"),
    "a name of the program against a call": ("def test_a():\n    assert WANTED == total([1])", "right"),
    "the second of two": ("def test_a():\n    assert 1 and 3 == total([1])", "right"),
    "over several lines": ("def test_a():\n    assert (\n        3\n        == total([1])\n    )", "right"),
    "neither": ("def test_a():\n    assert json.loads('1') == 2", None),
    "both": ("def test_a():\n    assert total([1]) == lib.total([2])", None),
    "two fixtures": ("def test_a(box, wanted):\n    assert box == wanted", None),
    "a fixture and a name of the program": ("def test_a(box):\n    assert box.color == WANTED", None),
    "two that differ": ("def test_a():\n    assert 1 == total([1]) and total([1]) == 1", None),
}


@pytest.mark.parametrize("name", ASSERTIONS)
def test_the_side_that_calls_the_program_is_its_answer(name: str) -> None:
    test, side = ASSERTIONS[name]
    text = HEAD + test
    line = next(number for number, row in enumerate(text.splitlines(), 1) if row.strip().startswith("assert"))
    assert side_of_program(text, line, frozenset({"lib"})) == side


def test_what_a_star_brings_is_the_programs() -> None:
    assert (
        side_of_program("from lib import *\ndef test_a():\n    assert 6 == total([1])", 3, frozenset({"lib"}))
        == "right"
    )
