"""What a person closes to the search: read from words, found again after edits, and obeyed by every edit."""

from __future__ import annotations

import pytest

from selfheal_tui.engine.moment.steering import UNREAD, Avoid, avoid_words, avoided, offered, unread_words
from selfheal_tui.engine.workshop.searched import closed
from selfheal_tui.errors import InputError
from selfheal_tui.search.hunt.candidates import build_candidates
from selfheal_tui.search.program.avoid import closed_in, closed_together, is_closed_line
from selfheal_tui.search.program.localise import Suspect
from selfheal_tui.search.program.source import parse_source

TEXT = """PRICES = {"tea": 3, "rum": 9}


class Shop:
    RATES = [1, 2]

    def total(self, names):
        amount = 0
        for name in names:
            amount = PRICES[name]
        return amount


def rest(total, paid):
    table = {0: "none", 1: "one"}
    if total < paid:
        return 0
    return table.get(total - paid, 2)
"""
PROGRAM = {"shop.py": TEXT}


def lines_edited(*texts: str) -> set[int]:
    suspects = [Suspect("shop.py", line, 0.9, "runs") for line in range(1, TEXT.count("\n") + 1)]
    avoid = closed(avoided(texts, PROGRAM))
    candidates = build_candidates(PROGRAM, [], suspects, avoid=avoid)
    assert (candidates.edits.left_out > 0) == bool(texts)
    return {candidate.line for candidate in candidates}


def test_nothing_is_edited_in_a_closed_function_or_line() -> None:
    everywhere = lines_edited()
    assert {7, 8, 9, 10, 11} & everywhere and {16, 18} <= everywhere
    assert not lines_edited("function:total") & set(range(7, 12))
    assert lines_edited("function:Shop.total") >= {16, 18}
    assert 16 not in lines_edited("line:shop.py:16") and 18 in lines_edited("line:shop.py:16")
    assert not lines_edited("function:total", "function:shop.py:rest") - {1, 3, 4, 5, 6, 12, 13}


def test_constants_in_data_are_left_alone_and_others_are_not() -> None:
    source = parse_source("shop.py", TEXT)
    is_closed = closed_in(closed([{"what": "data"}]), source)

    def edited(old: str, new: str, within: str = "") -> bool:
        start = TEXT.index(within or old) + (within.index(old) if within else 0)
        return is_closed(start, start + len(old), new)

    assert edited("3", "4", '"tea": 3') and edited("[1, 2]", "[1, 3]") and edited('"one"', '"two"')
    assert not edited("0", "1", "amount = 0") and not edited("<", "<=", "total < paid")
    table = 'table = {0: "none", 1: "one"}'
    assert not edited(table, f"if paid:\n        {table}"), "the table itself stays as it is"
    assert edited(table, "table = {}")


def test_a_closed_line_is_found_again_where_it_has_moved() -> None:
    avoid = closed(avoided(["line:shop.py:16"], PROGRAM))
    moved = TEXT.replace("class Shop:", "import sys\n\n\nclass Shop:")
    is_closed = closed_in(avoid, parse_source("shop.py", moved))
    at = moved.index("< paid")
    assert is_closed(at, at + 1, "<=")
    gone = closed_in(avoid, parse_source("shop.py", moved.replace("total < paid", "total <= paid")))
    assert not gone(at, at + 2, "<")


def test_words_are_read_and_said() -> None:
    read = avoided(["function:total", "line:shop.py:16", "data", "data"], PROGRAM)
    assert avoid_words(read) == "not in Shop.total, not line 16 of shop.py, not in tables of constants"
    assert read[1] == {"what": "line", "file": "shop.py", "line": 16, "text": "if total < paid:"}
    assert offered(PROGRAM, "shop.py", 10) == ["function:shop.py:Shop.total", "line:shop.py:10", "data"]
    assert offered(PROGRAM, "shop.py", 1) == ["line:shop.py:1", "data"]
    assert offered({"a.py": "def f(x):\n    return [x]\n"}, "a.py", 2) == ["function:a.py:f", "line:a.py:2"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Data",
        "data:x",
        "line:shop.py",
        "line:shop.py:0",
        "line:x.py:1",
        "line:shop.py:99",
        "function:",
        "function:nobody",
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(InputError):
        avoided([text], PROGRAM)


def test_a_reason_that_the_search_cannot_read_is_answered() -> None:
    line: list[Avoid] = [{"what": "line", "file": "p.py", "line": 3, "text": "x"}]

    def words(note: str, **more: object) -> str:
        return unread_words({"verdict": "reject", "by": "human", "note": note, **more})

    assert words("the tests are right") == UNREAD
    assert words("not line 3 of p.py", avoid=line) == ""
    assert words("no", avoid=line) == "The search cannot read reasons; it goes by: not line 3 of p.py."
    assert words("no", by="policy") == "" and words("no", verdict="approve") == "" and unread_words(None) == ""


def test_a_closed_function_or_line_is_no_suspect() -> None:
    avoid = closed(avoided(["function:Shop.total", "line:shop.py:16"], PROGRAM))
    shut = {n for n in range(1, TEXT.count("\n") + 1) if is_closed_line(avoid, PROGRAM, "shop.py", n)}
    assert shut == {*range(7, 12), 16}
    assert not is_closed_line(closed([]), PROGRAM, "shop.py", 8)
    assert not is_closed_line(avoid, PROGRAM, "shop.py", 999)


def test_lines_that_are_closed_together_are_found_again_where_they_went() -> None:
    program = {"a.py": "x = 1\ny = 2\n", "b.py": "z = 3\n"}
    avoid = avoided(["together:a.py:2+b.py:1"], program)
    assert avoid_words(avoid) == "not a.py:2 and b.py:1 in one repair"
    assert avoid_words(avoided(["together:a.py:2+a.py:1"], program)) == "not lines 1 and 2 of a.py in one repair"
    moved = {**program, "a.py": "w = 0\n" + program["a.py"]}
    assert closed_together(closed(avoid), moved) == [frozenset({("a.py", 3), ("b.py", 1)})]
    assert closed_in(closed(avoid), parse_source("a.py", program["a.py"]))(6, 11, "y = 3") is False
    with pytest.raises(InputError, match="no line"):
        avoided(["together:a.py:2+a.py:9"], program)
