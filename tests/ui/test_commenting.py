"""Comments on lines, notes while the run works, and what becomes of a healed program, on the run screen."""

from __future__ import annotations

import asyncio
import subprocess
from dataclasses import replace
from pathlib import Path

from textual import events
from textual.widgets import Input

from selfheal_tui.ui.kit.commented_diff import CommentedDiff
from selfheal_tui.ui.kit.key_footer import KeyFooter
from selfheal_tui.ui.kit.key_row import KeyRow
from selfheal_tui.ui.run.cards.repair import RepairCard
from tests.ui.fakes import CODE, FIXED, FakeSession, repair, two_hunks
from tests.ui.running import SIZES, Run, running


def diff_lines(run: Run) -> list[str]:
    view = run.screen.query_one(CommentedDiff)
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


def keys(run: Run) -> str:
    row = run.screen.query_one("#panel-keys", KeyRow)
    return " ".join(f"{hint.key} {hint.words}" for hint in row.hints)


def git(folder: Path, *words: str) -> str:
    me = ("-c", "user.name=me", "-c", "user.email=me@here")
    return subprocess.run(["git", *me, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


async def typed(run: Run, *keys: str) -> None:
    await run.press(*keys)


@SIZES
async def test_a_comment_stands_below_its_line_and_goes_with_the_rejection(size: tuple[int, int]) -> None:
    async with running(size=size) as run:
        await run.press("a")
        assert isinstance(run.screen.side.card, RepairCard)
        await run.press("c", *"not both", "enter")
        lines = diff_lines(run)
        at = next(y for y, line in enumerate(lines) if "✎ not both" in line)
        assert "a[0] <" in lines[at - 1] or "b[1]" in lines[at - 1]
        (kept,) = run.session.comments.kept["c5"]
        assert (kept["path"], kept["line"], kept["text"], kept.get("pick")) == ("intervals.py", 8, "not both", "a")
        assert "a[0] <" in kept["quoted"]
        assert "+ not both (intervals.py:8, removed)" in " ".join(run.side_text().split())
        await run.press("r")
        assert "1 comment goes with it" in run.side_text()
        await run.press("enter")
        (_, answer) = run.session.decisions[-1]
        assert answer["verdict"] == "reject" and [one["text"] for one in answer["comments"]] == ["not both"]


async def test_how_long_a_comment_may_be_is_said_while_it_is_typed() -> None:
    async with running() as run:
        await run.press("a", "c")
        assert "500 characters at most" in run.side_text()
        run.app.post_message(events.Paste("x" * 499))
        await run.press(*"yz")
        assert run.screen.side.prompt.query_one(Input).value == "x" * 499 + "y"
        assert [toast.message for toast in run.app._notifications] == ["No more than 500 characters fit in here."]
        await run.press("enter", "i")
        run.app.post_message(events.Paste("x" * 501))
        await run.settle()
        assert len(run.screen.side.prompt.query_one(Input).value) == 501, "a note may be longer"


async def test_a_refused_key_that_is_pressed_again_is_answered_once() -> None:
    async with running() as run:
        await run.press(*"SSYYSS")
        assert len(run.app._notifications) == 1


@SIZES
async def test_the_words_of_a_comment_stand_whole_on_the_card(size: tuple[int, int]) -> None:
    words = "This must stay as it is because the other module compares spans in just this order, so mend that one."
    session = FakeSession("s1")
    session.comments.kept["c5"] = [
        {"path": "intervals.py", "line": 8, "text": words, "quoted": "return a[0] < b[1]", "pick": "a"}
    ]
    async with running(session, size=size) as run:
        await run.press("a")
        assert f"+ {words} (intervals.py:8)" in " ".join(run.side_text().split())


async def test_a_comment_is_edited_and_taken_away_on_its_line() -> None:
    async with running() as run:
        await run.press("a", "c", *"one", "enter", "c")
        assert run.screen.side.prompt.query_one(Input).value == "one"
        await run.press(*" two", "enter")
        assert [one["text"] for one in run.session.comments.kept["c5"]] == ["one two"]
        await run.press("down", "c", *"below", "enter")
        assert [(one["line"], one["text"]) for one in run.session.comments.kept["c5"]][-1][1] == "below"
        await run.press("up", "c", *["backspace"] * 7, "enter")
        assert [one["text"] for one in run.session.comments.kept["c5"]] == ["below"]
        assert not any("one two" in line for line in diff_lines(run))


async def test_comments_belong_to_their_candidate_and_come_back_from_disk() -> None:
    session = two_hunks()
    session.comments.kept["c5"] = [
        {"path": "intervals.py", "line": 8, "text": "on the second", "quoted": "x", "pick": "b"}
    ]
    async with running(session, size=(140, 45)) as run:
        await run.press("a")
        assert not any("on the second" in line for line in diff_lines(run)) and "on the second" in run.side_text()
        await run.press("2")
        assert any("✎ on the second" in line for line in diff_lines(run))
        await run.press("a")
        assert run.session.decisions[-1][1]["comments"] == session.comments.kept["c5"], "an approval takes them along"


async def test_hunks_and_lines_share_the_cursor() -> None:
    async with running(two_hunks(), size=(140, 45)) as run:
        await run.press("a", "j", "c", *"here", "enter")
        (kept,) = run.session.comments.kept["c5"]
        assert kept["line"] == 8 and "a[0]" in kept["quoted"]
        view = run.screen.query_one(CommentedDiff)
        assert view.hunk == 2


async def test_hostile_text_of_a_comment_is_no_markup() -> None:
    session = FakeSession("s1")
    session.comments.kept["c5"] = [
        {"path": "intervals.py", "line": 8, "text": "[red]x[/] \x1b[31mred", "quoted": "x", "pick": "a"}
    ]
    async with running(session) as run:
        await run.press("a")
        assert any("✎ [red]x[/] red" in line for line in diff_lines(run))


async def test_a_note_is_queued_while_it_runs_and_taken_back() -> None:
    stall = asyncio.Event()
    async with running(FakeSession("s1", stall=stall), size=(140, 45)) as run:
        await run.press("i", *"mind zero", "enter")
        assert run.session.notes.texts == ["mind zero"] and run.screen.model.running
        assert "1 note for the next step: “mind zero”" in run.side_text()
        assert "The search cannot read notes" in run.side_text()
        await run.press("u")
        assert run.session.notes.texts == [] and "note for the next step" not in run.side_text()
        assert run.screen.model.running, "the run goes on"
        await run.press("i", *"refuse me", "enter")
        assert "too long" in run.side_text() and run.screen.side.prompt.query_one(Input).value == "refuse me"
        await run.press("escape")
        await run.press("i", *"x", "enter")
        stall.set()
        await run.settle()
        assert run.screen.model.question is not None and "1 note for the next step" in run.side_text()
        card, side = run.screen.side.card, run.screen.side
        assert card is not None and card.body.hides_more == ("↓ more" in str(side.border_title))
        card._body.scroll_end(animate=False)
        await run.pilot.pause()
        assert not card.body.hides_more and "↓ more" not in str(side.border_title)
        assert "The search cannot read notes; a model would (m chooses one)." in " ".join(run.side_text().split())
        await run.pilot.resize_terminal(80, 24)
        await run.settle()
        await run.press("i", *"y", "enter")
        assert "The search cannot read notes; a model would (m chooses one)." in " ".join(run.side_text().split())
        await run.press("a")
        assert "The search cannot read notes" in run.side_text(), "at the next question once more"
        await run.press("r", *"no", "enter")
        assert "cannot read notes" not in run.side_text()
        assert "2 notes wait for a step that asks a model" in " ".join(run.side_text().split())


async def test_the_doubts_stand_above_the_question_whether_to_write(tmp_path: Path) -> None:
    (tmp_path / "intervals.py").write_text(CODE, "utf-8")
    session = FakeSession("s1")
    session.root_folder = tmp_path
    async with running(session, size=(140, 45)) as run:
        await run.press("a", "a")
        shown = run.screen.model.shown
        assert shown is not None
        doubted = replace(shown, doubts=("Nobody looked at [red]it[/].", "two", "three"))
        run.screen.model = replace(run.screen.model, committed=doubted)
        await run.press("W")
        text = run.side_text()
        assert "⚠ Nobody looked at [red]it[/].\n⚠ two\n⚠ and 1 more doubt\nWrite 1 file in" in text
        await run.press("escape")
        long = replace(shown, doubts=("a doubt that goes on and on " * 9, "another one, as long as that " * 9))
        run.screen.model = replace(run.screen.model, committed=long)
        await run.pilot.resize_terminal(80, 24)
        await run.press("W")
        hint, footer = run.screen.query_one("#prompt .prompt-hint").region, run.screen.query_one(KeyFooter).region
        assert hint.bottom <= footer.y == 23 and hint.height == 1
        assert hint.bottom <= run.screen.side.region.bottom


async def test_the_healed_program_is_written_and_put_back(tmp_path: Path) -> None:
    (tmp_path / "intervals.py").write_text(CODE, "utf-8")
    session = FakeSession("s1")
    session.root_folder = tmp_path
    async with running(session, size=(140, 45)) as run:
        await run.press("W")
        assert not run.screen.side.prompt.is_open, "not before the end"
        await run.press("a", "a")
        assert run.screen.model.outcome == "healed"
        await run.press("W")
        assert run.screen.evidence.tabs.active == "diff" and f"Write 1 file in {tmp_path}?" in run.side_text()
        await run.press("escape")
        assert (tmp_path / "intervals.py").read_text("utf-8") == CODE
        assert "W writes it into your files" in run.side_text() and "W write" in keys(run)
        await run.press("W", "enter")
        assert (tmp_path / "intervals.py").read_text("utf-8") == FIXED
        assert f"written into your files ({tmp_path})" in run.side_text() and "W writes" not in run.side_text()
        assert "W write" not in keys(run) and "K commit" not in keys(run) and "u undo" in keys(run)
        await run.press("u")
        assert "Take back what?" in run.side_text() and run.screen.model.outcome == "healed"
        await run.press("enter")
        assert (tmp_path / "intervals.py").read_text("utf-8") == CODE
        assert "W writes it into your files" in run.side_text() and "W write" in keys(run)
        await run.press("W", "enter", "u", "escape", "u")
        assert run.session.branches.undone == 0 and "Take back what?" in run.side_text(), "it asks each time"
        await run.press("down", "enter")
        assert (tmp_path / "intervals.py").read_text("utf-8") == FIXED
        assert run.session.branches.undone == 1
        assert any(f"stays written in {tmp_path}" in note.message for note in run.app._notifications)
        await run.press("W")
        assert "back as before?" in run.side_text()
        await run.press("enter")
        assert (tmp_path / "intervals.py").read_text("utf-8") == CODE
        (tmp_path / "intervals.py").write_text("mine = 1\n", "utf-8")
        await run.press("W")
        assert not run.screen.side.prompt.is_open and (tmp_path / "intervals.py").read_text("utf-8") == "mine = 1\n"
        assert "<<<<<<< your file" in "\n".join(diff_lines(run)), "the conflict is shown"
        assert any("changed since the session copied it" in note.message for note in run.app._notifications)
        await run.press("K")
        assert not run.screen.side.prompt.is_open


async def test_a_commit_and_a_program_that_is_written_already_are_told(tmp_path: Path) -> None:
    (tmp_path / "intervals.py").write_text(FIXED, "utf-8")
    session = FakeSession("s1")
    session.root_folder = tmp_path
    async with running(session, size=(140, 45)) as run:
        await run.press("a", "a")
        assert "written into your files" in run.side_text() and "W write" not in keys(run)
    (tmp_path / "intervals.py").write_text(CODE, "utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "intervals.py")
    git(tmp_path, "commit", "-qm", "first")
    git(tmp_path, "config", "user.name", "me")
    git(tmp_path, "config", "user.email", "me@here")
    session = FakeSession("s1")
    session.root_folder = tmp_path
    async with running(session, size=(140, 45)) as run:
        await run.press("a", "a", "K")
        await run.press("enter")
        await run.press("enter")
        made = run.side_text().partition("committed as ")[2].partition(";")[0]
        assert made and git(tmp_path, "rev-parse", "HEAD").startswith(made), run.side_text()
        assert f"Take it back: git revert {made}" in run.side_text() and run.app.last_commits == (made,)
        assert "W write" not in keys(run) and "K commit" not in keys(run) and "u undo" in keys(run)


def long_ago() -> FakeSession:
    """Return a session with two candidates of two hunks, the second of which is the same."""
    session = FakeSession("s1")
    other = FIXED.replace("Half-open intervals.", "Intervals.")
    session.candidates = {"a": repair(other, 0, 1), "b": repair(FIXED.replace("Half-open", "Open"), 0, 2)}
    return session


@SIZES
async def test_the_cursor_of_lines_goes_to_the_first_change_of_another_candidate(size: tuple[int, int]) -> None:
    async with running(long_ago(), size=size) as run:
        await run.press("a", "j", "2", "c", *"mine", "enter")
        (kept,) = run.session.comments.kept["c5"]
        assert (kept["line"], kept["pick"]) == (1, "b")
        lines = diff_lines(run)
        assert any("✎ mine" in line for line in lines), "the line is on the screen"


async def test_a_comment_is_on_a_line_that_can_be_seen() -> None:
    async with running(two_hunks()) as run:
        await run.press("a", "end", "c")
        view = run.screen.query_one(CommentedDiff)
        assert view._cursor_y is not None and view.scroll_offset.y <= view._cursor_y
