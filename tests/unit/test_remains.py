"""What makes a part of a change unsound, and which of its lines the cases ran."""

from __future__ import annotations

import pytest

from selfheal_tui.search.program.ran_lines import all_ran, statements
from selfheal_tui.search.weigh.remains import NOTHING_NAMED, Named, flaw

OLD = "def f(n):\n    m = n\n    return m * 3\n"


@pytest.mark.parametrize(
    ("whole", "part", "why"),
    [
        ('def f(n):\n    """Twice."""\n    return n * 2\n', "def f(n):\n    return n * 2\n", "docstring of f"),
        ("def f(n):\n    return n * 2\n", "def f(n):\n    return n * 2\n    return n * 3\n", "cannot be reached"),
        ("def f(n):\n    return n * 2\n", "def f(n):\n    m = n\n    return n * 2\n", "m without a use"),
        (
            "def g(n):\n    return n * 2\n\n\ndef f(n):\n    return g(n)\n",
            "def g(n):\n    return n * 2\n\n\ndef f(n):\n    return n + n\n",
            "g without a use",
        ),
        ("import os\n\n\ndef f(n):\n    return os\n", "import os\n\n\ndef f(n):\n    return n\n", "os without a use"),
        (
            "def f(n):\n    k = 2\n    return n * k\n",
            "def f(n):\n    return n * k\n",
            "k without a use or without a value",
        ),
        ("def f(n, k=2):\n    return n * k\n", "def f(n, k=2):\n    return n + n\n", "k without a use"),
        ("def f(n):\n    return n * 2\n", "def f(n):\nreturn n\n", "does not parse"),
        (
            "def f(n):\n    while True:\n        return n * 2\n",
            "def f(n):\n    while True:\n        return n * 2\n    return n\n",
            "cannot be reached",
        ),
    ],
)
def test_a_part_that_is_not_sound(whole: str, part: str, why: str) -> None:
    assert why in flaw({"p.py": OLD}, {"p.py": whole}, {"p.py": part}, NOTHING_NAMED)
    assert not flaw({"p.py": OLD}, {"p.py": whole}, {"p.py": whole}, NOTHING_NAMED)


@pytest.mark.parametrize(
    ("whole", "part"),
    [
        ("def f(n):\n    m = n + 0\n    return m * 2\n", "def f(n):\n    m = n\n    return m * 2\n"),
        ("def f(n):\n    return [k for k in n]\n", "def f(n):\n    return [k * 1 for k in n]\n"),
        (
            "class A:\n    x = 1\n\n    def f(self):\n        return self.x\n",
            "class A:\n    def f(self):\n        return 1\n",
        ),
        ("def f(n)\n", "def f(n):\n    return k\n"),
        (
            "def f(n):\n    def g():\n        return n\n    return g()\n",
            "def f(n):\n    def g():\n        return n + 0\n    return g()\n",
        ),
    ],
)
def test_a_part_that_is_sound(whole: str, part: str) -> None:
    assert flaw({"p.py": OLD}, {"p.py": whole}, {"p.py": part}, NOTHING_NAMED) == ""


TWO = "def f(n):\n    return n * 3\n\n\nclass A:\n    def g(self):\n        return 3\n"


@pytest.mark.parametrize(
    ("named", "undone"),
    [
        (Named(words=frozenset({"f"})), "f"),
        (Named(words=frozenset({"g"})), "A.g"),
        (Named(words=frozenset({"A"})), "A"),
        (Named(lines=frozenset({("p.py", 7)})), "A"),
        (Named(lines=frozenset({("other.py", 2)})), ""),
        (Named(words=frozenset({"h"})), ""),
    ],
)
def test_what_is_named_is_not_as_it_was(named: Named, undone: str) -> None:
    whole = {"p.py": TWO.replace("3", "2")}
    part = {"p.py": TWO.replace("n * 3", "n * 2") if undone != "f" else TWO.replace("return 3", "return 2")}
    assert flaw({"p.py": TWO}, whole, part, named) == (f"it undoes {undone}" if undone else "")
    assert flaw({"p.py": TWO}, whole, whole, named) == ""
    assert (flaw({"p.py": TWO}, whole, {}, named) != "") == bool(undone)


BODY = '''\
@cached
def f(n):
    """Doc."""
    # said
    if n < 0: return 0
    if n:
        return (
            n +
            1
        )
    else:
        try:
            pass
        except KeyError:
            return 2
    match n:
        case 0:
            return 3
'''


@pytest.mark.parametrize(
    ("line", "ran", "expected"),
    [
        (3, {3}, None),
        (4, {4}, None),
        (5, {5}, False),
        (6, {6}, True),
        (7, {7}, True),
        (8, {7}, True),
        (8, {6}, False),
        (11, {6}, None),
        (12, {12}, True),
        (14, {12, 13}, False),
        (14, {14}, True),
        (17, {16}, False),
        (17, {17}, True),
        (2, {6, 7}, False),
        (1, {1}, True),
    ],
)
def test_which_lines_are_known_to_have_run(line: int, ran: set[int], expected: bool | None) -> None:
    assert all_ran(statements(BODY, ran), range(line, line + 1)) is expected


def test_several_lines_need_each_of_their_statements() -> None:
    assert all_ran(statements(BODY, {6, 7}), range(6, 10)) is True
    assert all_ran(statements(BODY, {6}), range(3, 10)) is False
    assert all_ran(statements("def (", {1}), range(1, 2)) is False
