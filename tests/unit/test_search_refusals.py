"""Edits for what should be refused and for coroutines, and calls that ask for the border of a refusal."""

from __future__ import annotations

import pytest

from selfheal_tui.search.operators import OPERATORS
from selfheal_tui.search.program.source import parse_source, refused_types
from selfheal_tui.search.weigh.sequences import build_sequences

BANK = """class Frozen(Exception):
    pass


class Account:
    def __init__(self, limit):
        self.limit = limit
        self.frozen = False
        self.names = {}

    def take(self, amount):
        self.left -= amount
"""
TAKE = "    def take(self, amount):\n"


def edits(family: str, text: str, refused: tuple[str, ...] = ()) -> list[str]:
    """Return the new texts that one family makes of a program whose tests expect these exceptions."""
    source = parse_source("p.py", text, refused=refused)
    return [
        text[: splice.start] + splice.text + text[splice.end :]
        for node in source.nodes()
        for splice in OPERATORS[family].edits(source, node)
    ]


def test_the_exceptions_that_tests_expect_are_read() -> None:
    texts = ["def test_a():\n    with pytest.raises((errors.Frozen, ValueError)):\n        f()\n", "broken("]
    texts.append("class T:\n    def test_b(self):\n        self.assertRaises(KeyError, f)\n        g(TypeError)\n")
    assert refused_types(texts) == ("Frozen", "ValueError", "KeyError")


def test_an_exception_becomes_one_that_the_tests_expect() -> None:
    text = "def f(n):\n    raise KeyError(n)\n"
    assert edits("raised_type", text, ("ValueError", "Unknown")) == [text.replace("KeyError", "ValueError")]
    assert edits("raised_type", "def f():\n    raise\n", ("ValueError",)) == edits("raised_type", text) == []


@pytest.mark.parametrize(
    "check",
    [
        "if amount < 0:\n            raise Frozen(amount)",
        "if self.frozen:\n            raise Frozen(amount)",
        "if amount not in self.names:\n            raise Frozen(amount)",
        "if amount > self.limit:\n            raise Frozen(amount)",
    ],
)
def test_a_check_that_the_tests_expect_is_added(check: str) -> None:
    assert BANK.replace(TAKE, f"{TAKE}        {check}\n") in edits("missing_check", BANK, ("Frozen",))
    assert edits("missing_check", BANK) == edits("missing_check", BANK, ("Unknown",)) == []


def test_it_is_raised_as_elsewhere_in_the_file() -> None:
    text = f'{BANK}\n    def give(self, amount):\n        if amount == 9:\n            raise Frozen("no", amount)\n'
    added = edits("missing_check", text, ("Frozen",))
    assert added and all('raise Frozen("no", amount)' in one.replace(text, "") for one in added)


def test_a_coroutine_of_the_file_is_awaited() -> None:
    text = "async def f():\n    return 1\n\n\nasync def g():\n    return f(), h()\n"
    assert edits("missing_await", text) == [text.replace("f(),", "await f(),")]
    assert edits("missing_await", text.replace("f(),", "await f(),")) == []
    assert edits("missing_await", text.replace("async def g", "def g")) == []


def test_the_border_of_what_is_refused_is_asked() -> None:
    tests = "import pytest\nfrom bank import Account\n\n\ndef test_sum():\n    a = Account()\n    a.put(5)\n"
    tests += "    assert a.left == 5\n\n\ndef test_no():\n    a = Account()\n"
    tests += "    with pytest.raises(ValueError):\n        a.put(-1)\n"
    assert "[a := Account(), a.put(0), a.left][-1]" in build_sequences({"test_bank.py": tests})


def test_a_refused_call_is_asked_with_one_less_and_with_a_step_less_before_it() -> None:
    tests = "import pytest\nfrom bank import Account\n\n\ndef test_no():\n    a = Account()\n    a.put(5)\n"
    tests += "    with pytest.raises(ValueError):\n        a.take(0)\n"
    tests += "    with pytest.raises(ValueError):\n        a.take(a.left + 1)\n    a.take(2)\n"
    tests += "    with pytest.raises(ValueError):\n        a.take(a.most())\n    assert a.left == 3\n"
    calls = build_sequences({"test_bank.py": tests}, {}, {"take"})
    made = "a := Account(), a.put(5)"
    assert f"[{made}, a.take(a.left), a.left][-1]" in calls
    assert f"[{made}, a.take(2), a.take(a.most() - 1), a.left][-1]" in calls
    assert f"[{made}, a.take(a.most()), a.left][-1]" in calls


def test_what_calls_an_edited_function_is_asked_first() -> None:
    tests = "from p import Queue\n\n\ndef test_q():\n    q = Queue()\n    q.put(1)\n    q.put(2)\n"
    tests += "    assert q.size() == 2\n    q.take_the_first()\n    assert q.size() == 1\n"
    assert "take_the_first" not in build_sequences({"test_q.py": tests})[0]
    assert "take_the_first" in build_sequences({"test_q.py": tests}, {}, {"take_the_first"})[0]


DURATION = """def parse(text):
    if not text:
        raise ValueError("empty")
    at = 0
    for part in parts(text):
        if part.start() != at:
            raise ValueError(f"bad {text!r}")
        at = part.end()
    return at


def first(rows):
    found = None
    for row in rows:
        if row:
            found = row
    return found
"""


def test_what_a_loop_leaves_over_is_refused() -> None:
    added = edits("missing_end_check", DURATION, ("ValueError",))
    check = 'if at != len(text):\n        raise ValueError(f"bad {text!r}")\n    return at\n'
    assert DURATION.replace("return at\n", check) in added, "as the file raises it, with what it is about"
    assert any("if found is None:\n        raise ValueError(" in text for text in added)
    assert edits("missing_end_check", DURATION) == []
