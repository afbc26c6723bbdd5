"""`sessions apply` on its way home: merges, new branches, work trees, and taking it all back."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from selfheal_tui.cli import main
from tests.e2e.test_sessions_commands import Ran, Shell, built, shell  # noqa: F401
from tests.engine.driving import BUGGY, FIXED
from tests.engine.test_questions import PROGRAM
from tests.engine.test_questions import TESTS as FEE_TESTS

MINE = "# mine\n"
OTHER_RETURN = BUGGY.replace("return amount + discount", "return amount + discount + 0")


def git(folder: Path, *words: str) -> str:
    ran = subprocess.run(["git", *words], cwd=folder, capture_output=True, timeout=60, check=True)
    return ran.stdout.decode()


@pytest.fixture
def repository(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Path:  # noqa: F811
    """The session's project as a repository with one commit and a file that only it holds."""
    own = shell.home / "gitconfig"
    own.write_text("[user]\n\tname = Me\n\temail = me@example.org\n[init]\n\tdefaultBranch = trunk\n", "utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    top = shell.project
    subprocess.run(["rm", "-rf", str(top / ".git")], check=True)
    git(top, "init", "-q")
    (top / "run.sh").write_text("#!/bin/sh\n", "utf-8")
    (top / "run.sh").chmod(0o755)
    (top / "link.py").unlink(missing_ok=True)
    (top / "link.py").symlink_to("shop.py")
    git(top, "add", ".")
    git(top, "commit", "-qm", "first")
    return top


def test_a_repair_is_merged_into_a_file_that_changed_and_taken_out_again(shell: Shell) -> None:  # noqa: F811
    file = shell.project / "shop.py"
    file.write_bytes((MINE + BUGGY).replace("\n", "\r\n").encode())
    refused = shell("apply", shell.session, "--branch", "main", "--yes")
    assert refused.code == 2 and "changed since" in refused.err
    assert " --branch main --merge" in refused.err.replace("\n", " "), "of the branch that was asked for"
    file.write_text(MINE + BUGGY, "utf-8")
    done = shell("apply", shell.session, "--branch", "main", "--merge", "--yes")
    assert done.code == 0 and file.read_text("utf-8") == MINE + FIXED
    assert "Merged into shop.py, which changed meanwhile: no suite ran over that yet." in done.out
    assert "-    return amount + discount\n+    return amount - discount\n" in done.out and "+# mine" not in done.out
    again = shell("apply", shell.session, "--branch", "main", "--merge", "--yes", "--json")
    assert again.json == {"folder": str(shell.project), "written": [], "doubts": [], "merged": True, "conflicts": 0}
    assert shell("apply", shell.session, "--undo", "--yes").code == 0
    assert file.read_text("utf-8") == MINE + BUGGY, "just what the merge wrote is taken back"
    assert shell("apply", shell.session, "--branch", "main", "--merge", "--yes").code == 0
    file.write_text(MINE + MINE + FIXED, "utf-8")
    refused = shell("apply", shell.session, "--branch", "main", "--undo", "--yes")
    assert f"{file} is not as the repair left it: nothing was put back." in refused.err
    assert f"sessions apply {shell.session} --branch main --undo --merge" in refused.err.replace(
        f" --sessions {shell.sessions}", ""
    )
    assert file.read_text("utf-8") == MINE + MINE + FIXED
    assert shell("apply", shell.session, "--branch", "main", "--undo", "--merge", "--yes").code == 0
    assert file.read_text("utf-8") == MINE + MINE + BUGGY


def test_tests_that_the_session_does_not_have_keep_no_repair_back(shell: Shell) -> None:  # noqa: F811
    done = shell("apply", shell.session, "--branch", "main", "--with-tests", "--yes")
    assert done.code == 0 and (shell.project / "shop.py").read_text("utf-8") == FIXED
    assert "--with-tests adds nothing: no question was answered and no counter-example was found" in done.out


def test_a_conflict_is_shown_and_written_only_when_the_user_says_so(shell: Shell) -> None:  # noqa: F811
    file = shell.project / "shop.py"
    file.write_text(OTHER_RETURN, "utf-8")
    merge = ("apply", shell.session, "--branch", "main", "--merge", "--yes")
    refused = shell(*merge)
    assert refused.code == 2 and "The merge has 1 conflict in shop.py: nothing was written." in refused.err
    assert "<<<<<<< your file\n" in refused.err and ">>>>>>> healed\n" in refused.err
    assert file.read_text("utf-8") == OTHER_RETURN
    assert "belongs to --merge" in shell("apply", shell.session, "--with-conflicts").err
    written = shell(*merge, "--with-conflicts")
    assert written.code == 0 and "with 1 conflict in shop.py marked" in written.out
    assert "<<<<<<< your file" in file.read_text("utf-8")
    assert shell("apply", shell.session, "--undo", "--yes").code == 0
    assert file.read_text("utf-8") == OTHER_RETURN, "with its marks"


def test_the_commit_of_a_merged_repair_is_named_when_it_is_taken_out(shell: Shell, repository: Path) -> None:  # noqa: F811
    file = repository / "shop.py"
    file.write_text(MINE + BUGGY, "utf-8")
    git(repository, "commit", "-qam", "mine")
    made = shell("apply", shell.session, "--branch", "main", "--commit", "--merge", "--yes", "--json")
    assert made.code == 0 and file.read_text("utf-8") == MINE + FIXED
    back = shell("apply", shell.session, "--undo", "--yes", "--json")
    assert back.code == 0 and file.read_text("utf-8") == MINE + BUGGY
    stays = back.json["stays"]
    assert stays.startswith(f"The commit {made.json['commit'][:7]}") and "Or revert instead: git" in stays
    assert git(repository, "show", "HEAD:shop.py") == MINE + FIXED


@pytest.mark.parametrize("change", [("rename", "main", "mine"), ("delete", "other")])
def test_what_was_written_is_put_back_though_its_branch_is_gone(shell: Shell, change: tuple[str, ...]) -> None:  # noqa: F811
    name = change[1]
    file = shell.project / "shop.py"
    assert shell("apply", shell.session, "--branch", name, "--unhealed", "--yes").code == 0
    assert file.read_text("utf-8") != BUGGY
    if change[0] == "delete":
        wrong = shell("apply", shell.session, "--undo", "--branch", "main", "--yes")
        assert wrong.code == 2 and f"Branch main was not written: {name} was." in wrong.err
        assert shell("branch", shell.session, "go", "main").code == 0
    gone = shell("branch", shell.session, *change)
    assert gone.code == 0 and (f"sessions apply {shell.session} --undo" in gone.out) == (change[0] == "delete")
    back = shell("apply", shell.session, "--undo", "--yes")
    assert back.code == 0 and file.read_text("utf-8") == BUGGY
    again = shell("apply", shell.session, "--undo", "--yes", "--json")
    assert again.code in (0, 2) and file.read_text("utf-8") == BUGGY


def test_each_way_says_what_it_did_and_that_it_could_not_be_noted(shell: Shell) -> None:  # noqa: F811
    file, apply = shell.project / "shop.py", ("apply", shell.session, "--branch", "main", "--unhealed", "--yes")
    assert f"Written: {file}\n" in shell(*apply).out
    back = shell("apply", shell.session, "--undo", "--yes")
    assert f"Put back: {file}\n" in back.out and "Written" not in back.out
    (folder,) = shell.home.glob(f"*/{shell.session}")
    (folder / "applied").mkdir()
    again = shell(*apply)
    assert again.code == 0 and f"Written: {file}\n" in again.out and "could not be noted" in again.err
    command = f"sessions apply {shell.session}"
    assert command in again.err.replace("\n", " ") and "--branch main --undo" in again.err
    assert shell(*apply[:4], "--undo", "--yes").code == 0 and file.read_text("utf-8") == BUGGY
    file.unlink()
    file.mkdir()
    try:
        for words in ((), ("--merge",), ("--undo",)):
            refused = shell(*(word for word in apply if word != "--unhealed" or "--undo" not in words), *words)
            assert refused.code == 2 and f"{file} is a folder now: nothing was written." in refused.err, words
    finally:
        file.rmdir()  # the project is that of all tests here


def test_a_file_of_that_name_in_another_folder_is_no_file_that_changed(shell: Shell) -> None:  # noqa: F811
    other = shell.home / "whole"
    other.mkdir()
    (other / "shop.py").write_text("x = 1\n", "utf-8")
    refused = shell("apply", shell.session, "--branch", "main", "--yes", "-o", str(other))
    assert refused.code == 2 and "is there already, with other content" in refused.err
    assert "--merge" not in refused.err and (other / "shop.py").read_text("utf-8") == "x = 1\n"


def test_a_file_that_is_gone_is_one_sentence(shell: Shell) -> None:  # noqa: F811
    (shell.project / "shop.py").unlink()
    for words in ((), ("--merge",), ("--undo",), ("--undo", "--merge")):
        refused = shell("apply", shell.session, "--branch", "main", "--yes", *words)
        assert refused.code == 2 and "shop.py is not there any more" in refused.err and "Traceback" not in refused.err


def test_a_new_branch_leaves_the_files_and_the_index_alone(shell: Shell, repository: Path) -> None:  # noqa: F811
    (repository / "shop.py").write_text("broken = (\n", "utf-8")
    (repository / "staged.py").write_text("s = 1\n", "utf-8")
    git(repository, "add", "staged.py", "shop.py")
    before = git(repository, "status", "--porcelain=v2")
    done = shell("apply", shell.session, "--branch", "main", "--branch", "fix/discount", "--yes", "--json")
    assert done.code == 0 and done.json["branch"] == "fix/discount" and done.json["written"] == []
    assert git(repository, "status", "--porcelain=v2") == before
    assert git(repository, "symbolic-ref", "--short", "HEAD").strip() == "trunk"
    assert git(repository, "show", "--format=", "--name-only", "fix/discount").split() == ["shop.py"]
    assert git(repository, "show", "fix/discount:shop.py") == FIXED
    again = shell("apply", shell.session, "--branch", "main", "--branch", "fix/discount", "--yes")
    assert again.code == 2 and "The branch fix/discount is there already: nothing was written." in again.err
    for name in ("fix/../x", "-x", "a b"):
        refused = shell("apply", shell.session, "--branch", "main", f"--branch={name}", "--yes")
        assert refused.code == 2 and "no name for a branch" in refused.err, name
    message = git(repository, "show", "-s", "--format=%B", "fix/discount")
    assert message.startswith("Heal total in shop.py\n\nCause: The discount is added.")
    assert "Evidence:\n- shop.py:" in message and "Verified by selfheal: 2 passed" in message
    assert "canary" not in message and "[ANTHROPIC_API_KEY]" in message, "no key goes into a commit"


def test_a_new_work_tree_holds_the_whole_commit(shell: Shell, repository: Path) -> None:  # noqa: F811
    place = shell.home / "beside"
    done = shell("apply", shell.session, "--branch", "main", "--worktree", str(place), "--yes", "--json")
    assert done.code == 0 and done.json["worktree"] == str(place) and done.json["branch"] == "heal-shop"
    assert (place / "shop.py").read_text("utf-8") == FIXED and (repository / "shop.py").read_text("utf-8") == BUGGY
    assert os.access(place / "run.sh", os.X_OK) and os.readlink(place / "link.py") == "shop.py"
    assert git(place, "status", "--porcelain") == "" and git(place, "symbolic-ref", "--short", "HEAD") == "heal-shop\n"
    assert git(repository, "status", "--porcelain") == ""
    refused = shell("apply", shell.session, "--branch", "main", "--worktree", str(place), "--yes")
    assert refused.code == 2 and "is there already" in refused.err
    inside = ("apply", shell.session, "--branch", "main", "--worktree", str(repository / "trees" / "inside"), "--yes")
    assert f"inside lies inside of the repository {repository}" in shell(*inside).err
    (repository / ".git" / "info" / "exclude").write_text("trees/\n", "utf-8")
    beside = shell("apply", shell.session, "--branch", "main", "--worktree", "--yes")
    folder = repository.with_name("project-heal-shop-2")
    assert f"checked out in {folder}" in beside.out and (folder / "shop.py").read_text("utf-8") == FIXED
    take_back = beside.out.rpartition("Take it back: ")[2].strip()
    subprocess.run(take_back, shell=True, cwd=repository, check=True, capture_output=True, timeout=60)
    assert not folder.exists() and git(repository, "branch", "--list", "heal-shop-2") == ""
    (repository / "trees").mkdir()
    assert shell(*inside).code == 0 and git(repository, "status", "--porcelain") == ""
    slip = shell("apply", "--unhealed", "--worktree", shell.session)
    assert slip.code == 2 and "Name it before --worktree" in slip.err


def test_no_branch_at_all_takes_the_commit_and_says_how_to_keep_it(shell: Shell, repository: Path) -> None:  # noqa: F811
    git(repository, "checkout", "-q", "--detach")
    done = shell("apply", shell.session, "--branch", "main", "--commit", "--yes")
    head = git(repository, "rev-parse", "--short", "HEAD").strip()
    assert done.code == 0 and f"Committed {head}: 1 file. No branch holds it yet: git branch NAME {head}" in done.out


def test_a_commit_merges_into_what_was_committed_meanwhile(shell: Shell, repository: Path) -> None:  # noqa: F811
    (repository / "shop.py").write_text(MINE + BUGGY, "utf-8")
    git(repository, "commit", "-qam", "mine")
    (repository / "shop.py").write_text(MINE + "# not committed\n" + BUGGY, "utf-8")
    refused = shell("apply", shell.session, "--branch", "main", "--commit", "--yes")
    assert refused.code == 2 and "changed since" in refused.err
    refused = shell("apply", shell.session, "--branch", "main", "--branch", "new", "--yes")
    assert refused.code == 2 and "another one in the last commit" in refused.err and "--merge" in refused.err
    done = shell("apply", shell.session, "--branch", "main", "--commit", "--merge", "--yes")
    assert done.code == 0, done.err
    assert git(repository, "show", "HEAD:shop.py") == MINE + FIXED
    assert (repository / "shop.py").read_text("utf-8") == MINE + "# not committed\n" + FIXED
    assert git(repository, "diff", "--stat").split()[0] == "shop.py", "what was not committed still is not"


def test_an_answer_becomes_a_test_of_the_users_file_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "fee.py").write_text(PROGRAM, "utf-8")
    (project / "test_fee.py").write_text(FEE_TESTS, "utf-8")
    (tmp_path / "answer.json").write_text('{"answer": "2"}', "utf-8")
    flags = ["--sessions", str(tmp_path / "runs")]

    def ran(*argv: str) -> Ran:
        code = main([*argv, *flags])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    waiting = ran("fix", str(project / "fee.py"), "--json")
    session = waiting.json["session_id"]
    assert ran("sessions", "decide", session, "approve", "--json").json["review"]["kind"] == "repair"
    assert ran("sessions", "decide", session, "edit", "--value", str(tmp_path / "answer.json"), "--json").code == 3
    assert ran("sessions", "decide", session, "approve", "--json").code == 0
    plain = ran("sessions", "apply", session, "--yes")
    assert "This session has 1 new test for test_fee.py: --with-tests adds what it has learnt." in plain.out
    assert (project / "test_fee.py").read_text("utf-8") == FEE_TESTS
    added = ran("sessions", "apply", session, "--yes", "--with-tests")
    assert added.code == 0 and "+    assert fee(1) == 2" in added.out
    assert (project / "test_fee.py").read_text("utf-8") == (
        f"{FEE_TESTS}\n\ndef test_fee_1():\n    assert fee(1) == 2\n"
    )
    unnamed = ("sessions", "apply", "--yes", "--undo")
    monkeypatch.chdir(tmp_path / "runs")
    assert "was applied in this folder" in ran(*unnamed).err
    monkeypatch.chdir(project)
    assert "(the one applied last in this folder)" in ran(*unnamed).err
    assert (project / "test_fee.py").read_text("utf-8") == FEE_TESTS
    assert (project / "fee.py").read_text("utf-8") == PROGRAM
    assert "was applied in this folder, and was put back already" in ran(*unnamed).err

    (project / "fee.py").write_text(MINE + PROGRAM, "utf-8")
    merge = ("sessions", "apply", session, "--yes", "--merge")
    assert ran(*merge).code == 0 and (project / "test_fee.py").read_text("utf-8") == FEE_TESTS
    later = ran(*merge, "--with-tests")
    assert later.code == 0 and (project / "test_fee.py").read_text("utf-8") != FEE_TESTS
    assert ran("sessions", "apply", session, "--yes", "--undo").code == 0, "nobody has touched what the merges wrote"
    assert (project / "fee.py").read_text("utf-8") == MINE + PROGRAM
    assert (project / "test_fee.py").read_text("utf-8") == FEE_TESTS
    (project / "fee.py").write_text(PROGRAM, "utf-8")

    copy, other = "20990101-000000-other-0000", tmp_path / "other"
    other.mkdir()
    shutil.copytree(tmp_path / "runs" / session, tmp_path / "runs" / copy)
    with closing(sqlite3.connect(tmp_path / "runs" / copy / "session.db")) as connection, connection:
        connection.execute("update meta set value=? where key='root'", (str(other),))
    for folder, own in ((project, session), (other, copy)):
        monkeypatch.chdir(folder)
        for words in ((), ("--commit",), ("--branch", "mended"), ("--worktree",)):
            told = ran("sessions", "apply", *words).err
            assert f"session {own} (the newest of this folder that is healed)" in told, "each way takes the same one"
    (project / "sub").mkdir()
    monkeypatch.chdir(project / "sub")
    told = ran("sessions", "apply")
    assert f"session {session} (of the folder {project}, above this one, which has none itself)" in told.err
    assert "--- a/../fee.py" in told.out
    with closing(sqlite3.connect(tmp_path / "runs" / copy / "session.db")) as connection, connection:
        connection.execute("update meta set value=? where key='root'", (str(project / "sub"),))
    monkeypatch.chdir(project)
    assert f"session {session} (the newest of this folder" in ran("sessions", "apply").err, "not that of the one below"
    monkeypatch.chdir(tmp_path / "runs")
    assert "There is no healed session of" in ran("sessions", "apply", "--yes").err


def test_before_apply_may_refuse_every_way_of_writing_and_is_asked_once_for_each(
    shell: Shell,  # noqa: F811
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = shell.home / "told"
    keeps = f"import sys; open('{told}', 'a').write(sys.stdin.read())"
    refuses = f"{keeps}; print('Only on weekdays.', file=sys.stderr); sys.exit(2)"
    monkeypatch.setenv("SELFHEAL_HOOKS", f'before_apply={sys.executable} -c "{refuses}"')
    ways = ((), ("--commit",), ("--branch", "heal"), ("--worktree", str(shell.home / "tree")), ("-o", "whole"))
    for way in ways:
        refused = shell("apply", shell.session, "--branch", "main", *way, "--yes")
        assert (
            refused.code == 2
            and "Your hook before_apply refused: Only on weekdays. Nothing was written." in refused.err
        )
    assert (repository / "shop.py").read_text("utf-8") == BUGGY and git(repository, "branch") == "* trunk\n"
    assert not (shell.home / "tree").exists() and not Path("whole").exists()
    monkeypatch.setenv("SELFHEAL_HOOKS", f'before_apply={sys.executable} -c "{keeps}"')
    assert shell("apply", shell.session, "--branch", "main", "--commit", "--yes").code == 0
    assert shell("apply", shell.session, "--undo", "--yes").code == 0
    asked = [json.loads(line)["writes"]["action"] for line in told.read_text().splitlines()]
    assert asked == ["write", "commit", "commit", "commit", "write", "commit", "put_back"]
