"""The diff in the user's own tool: whose tool it is, and what becomes of what is changed there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from selfheal_tui.errors import InputError
from selfheal_tui.ui.kit.code_editor import CodeEditor
from selfheal_tui.ui.kit.difftool import diff_outside, difftool_command
from tests.ui.fakes import CODE, FIXED
from tests.ui.running import Run, running

APPENDS = "import sys; p = sys.argv[2]; t = open(p).read(); open(p, 'w').write(t + '# mine\\n')"


class Suspended:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def tool(monkeypatch: pytest.MonkeyPatch, run: Run, script: str) -> None:
    monkeypatch.setattr(type(run.app), "suspend", lambda _: Suspended())
    monkeypatch.setenv("DIFFTOOL", f'{sys.executable} -c "{script}"')


def said(run: Run) -> str:
    return " ".join(str(note.message) for note in run.app._notifications)


async def test_what_is_changed_in_the_tool_becomes_an_edit_to_be_submitted(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running() as run:
        await run.press("a")
        tool(monkeypatch, run, APPENDS)
        await run.press("O")
        editor = run.screen.query_one(CodeEditor)
        assert editor.text == FIXED + "# mine\n" and len(run.session.decisions) == 1, "it is looked at first"
        await run.press("ctrl+s")
        verdict = run.session.decisions[1][1]
        assert verdict["verdict"] == "edit" and verdict["value"] == {"changes": {"intervals.py": FIXED + "# mine\n"}}


async def test_nothing_changed_opens_nothing_and_an_answered_question_takes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with running() as run:
        await run.press("a")
        tool(monkeypatch, run, "pass")
        await run.press("O")
        assert not run.screen.evidence.tabs.is_open("edit") and said(run) == ""
        await run.press("a")
        run.screen.evidence.tabs.activate("diff")
        await run.settle()
        tool(monkeypatch, run, APPENDS)
        await run.press("O")
        assert "is not taken" in said(run) and not run.screen.evidence.tabs.is_open("edit")


async def test_without_a_terminal_or_a_tool_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running() as run:
        await run.press("O")
        assert "Only in the Diff tab" in said(run)
        await run.press("a")
        monkeypatch.setenv("DIFFTOOL", "true")
        await run.press("O")
        assert "No other tool can be opened here" in said(run)


def own_git(home: Path, text: str) -> dict[str, str]:
    (home / "gitconfig").write_text(text)
    return {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_GLOBAL": str(home / "gitconfig")} | {
        "GIT_CONFIG_NOSYSTEM": "1"
    }


def test_the_tool_is_the_users_own_and_never_that_of_a_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone, home = tmp_path / "clone", tmp_path / "home"
    clone.mkdir()
    home.mkdir()
    subprocess.run(["git", "init", "-q", str(clone)], check=True)
    hostile = f'[diff]\n\ttool = theirs\n[difftool "theirs"]\n\tcmd = touch {clone}/taken\n'
    with (clone / ".git" / "config").open("a") as file:
        file.write(hostile)
    monkeypatch.chdir(clone)
    environment = own_git(home, "[user]\n\tname = me\n") | {"GIT_DIR": str(clone / ".git")}
    with pytest.raises(InputError, match="No diff tool of your own"):
        difftool_command(environment)
    script = home / "tool.py"
    script.write_text(APPENDS)
    mine = (
        f'[diff]\n\ttool = theirs\n[difftool "theirs"]\n\tcmd = {sys.executable} {script} \\"$LOCAL\\" \\"$REMOTE\\"\n'
    )
    environment = own_git(home, mine) | {"GIT_DIR": str(clone / ".git")}
    command = difftool_command(environment)
    assert command[:2] == ["git", "difftool"]
    files = [("pkg/shop.py", CODE, FIXED), ("same.py", "x\n", "x\n"), ("new.py", "", "y = 1\n")]
    assert diff_outside(command, files, environment) == {"pkg/shop.py": FIXED + "# mine\n", "new.py": "y = 1\n# mine\n"}
    assert not (clone / "taken").exists()


def test_difftool_comes_first_and_leaves_nothing_behind(tmp_path: Path) -> None:
    assert difftool_command({"DIFFTOOL": "meld --newtab", "PATH": os.environ["PATH"]}) == ["meld", "--newtab"]
    with pytest.raises(InputError, match="cannot be read"):
        difftool_command({"DIFFTOOL": "'"})
    seen = tmp_path / "seen"
    script = f"import sys, os; open({str(seen)!r}, 'w').write(sys.argv[2]); raise SystemExit(1)"
    assert diff_outside([sys.executable, "-c", script], [("shop.py", "a\n", "b\n")]) == {}
    assert seen.read_text().endswith("/after/shop.py") and not Path(seen.read_text()).exists()


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("raise SystemExit(3)", "ended with 3"),
        ("import sys; open(sys.argv[2], 'wb').write(b'\\xff')", "UTF-8"),
        ("import sys, os; os.unlink(sys.argv[2])", "cannot be read"),
    ],
)
def test_a_tool_that_fails_costs_nothing(code: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        diff_outside([sys.executable, "-c", code], [("shop.py", "a\n", "b\n")])
    with pytest.raises(InputError, match="cannot be started"):
        diff_outside(["/nowhere/tool"], [("shop.py", "a\n", "b\n")])
