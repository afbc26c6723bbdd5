"""Search, folding and the preview on the run screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from selfheal_tui.engine.moment.hits import Hit, Hits
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.ui.kit.code_view import CodeView
from selfheal_tui.ui.kit.picker_list import PickerList
from selfheal_tui.ui.kit.timeline_tree import TimelineTree
from selfheal_tui.ui.run.looking import Looking
from tests.ui.fakes import FakeSession
from tests.ui.running import SIZES, Run, running


class Searched(FakeSession):
    """Counts what is loaded."""

    def __init__(self) -> None:
        super().__init__("s1")
        self.loaded: list[str] = []

    async def snapshot(self, checkpoint_id: str) -> Snapshot:
        self.loaded.append(checkpoint_id)
        return await super().snapshot(checkpoint_id)


async def search(run: Run, text: str) -> list[str]:
    await run.press("slash", *text)
    return [f"{row.text}  {row.why}" for row in run.screen.side.picker.query_one(PickerList).rows]


@SIZES
async def test_matches_say_what_and_where_and_are_counted(size: tuple[int, int]) -> None:
    async with running(Searched(), size) as run:
        rows = await search(run, "<=")
        assert [row.split() for row in rows] == [
            ["code", "#0", "tests", "ran", "intervals.py:8", "return", "a[0]", "<=", "b[1]"],
            ["diagnosis", "#0", "diagnosis", "[red]overlap\x1b[0m", "compares", "with", "<="],
        ]
        assert "2 matches: code 1 · diagnosis 1" in run.side_text()


async def test_the_arrows_show_each_match_and_enter_stays_there_in_its_tab() -> None:
    async with running(Searched()) as run:
        await search(run, "<=")
        assert run.screen.model.position == "c2"
        await run.press("n")
        assert run.screen.side.picker.typed == "<=n" and run.screen.model.past is not None, "n is a letter here"
        await run.press("backspace", "down", "up", "enter")
        assert run.screen.model.position == "c2" and not run.screen.side.picker.is_open
        assert run.screen.evidence.tabs.active == "code"


async def test_a_match_in_the_code_is_shown_in_the_code_also_from_another_tab() -> None:
    async with running(Searched()) as run:
        await run.press("a")
        assert run.screen.evidence.tabs.active == "diff"
        await search(run, "return")
        await run.press("enter")
        assert run.screen.evidence.tabs.active == "code" and run.screen.model.position == "c2"


async def test_the_arrows_show_a_match_in_its_tab_and_in_a_test_file() -> None:
    async with running(Searched()) as run:
        await run.press("a")
        await search(run, "return")
        assert run.screen.evidence.tabs.active == "code" and run.screen.side.picker.is_open
        path = next(iter(run.screen.model.shown.tests))  # type: ignore[union-attr]
        run.screen.evidence.show_match("code", path, 1, focus=False)
        await run.settle()
        assert path in run.screen.evidence.query_one("#code CodeView", CodeView)._source
        await run.press("escape")
        assert run.screen.evidence.tabs.active == "diff"


class WithCandidates(Searched):
    async def search(self, text: str) -> AsyncGenerator[Hits, None]:
        at = next(one.id for one in (await self.timeline()).checkpoints.values() if one.node == "rank")
        yield Hits((Hit(at, "repair", "candidate 2", 0, "+ b"),), 1, 1)


async def test_a_match_in_another_candidate_shows_that_one() -> None:
    async with running(WithCandidates()) as run:
        await run.press("a")
        await search(run, "+ b")
        await run.press("enter")
        assert run.screen.answering.pick == "b" and run.screen.evidence.tabs.active == "diff"


async def test_what_is_typed_replaces_what_was_searched_for_last() -> None:
    async with running(Searched()) as run:
        await search(run, "<=")
        await run.press("escape", "slash", "q")
        assert run.screen.side.picker.typed == "q"


async def test_escape_goes_back_to_where_one_was_and_the_text_is_kept() -> None:
    async with running(Searched()) as run:
        await search(run, "<=")
        await run.press("escape")
        assert run.screen.model.past is None and not run.screen.side.picker.is_open
        await run.press("slash")
        assert run.screen.side.picker.typed == "<="


async def test_nothing_found_is_said_and_enter_goes_nowhere() -> None:
    async with running(Searched()) as run:
        assert await search(run, "zebra") == []
        assert "Nothing holds that." in run.side_text()
        await run.press("enter")
        assert run.screen.side.picker.is_open and run.screen.model.past is None


async def test_the_cursor_previews_its_moment_once_and_not_each_row_it_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(Searched(), (140, 45)) as run:
        await run.press("a")
        await run.press("T", "home")
        run.session.loaded.clear()  # type: ignore[attr-defined]
        monkeypatch.setattr(Looking, "PAUSE_S", 0.05)
        for _ in range(3):
            run.screen.timeline.action_move(1)
            await asyncio.sleep(0)
        await run.settle()
        assert run.session.loaded[:1] == [run.screen.timeline.current]  # type: ignore[attr-defined]
        assert run.screen.model.position == run.screen.timeline.current and run.screen.timeline.has_focus


async def test_an_iteration_folds_by_key_and_by_mouse() -> None:
    async with running(size=(140, 45)) as run:
        await run.press("a", "a", "T", "end", "up")
        tree = run.screen.query_one(TimelineTree)
        whole = len(tree._drawn.rows)
        await run.press("left")
        folded = len(tree._drawn.rows)
        assert folded < whole and tree._drawn.rows[tree.cursor].glyph.startswith("+")
        await run.press("right")
        assert len(tree._drawn.rows) == whole
        await run.press("shift+left")
        assert len(tree._drawn.rows) == folded
        await run.press("shift+right")
        head = next(n for n, row in enumerate(tree._drawn.rows) if row.head)
        await run.pilot.click(TimelineTree, offset=(2, head + 1))
        await run.settle()
        assert len(tree._drawn.rows) == folded
        tree.reveal("c3")
        assert len(tree._drawn.rows) == whole and tree.current == "c3"
