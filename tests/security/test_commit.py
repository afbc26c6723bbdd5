"""A commit of healed files in a stranger's clone: exactly those files, and no program that the clone names runs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from selfheal_tui.engine.out.before_apply import Permit
from selfheal_tui.engine.out.committing import commit, committed_words, plan_commit
from selfheal_tui.errors import InputError
from selfheal_tui.git import git_text, merge_texts
from selfheal_tui.store.writing import FileChange, write_changes

BEFORE, AFTER = "a = 1\n", "a = 2\n"
CHANGE = FileChange("pkg/shop [1].py", BEFORE, AFTER)


def git(top: Path, *words: str) -> str:
    ran = subprocess.run(["git", *words], cwd=top, capture_output=True, timeout=60, check=True)
    return ran.stdout.decode()


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit; the user has a name and an address."""
    own = tmp_path / "gitconfig"
    own.write_text("[user]\n\tname = Me\n\temail = me@example.org\n[init]\n\tdefaultBranch = main\n", "utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    top = tmp_path / "clone"
    (top / "pkg").mkdir(parents=True)
    (top / CHANGE.path).write_text(BEFORE, "utf-8")
    (top / "other.py").write_text("o = 1\n", "utf-8")
    git(top, "init", "-q")
    git(top, "add", ".")
    git(top, "commit", "-qm", "first")
    return top


def made(top: Path, message: str = "Heal it") -> str:
    planned = plan_commit(top, [CHANGE])
    write_changes(top, [CHANGE])
    return committed_words(planned, commit(planned, message, Permit()))


def test_exactly_these_files_are_committed_and_nothing_else_moves(clone: Path) -> None:
    (clone / "other.py").write_text("o = 2\n", "utf-8")
    (clone / "staged.py").write_text("s = 1\n", "utf-8")
    git(clone, "add", "staged.py")
    words = made(clone, "Heal it\n\nBecause \x1b[31mit\x1b[0m failed.")
    assert git(clone, "show", "--format=%an <%ae>|%B", "--name-only", "HEAD").split() == (
        ["Me", "<me@example.org>|Heal", "it", "Because", "it", "failed.", "pkg/shop", "[1].py"]
    )
    assert git(clone, "show", f"HEAD:{CHANGE.path}") == AFTER
    assert git(clone, "status", "--porcelain").splitlines() == [" M other.py", "A  staged.py"]
    assert words.startswith(
        f"Committed {git(clone, 'rev-parse', '--short', 'HEAD').strip()} on main: 1 file. No git hook"
    )
    assert git(clone, "fsck", "--strict") == ""
    with pytest.raises(InputError, match="holds this program already"):
        plan_commit(clone, [CHANGE])
    git(clone, "stash", "-q")
    git(clone, "revert", "--no-edit", "HEAD")
    assert (clone / CHANGE.path).read_text("utf-8") == BEFORE


def test_no_program_that_the_clone_names_runs(clone: Path, tmp_path: Path) -> None:
    canary = tmp_path / "ran"
    evil = tmp_path / "evil"
    evil.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\ncat\n', "utf-8")
    evil.chmod(0o755)
    for name in (
        "pre-commit",
        "commit-msg",
        "post-commit",
        "reference-transaction",
        "post-index-change",
        "pre-auto-gc",
    ):
        (clone / ".git" / "hooks" / name).write_text(evil.read_text("utf-8"), "utf-8")
        (clone / ".git" / "hooks" / name).chmod(0o755)
    (clone / ".gitattributes").write_text("*.py filter=evil diff=evil\n", "utf-8")
    for name in (
        *("core.fsmonitor", "core.editor", "core.sshCommand", "core.pager", "core.askPass", "filter.evil.clean"),
        *("filter.evil.smudge", "filter.evil.process", "gpg.program", "diff.evil.textconv", "diff.external"),
        *("credential.helper", "pager.ls-tree", "alias.ls-tree", "core.gitProxy", "gpg.ssh.program"),
    ):
        git(clone, "config", name, str(evil))
    for name in ("commit.gpgSign", "tag.gpgSign"):
        git(clone, "config", name, "true")
    for name, value in (("extensions.partialClone", "origin"), ("remote.origin.promisor", "true")):
        git(clone, "config", name, value)
    git(clone, "config", "remote.origin.url", f"ext::{evil}")
    git(clone, "config", "protocol.ext.allow", "always")
    subprocess.run(["git", "status"], cwd=clone, capture_output=True, timeout=60, check=False)
    assert canary.exists(), "the attack works on git as it is"
    canary.unlink()
    made(clone)
    assert not canary.exists()
    # What the clone does not hold is not fetched from where it says.
    blob = git_text(clone / ".git", "rev-parse", "HEAD:other.py")
    (clone / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    other = FileChange("other.py", "o = 1\n", "o = 2\n")
    with pytest.raises(InputError):
        plan_commit(clone, [other])
    assert not canary.exists()


def test_what_is_not_plainly_the_repair_is_refused(clone: Path, tmp_path: Path) -> None:
    def refused(says: str, folder: Path = clone, change: FileChange = CHANGE) -> None:
        with pytest.raises(InputError, match=says):
            plan_commit(folder, [change])

    refused("in no git repository", tmp_path)
    refused("not in the last commit", change=FileChange("new.py", None, "n\n"))
    refused("than the session was given", change=FileChange(CHANGE.path, "a = 0\n", AFTER))
    (clone / CHANGE.path).write_text("a = 5\n", "utf-8")
    git(clone, "add", ".")
    refused("are staged")
    git(clone, "reset", "-q", "--hard")
    (clone / ".git" / "MERGE_HEAD").write_text("x", "utf-8")
    refused("middle of a merge")
    (clone / ".git" / "MERGE_HEAD").unlink()
    Path(os.environ["GIT_CONFIG_GLOBAL"]).write_text("", "utf-8")
    refused("does not know who you are. Set user.name and user.email")


def test_a_folder_that_points_to_another_repository_is_refused_and_a_worktree_is_not(
    clone: Path, tmp_path: Path
) -> None:
    lure = tmp_path / "lure"
    (lure / "pkg").mkdir(parents=True)
    (lure / CHANGE.path).write_text(BEFORE, "utf-8")
    (lure / ".git").write_text(f"gitdir: {clone / '.git'}\n", "utf-8")
    with pytest.raises(InputError, match="keeps its commits in another place"):
        plan_commit(lure, [CHANGE])
    git(clone, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    assert " on side: 1 file" in made(tmp_path / "side")
    assert git(clone, "show", f"main:{CHANGE.path}") == BEFORE


def test_a_branch_that_moved_meanwhile_stays_as_it_is(clone: Path) -> None:
    planned = plan_commit(clone, [CHANGE])
    (clone / "other.py").write_text("o = 3\n", "utf-8")
    git(clone, "commit", "-qam", "meanwhile")
    head = git(clone, "rev-parse", "HEAD")
    with pytest.raises(InputError, match="update-ref refused"):
        commit(planned, "late", Permit())
    assert git(clone, "rev-parse", "HEAD") == head and git(clone, "status", "--porcelain") == ""


def harmed(clone: Path, evil: Path) -> None:
    """Let the clone name a program wherever a checkout would run one, its included files too."""
    (clone / ".gitattributes").write_text("*.py filter=evil\n", "utf-8")
    git(clone, "add", ".gitattributes")
    git(clone, "commit", "-qm", "attributes")
    more = clone / ".git" / "more"
    more.write_text(f'[filter "evil"]\n\tsmudge = {evil}\n\tprocess = {evil}\n\trequired = true\n', "utf-8")
    git(clone, "config", "include.path", "more")
    git(clone, "config", "includeIf.gitdir:**/worktrees/**.path", str(more))
    git(clone, "config", "core.fsmonitor", str(evil))
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        (clone / ".git" / "hooks" / name).write_text(evil.read_text("utf-8"), "utf-8")
        (clone / ".git" / "hooks" / name).chmod(0o755)


def test_no_program_runs_for_a_new_work_tree(clone: Path, tmp_path: Path) -> None:
    canary, evil = tmp_path / "ran", tmp_path / "evil"
    evil.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\ncat\n', "utf-8")
    evil.chmod(0o755)
    harmed(clone, evil)
    attack = ["git", "worktree", "add", "-q", str(tmp_path / "lure")]
    subprocess.run(attack, cwd=clone, capture_output=True, timeout=60, check=False)
    assert canary.exists(), "the attack works on git as it is"
    canary.unlink()
    planned = plan_commit(clone, [CHANGE], branch="heal", worktree=tmp_path / "place")
    words = committed_words(planned, commit(planned, "Heal it", Permit()))
    assert (tmp_path / "place" / CHANGE.path).read_text("utf-8") == AFTER and not canary.exists(), canary.read_text()
    assert "No git hook and no filter ran" in words


def test_variables_that_point_to_another_repository_do_not_count(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    git(tmp_path, "init", "-q", str(other))
    for name in ("GIT_DIR", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.setenv(name, str(other / ".git"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(tmp_path))
    planned = plan_commit(clone, [CHANGE], branch="heal")
    commit(planned, "Heal it", Permit())
    for name in list(os.environ):
        if name.startswith("GIT_") and name not in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"):
            monkeypatch.delenv(name)
    assert git(clone, "show", f"heal:{CHANGE.path}") == AFTER and git(other, "branch", "--list") == ""


def test_a_bare_repository_a_submodule_and_a_nested_one_are_one_sentence(clone: Path, tmp_path: Path) -> None:
    def refused(says: str, folder: Path, change: FileChange = CHANGE) -> None:
        with pytest.raises(InputError, match=says):
            plan_commit(folder, [change])

    git(tmp_path, "clone", "-q", "--bare", str(clone), str(tmp_path / "bare.git"))
    refused("is a bare repository", tmp_path / "bare.git")
    git(clone, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "bare.git"), "sub")
    git(clone, "commit", "-qm", "sub")
    refused("sub is a submodule", clone / "sub")
    refused("belongs to another repository", clone, FileChange(f"sub/{CHANGE.path}", BEFORE, AFTER))
    git(tmp_path, "clone", "-q", str(clone), str(clone / "inner"))
    refused("belongs to another repository", clone, FileChange(f"inner/{CHANGE.path}", BEFORE, AFTER))
    planned = plan_commit(clone, [CHANGE], branch="heal", worktree=tmp_path / "with sub")
    commit(planned, "Heal it", Permit())
    assert git(tmp_path / "with sub", "status", "--porcelain") == "", "a submodule is an empty folder there"


def test_the_line_ends_that_git_keeps_are_committed(clone: Path) -> None:
    (clone / CHANGE.path).write_bytes(b"a = 1\r\nb = 1\r\n")
    git(clone, "config", "core.autocrlf", "true")
    git(clone, "commit", "-qam", "text")
    change = FileChange(CHANGE.path, "a = 1\r\nb = 1\r\n", "a = 2\r\nb = 1\r\n")
    planned = plan_commit(clone, [change])
    write_changes(clone, [change])
    commit(planned, "Heal it", Permit())
    assert (clone / CHANGE.path).read_bytes() == b"a = 2\r\nb = 1\r\n"
    blob = subprocess.run(
        ["git", "show", f"HEAD:{CHANGE.path}"], cwd=clone, capture_output=True, check=True, timeout=60
    )
    assert blob.stdout == b"a = 2\nb = 1\n" and git(clone, "status", "--porcelain") == ""


def test_without_git_nothing_is_merged_and_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="There is no git here"):
        merge_texts(b"a\n", b"b\n", b"c\n", ("a", "b", "c"))
