"""Which keys a card and the footer name, and that nothing covers a question or is wider than it needs."""

from __future__ import annotations

import pytest
from textual.widgets import DataTable, Tabs
from textual.widgets._toast import Toast, ToastRack

from selfheal_tui.engine.moment.review import ReviewKind
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.key_footer import KeyFooter
from selfheal_tui.ui.kit.key_row import KeyRow
from selfheal_tui.ui.kit.picker import Picker
from selfheal_tui.ui.run.cards.end import EndCard
from selfheal_tui.ui.view.model import Review
from tests.ui.fakes import FakeSession, FakeWorkbench, settle, snapshot, two_hunks
from tests.ui.running import SIZES, Run, running


def footer(run: Run) -> str:
    return str(run.screen.query_one(KeyFooter).render())


async def test_every_key_that_a_card_or_a_panel_names_does_something() -> None:
    session = FakeSession("s1")
    session.root_folder = None
    async with running(session, (140, 45)) as run:
        for keys in ((), ("a",), ("left_square_bracket",), ("n", "a"), ("left_square_bracket",)):
            await run.press(*keys)
            hints = [hint for row in run.screen.side.query(KeyRow) if row.region.area for hint in row.hints]
            assert hints
            dead = [hint.words for hint in hints if hint.action and not run.screen.check_action(hint.action, ())]
            assert dead == [], keys


@pytest.mark.parametrize("has_folder", [True, False])
def test_the_card_at_the_end_names_the_folder_s_keys_only_where_there_is_one(has_folder: bool) -> None:
    kind: ReviewKind = "end"
    card = EndCard()
    card.has_folder = has_folder
    card.review, card.snapshot = Review("c1", kind), snapshot("c1", "critique")
    hints = card.keys()
    assert ({"W", "K"} <= {key for key, _, _ in hints}) is has_folder
    card.review = Review("c1", kind, again=True)
    hints = card.keys()
    assert [key for key, _, _ in hints] == ["a", "r", "s", "w", "D"], "nothing is written from the past"


async def test_the_footer_names_the_brackets_as_keys_and_what_the_timeline_does() -> None:
    async with running() as run:
        assert " [ or ] Moment " in footer(run)
        await run.press("T")
        assert all(words in footer(run) for words in ("← Fold", "→ Unfold", "/ Search", "f Fork", "? Help", "q Quit"))


@SIZES
@pytest.mark.parametrize("opens", ["", "r"])
async def test_a_toast_covers_neither_the_question_nor_the_line(size: tuple[int, int], opens: str) -> None:
    session = FakeSession("s1")
    app = SelfHealApp(FakeWorkbench(session), session_id="s1")  # type: ignore[arg-type]
    async with app.run_test(size=size, notifications=True) as pilot:
        run = Run(app, pilot, session)
        await run.settle()
        await run.press(*opens)
        app.notify("one\ntwo", markup=False)
        await run.settle()
        toasts = [toast.region for toast in run.screen.get_child_by_type(ToastRack).walk_children(Toast)]
        assert toasts and all(toast.area for toast in toasts)
        assert not any(toast.overlaps(run.screen.side.region) for toast in toasts)
        assert not any(toast.overlaps(run.screen.evidence.tabs.query_one(Tabs).region) for toast in toasts)


async def test_the_columns_are_as_wide_as_they_need() -> None:
    async with running(size=(140, 45)) as run:
        await run.press("T")
        assert run.screen.timeline.region.width < 40, "three short rows"
        await run.press("T", "a")
        assert run.screen.side.region.width >= min(56, run.screen.side.card.needed_width)  # type: ignore[union-attr]


async def test_a_list_in_the_settings_leaves_the_settings_in_sight() -> None:
    app = SelfHealApp(FakeWorkbench(FakeSession("s1")))  # type: ignore[arg-type]
    async with app.run_test(size=(80, 24)) as pilot:
        app.action_settings()
        await settle(pilot)
        table = app.screen.query_one(DataTable)
        table.move_cursor(row=next(n for n, key in enumerate(table.rows) if key.value == "theme"))
        await pilot.press("enter")
        await settle(pilot)
        assert app.screen.query_one(Picker).is_open and table.region.height >= 8
        assert app.screen.query_one(Picker).region.bottom <= 23
        await pilot.press("escape")
        await settle(pilot)
        assert app.screen.query_one("#one").display


async def test_tabs_for_which_there_is_no_room_are_told_of() -> None:
    async with running() as run:
        more = run.screen.query_one("#more-tabs")
        assert not more.region.area
        await run.press("T")
        tabs = run.screen.evidence.tabs.query_one(Tabs)
        assert more.region.area and more.region.y == tabs.region.y and more.region.right == tabs.region.right
        await run.pilot.resize_terminal(140, 45)
        await run.settle()
        assert not more.region.area


@pytest.mark.parametrize(("keys", "says"), [((), "q quits."), (("a", "e"), "First esc, then q quits.")])
async def test_ctrl_c_names_the_key_that_the_footer_names(keys: tuple[str, ...], says: str) -> None:
    async with running() as run:
        await run.press(*keys, "ctrl+c")
        assert [note.message for note in run.app._notifications] == [says]


async def test_the_hint_how_to_scroll_is_never_what_is_cut() -> None:
    session = two_hunks()
    note = {"path": "intervals.py", "line": 8, "text": "no " * 60, "quoted": "x", "pick": "a"}
    session.comments.kept["c5"] = [note]  # type: ignore[list-item]
    async with running(session) as run:
        await run.press("a")
        for width in (80, 60, 50):
            await run.pilot.resize_terminal(width, 24)
            await run.settle()
            title = str(run.screen.side.border_title)
            if run.screen.side.card is not None and run.screen.side.card.body.hides_more:
                assert "↓ more" in title and len(title) <= width - 4
        assert run.screen.side.card is not None and run.screen.side.card.body.hides_more
