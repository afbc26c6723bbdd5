"""`sessions compare`, `export`, `apply` and `check`, as scripts use them, over a real healed session."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from selfheal_tui.cli import main
from selfheal_tui.store.lock import open_driver_lock
from tests.engine.driving import BUGGY, DIAGNOSIS, FIXED, TESTS, repair_reply, script

ROOT = Path(__file__).resolve().parents[2]
CANARY = "sk-canary-9f27c1d4e8"
WRONG = BUGGY.replace("amount + discount", "amount - discount - 1")


class Ran(NamedTuple):
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Shell:
    """Runs `selfheal sessions ...` in this process, in a folder of its own."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home, self.sessions, self.project = home, home / "runs", home / "project"
        self.capsys = capsys

    def __call__(self, action: str, *argv: str) -> Ran:
        code = main(["sessions", action, *argv, "--sessions", str(self.sessions)])
        captured = self.capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    @property
    def session(self) -> str:
        return next(path.name for path in self.sessions.iterdir() if path.is_dir())

    @property
    def folder(self) -> Path:
        return self.sessions / self.session


def build_home(home: Path) -> None:
    """Heal a small project with a scripted model whose words hold a key; then branch off with wrong code."""
    project = home / "project"
    project.mkdir()
    (project / "shop.py").write_text(BUGGY, encoding="utf-8")
    (project / "shop.py").chmod(0o640)
    (project / "test_shop.py").write_text(TESTS, encoding="utf-8")
    (home / "wrong.py").write_text(WRONG, encoding="utf-8")
    diagnosis = {**DIAGNOSIS, "cause": f"The discount is added. <script>{CANARY}</script>"}
    usage = {"input_tokens": 10, "output_tokens": 20, "cost_usd": 0.25}
    model = script(
        home / "m.yaml",
        {"role": "debugger", "reply": diagnosis, "usage": usage},
        {"role": "repairer", "reply": repair_reply(FIXED, f"Subtract. {CANARY}"), "usage": usage},
    )
    flags = ["--sessions", str(home / "runs"), "--model", model, "--critic", "off", "--debug-steps", "0"]
    spec = f"The total less the discount. Ask with {CANARY}."
    code = main(["fix", str(project / "shop.py"), "--spec", spec, "--headless", "--autonomy", "full_auto", *flags])
    assert code == 0
    folder = next(path for path in (home / "runs").iterdir() if path.is_dir())
    with closing(sqlite3.connect(folder / "session.db")) as connection:
        rows = connection.execute("select checkpoint_id, metadata from checkpoints order by rowid").fetchall()
    at = next(i for i, facts in rows if json.loads(facts)["node"] == "run_suite")
    forked = ["sessions", "fork", folder.name, "--at", at, "--set", f"code=@{home / 'wrong.py'}", "--label", "other"]
    assert main([*forked, "--sessions", str(home / "runs")]) == 0


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("built")
    build_home(home)
    return home


@pytest.fixture
def shell(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A copy of the healed session; the project is where the session knows it to be, as it was."""
    shutil.copytree(built / "runs", tmp_path / "runs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANTHROPIC_API_KEY", CANARY)
    (built / "project" / "shop.py").write_text(BUGGY, encoding="utf-8")
    (built / "project" / "shop.py").chmod(0o640)
    capsys.readouterr()
    made = Shell(tmp_path, capsys)
    made.project = built / "project"
    return made


def digest(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in folder.iterdir()
    }


def test_two_branches_are_compared(shell: Shell) -> None:
    found = shell("compare", shell.session, "main", "other", "--json").json
    assert (found["a"]["branch"], found["a"]["outcome"], found["b"]["branch"]) == ("main", "healed", "other")
    assert "-    return amount - discount\n+    return amount - discount - 1\n" in found["diff"]
    assert [column["on"] for column in found["columns"]] == ["both", "a"]
    assert found["b"]["suite_is_current"] is False, "the other branch was not run"
    case = next(row for row in found["cases"] if row["id"].endswith("test_discount"))
    assert (case["outcomes"], case["flips"]) == (["failed", "passed"], ["", "fixed"])
    assert found["more_spent"]["calls"] == -2 and found["more_spent"]["cost_usd"] == -0.5
    text = shell("compare", shell.session, found["common"][:13], "main")
    assert text.code == 0 and "B fixes 1 and breaks 0 against A" in text.out and "+!" in text.out
    assert shell("compare", shell.session, "main", "nobody").code == 2


def test_a_report_tells_the_branch_and_no_key(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    story = shell("export", shell.session, "--branch", "main", "--format", "json")
    told = story.json
    assert (told["format"], told["outcome"], told["changed"]) == ("selfheal-story", "healed", ["shop.py"])
    first, second = told["iterations"]
    assert [d["kind"] for d in first["decisions"]] == ["diagnosis", "repair"]
    assert {d["by"] for d in first["decisions"]} == {"policy"} and "+    return amount - discount" in (
        first["decisions"][1]["diff"]
    )
    assert first["diagnoses"][0]["diagnosis"]["fault"] == "code" and first["spent"]["cost_usd"] == 0.5
    assert second["runs"][0]["report"]["passed"] == 2 and told["not_tested"]
    assert [call["role"] for call in told["calls"]] == ["debugger", "repairer"]
    assert told["matrix"]["cases"][1]["flips"] == ["", "fixed"]
    for form in ("md", "html", "json", "patch"):
        out = shell("export", shell.session, "--branch", "main", "--format", form)
        assert out.code == 0 and CANARY not in out.out, form
        assert (form == "patch") or "[ANTHROPIC_API_KEY]" in out.out
        assert form != "html" or "<script>" not in out.out
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        known = shell("export", shell.session, "--branch", "main", "--format", form)
        assert (form == "patch") or CANARY in known.out, "the canary is what was taken out"
        monkeypatch.setenv("ANTHROPIC_API_KEY", CANARY)


def test_a_fork_is_part_of_the_story(shell: Shell) -> None:
    told = shell("export", shell.session, "--branch", "other", "--format", "json").json
    fork = [d for i in told["iterations"] for d in i["decisions"] if d["kind"] == "fork"]
    assert len(fork) == 1 and "amount - discount - 1" in fork[0]["diff"] and told["forked_from"]


def test_a_patch_is_refused_that_holds_a_key(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "amount - discount")
    refused = shell("export", shell.session, "--branch", "main", "--format", "patch")
    assert (refused.code, refused.out) == (2, "") and "OPENAI_API_KEY" in refused.err
    assert "amount - discount" not in refused.err


def test_the_patch_applies_to_what_was_given(shell: Shell) -> None:
    assert shell("export", shell.session, "--branch", "main", "--format", "patch", "-o", "p.patch").code == 0
    subprocess.run(["git", "apply", str(shell.home / "p.patch")], cwd=shell.project, check=True, timeout=30)
    assert (shell.project / "shop.py").read_text() == FIXED
    assert shell("export", shell.session, "-o", "no/such/folder/x").code == 2
    assert shell("export", shell.session, "--branch", "main", "--format", "patch", "-o", "p.patch").code == 0, "again"
    source = (shell.project / "shop.py").read_text()
    refused = shell("export", shell.session, "-o", str(shell.project / "shop.py"))
    assert refused.code == 2 and "none of a report: nothing was written" in refused.err
    assert (shell.project / "shop.py").read_text() == source


def test_apply_writes_the_healed_file_and_nothing_else(shell: Shell) -> None:
    asked = shell("apply", shell.session, "--branch", "main")
    assert asked.code == 2 and "--yes" in asked.err and "+    return amount - discount" in asked.out
    assert (shell.project / "shop.py").read_text() == BUGGY
    done = shell("apply", shell.session, "--branch", "main", "--yes", "--json")
    assert done.json == {"folder": str(shell.project), "written": [str(shell.project / "shop.py")], "doubts": []}
    assert (shell.project / "shop.py").read_text() == FIXED
    assert (shell.project / "shop.py").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in shell.project.iterdir() if path.suffix == ".py") == ["shop.py", "test_shop.py"]
    again = shell("apply", shell.session, "--branch", "main", "--yes")
    assert again.code == 0 and "already" in again.out


def test_apply_commits_exactly_the_files_and_puts_them_back(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    own = shell.home / "gitconfig"
    own.write_text("[user]\n\tname = Me\n\temail = me@example.org\n", "utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))

    def git(*words: str) -> str:
        ran = subprocess.run(["git", *words], cwd=shell.project, capture_output=True, timeout=30, check=True)
        return ran.stdout.decode()

    apply = ("apply", shell.session, "--branch", "main", "--yes")
    assert "in no git repository" in shell(*apply, "--commit").err
    assert (shell.project / "shop.py").read_text() == BUGGY, "without the commit nothing is written either"
    git("init", "-q")
    git("add", "shop.py")
    git("commit", "-qm", "first")
    never_ran = shell("apply", shell.session, "--branch", "other")
    assert "(it has not ended): nothing was written. Branch main is healed: --branch main. " in " ".join(
        never_ran.err.split()
    )
    assert "+    return amount - discount\n" in shell("apply", shell.session).out, "the branch that ran last"
    monkeypatch.chdir(shell.project)
    assert "(the newest of this folder that is healed)" in shell("apply").err
    monkeypatch.chdir(shell.home)
    assert shell("export", shell.session).out == shell("export", shell.session, "--branch", "main").out
    done = shell(*apply, "--commit", "--each")
    assert done.code == 0 and "Committed " in done.out and done.out.endswith("A single repair: it is one commit.\n")
    git("reset", "-q", "--hard", "HEAD~1")
    done = shell(*apply, "--commit", "--message", "Subtract it", "--json")
    assert done.code == 0 and done.json["commit"] == git("rev-parse", "--short", "HEAD").strip()
    assert git("show", "--format=%s", "--name-only", "HEAD").split() == ["Subtract", "it", "shop.py"]
    assert (shell.project / "shop.py").read_text() == FIXED == git("show", "HEAD:shop.py")
    held = shell(*apply, "--commit")
    assert (held.code, "holds this program already" in held.out) == (0, True)
    git("reset", "-q", "--soft", "HEAD~1")  # the same in two commits, as `--each` makes them
    for text in ("# half\n" + BUGGY, FIXED):
        (shell.project / "shop.py").write_text(text)
        git("commit", "-qam", "Heal")
    made = git("log", "--format=%h", "-2").split()
    back = shell(*apply, "--undo")
    assert back.code == 0 and (shell.project / "shop.py").read_text() == BUGGY
    assert f"The commits {', '.join(made)} stay. To commit the undo: git -C " in back.out
    again = shell(*apply, "--undo").out
    assert shell(*apply, "--undo", "--json").json["stays"] == back.out[back.out.index("The commits ") :].rstrip("\n")
    assert "as it was given" in again and back.out.endswith(again.partition("\n")[2]), "said again"
    for command in re.findall(r": (git -C .+)", back.out):
        subprocess.run(["sh", "-c", command], check=True, capture_output=True, env={**os.environ, "GIT_EDITOR": "true"})
        assert git("show", "HEAD:shop.py") == (shell.project / "shop.py").read_text() == BUGGY
        if "revert" not in command:
            git("reset", "-q", "--mixed", "HEAD~1")
    assert git("log", "--format=%s", "-2").split("\n")[0].startswith("Revert")
    assert shell(*apply).code == 0
    (shell.project / "feature.py").write_text("X = 1\n")
    git("add", "-A")
    git("commit", "-qm", "My feature, and the repair")
    back = shell(*apply, "--undo")
    assert "stays, with other files in it. To commit the undo: git" in back.out and "revert" not in back.out
    for words in (("--commit", "--undo"), ("--message", "x"), ("--undo", "-o", "out")):
        assert shell(*apply, *words).code == 2


def test_a_note_waits_and_is_taken_back(shell: Shell) -> None:
    assert shell("note", shell.session, "Mind the sign.", "--json").json == {"waiting": ["Mind the sign."]}
    assert "your note for the next step" in shell("undo", shell.session).out
    assert shell("note", shell.session, " ").code == 2
    assert shell("branch", shell.session, "go", "main").code == 0
    ended = shell("note", shell.session, "Too late.").out
    assert ended.startswith("The note is kept, but no step will read it: this branch has ended (to take it back: ")
    assert "SESSION is named and the note is not" in shell("note", shell.session).err
    assert "waits for a decision" in shell("note", "Hello").err


def test_a_comment_goes_with_a_decision_and_is_shown(shell: Shell) -> None:
    shown = shell("show", shell.session, "--json").json
    asked = next(
        one["parent_id"] for one in shown["checkpoints"] if one["decision"] and one["decision"]["kind"] == "repair"
    )
    wrong = shell("decide", shell.session, "reject", "--at", asked, "--comment", "shop.py:600:x")
    assert wrong.code == 2 and "no line 600" in wrong.err
    shell("decide", shell.session, "stop", "--at", asked, "--comment", "shop.py:6:why not max?", "--json")
    history = shell("show", shell.session).out
    assert "stopped by you: 1 comment" in history
    assert shell("show", shell.session, "--at", asked).out.count("+    return amount - discount") == 1
    again = shell("show", shell.session, "--json").json["checkpoints"]
    at = next(one["checkpoint_id"] for one in again if (one["decision"] or {}).get("comments") == "1")
    assert 'on shop.py line 6, "' in shell("show", shell.session, "--at", at).out


def test_apply_asks_a_human(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for answer, text in (("\n", BUGGY), ("n\n", BUGGY), ("y\n", FIXED)):
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        asked = shell("apply", shell.session, "--branch", "main")
        assert asked.code == 0 and asked.err.startswith("healed: Both cases pass") and "[y/N]" in asked.err
        assert (shell.project / "shop.py").read_text() == text


def test_apply_refuses_what_changed_and_what_is_not_healed(shell: Shell) -> None:
    unhealed = shell("apply", shell.session, "--branch", "other", "--yes")
    assert unhealed.code == 2 and "not healed" in unhealed.err
    (shell.project / "shop.py").write_text(BUGGY + "# mine\n", encoding="utf-8")
    changed = shell("apply", shell.session, "--branch", "main", "--yes")
    assert changed.code == 2 and "changed since" in changed.err and (shell.project / "shop.py").read_text() != FIXED
    (shell.project / "shop.py").unlink()
    (shell.project / "shop.py").symlink_to(shell.project / "test_shop.py")
    linked = shell("apply", shell.session, "--branch", "main", "--yes")
    assert linked.code == 2 and "link" in linked.err and (shell.project / "test_shop.py").read_text() == TESTS
    (shell.project / "shop.py").unlink()


def test_apply_into_a_folder(shell: Shell) -> None:
    refused = shell("apply", shell.session, "--branch", "main", "-o", "out/deep")
    assert refused.code == 2 and not (shell.home / "out").exists(), "nothing is made before the yes"
    assert shell("apply", shell.session, "--branch", "main", "-o", "out/deep", "--yes").code == 0
    assert {path.name: path.read_text() for path in (shell.home / "out/deep").iterdir()} == {"shop.py": FIXED}
    (shell.home / "out/deep/shop.py").write_text("other", encoding="utf-8")
    assert shell("apply", shell.session, "--branch", "main", "-o", "out/deep", "--yes").code == 2
    assert (shell.home / "out/deep/shop.py").read_text() == "other"


def test_a_session_without_a_folder_is_not_applied(shell: Shell) -> None:
    with closing(sqlite3.connect(shell.folder / "session.db")) as connection:
        rewrite_root(connection)
    refused = shell("apply", shell.session, "--branch", "main", "--yes")
    assert refused.code == 2 and "-o DIR" in refused.err and "export" in refused.err
    assert shell("apply", shell.session, "--branch", "main", "--yes", "-o", "out").code == 0


def rewrite_root(connection: sqlite3.Connection) -> None:
    """Make the session one whose files came from no folder, as a demo's do."""
    import zlib

    initial = json.loads(connection.execute("select value from meta where key='initial'").fetchone()[0])
    body = connection.execute("select body from blob where ref=?", (initial["manifest_ref"],)).fetchone()[0]
    manifest = {**json.loads(zlib.decompress(body)), "root": None}
    text = json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode()
    initial["manifest_ref"] = hashlib.sha256(text).hexdigest()
    connection.execute("insert into blob values(?,?)", (initial["manifest_ref"], zlib.compress(text)))
    connection.execute("update meta set value=? where key='initial'", (json.dumps(initial),))
    connection.commit()


def test_a_sound_session_is_sound_and_stays_untouched(shell: Shell) -> None:
    before = digest(shell.folder)
    found = shell("check", shell.session, "--json")
    assert found.code == 0 and found.json["sound"] and found.json["driver"] is None
    assert found.json["whole"] == found.json["checkpoints"] > 8 and found.json["orphans"] == 0
    assert digest(shell.folder) == before and "sound" in shell("check").out
    os.chmod(shell.folder, 0o500)
    assert shell("check").code == 0
    os.chmod(shell.folder, 0o700)


def test_the_driver_and_what_nothing_names_are_told(shell: Shell) -> None:
    with closing(sqlite3.connect(shell.folder / "session.db")) as connection:
        connection.execute("insert into blob values(?, ?)", ("0" * 64, b"x" * 100))
        connection.commit()
    with open_driver_lock(shell.folder):
        found = shell("check", shell.session, "--json").json
        assert found["driver"] == os.getpid() and (found["orphans"], found["orphans_bytes"]) == (1, 100)
        assert f"process {os.getpid()}" in shell("check", shell.session).out and found["sound"]


def test_beside_a_driver_reading_works_and_the_rest_is_told_who_it_is(shell: Shell) -> None:
    shown = shell("show", shell.session, "--json").json
    first, last = shown["checkpoints"][0]["checkpoint_id"], shown["checkpoints"][-1]["checkpoint_id"]
    with open_driver_lock(shell.folder):
        before = digest(shell.folder)["session.db"]
        for reading in (("show",), ("export",), ("compare", first, last), ("check",), ("show", "--at", last)):
            ran = shell(reading[0], shell.session, *reading[1:])
            assert ran.code == 0, (reading, ran.err)
        assert shell("list").code == 0
        for writing in (("decide", "approve", "--at", last), ("fork", "--at", last), ("delete",), ("rename", "x")):
            ran = shell(writing[0], shell.session, *writing[1:])
            assert ran.code == 6 and f"process {os.getpid()} on {socket.gethostname()}" in ran.err, (writing, ran.err)
        assert digest(shell.folder)["session.db"] == before
    assert main(["resume", shell.session, "--headless", "--sessions", str(shell.sessions)]) in (0, 1)


def test_damaged_bodies_are_named_by_what_they_are(shell: Shell) -> None:
    with closing(sqlite3.connect(shell.folder / "session.db")) as connection:
        fixed = hashlib.sha256(FIXED.encode()).hexdigest()
        wrong = hashlib.sha256(WRONG.encode()).hexdigest()
        connection.execute("update blob set body=zeroblob(40) where ref=?", (fixed,))
        connection.execute("delete from blob where ref=?", (wrong,))
        connection.commit()
    before = digest(shell.folder)
    found = shell("check", shell.session, "--json")
    assert found.code == 6 and digest(shell.folder) == before
    damage = {one["what"]: one for one in found.json["damage"]}
    assert set(damage) == {"The program file shop.py is unreadable.", "The program file shop.py is missing."}
    assert "on other" in damage["The program file shop.py is missing."]["where"][0]
    assert "iteration 1 on main, after apply" in damage["The program file shop.py is unreadable."]["where"][0]
    still = {branch["branch"]: branch for branch in found.json["still_readable"]}
    assert still["main"]["checkpoint_id"] and not still["main"]["is_head"] and still["main"]["iteration"] == 0
    assert still["other"]["checkpoint_id"] is None
    text = shell("check", shell.session)
    assert text.code == 6 and "can be read up to checkpoint" in text.out and "nothing can be read whole" in text.out
    # What is said to be readable is.
    assert shell("show", shell.session, "--at", still["main"]["checkpoint_id"], "--json").code == 0


def test_an_altered_body_and_an_altered_state_are_found(shell: Shell) -> None:
    import zlib

    with closing(sqlite3.connect(shell.folder / "session.db")) as connection:
        ref = hashlib.sha256(TESTS.encode()).hexdigest()
        connection.execute("update blob set body=? where ref=?", (zlib.compress(TESTS.upper().encode()), ref))
        connection.execute("update checkpoints set checkpoint=x'c1c1' where rowid=3")
        connection.commit()
    found = shell("check", shell.session, "--json").json
    words = " ".join(one["what"] for one in found["damage"])
    assert "The file test_shop.py as given is altered." in words and "state of a moment cannot be read" in words
    assert found["whole"] == 0


@pytest.mark.parametrize("keep", [0.0, 0.3, 0.9])
def test_a_truncated_file_is_damaged_and_not_a_crash(shell: Shell, keep: float) -> None:
    path = shell.folder / "session.db"
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * keep)])
    found = shell("check", "--json")
    assert found.code == 6 and found.json[0]["damage"] and "Traceback" not in found.err


def test_flipped_bits_never_crash_the_check(shell: Shell) -> None:
    path = shell.folder / "session.db"
    whole = path.read_bytes()
    for at in range(101, len(whole), len(whole) // 12):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        assert shell("check", "--json").code in (0, 6)


def test_what_a_crash_left_in_the_journal_is_read_from_a_copy(shell: Shell) -> None:
    """Killed between a write and the end: the journal holds rows that the file does not."""
    path = shell.folder / "session.db"
    writing = (
        "import sqlite3, os, sys; c = sqlite3.connect(sys.argv[1]); c.execute('pragma journal_mode=wal');"
        "c.execute('insert into blob values(?, ?)', ('1' * 64, b'x')); c.commit(); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", writing, str(path)], check=False, timeout=60)
    assert path.with_name("session.db-wal").stat().st_size
    before = digest(shell.folder)
    found = shell("check", shell.session, "--json").json
    assert found["orphans"] == 1 and found["sound"] and digest(shell.folder) == before


def test_a_branch_is_renamed_and_noted_and_everything_finds_it(shell: Shell) -> None:
    assert shell("branch", shell.session, "rename", "other", "less one").code == 0
    assert shell("branch", shell.session, "note", "less one", " a wrong idea ").code == 0
    shown = shell("show", shell.session, "--json").json
    assert [(b["name"], b["note"]) for b in shown["branches"]] == [("main", ""), ("less one", "a wrong idea")]
    assert "a wrong idea" in shell("show", shell.session).out
    assert shell("compare", shell.session, "main", "less one", "--json").json["b"]["branch"] == "less one"
    assert shell("branch", shell.session, "rename", "less one", "third").code == 0
    assert shell("show", shell.session, "--json").json["branches"][1]["note"] == "a wrong idea", "the note goes along"
    assert shell("branch", shell.session, "note", "third").code == 0
    assert shell("show", shell.session, "--json").json["branches"][1]["note"] == ""
    for argv in (
        ("rename", "third", "main"),
        ("rename", "nobody", "x"),
        ("rename", "third", "a\nb"),
        ("note", "no", "x"),
    ):
        assert shell("branch", shell.session, *argv).code == 2
    assert shell("check", shell.session).code == 0


def test_a_deleted_branch_takes_only_its_own_with_it(shell: Shell) -> None:
    told = shell("export", shell.session, "--branch", "main", "--format", "json").json
    size = (shell.folder / "session.db").stat().st_size
    with closing(sqlite3.connect(shell.folder / "session.db")) as connection:
        connection.execute("insert into blob values(?, zeroblob(500000))", ("0" * 64,))
        connection.commit()
    gone = shell("branch", shell.session, "delete", "other", "--json").json
    assert gone["checkpoints"] >= 1 and gone["bodies"] >= 2 and gone["freed_bytes"] > 400_000
    assert (shell.folder / "session.db").stat().st_size <= size
    shown = shell("show", shell.session, "--json").json
    assert [branch["name"] for branch in shown["branches"]] == ["main"]
    again = shell("export", shell.session, "--branch", "main", "--format", "json").json
    assert {**again, "usage": 0} == {**told, "usage": 0}
    found = shell("check", shell.session, "--json").json
    assert found["sound"] and found["orphans"] == 0
    assert main(["resume", shell.session, "--headless", "--sessions", str(shell.sessions)]) == 0


def test_a_branch_in_use_is_not_deleted(shell: Shell) -> None:
    shown = shell("show", shell.session, "--json").json
    head = shown["branches"][1]["head"]
    forked = shell("fork", shell.session, "--at", head, "--set", "max_iterations=9", "--label", "child")
    assert forked.code in (0, 1), forked.err
    children = shell("branch", shell.session, "delete", "other")
    assert children.code == 2 and "child" in children.err
    assert shell("branch", shell.session, "delete", "main").code == 2
    assert shell("branch", shell.session, "delete", "nobody").code == 2
    with open_driver_lock(shell.folder):
        assert shell("branch", shell.session, "delete", "child").code == 6
    with closing(sqlite3.connect(shell.folder / "session.db")) as connection:
        connection.execute("insert into decision values(99, ?, 'child', 'repair', '{}', '', 0)", (head,))
        connection.commit()
    waiting = shell("branch", shell.session, "delete", "child")
    assert waiting.code == 2 and "not taken effect" in waiting.err
    with closing(sqlite3.connect(shell.folder / "session.db")) as connection:
        connection.execute("delete from decision where id=99")
        connection.commit()
    assert shell("branch", shell.session, "delete", "child").code == 0
    assert shell("branch", shell.session, "delete", "other").code == 0


def test_a_damaged_session_loses_no_branch(shell: Shell) -> None:
    with closing(sqlite3.connect(shell.folder / "session.db")) as connection:
        connection.execute("update checkpoints set checkpoint=x'c1c1' where rowid=3")
        connection.commit()
    refused = shell("branch", shell.session, "delete", "other")
    assert refused.code == 6 and "damaged" in refused.err
    with closing(sqlite3.connect(shell.folder / "session.db")) as connection:
        branches = connection.execute(
            "select distinct json_extract(cast(metadata as text), '$.branch') from checkpoints"
        )
        assert ("other",) in branches.fetchall()


def test_the_real_command_without_a_terminal(shell: Shell) -> None:
    """In a fresh process: nothing to ask means exit 2 and nothing written; a report goes into a pipe whole."""

    def ran(*argv: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "selfheal_tui", "sessions", *argv, "--sessions", str(shell.sessions)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "ANTHROPIC_API_KEY": CANARY}
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=shell.home,
            env=environment,
        )

    asked = ran("apply", shell.session, "--branch", "main")
    assert asked.returncode == 2 and asked.stderr.endswith("Say so with --yes.\n")
    assert (shell.project / "shop.py").read_text() == BUGGY
    page = ran("export", shell.session, "--branch", "main", "--format", "html")
    assert page.returncode == 0 and page.stdout.endswith("</html>\n") and CANARY not in page.stdout
    assert ran("check").returncode == 0


@pytest.mark.parametrize(
    "harm",
    [
        "update checkpoints set checkpoint=x'c1c1'",
        "update checkpoints set metadata=x'7b'",
        "update meta set value='{' where key='initial'",
    ],
)
def test_looking_at_a_damaged_session_ends_with_a_sentence(shell: Shell, harm: str) -> None:
    with closing(sqlite3.connect(shell.folder / "session.db")) as connection:
        connection.execute(harm)
        connection.commit()
    for argv in (("compare", "main", "other"), ("export",), ("apply", "--yes")):
        ran = shell(argv[0], shell.session, *argv[1:])
        assert ran.code == 6 and "damaged" in ran.err and "sessions check" in ran.err, (argv, ran)
    listed = shell("list")
    assert listed.code == 0 and f"session in {shell.sessions}" in listed.err and shell("check").code == 6


def test_a_session_gets_another_title(shell: Shell) -> None:
    told = shell("rename", shell.session, "Shop: the discount", "--json").json
    assert told == {"session_id": shell.session, "title": "Shop: the discount"}
    assert shell("list", "--json").json[0]["title"] == "Shop: the discount"
    assert "Undid the change of its title to 'Shop: the discount'." in shell("undo", shell.session).out
    assert shell("undo", shell.session, "--redo").code == 0
    shown = shell("show", shell.session).out
    assert "Shop: the discount" in shown and shown.count("  start") == 1
    assert shell("show", shell.session, "--at", "main").out.startswith("after ")
    refused = shell("rename", shell.session, " ")
    assert refused.code == 2 and "title" in refused.err
    with open_driver_lock(shell.folder):
        assert shell("rename", shell.session, "other").code == 6


def test_decisions_are_exported_line_by_line_without_keys(shell: Shell) -> None:
    out = shell("export", shell.session, "--format", "jsonl")
    lines = [json.loads(line) for line in out.out.splitlines()]
    assert out.code == 0 and CANARY not in out.out and "[ANTHROPIC_API_KEY]" in out.out
    assert [(one["kind"], one["branch"]) for one in lines] == [
        *(("diagnosis", "main"), ("repair", "main"), ("end", "main")),
        ("fork", "other"),
    ]
    assert lines[1]["calls"][0]["role"] == "repairer" and lines[1]["after"]["passed"] == 2
    only = shell("export", shell.session, "--format", "jsonl", "--branch", "other")
    assert [json.loads(line)["kind"] for line in only.out.splitlines()] == ["fork"]


def test_without_a_session_the_newest_is_taken_and_named(
    shell: Shell, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = f"selfheal: session {shell.session} (the newest"
    shown = shell("show", "--json")
    assert shown.json["session"]["session_id"] == shell.session and shown.err.startswith(named)
    exported = shell("export", "--format", "json")
    assert exported.code == 0 and exported.err.startswith(named)
    assert shell("branch", shell.session, "go", "main").code == 0
    before = (built / "project" / "shop.py").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    elsewhere = shell("apply", "--yes", "--json")
    assert elsewhere.code == 2 and "There is no healed session of" in elsewhere.err
    assert f"apply {shell.session}" not in elsewhere.err, "that would write into another folder"
    assert (built / "project" / "shop.py").read_text("utf-8") == before
    monkeypatch.chdir(built / "project")
    applied = shell("apply", "--yes", "--json")
    assert applied.err.startswith(f"{named} of this folder that is healed)") and applied.json["written"]


def test_apply_without_a_session_says_so_when_none_is_healed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sessions", "apply", "--sessions", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert "no healed session" in told and f"selfheal sessions list --sessions {tmp_path}" in told


def test_a_refusal_of_apply_names_a_command_that_works(shell: Shell, built: Path) -> None:
    (built / "project" / "shop.py").write_text("# mine\n" + BUGGY, "utf-8")
    refused = shell("apply", shell.session, "--branch", "main", "--yes")
    assert refused.code == 2
    command = refused.err.partition("selfheal sessions ")[2].split()
    assert command[:2] == ["apply", shell.session] and "--merge" in command
    assert shell(*command, "--yes").code == 0, "it is of the branch that was named, which did not run last"
    assert (built / "project" / "shop.py").read_text("utf-8") == "# mine\n" + FIXED


def test_a_moment_of_a_program_with_a_change_that_is_not_committed_is_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What git had is kept by file and line, and a pair is no name in JSON."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.py").write_text(FIXED)
    (tmp_path / "test_shop.py").write_text(TESTS)
    for words in (("init", "-q"), ("add", "-A"), ("-c", "user.name=t", "-c", "user.email=t@x", "commit", "-qm", "ok")):
        subprocess.run(["git", *words], check=True, timeout=30)
    (tmp_path / "shop.py").write_text(BUGGY)
    runs = ("--sessions", str(tmp_path / "runs"))
    assert main(["fix", "shop.py", "--json", *runs]) == 3
    session = json.loads(capsys.readouterr().out)["session_id"]
    assert main(["sessions", "show", session, "--at", "main", "--json", *runs]) == 0
    recent = json.loads(capsys.readouterr().out)["recent"]
    assert [*recent] == ["shop.py:6"] and recent["shop.py:6"]["commit"] == ""
