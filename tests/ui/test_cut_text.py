"""What a card or a panel has no room for: the hint that there is more, and what stands where it is seen."""

from __future__ import annotations

import pytest

from selfheal_tui.engine.moment.state import Diagnosis
from selfheal_tui.ui.run.answering import _packed
from selfheal_tui.ui.run.cards.diagnosis import diagnosis_content
from selfheal_tui.ui.run.cards.repair import RepairCard
from selfheal_tui.ui.run.cards.repair_text import repair_content
from tests.ui.fakes import CANDIDATES, DIAGNOSIS, FIXED, FakeSession, repair
from tests.ui.running import SIZES, Run, running

WHY = "It only starts `n` at `-1` instead of `0`, which may be a coincidence of these few cases."


def doubted() -> FakeSession:
    """Return a session whose repairs bear doubts and many words."""
    session = FakeSession("s1")
    one = repair(FIXED, 0, 1)
    one["marks"] = [{"kind": "start", "why": WHY}]
    one["summary"] = "compare with < instead of <= " * 20
    session.candidates = {"a": {**one, "confidence": 0.56}, "b": CANDIDATES["b"], "c": {**one, "rank": 3}}
    return session


def hint_is_right(run: Run) -> bool:
    side = run.screen.side
    assert side.card is not None
    return side.card.body.hides_more == ("↓ more" in str(side.border_title))


async def test_the_hint_is_there_whenever_text_is_cut() -> None:
    async with running(doubted()) as run:
        assert hint_is_right(run)
        await run.press("a")
        card = run.screen.side.card
        assert isinstance(card, RepairCard) and card.body.hides_more and hint_is_right(run)
        for width, height in ((80, 40), (60, 24), (140, 45), (80, 24)):
            await run.pilot.resize_terminal(width, height)
            await run.settle()
            assert hint_is_right(run), (width, height)
            assert card.body.hides_more == (card.body.max_scroll_y > 0), "nothing stays scrolled"
        card._body.scroll_end(animate=False)
        await run.settle()
        assert not card.body.hides_more and hint_is_right(run)
        await run.pilot.resize_terminal(140, 45)
        await run.settle()
        assert card._body.scroll_y == 0 and hint_is_right(run)


async def test_what_is_hidden_is_not_said_to_be_cut() -> None:
    session = FakeSession("s1")
    session.diagnosis = {**DIAGNOSIS, "cause": WHY * 9}
    async with running(session) as run:
        assert "↓ more" in str(run.screen.side.border_title)
        await run.press("e")
        assert "↓ more" not in str(run.screen.side.border_title), "the form stands in the place of the text"
        await run.press("escape")
        assert "↓ more" in str(run.screen.side.border_title)


async def test_a_panel_that_is_cut_says_so_too() -> None:
    async with running(FakeSession("s1")) as run:
        session = run.session
        session.moment_changes = {"doubts": tuple(f"{WHY} {number}" for number in range(9))}
        await run.press("a", "a")
        assert run.screen.model.outcome == "healed" and "↓ more" in str(run.screen.side.border_title)


async def scrolls_with_one_tab(run: Run) -> bool:
    """Press tab and an arrow where the title says that these scroll the card."""
    side = run.screen.side
    assert "↓ more" in str(side.border_title) and "tab" in str(side.border_title)
    before = side.body.scroll_y
    await run.press("tab", "down")
    return side.body.has_focus and side.body.scroll_y > before


@SIZES
async def test_one_tab_goes_to_the_card_from_wherever_the_keys_are(size: tuple[int, int]) -> None:
    session = FakeSession("s1")
    session.diagnosis = {**DIAGNOSIS, "cause": WHY * 40}
    async with running(session, size=size) as run:
        await run.press("v")
        for tab in ("diagnosis", "lessons", "calls", "transcript", "code", "diff", "tests", "matrix"):
            run.screen.evidence.tabs.activate(tab)
            run.screen.side.body.scroll_home(animate=False)
            await run.settle()
            assert await scrolls_with_one_tab(run), tab
        run.screen.set_focus(None)
        assert await scrolls_with_one_tab(run)


async def test_tab_pressed_again_goes_on_to_every_pane() -> None:
    session = FakeSession("s1")
    session.diagnosis = {**DIAGNOSIS, "cause": WHY * 9}
    async with running(session, size=(140, 30)) as run:
        run.screen.evidence.tabs.activate("tests")
        await run.settle()
        panes = run.screen.focus_chain
        assert len(panes) > 4
        gone_to = []
        for _ in panes:
            await run.press("tab")
            gone_to.append(run.screen.focused)
        assert set(gone_to) == set(panes) and gone_to[0] is run.screen.side.body


async def test_a_panel_is_reached_with_one_tab_as_well() -> None:
    session = FakeSession("s1")
    session.moment_changes = {"doubts": tuple(f"{WHY} {number}" for number in range(9))}
    async with running(session) as run:
        await run.press("a", "a")
        run.screen.evidence.tabs.activate("code")
        await run.settle()
        assert await scrolls_with_one_tab(run)


async def test_where_tab_is_typed_into_python_the_title_names_no_keys() -> None:
    session = FakeSession("s1")
    session.diagnosis = {**DIAGNOSIS, "cause": WHY * 9}
    async with running(session, size=(140, 30)) as run:
        assert "tab" in str(run.screen.side.border_title)
        await run.press("t")
        assert str(run.screen.side.border_title).endswith("↓ more")
        await run.press("escape")
        assert "tab" in str(run.screen.side.border_title)


async def test_the_doubts_of_a_candidate_stand_where_its_verdict_does() -> None:
    async with running(doubted()) as run:
        await run.press("a")
        card = run.screen.side.card
        assert isinstance(card, RepairCard)
        rows = [card._text.render_line(y).text for y in range(card._text.size.height)]
        seen = card._body.size.height - (card._text.virtual_region.y - round(card._body.scroll_y))
        assert any("It only starts" in row for row in rows[:seen])


@pytest.mark.parametrize("is_listed", [True, False])
def test_how_sure_the_search_is_stands_on_the_card(is_listed: bool) -> None:
    one = repair(FIXED, 0, 1)
    listed = [one] if is_listed else []
    one["marks"] = [{"kind": "start", "why": WHY}]
    rows = repair_content({**one, "confidence": 0.56}, "another place", listed=listed).plain.splitlines()
    verdict = next(number for number, row in enumerate(rows) if "every test passes" in row)
    assert rows[verdict + 1 : verdict + 4] == [
        f"⚠ {WHY}",
        "? the search is only 56% sure of it",
        "≠ compared with 1: another place",
    ]
    assert rows[verdict + 4].startswith("✓ fixes test_touching")
    assert repair_content({**one, "confidence": 0.84}, listed=listed).plain.endswith("boundary · by search · 84% sure")
    assert "sure" not in repair_content(one, listed=listed).plain
    likelier = repair_content(one, listed=[{**one, "confidence": 0.84}, one]).plain
    assert "? the search holds another one for likelier" in likelier


def test_choices_beside_each_other_are_not_torn() -> None:
    choices = [f"{number} not line {20 + number} of staff.py" for number in range(1, 7)]
    rows = _packed(choices, 70)
    assert all(len(row) <= 70 for row in rows) and len(rows) == 3
    assert [choice for row in rows for choice in row.split(" · ")] == choices


async def test_a_race_is_offered_only_where_its_lanes_could_differ() -> None:
    async with running(FakeSession("s1")) as run:
        assert run.screen.check_action("race", ())
        await run.press("a", "a")
        assert run.screen.model.outcome == "healed" and not run.screen.check_action("race", ())
        assert "nothing to go on with" in run.screen.offers.why_not("race")


def test_each_place_of_a_program_of_several_files_names_its_file() -> None:
    places = diagnosis_content(DIAGNOSIS, "1", several_files=True).plain
    assert "1 intervals.py:8" in places and "2 intervals.py:15" in places
    assert "1 line 8" in diagnosis_content(DIAGNOSIS, "1").plain


def test_the_kind_of_slip_stands_in_words_where_the_search_knows_them() -> None:
    told: Diagnosis = {**DIAGNOSIS, "slip": "a bound is one too small or too large"}
    assert "the code is wrong · a bound is one too small or too large · 82% sure" in diagnosis_content(told, "1").plain
    second = diagnosis_content(told, "2").plain
    assert "the code is wrong · the search holds the first place for likelier" in second, "82% is of the first"
