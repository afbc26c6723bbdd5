"""Several candidates on the repair card: a line each, what the shown one does, and what parts it from the first."""

from __future__ import annotations

import re

import pytest

from selfheal_tui.engine.moment.candidate_words import CandidateLine, candidate_lines
from selfheal_tui.engine.moment.state import Repair
from selfheal_tui.ui.run.cards.candidate_list import CandidateList, line_ends, told_apart, where_in
from selfheal_tui.ui.run.cards.repair import RepairCard
from tests.ui.fakes import CODE, FIXED, HALF, FakeSession, repair
from tests.ui.running import SIZES, Run, running

WHY = "It treats a value of the tests as a case of its own: `a[0] != b[1]`."


def changed(old: str, new: str, failing: int = 0) -> Repair:
    return repair(CODE.replace(old, new), failing, 1)


def five() -> FakeSession:
    """Return a session with five candidates: one marked as a coincidence, one that breaks what passes."""
    session = FakeSession("s1")
    marked: Repair = {
        **changed("a[0] <= b[1] and b[0] <= a[1]", "a[0] != b[1] and b[0] < a[1]"),
        "marks": [{"kind": "special", "why": WHY}],
        "answers": {"overlap((0, 1), (2, 3))": "True"},
    }
    breaking: Repair = {
        **changed("if merged and overlap", "if merged and not overlap", 1),
        "fixes": [],
        "breaks": ["test_intervals.py::test_inside"],
    }
    session.candidates = {
        "1": {**repair(FIXED, 0, 1), "answers": {"overlap((0, 1), (2, 3))": "False"}},
        "2": marked,
        "3": changed("a[0] <= b[1] and b[0] <= a[1]", "a[0] < b[1] and b[0] != a[1]"),
        "4": repair(HALF, 1, 4),
        "5": breaking,
    }
    return session


def painted(run: Run) -> str:
    """Return what of the side can be seen without scrolling."""
    side = run.screen.side.region
    strips = run.screen._compositor.render_strips()
    return "\n".join(
        "".join(segment.text for segment in strip.crop(side.x, side.right))
        for strip in strips[max(0, side.y - 1) : side.bottom]
    )


@SIZES
async def test_five_candidates_the_question_and_the_effect_are_seen_at_once(size: tuple[int, int]) -> None:
    async with running(five(), size=size) as run:
        await run.press("a", "2")
        shown = painted(run)
        assert "approve repair 2 of 5" in shown
        rows = [line.strip("│ ") for line in shown.splitlines() if re.match("[│ ]*▶? *[1-5] line ", line)]
        assert [row.lstrip("▶ ")[0] for row in rows] == ["1", "2", "3", "4", "5"]
        assert rows[1].startswith("▶ 2 line 8") and rows[1].endswith("fixes 2 breaks 0 1 doubt"), rows[1]
        assert rows[4].endswith("fixes 0 breaks 1") and rows[4].startswith("5 line 15")
        assert "every test passes" in shown and "compared with 1" in shown
        assert "⚠ It treats a value" in run.side_text()
        await run.press("down", "c", *"why", "enter")
        assert "+ why (intervals.py:" in painted(run), "what goes along is always in sight"


def test_candidates_that_would_be_cut_to_the_same_begin_where_they_differ() -> None:
    candidates = list(five().candidates.values())[:3]
    lines = candidate_lines(candidates, {"intervals.py": CODE}, {})
    words = told_apart(lines, 30)
    assert len({one[:30] for one in words}) == 3, words
    assert told_apart(lines, 200) == [line.head for line in lines]


def test_what_is_cut_to_the_same_goes_on_at_its_own_line() -> None:
    code = "".join(f"value_{number} = old_value_{number}\n" for number in range(1, 9))
    texts = [
        code.replace("= old_value_2", f"= a_long_new_value_2 + a_second_{second}").replace(
            "= old_value_5", f"= a_long_new_value_5 + a_second_{third}"
        )
        for second, third in ((1, 1), (1, 2), (2, 2))
    ]
    lines = candidate_lines([changed(CODE, text) for text in texts], {"intervals.py": code}, {})
    words = told_apart(lines, 40)
    assert len({one[:40] for one in words}) == 3, words
    for one in words:
        where, _, said = one.partition(" …")
        assert f"value_{'5' if where == 'line 2' else '2'}" not in said, "a piece of another line"


async def test_what_parts_a_candidate_from_the_first_and_nothing_twice() -> None:
    session = five()
    session.moment_changes = {"waiting": ("test_intervals.py::test_other",)}
    async with running(session, size=(140, 45)) as run:
        await run.press("a")
        assert "every test passes but 1 of other groups, which waits · fixes" in " ".join(run.side_text().split())
        assert "compared with 1" not in run.side_text() and "smallest edit" not in run.side_text()
        await run.press("2")
        text = run.side_text()
        assert (
            "compared with 1: overlap((0, 1), (2, 3)) gives True, repair 1 gives False; same line, `!=` instead of `<`"
            in text
        )
        assert text.index("every test passes") < text.index("compared with 1") and "passes the same cases" in text
        assert text.count("every test passes") == 1 and "breaks nothing" not in text
        await run.press("4")
        assert "begins" not in run.side_text() and "does not pass test_touching" in run.side_text()


async def test_a_click_on_a_line_shows_its_candidate() -> None:
    async with running(five()) as run:
        await run.press("a")
        await run.pilot.click(CandidateList, offset=(10, 3))
        await run.press()
        assert run.screen.query_one(RepairCard).label == "4"


async def test_one_candidate_is_no_list() -> None:
    session = FakeSession("s1")
    session.candidates = {"1": repair(FIXED, 0, 1)}
    async with running(session) as run:
        await run.press("a")
        assert not run.screen.query_one(CandidateList).display
        assert "breaks nothing" in run.side_text()


@pytest.mark.parametrize(
    ("width", "breaks", "end"),
    [
        (80, "breaks 0", "  fixes 2  breaks 0  1 doubt"),
        (44, "breaks 0", " fixes 2 breaks 0 1 doubt"),
        (44, "breaks 1", " fixes 2 breaks 1 1 doubt"),
    ],
)
def test_what_a_candidate_does_always_stands_in_full(width: int, breaks: str, end: str) -> None:
    lines = [CandidateLine("line 8", "`<=` -> `<`", "fixes 2", breaks, doubts) for doubts in ("1 doubt", "")]
    first, second = (one.plain for one in line_ends(lines, width))
    assert first == end and second.rstrip() == end.removesuffix("1 doubt").rstrip() and len(second) == len(first)


async def test_what_is_changed_is_seen_beside_the_timeline_too() -> None:
    session = FakeSession("s1")
    old = "a[0] <= b[1] and b[0] <= a[1]"
    news = ["a[0] < b[1] and b[0] < a[1]", "a[0] < b[1] and b[0] != a[1]", "a[0] != b[1] and b[0] < a[1]"]
    session.candidates = {str(number): changed(old, new) for number, new in enumerate(news, 1)}
    session.candidates["2"] = {**session.candidates["2"], "marks": [{"kind": "special", "why": WHY}]}
    async with running(session) as run:
        await run.press("a", "T")
        rows = [re.sub(r"^.*[│▶ ](?=[123] line 8)", "", row).rstrip(" ▇▄█│") for row in painted(run).splitlines()]
        rows = [row for row in rows if re.match("[123] line 8 ", row)]
        assert len({row[2:] for row in rows}) == 3 and all("[" in row for row in rows), rows
        assert rows[1].endswith("1 doubt") and "fixes" not in rows[0]
        await run.press("T")
        assert "fixes 2 breaks 0 1 doubt" in painted(run)


def test_columns_that_tell_candidates_apart_give_way_last() -> None:
    change = "`a[0] <= b[1]` -> `a[0] < b[1]`"
    lines = [CandidateLine("line 8", change, f"fixes {n}", f"breaks {n // 3}", "") for n in (2, 3)]
    assert [end.plain for end in line_ends(lines, 40, 24)] == [" breaks 0", " breaks 1"]
    assert [end.plain for end in line_ends(lines, 48, 24)] == [" fixes 2 breaks 0", " fixes 3 breaks 1"]


@SIZES
async def test_the_line_that_rejects_says_which_go_and_stands_in_full_with_a_comment(size: tuple[int, int]) -> None:
    session = five()
    for repair_ in session.candidates.values():
        repair_["strategy"] = "search"
    async with running(session, size=size) as run:
        await run.press("a", "down", "c", *"why", "enter", "3", "r")
        words = " ".join(re.sub(r"[│█\s]+", " ", painted(run)).split())
        assert (
            "Why not? This rejects this repair and those at the lines with comments. 1 comment goes with it." in words
        )
        assert words.count("2 not line 8 of intervals.py") == 1 and "it only avoids these repairs" in words
        assert "tables of constants" not in words, "there are none"
        assert "enter rejects · esc cancels" in words


def test_a_place_is_cut_at_its_folders_and_never_inside_its_line_number() -> None:
    assert where_in("boltons/iterutils.py:668", 22) == "iterutils.py:668"
    assert where_in("boltons/iterutils.py:668", 24) == "boltons/iterutils.py:668" and where_in("line 8", 2) == "line 8"


async def test_a_long_line_goes_on_below_where_there_are_rows_to_spare() -> None:
    async with running(five(), size=(140, 45)) as run:
        await run.press("a")
        rows = run.screen.query_one(CandidateList)
        texts = [rows.render_line(y).text.rstrip() for y in range(rows.size.height)]
        assert len(texts) > 5 and not any("…" in text for text in texts), texts
        third = next(y for y, text in enumerate(texts) if text.lstrip().startswith("3 line 8"))
        await run.pilot.click(CandidateList, offset=(10, third + 1))
        await run.press()
        assert run.screen.query_one(RepairCard).label == "3"


async def test_where_repairs_disagree_is_said_above_what_is_known_of_one() -> None:
    session = five()
    session.moment_changes = {"question": {"call": "f(0)", "answers": [{"text": "0", "repairs": 8, "share": 1.0}]}}
    async with running(session) as run:
        await run.press("a")
        card = run.screen.side.card
        assert isinstance(card, RepairCard) and card.describe().plain.startswith("? they disagree: f(0) is a: 0 (8 rep")
        assert card._body.region.y < card._text.region.y < card._body.region.bottom, "its first row is on the screen"
