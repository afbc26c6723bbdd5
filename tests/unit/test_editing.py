"""Edits of lines and of functions: found once, blanks forgiven in order, else refused with what is near."""

from __future__ import annotations

from typing import Any

import pytest

from selfheal_tui.engine.workshop.editing.answer import Applied, apply_reply
from selfheal_tui.engine.workshop.editing.functions import replaced
from selfheal_tui.engine.workshop.editing.places import placed
from selfheal_tui.engine.workshop.editing.splices import Misplaced, lines_of, spliced

SHOP = '''import os


class Cart:
    """Things to buy."""

    def total(self, rate):
        """Sum up.

        With tax.
        """
        return sum(self.prices)  * rate

    def count(self):
        return len(self.prices)


def total(prices):
    return sum(prices)
'''


def put(text: str, find: str, new: str) -> str:
    lines = lines_of(text)
    return spliced(lines, [placed(lines, find, new)])


def edits(*pairs: tuple[str, str], path: str = "shop.py") -> dict[str, Any]:
    return {"edits": [{"path": path, "find": find, "replace": new} for find, new in pairs]}


def functions(name: str, text: str) -> dict[str, Any]:
    return {"functions": [{"path": "shop.py", "name": name, "text": text}]}


def apply(reply: dict[str, Any], text: str = SHOP, **more: Any) -> Applied:
    return apply_reply({"shop.py": text}, reply, **more)


@pytest.mark.parametrize(
    ("text", "find", "new", "result", "forgiven"),
    [
        ("a = 1\nb = 2\n", "b = 2\n", "b = 3\n", "a = 1\nb = 3\n", ""),
        ("a = 1\nb = 2", "b = 2", "b = 3", "a = 1\nb = 3", ""),
        ("a\nb\nc\n", "b\n", "", "a\nc\n", ""),
        ("a\nb\n", "a\n", "a\nx\n", "a\nx\nb\n", ""),
        ("a  \nb\n", "a\nb\n", "a\nc\n", "a  \nc\n", "blanks at the end of lines"),
        ("a\r\nb\r\n", "a\nb\n", "a\nc\n", "a\r\nc\r\n", "blanks at the end of lines"),
        ("a\r\nb", "b \n", "b\nc\n", "a\r\nb\r\nc", "blanks at the end of lines"),
        (
            "if a:\n    b\n    c\n",
            "b\nc\n",
            "b\nif c:\n    d\n",
            "if a:\n    b\n    if c:\n        d\n",
            "the indentation",
        ),
        ("b\nc\n", "    b\n    c\n", "    b\n    d\n", "b\nd\n", "the indentation"),
        ("a =  1\nb = 2\n", "a = 1\nb=2\n", "a = 1\nb=3\n", "a =  1\nb=3\n", "blanks inside lines"),
    ],
)
def test_blanks_are_forgiven_and_kept_lines_stay(text: str, find: str, new: str, result: str, forgiven: str) -> None:
    assert put(text, find, new) == result
    assert placed(lines_of(text), find, new).forgiven == forgiven


def test_an_exact_place_goes_before_one_with_other_blanks() -> None:
    assert put("  x = 1\nx = 1\nx  = 1\n", "x = 1\n", "x = 2\n") == "  x = 1\nx = 2\nx  = 1\n"


@pytest.mark.parametrize(
    ("text", "find", "new", "why"),
    [
        ("a\nb\na\n", "a\n", "c\n", "stand in 2 places (line 1; line 3)"),
        ("    a\n\n        a\n", "a\n", "c\n", "stand in 2 places (line 1; line 3)"),
        ("a\nreturn price\nb\n", "return prices\n", "c\n", "the nearest are lines 1 to 3:\na\nreturn price\nb"),
        ("a\n", "something else\n", "c\n", "nor anything like them"),
        ("a\n", " \n", "c\n", "are empty"),
        # Shown without their depth, but put with it: that line would end up too deep.
        ("if a:\n    b\n    c\n", "b\nc\n", "    b\n    d\n", "not shifted with them"),
        ("        a\n", "a\n", "    c\n", "not shifted with them"),
        ("\ta\n", "    a\n", "    c\n", "not in the file"),
    ],
)
def test_what_is_not_clear_is_refused(text: str, find: str, new: str, why: str) -> None:
    with pytest.raises(Misplaced) as refused:
        put(text, find, new)
    assert why in str(refused.value)


def test_edits_are_looked_up_in_the_file_as_it_is_and_may_not_overlap() -> None:
    both = apply(edits(("import os\n", "import sys\n"), ("def total(prices):\n", "def total(prices, n=0):\n")))
    assert both.changes["shop.py"].startswith("import sys\n") and "def total(prices, n=0):" in both.changes["shop.py"]
    chained = apply(edits(("import os\n", "import sys\n"), ("import sys\n", "import re\n")))
    assert not chained.changes and "edits.1 (shop.py)" in chained.problems[0]
    overlapping = apply(edits(("import os\n\n\nclass Cart:\n", "class Cart:\n"), ("class Cart:\n", "class Shop:\n")))
    assert not overlapping.changes and "overlap in line 4" in overlapping.problems[0]


def test_an_edit_after_which_the_file_does_not_parse_is_refused() -> None:
    applied = apply(edits(("    return sum(prices)\n", "    return sum(prices\n")))
    assert not applied.changes and "does not parse" in applied.problems[0]
    broken = "def f(:\n    return 1\n"
    assert apply(edits(("def f(:\n", "def f():\n")), broken).changes == {"shop.py": "def f():\n    return 1\n"}
    assert apply(edits(("    return 1\n", "    return 2\n")), broken).changes, "it did not parse before either"


def test_paths() -> None:
    line = ("import os\n", "import sys\n")
    assert apply(edits(line, path="./shop.py")).changes and apply(edits(line, path="")).changes
    assert apply(edits(line, path="other.py")).foreign == ("other.py",)
    assert apply_reply({"a.py": "a\n", "b.py": "a\n"}, edits(line, path="")).foreign == ("",)


def test_a_file_is_given_whole_or_in_edits_and_not_when_a_part_was_shown() -> None:
    whole = {"files": [{"path": "shop.py", "text": "x = 1\n"}]}
    assert apply(whole).changes == {"shop.py": "x = 1\n"}
    assert "a part of this file only" in apply(whole, shown_in_part={"shop.py"}).problems[0]
    assert "not both" in apply({**whole, **edits(("import os\n", ""))}).problems[0]
    assert apply({"files": [{"path": "shop.py", "text": SHOP}]}) == Applied()


METHOD = '''def total(self, rate):
    """Sum up.

    Taxed.
    """
    note = """
one
"""
    return sum(self.prices) * (1 + rate)
'''


def test_a_method_is_replaced_at_its_depth_and_its_texts_stay() -> None:
    new = apply(functions("Cart.total", METHOD)).changes["shop.py"]
    assert new == SHOP.replace(
        '''    def total(self, rate):
        """Sum up.

        With tax.
        """
        return sum(self.prices)  * rate
''',
        '''    def total(self, rate):
        """Sum up.

        Taxed.
        """
        note = """
one
"""
        return sum(self.prices) * (1 + rate)
''',
    )
    indented = "    def count(self):\n        return 0\n"
    assert "        return 0\n\n\ndef total" in apply(functions("count", indented)).changes["shop.py"]


def test_decorators_belong_to_a_function() -> None:
    text = "@cache\ndef f():\n    return 1\n\n\nx = f()\n"
    splice = replaced(text, "f()", "def f():\n    return 2\n")
    assert spliced(lines_of(text), [splice]) == "def f():\n    return 2\n\n\nx = f()\n"


@pytest.mark.parametrize(
    ("name", "new", "why"),
    [
        ("missing", "def missing(): pass", "there is no function 'missing'; there are Cart, Cart.count, Cart.total"),
        ("total", "def other(): pass", "must be that one function"),
        ("total", "def total(): pass\nx = 1", "must be that one function"),
        ("total", "def total(:", "does not parse"),
        ("total", "", "is empty"),
        ("total", "just words", "does not parse"),
    ],
)
def test_what_is_not_that_function_is_refused(name: str, new: str, why: str) -> None:
    applied = apply(functions(name, new))
    assert not applied.changes and why in applied.problems[0]


def test_two_functions_of_one_name_are_refused_with_their_places() -> None:
    text = "if a:\n    def f():\n        return 1\nelse:\n    def f():\n        return 2\n"
    assert "2 places (lines 2 to 3; lines 5 to 6)" in apply(functions("f", "def f(): pass"), text).problems[0]
