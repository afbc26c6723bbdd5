"""At the end of a run in the app: a merge, new tests, a new branch, and taking written changes back."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.engine.session.hooks import HookOptions, Hooks
from selfheal_tui.errors import InputError
from selfheal_tui.hook_settings import Hook
from selfheal_tui.ui.kit.diff_view import DiffView
from selfheal_tui.ui.kit.key_owner import owner_of_keys
from selfheal_tui.ui.kit.picker_list import PickerList
from selfheal_tui.ui.run.cards.panels import panel
from tests.ui.fakes import CODE, FIXED, HALF, TESTS, FakeSession, report
from tests.ui.running import SIZES, Run, running
from tests.wire.rig import until

LEARNT = "from intervals import overlap\n\n\ndef test_answer():\n    assert overlap((0, 1), (1, 2)) is False\n"


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True, timeout=60).stdout


def mine(text: str) -> str:
    return text.replace("def overlap(", "# mine\ndef overlap(")


def diff_text(run: Run) -> str:
    view = run.screen.query_one(DiffView)
    return "\n".join(view.render_line(y).text.rstrip() for y in range(view.size.height))


def told(run: Run) -> str:
    return " ".join(note.message for note in run.app._notifications)


@pytest.fixture
def session(tmp_path: Path) -> FakeSession:
    (tmp_path / "intervals.py").write_text(CODE, "utf-8")
    (tmp_path / "test_intervals.py").write_text(TESTS, "utf-8")
    played = FakeSession("s1")
    played.root_folder = tmp_path
    return played


@pytest.mark.parametrize("word", ["no", "n", "wait"])
async def test_whoever_types_no_writes_nothing(session: FakeSession, tmp_path: Path, word: str) -> None:
    async with running(session) as run:
        await run.press("a", "a", "W", *word, "enter")
        assert (tmp_path / "intervals.py").read_text("utf-8") == CODE
        assert owner_of_keys(run.screen) is None or word == "wait"
        if word == "wait":
            assert "Yes or no, please" in run.side_text()
            await run.press("ctrl+u", *"yes", "enter")
            assert (tmp_path / "intervals.py").read_text("utf-8") == FIXED


@SIZES
async def test_a_repair_is_merged_into_a_file_that_changed_and_u_takes_just_it_out(
    session: FakeSession, tmp_path: Path, size: tuple[int, int]
) -> None:
    file = tmp_path / "intervals.py"
    async with running(session, size=size) as run:
        await run.press("a", "a")
        file.write_text(mine(CODE), "utf-8")
        await run.press("W")
        assert "changed since the session copied it. Merge the repair into 1 file" in run.side_text()
        assert run.screen.evidence.tabs.active == "diff" and "mine" in diff_text(run)
        await run.press("escape")
        assert file.read_text("utf-8") == mine(CODE) and "mine" not in diff_text(run), "the moment's own change again"
        await run.press("W", "enter")
        assert file.read_text("utf-8") == mine(FIXED) and "merged into your files" in run.side_text()
        assert "no suite ran over that yet" in run.side_text()
        model = run.screen.model
        assert model.committed is not None and model.committed.report is not None
        report: Any = {**model.committed.report, "trust": "verified", "not_verified": ""}
        verified = replace(model, committed=replace(model.committed, report=report))
        assert "in two processes" not in panel(verified, "s1")[2].plain
        assert "in two processes" in panel(replace(verified, in_folder=None), "s1")[2].plain
        await run.press("u")
        assert "the repair alone, out of 1 file" in run.side_text()
        await run.press("enter")
        assert file.read_text("utf-8") == mine(CODE) and run.session.branches.undone == 0


async def test_a_repair_that_was_changed_after_it_was_written_is_not_overwritten(
    session: FakeSession, tmp_path: Path
) -> None:
    file = tmp_path / "intervals.py"
    async with running(session, size=(140, 45)) as run:
        await run.press("a", "a", "W", "enter")
        changed = FIXED.replace("return a[0] < b[1]", "return bool(a[0] < b[1])")
        file.write_text(changed, "utf-8")
        await run.press("W")
        assert not run.screen.side.prompt.is_open and "nothing was written" in told(run)
        assert file.read_text("utf-8") == changed
        assert "<<<<<<< your file" in diff_text(run), "the conflict is shown"
        await run.press("D")
        assert "<<<<<<<" not in diff_text(run)
        await run.press("u")
        assert file.read_text("utf-8") == changed
        file.unlink()
        await run.press("W")
        assert "selfheal sessions apply s1 -o DIR" in told(run), "a command that can be copied as it stands"


@SIZES
async def test_what_would_be_refused_is_not_offered_and_the_card_says_why(
    session: FakeSession, tmp_path: Path, size: tuple[int, int]
) -> None:
    file = tmp_path / "intervals.py"
    file.unlink()
    file.mkdir()
    async with running(session, size=size) as run:
        await run.press("a", "a")
        await until(lambda: run.screen.model.folder_now is not None)
        assert "intervals.py is a folder now: nothing was written." in " ".join(run.side_text().split())
        assert "W writes it" not in run.side_text()
        offered = [action for _, _, action in panel(run.screen.model, "s1")[3]]
        assert "write" not in offered and "patch" in offered
        assert "-o FOLDER" in panel(run.screen.model, "s1")[2].plain
        await run.press("W")
        assert "is a folder now" in told(run)
        file.rmdir()
        file.write_text(CODE, "utf-8")
        await run.press("W", "enter")
        assert file.read_text("utf-8") == FIXED and "written into your files" in " ".join(run.side_text().split())


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_on_a_small_screen_the_question_where_to_write_stands_there_with_what_speaks_against_it(
    session: FakeSession, size: tuple[int, int]
) -> None:
    session.moment_changes = {
        "tests": {"test_intervals.py": TESTS, "test_answers.py": LEARNT},
        "origins": {"test_answers.py": "answers"},
        "unsettled": {"call": "overlap((0, 1), (1, 2))", "taken": "False", "others": ["True"], "repairs": 2},
    }
    async with running(session, size=size) as run:
        await run.press("a", "a", "W")
        title = run.screen.side.picker.query_one(".picker-title")
        seen = " ".join(title.render_line(y).text.strip() for y in range(title.size.height))
        assert seen.startswith("Write into ") and "2 other repairs pass every case too" in seen
        assert run.screen.side.picker.query_one(PickerList).region.height >= 2, "both rows"


async def test_new_tests_are_offered_shown_written_and_taken_back(session: FakeSession, tmp_path: Path) -> None:
    tests = tmp_path / "test_intervals.py"
    session.moment_changes = {
        "tests": {"test_intervals.py": TESTS, "test_answers.py": LEARNT},
        "origins": {"test_answers.py": "answers"},
    }
    async with running(session, size=(140, 45)) as run:
        await run.press("a", "a", "W")
        assert "the repair alone" in run.side_text() or run.screen.side.picker.is_open
        assert "test_answer" not in diff_text(run)
        await run.press("down")
        assert "def test_answer" in diff_text(run), "the row is shown before it is taken"
        await run.press("enter")
        assert tests.read_text("utf-8").startswith(TESTS) and "def test_answer" in tests.read_text("utf-8")
        assert (tmp_path / "intervals.py").read_text("utf-8") == FIXED
        assert "changed: intervals.py, 1 new test in test_intervals.py" in " ".join(run.side_text().split())
        await run.press("u", "enter")
        assert "new test" not in run.side_text()
        assert tests.read_text("utf-8") == TESTS and (tmp_path / "intervals.py").read_text("utf-8") == CODE


async def test_the_key_that_puts_back_puts_back_first_of_all_whatever_was_learnt(
    session: FakeSession, tmp_path: Path
) -> None:
    program, tests = tmp_path / "intervals.py", tmp_path / "test_intervals.py"
    session.moment_changes = {
        "tests": {"test_intervals.py": TESTS, "test_answers.py": LEARNT},
        "origins": {"test_answers.py": "answers"},
    }
    async with running(session, size=(140, 45)) as run:
        for keys in (("a", "a", "W"), ("enter",)):
            await run.press(*keys)
        assert program.read_text("utf-8") == FIXED and tests.read_text("utf-8") == TESTS
        await run.press("W")
        assert run.screen.side.picker.is_open and "def test_answer" not in diff_text(run)
        await run.press("enter")
        assert program.read_text("utf-8") == CODE and tests.read_text("utf-8") == TESTS
        assert "Put back" in told(run)
        for key in ("W", "enter", "W", "down"):
            await run.press(key)
        assert "def test_answer" in diff_text(run)
        await run.press("enter")
        assert program.read_text("utf-8") == FIXED and "def test_answer" in tests.read_text("utf-8")
        await run.press("W", "enter")
        assert program.read_text("utf-8") == CODE and tests.read_text("utf-8") == TESTS


def end_in_part(run: Run, outcome: Any = "gave_up") -> None:
    """Show the end of a run that mended one of two cases."""
    model = run.screen.model
    assert model.committed is not None
    ended = replace(
        model.committed, outcome=outcome, program={"intervals.py": HALF}, report=report(1), reason="It gave up."
    )
    run.screen.show(replace(model, committed=ended, outcome=outcome, in_folder=None))


@SIZES
async def test_what_a_run_has_won_that_gave_up_can_be_written_with_what_still_fails_said(
    session: FakeSession, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with running(session, size=size) as run:
        await run.press("a", "a")
        end_in_part(run)
        await run.settle()
        words = " ".join(run.side_text().split())
        assert "1 case still fails: test_touching" in words and "can be kept all the same. W writes it" in words
        keys = [key for key, _, _ in panel(run.screen.model, "s1")[3]]
        assert {"D", "W", "S", "Y", "f", "u"} <= {*keys} and "K" not in keys, "there is no repository"
        for key in ("W", "enter"):
            await run.press(key)
            assert key != "W" or "1 case still fails: test_touching" in run.side_text()
        assert (tmp_path / "intervals.py").read_text("utf-8") == HALF
        assert "written into your files" in run.side_text()
        for key in ("u", "enter"):
            await run.press(key)
        assert (tmp_path / "intervals.py").read_text("utf-8") == CODE and run.session.branches.undone == 0


async def test_what_cannot_be_written_yet_says_how_it_can(session: FakeSession) -> None:
    async with running(session, size=(140, 45)) as run:
        await run.press("W")
        assert "Nothing is changed so far" in told(run)
        await run.press("a")
        model = run.screen.model
        assert model.committed is not None
        run.screen.show(replace(model, committed=replace(model.committed, program={"intervals.py": HALF})))
        await run.press("W")
        assert "Not before the run is over (s ends it here)" in told(run)
        end_in_part(run, "stopped")
        model = run.screen.model
        assert model.committed is not None
        unchanged = replace(model.committed, program={"intervals.py": CODE})
        run.screen.show(replace(model, committed=unchanged, review=None))
        await run.press("W")
        assert "The code was not changed." in told(run) and "W writes" not in run.side_text()


@SIZES
async def test_after_an_undo_the_keys_say_that_the_folder_still_holds_what_was_written(
    session: FakeSession, tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, sessions = tmp_path / "intervals.py", tmp_path / "sessions"
    (sessions / "s1").mkdir(parents=True)
    async with running(session, size=size) as run:
        monkeypatch.setattr(run.app, "settings", replace(run.app.settings, sessions=sessions))
        asked = run.screen.model
        await run.press("a", "a", "W", "enter")
        assert file.read_text("utf-8") == FIXED
        run.screen.show(replace(asked, running=False))
        held = f"Your files in {tmp_path} still hold the repair that was written into them: selfheal sessions apply s1"
        for key, words in (("W", "Nothing is changed here."), ("u", "There is nothing to undo.")):
            run.app.clear_notifications()
            if key == "u":
                monkeypatch.setattr(session.branches, "undo", nothing_to_undo)
            await run.press(key)
            assert told(run).startswith(f"{words} {held}") and "--undo puts them back." in told(run)
        for text, words in ((mine(FIXED), held), (CODE, "Nothing is changed so far")):
            run.app.clear_notifications()
            file.write_text(text, "utf-8")
            await run.press("W")
            assert words in told(run), "the files themselves count, and not what was noted"


async def nothing_to_undo() -> None:
    raise InputError("There is nothing to undo.")


async def test_a_commit_goes_to_a_new_branch_or_work_tree(
    session: FakeSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path.parent / "none"))
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "user.name", "me")
    git(tmp_path, "config", "user.email", "me@here")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    head = git(tmp_path, "rev-parse", "HEAD")
    async with running(session, size=(140, 45)) as run:
        await run.press("a", "a", "K")
        assert run.screen.side.picker.is_open
        await run.press("down", "enter", "!", "enter")
        assert git(tmp_path, "show", "heal-intervals:intervals.py") == FIXED and "on heal-intervals: 1 file" in told(
            run
        )
        assert git(tmp_path, "show", "-s", "--format=%s", "heal-intervals") == "Heal overlap in intervals.py!\n"
        assert git(tmp_path, "rev-parse", "HEAD") == head and git(tmp_path, "status", "--porcelain") == ""
        assert (
            "your files are as they were" in run.side_text() and "on the new branch heal-intervals;" in run.side_text()
        )
        await run.press("K")
        await run.press("down", "down", "enter", "enter")
        place = tmp_path.with_name(f"{tmp_path.name}-heal-intervals-2")
        assert (place / "intervals.py").read_text("utf-8") == FIXED and git(place, "status", "--porcelain") == ""
        (tmp_path / "intervals.py").write_text("staged = 1\n", "utf-8")
        git(tmp_path, "add", "intervals.py")
        await run.press("K")
        await run.press("up", "enter")
        assert run.screen.side.picker.is_open, "the branch that is checked out is refused with its reason"
        assert "Not on the branch that is checked out: intervals.py" in run.side_text()
        await run.press("escape")
        assert git(tmp_path, "rev-parse", "HEAD") == head


@SIZES
async def test_a_commit_is_offered_only_where_the_folder_is_in_a_repository(
    session: FakeSession, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with running(session, size=size) as run:
        await run.press("a", "a")
        assert "K commit" not in run.side_text() and not run.screen.check_action("commit", ())
        await run.press("K")
        assert "in no git repository: W writes the files without a commit" in told(run)
        git(tmp_path, "init", "-q")
        await run.press("W", "enter")
        assert run.screen.check_action("commit", ())


def refusing(folder: Path) -> Hooks:
    """Return hooks of which `before_apply` writes down what it is told and says no."""
    keeps = f"import sys; open('{folder}/told', 'a').write(sys.stdin.read()); print('Not today.', file=sys.stderr)"
    hook = Hook(f'{sys.executable} -c "{keeps}; sys.exit(2)"', folder)
    return Hooks(HookOptions({"before_apply": hook}))


async def test_before_apply_refuses_a_write_a_commit_and_a_new_branch(
    session: FakeSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    aside = tmp_path_factory.mktemp("aside")
    (aside / "gitconfig").write_text("[user]\n\tname = Me\n\temail = me@example.org\n[init]\n\tdefaultBranch = trunk\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(aside / "gitconfig"))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    async with running(session) as run:
        run.app.workbench.hooks = refusing(aside)
        await run.press("a", "a", "W", "enter")
        assert "Your hook before_apply refused: Not today." in run.side_text(), run.side_text()
        for keys in (("K", "enter", "enter"), ("K", "down", "enter", "enter")):
            await run.press("escape")
            for key in keys:
                await run.press(key)
        assert (tmp_path / "intervals.py").read_text("utf-8") == CODE
        assert git(tmp_path, "log", "--all", "--oneline").count("\n") == 1
    asked = [json.loads(line)["writes"] for line in (aside / "told").read_text().splitlines()]
    assert [(one["action"], one["new_branch"]) for one in asked] == [
        ("write", False),
        ("commit", False),
        ("commit", True),
    ]
