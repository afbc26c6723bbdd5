"""Trying things beside the code that is shown: keys that are typed there decide nothing, results can be attached."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual import events
from textual.widgets import Static

from selfheal_tui.engine.workshop.trial import Tried
from selfheal_tui.errors import SandboxError
from selfheal_tui.ui.run.cards.side import Side
from selfheal_tui.ui.run.tabs.evidence import Evidence
from selfheal_tui.ui.run.tabs.try_input import TryInput, is_complete
from selfheal_tui.ui.run.tabs.try_pane import TryResults
from tests.ui.fakes import FIXED, FakeSession, two_hunks
from tests.ui.running import SIZES, Run, running


def results(run: Run) -> str:
    view = run.screen.query_one(TryResults)
    return "\n".join(view.render_line(y).text.rstrip() for y in range(view.size.height))


def keys(run: Run) -> str:
    return str(run.screen.query_one("#try-keys", Static).render()).replace("\xa0", " ")


async def write(run: Run, text: str) -> None:
    run.screen.query_one(TryInput).insert(text)
    await run.press("enter")


@SIZES
async def test_an_expression_is_tried_on_the_repair_and_on_the_code(size: tuple[int, int]) -> None:
    async with running(size=size) as run:
        await run.press("a", "t")
        assert "Try on repair 1" in keys(run) and "on the code" in keys(run)
        await write(run, "merge([])")
        assert run.session.tried_texts == [("merge([])", {"intervals.py": FIXED}, "repair 1")]
        assert ">>> merge([])   on repair 1 · 4 ms" in results(run) and "= [red]1[/red]" in results(run)
        assert run.screen.query_one(TryInput).text == ""
        await run.press("ctrl+o")
        await write(run, "raise ValueError('no')")
        assert run.session.tried_texts[1][1:] == ({}, "the code")
        assert "✗ ValueError: no" in results(run) and "selfheal_try.py:1" in results(run)
        assert run.screen.query_one(Side).region.area or size[0] < 100
        await run.press("escape")
        assert run.screen.query_one(Evidence).tabs.active == "diff" and len(run.session.decisions) == 1


async def test_a_block_goes_on_until_an_empty_line_and_arrows_recall() -> None:
    async with running() as run:
        await run.press("a", "t")
        await write(run, "for n in (1, 2):")
        line = run.screen.query_one(TryInput)
        assert line.text == "for n in (1, 2):\n    " and run.session.tried_texts == []
        line.insert("print(n)")
        await run.press("enter", "enter")
        assert [text for text, _, _ in run.session.tried_texts] == ["for n in (1, 2):\n    print(n)"]
        await write(run, "2 + 2")
        await run.press("up")
        assert line.text == "2 + 2"
        await run.press("up")
        assert line.text.startswith("for n in") and line.cursor_location[0] == 1
        await run.press("up", "down", "down")
        assert line.text == "2 + 2"
        await run.press("down")
        assert line.text == ""


async def test_what_is_typed_there_answers_nothing() -> None:
    async with running() as run:
        await run.press("t", *"aers", "A", "1", "space", "f", "q", "enter")
        assert run.session.decisions == [] and run.session.forks == []
        assert [text for text, _, _ in run.session.tried_texts] == ["aersA1 fq"]
        await run.press("enter", "escape", "a")
        assert len(run.session.decisions) == 1 and len(run.session.tried_texts) == 1


async def test_a_question_that_comes_while_one_types_takes_no_key() -> None:
    stall = asyncio.Event()
    async with running(FakeSession("s1", stall=stall)) as run:
        await run.press("t")
        stall.set()
        await run.settle()
        assert run.screen.model.question is not None and run.screen.query_one(TryInput).has_focus
        await run.press("a")
        assert run.session.decisions == [] and run.screen.query_one(TryInput).text == "a"


async def test_what_is_attached_goes_with_the_decision() -> None:
    async with running() as run:
        await run.press("a", "t")
        await write(run, "merge([])")
        await run.press("ctrl+t")
        assert "goes with your decision" in results(run) and "do not send" in keys(run).replace("\xa0", " ")
        await run.press("ctrl+t", "ctrl+t", "escape")
        assert "+ merge([]) on repair 1 is [red]1[/red]" in run.side_text()
        await run.press("left_square_bracket", "n")
        assert "+ merge([]) on repair 1" in run.side_text()
        await run.press("r", *"no", "enter")
        answer = run.session.decisions[1][1]
        assert (answer["verdict"], answer["note"]) == ("reject", "no\nTried: merge([]) on repair 1 is [red]1[/red]")
        assert "merge([]) on repair 1" not in run.side_text(), "the next question starts without"


async def test_what_is_attached_is_there_when_the_session_is_opened_again() -> None:
    session = FakeSession("s1")
    async with running(session) as run:
        await run.press("a", "t")
        await write(run, "merge([])")
        await run.press("ctrl+t")
    session.resume = session.ask_again  # type: ignore[method-assign]
    async with running(session) as run:
        assert "+ merge([]) on repair 1 is [red]1[/red]" in run.side_text()
        await run.press("t")
        assert "goes with your decision" in results(run)
        await run.press("ctrl+t", "escape")
        assert "merge([]) on repair 1" not in run.side_text() and session.tries.kept["c5"] == []
        await run.press("t", "ctrl+t", "escape", "r", *"no", "enter")
        assert session.decisions[1][1]["note"] == "no\nTried: merge([]) on repair 1 is [red]1[/red]"


async def test_it_is_tried_on_the_hunks_that_are_taken() -> None:
    async with running(two_hunks()) as run:
        await run.press("a", "space", "t")
        await write(run, "1")
        assert run.session.tried_texts == [("1", {"intervals.py": FIXED}, "repair 1 (hunk 2 only)")]


async def test_a_sandbox_that_cannot_run_loses_nothing() -> None:
    class Broken(FakeSession):
        async def try_text(self, *_: Any, **__: Any) -> Tried:
            raise SandboxError("No sandbox here.", "Ask selfheal doctor.")

    async with running(Broken("s1")) as run:
        await run.press("t")
        await write(run, "1 + 1")
        assert "running" not in results(run)
        assert any("No sandbox here." in str(n.message) for n in run.app._notifications)
        await run.press("up")
        assert run.screen.query_one(TryInput).text == "1 + 1"


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("1", True),
        ("f(", False),
        ("if x:", False),
        ("if x:\n    y", False),
        ("if x:\n    y\n", True),
        ("1 +", True),
        ("'''", False),
        ("\\d", True),
    ],
)
def test_what_is_complete(text: str, complete: bool) -> None:
    assert is_complete(text) is complete


async def test_enter_waits_for_the_keys_before_it() -> None:
    async with running() as run:
        await run.press("a", "t")
        for key in (*"12", "enter", "3", "enter"):
            run.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await run.settle()
        assert [text for text, _, _ in run.session.tried_texts] == ["12", "3"]


@pytest.mark.parametrize("opens", ["t", "e", "r"])
async def test_a_key_typed_before_the_focus_has_moved_answers_nothing(opens: str) -> None:
    async with running() as run:
        await run.press("a")
        # Both are in the queue before the first one has moved the focus.
        run.app.post_message(events.Key(opens, opens))
        run.app.post_message(events.Key("a", "a"))
        await run.settle()
        assert len(run.session.decisions) == 1
