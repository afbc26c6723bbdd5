"""What git says was changed lately: which lines, in which words, and that nothing runs which the clone names."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from selfheal_tui.engine.moment.recent import RecentLines, changes_by_line
from selfheal_tui.engine.task import recent_changes
from selfheal_tui.engine.task.recent_changes import MOST_FILES, read_recent_changes
from selfheal_tui.line_blocks import replaced_lines
from selfheal_tui.search.hunt.restored import restored_edits
from selfheal_tui.search.program.git_had import brought_back
from selfheal_tui.search.program.localise import Suspect
from selfheal_tui.search.program.location import Location
from selfheal_tui.search.program.recent import RecentChange, carried_changes
from selfheal_tui.search.program.source import parse_source

FIRST = "def tax(x):\n    return x * 2\n\n\ndef fee(x):\n    return x + 1\n\n\ndef sum_of(x):\n    return sum(x)\n"
SECOND = FIRST.replace("x * 2", "x * 3")
THIRD = "import math\n" + SECOND.replace("x + 1", "x + 2")
DAY_S = 86_400
NOW_S = 1_700_000_000


def git(top: Path, *words: str, at_s: int = NOW_S) -> str:
    dates = {"GIT_AUTHOR_DATE": f"{at_s} +0000", "GIT_COMMITTER_DATE": f"{at_s} +0000"}
    ran = subprocess.run(
        ["git", *words], cwd=top, env={**os.environ, **dates}, capture_output=True, timeout=60, check=True
    )
    return ran.stdout.decode().strip()


def commit(top: Path, text: str, subject: str, days: int) -> str:
    """Commit a text of `pkg/shop.py`; return the first letters of the commit's id."""
    (top / "pkg" / "shop.py").write_text(text, "utf-8")
    git(top, "add", ".")
    git(top, "commit", "-q", "--no-verify", "-m", subject, at_s=NOW_S - days * DAY_S)
    return git(top, "rev-parse", "HEAD")[:7]


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    own = tmp_path / "gitconfig"
    own.write_text("[user]\n\tname = Me\n\temail = me@example.org\n", "utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setattr(recent_changes, "LONGEST_S", 60.0)
    top = tmp_path / "clone"
    (top / "pkg").mkdir(parents=True)
    git(top, "init", "-q")
    commit(top, FIRST, "first", 900)
    return top


def told(folder: Path, text: str, path: str = "shop.py") -> dict[int, str]:
    """Return line -> words, of one program file as it was loaded."""
    saved = read_recent_changes(str(folder), {path: text}, NOW_S)
    return {line: change.words for (_, line), change in changes_by_line(saved, {path: text}).items()}


def test_each_line_has_its_newest_change_at_its_present_place(clone: Path) -> None:
    folder = clone / "pkg"
    assert told(folder, FIRST) == {}, "the first commit changed nothing"
    tax = commit(clone, SECOND, "Add \x1b[31mtax" + " more" * 30, 20)
    fee = commit(clone, THIRD, "Raise the fee", 2)
    git(clone, "checkout", "-q", "--detach")
    now = "# new\n" + THIRD.replace("sum(x)", "max(x)")
    by_line = told(folder, now)
    (folder / "shop.py").write_text(now.replace("max", "min"), "utf-8")
    assert told(folder, now) == by_line == told(clone, now, "pkg/shop.py"), "the text that was loaded counts"
    assert by_line.pop(4).startswith(f"changed by {tax} Add ")
    assert by_line == {
        1: "changed, not committed",
        2: f"changed by {fee} Raise the fee (2 days ago)",
        8: f"changed by {fee} Raise the fee (2 days ago)",
        12: "changed, not committed",
    }
    (saved,) = (lines for lines in read_recent_changes(str(folder), {"shop.py": THIRD}, NOW_S) if lines["first"] == 3)
    assert saved["commit"].startswith(f"{tax} Add ") and "\x1b" not in saved["commit"] and len(saved["commit"]) < 70
    assert saved["age"] == "2 weeks ago" and saved["old"] == "    return x * 2\n"
    assert told(folder, THIRD.replace("\n", "\r\n")) == told(folder, THIRD), "line ends are no change"


def test_where_git_cannot_tell_there_is_nothing(clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_recent_changes(None, {"shop.py": SECOND}) == []
    assert told(tmp_path, SECOND) == {}
    assert told(clone / "pkg", SECOND) == {2: "changed, not committed"}
    assert told(clone / "pkg", SECOND, "new.py") == {}, "the last commit does not have it"
    with monkeypatch.context() as patched:
        patched.setattr(recent_changes, "LONGEST_S", 0.0)
        assert told(clone / "pkg", SECOND) == {}, "git takes too long"
    git(clone, "config", "remote.origin.promisor", "true")
    assert told(clone / "pkg", SECOND) == {}, "objects may be missing"
    git(clone, "config", "--unset", "remote.origin.promisor")
    shutil.rmtree(clone / ".git" / "objects")
    (clone / ".git" / "objects").mkdir()
    assert told(clone / "pkg", SECOND) == {}, "the history is gone"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert told(clone / "pkg", SECOND) == {}, "no git"


def test_a_commit_of_many_files_says_nothing_of_where_a_fault_is(clone: Path) -> None:
    program = {f"m{number}.py": f"x = {number}\n" for number in range(MOST_FILES + 1)}
    for text, subject in (("x = 0\n", "add"), ("x = 1\n", "reformat")):
        for path in program:
            (clone / path).write_text(text, "utf-8")
        commit(clone, FIRST, subject, 1)
    assert read_recent_changes(str(clone), dict.fromkeys(program, "x = 1\n")) == []
    few = read_recent_changes(str(clone), {"m0.py": "x = 1\n", "m1.py": "x = 2\n"})
    assert [lines["path"] for lines in few] == ["m1.py", "m0.py"], "what is not committed comes first"


def test_no_program_that_the_clone_names_runs(clone: Path, tmp_path: Path) -> None:
    canary, evil = tmp_path / "ran", tmp_path / "evil"
    evil.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\ncat\n', "utf-8")
    evil.chmod(0o755)
    tax = commit(clone, SECOND, "Add tax", 2)
    (clone / ".gitattributes").write_text("*.py filter=evil diff=evil\n", "utf-8")
    (clone / ".git" / "info" / "attributes").write_text("*.py filter=evil diff=evil\n", "utf-8")
    with (clone / ".git" / "config").open("a", encoding="utf-8") as config:
        config.write(
            f'[core]\n fsmonitor = {evil}\n pager = {evil}\n sshCommand = {evil}\n[filter "evil"]\n clean = {evil}\n'
            f' smudge = {evil}\n process = {evil}\n[diff]\n external = {evil}\n[diff "evil"]\n textconv = {evil}\n'
            f" command = {evil}\n[gpg]\n program = {evil}\n[log]\n showSignature = true\n[pager]\n rev-list = {evil}\n"
            f" diff-tree = {evil}\n cat-file = {evil}\n[alias]\n rev-list = !{evil}\n"
        )
    (clone / "pkg" / "shop.py").write_text(THIRD, "utf-8")
    subprocess.run(["git", "diff"], cwd=clone, capture_output=True, timeout=60, check=False)
    assert canary.exists(), "the attack works on git as it is"
    canary.unlink()
    words = told(clone / "pkg", THIRD)
    assert words[3] == f"changed by {tax} Add tax (2 days ago)" and words[7] == "changed, not committed"
    assert not canary.exists()


def test_a_folder_from_elsewhere_does_not_lead_to_a_private_repository(clone: Path, tmp_path: Path) -> None:
    commit(clone, SECOND, "Secret plans", 2)
    private = clone / ".git"
    lure = tmp_path / "lure"
    (lure / "pkg").mkdir(parents=True)

    def by_link() -> None:
        (lure / ".git").symlink_to(private)

    def by_file() -> None:
        (lure / ".git").write_text(f"gitdir: {private}\n", "utf-8")

    def own(at: str) -> Path:
        shutil.copytree(private, lure / ".git")
        shutil.rmtree(lure / ".git" / at, ignore_errors=True)
        return lure / ".git" / at

    def by_objects() -> None:
        own("objects").symlink_to(private / "objects")

    def by_each_object() -> None:
        objects = own("objects")
        objects.mkdir()
        for entry in (private / "objects").iterdir():
            (objects / entry.name).symlink_to(entry)

    def by_alternates() -> None:
        (own("objects") / "info").mkdir(parents=True)
        (lure / ".git" / "objects" / "info" / "alternates").write_text(f"{private / 'objects'}\n", "utf-8")

    def by_common_folder() -> None:
        own("commondir").write_text(f"{private}\n", "utf-8")

    for attack in (by_link, by_file, by_objects, by_each_object, by_alternates, by_common_folder):
        attack()
        assert git(lure, "log", "-1", "--format=%s") == "Secret plans", "the attack works on git as it is"
        assert told(lure / "pkg", THIRD) == {}, attack.__name__
        (shutil.rmtree if (lure / ".git").is_dir() and not (lure / ".git").is_symlink() else os.unlink)(lure / ".git")
    git(clone, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    assert told(tmp_path / "side" / "pkg", SECOND)[2].endswith("Secret plans (2 days ago)"), "a work tree of its own"


def test_lines_are_carried_over_and_a_foreign_file_names_no_others() -> None:
    lines: RecentLines = {"path": "p.py", "first": -5, "last": 1 << 60, "commit": "1a2b3c4 A\nB", "age": "1 day ago"}
    other: RecentLines = {**lines, "path": "gone.py"}
    base = {"p.py": "a\nb\nc\n"}
    recent = changes_by_line([lines, other], base)
    assert set(recent) == {("p.py", 1), ("p.py", 2), ("p.py", 3)}
    assert {change.commit for change in recent.values()} == {"1a2b3c4 A B"}
    assert set(carried_changes(recent, base, {"p.py": "new\na\nB\nc\n"})) == {("p.py", 2), ("p.py", 4)}
    assert carried_changes(recent, base, {}) == {}
    assert RecentChange("", "").weight > RecentChange("1a2b3c4 A", "1 day ago").weight


def restored(before: str, now: str) -> list[tuple[str, str]]:
    """Return the text that each edit back to `before` makes, with its words; all of it is suspicious."""
    changes = {
        ("p.py", line): RecentChange("1a2b3c4 Add tax", "1 day ago", change.old, len(change.rows))
        for change in replaced_lines(before, now)
        for line in change.rows
    }
    source = parse_source("p.py", now, {})
    suspects = [Suspect("p.py", line, 1.0, "runs in the failing case") for line in range(1, now.count("\n") + 2)]
    location = Location(source, suspects, [], [])
    return [(edit.apply(), edit.summary) for edit in restored_edits(source, location, changes)]


def test_what_a_change_replaced_is_brought_back() -> None:
    one = THIRD.replace("x + 2", "x + 9")
    assert restored(THIRD, one) == [(THIRD, "line 7: back to `return x + 2`, as before 1a2b3c4")]
    gone = THIRD.replace("    return x + 2\n", "    y = x\n    return y + 2\n")
    assert restored(gone, gone.replace("    y = x\n", "")) == [(gone, "line 6: these 2 lines as before 1a2b3c4")]
    bare = THIRD.rstrip("\n")
    (at_end,) = restored(bare, bare.replace("sum(x)", "max(x)"))
    assert at_end == (bare, "line 11: back to `return sum(x)`, as before 1a2b3c4")
    both = one.replace("x * 3", "x * 4")
    assert [text for text, _ in restored(THIRD, both)] == [one, THIRD.replace("x * 3", "x * 4")]
    windows = one.replace("\n", "\r\n")
    source = parse_source("p.py", windows, {})
    change = RecentChange("", "", "    return x + 2\n", 1)
    (edit,) = restored_edits(source, Location(source, [Suspect("p.py", 7, 1.0, "")], [], []), {("p.py", 7): change})
    assert edit.apply() == THIRD.replace("\n", "\r\n") and edit.summary.endswith(", as in the last commit")


def test_of_a_change_the_part_that_git_had_is_told() -> None:
    now = THIRD.replace("x + 2", "x + 9").replace("x * 3", "x * 4")
    recent = {
        ("p.py", line): RecentChange("1a2b3c4 Add tax", "1 day ago", change.old, len(change.rows))
        for change in replaced_lines(THIRD, now)
        for line in change.rows
    }

    def told(after: str) -> tuple[str, bool]:
        back = brought_back({"p.py": now}, {"p.py": after}, recent)
        return back.texts.get("p.py", ""), back.whole

    assert told(THIRD) == (THIRD, True)
    one = THIRD.replace("x * 3", "x * 4")
    assert told(one) == (one, True)
    assert told(one.replace("sum(x)", "max(x)")) == (one, False)
    assert told(one.replace("def fee(x):", "def fee(x=0):")) == (one, False), "also right above it"
    assert told(now.replace("x + 9", "x + 8")) == told(now) == ("", False)
    assert brought_back({"p.py": now}, {"q.py": "x = 1\n"}, recent).words == ""
