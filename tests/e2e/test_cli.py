"""The command line as scripts use it: results, exit codes, where each stream goes."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from selfheal_tui.cli import COMMANDS, main

ROOT = Path(__file__).resolve().parents[2]
RESULT_KEYS = {
    "session_id",
    "branch",
    "checkpoint_id",
    "iteration",
    "outcome",
    "reason",
    "review",
    "report",
    "failures",
    "groups",
    "next",
    "left_for_you",
    "not_run",
    "files",
    "changed",
    "diff",
    "doubts",
    "confidence",
    "advice",
    "spent",
}


class Ran(NamedTuple):
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Shell:
    """Runs commands in this process, over one sessions folder."""

    def __init__(self, sessions: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.sessions = sessions
        self.capsys = capsys

    def run(self, *argv: str) -> Ran:
        code = main(argv)
        captured = self.capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    def __call__(self, *argv: str) -> Ran:
        return self.run(*argv, "--sessions", str(self.sessions))


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return Shell(tmp_path / "runs", capsys)


_waiting: list[tuple[Path, Any]] = []


@pytest.fixture
def asked(shell: Shell, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the command said of a session that waits; a copy of it for each test, the run of it is made once."""
    if not _waiting:
        made = tmp_path_factory.mktemp("waiting") / "runs"
        _waiting.append((made, shell.run("demo", "intervals", "--json", "--sessions", str(made)).json))
    made, result = _waiting[0]
    shutil.copytree(made, shell.sessions)
    return result


def test_the_real_command_heals_a_demo_in_a_fresh_process(tmp_path: Path) -> None:
    """Everything from the entry point on: stdout holds one JSON object and nothing else."""
    argv = ["demo", "--json", "--autonomy", "full_auto", "--sessions", str(tmp_path)]
    ran = subprocess.run(
        [sys.executable, "-m", "selfheal_tui", *argv],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        stdin=subprocess.DEVNULL,
        cwd=ROOT,
    )
    assert ran.returncode == 0, ran.stderr
    result = json.loads(ran.stdout)
    assert set(result) == RESULT_KEYS
    assert (result["outcome"], result["review"], result["changed"]) == ("healed", None, ["intervals.py"])
    assert result["report"]["verdict"] == "passed" and result["report"]["failed"] == 0
    assert result["diff"].startswith("--- a/intervals.py\n+++ b/intervals.py\n@@")
    assert "running the tests" in ran.stderr


def test_a_demo_waits_and_an_approval_drives_it_home(shell: Shell) -> None:
    waiting = shell("demo", "intervals", "--json")
    assert waiting.code == 3, waiting.err
    asked = waiting.json
    assert set(asked) == RESULT_KEYS
    assert (asked["outcome"], asked["diff"], asked["changed"]) == ("waiting", "", [])
    review = asked["review"]
    assert review["kind"] == "diagnosis" and review["checkpoint_id"] == asked["checkpoint_id"]
    accepted = shell("sessions", "decide", asked["session_id"], "approve", "--json")
    assert accepted.code == 3, accepted.err
    asked = accepted.json
    review = asked["review"]
    assert review["kind"] == "repair" and review["checkpoint_id"] == asked["checkpoint_id"]
    assert review["proposal"]["fixes"] and not review["proposal"]["breaks"]
    assert next(iter(review["evidence"]["candidates"])) == review["proposal"]["label"]
    assert review["evidence"]["report"]["failed"] == 2

    listed = shell("sessions", "list", "--json").json
    assert [(row["session_id"], row["outcome"]) for row in listed] == [(asked["session_id"], "waiting")]
    again = shell("resume", "--json")
    assert "(the newest, of no folder)" in again.err
    assert (again.code, again.json["checkpoint_id"]) == (3, asked["checkpoint_id"])

    healed = shell("sessions", "decide", asked["session_id"][:18], "approve", "--note", "right", "--json")
    assert "autonomy" not in healed.err
    assert (healed.code, healed.json["outcome"]) == (0, "healed")
    assert healed.json["files"]["intervals.py"] == review["proposal"]["changes"]["intervals.py"]

    shown = shell("sessions", "show", asked["session_id"], "--json").json
    decisions = [c["decision"] for c in shown["checkpoints"] if c["decision"]]
    assert {"kind": "repair", "verdict": "approve", "note": "right", "by": "human"} in decisions
    assert not any(c["pending"] for c in shown["checkpoints"])
    then = shell("sessions", "show", asked["session_id"], "--at", asked["checkpoint_id"], "--json").json
    assert then["candidates"] and then["pending"] is None

    nothing = shell("sessions", "decide", asked["session_id"], "approve")
    assert nothing.code == 2 and "No decision waits" in nothing.err and nothing.out == ""

    other = shell("sessions", "decide", asked["session_id"], "stop", "--at", asked["checkpoint_id"], "--json")
    assert (other.code, other.json["outcome"]) == (1, "stopped")
    rows = shell("sessions", "show", asked["session_id"]).out.splitlines()
    assert not any("autonomy" in row for row in rows), "nobody was asked at the end"
    answers = [row.split()[0] for row in rows if "review_repair" in row]
    last = shell("sessions", "decide", asked["session_id"], "stop", "--at", answers[0])
    assert last.code == 1 and "\non branch stop-2\n" in last.out, "the row of an answer names its question"
    branches = shell("sessions", "show", asked["session_id"], "--json").json["branches"]
    assert [b["forked_from"] is None for b in branches] == [True, False, False]
    assert branches[0]["outcome"] == "healed"

    assert shell("sessions", "delete", asked["session_id"]).code == 0
    assert shell("sessions", "list", "--json").json == []


def test_an_edit_and_a_fork_with_own_code(shell: Shell, tmp_path: Path, asked: Any) -> None:
    session_id = asked["session_id"]
    asked = shell("sessions", "decide", session_id, "approve", "--json").json
    at = asked["checkpoint_id"]
    good = tmp_path / "good.py"
    good.write_text(asked["review"]["proposal"]["changes"]["intervals.py"], encoding="utf-8")
    broken = tmp_path / "broken.py"
    broken.write_text("def f(:\n", encoding="utf-8")

    refused = shell("sessions", "decide", session_id, "edit", "--value", str(broken))
    assert refused.code == 2 and "cannot be used" in refused.err
    edited = shell("sessions", "decide", session_id, "edit", "--value", str(good), "--json")
    assert (edited.code, edited.json["outcome"]) == (0, "healed")

    forked = shell("sessions", "fork", session_id, "--at", at, "--set", f"code=@{good}", "--label", "mine", "--json")
    assert forked.code == 0 and forked.json["branch"] == "mine"
    ran = shell("sessions", "fork", session_id, "--at", at, "--set", f"code:intervals.py=@{good}", "--run", "--json")
    assert (ran.code, ran.json["outcome"]) == (0, "healed")
    unknown = shell("sessions", "fork", session_id, "--at", at, "--set", "lesons=x")
    assert unknown.code == 2 and "diagnosis" in unknown.err and unknown.out == ""


def test_resume_with_other_settings_goes_on_from_there(shell: Shell, asked: Any) -> None:
    same = shell("resume", "--json", "--autonomy", "review_repairs").json
    assert same["checkpoint_id"] == asked["checkpoint_id"]
    healed = shell("resume", asked["session_id"], "--json", "--autonomy", "full_auto")
    assert (healed.code, healed.json["outcome"]) == (0, "healed")
    assert healed.json["branch"] != asked["branch"]


def test_fix_and_run_tests_over_own_files(shell: Shell, tmp_path: Path) -> None:
    program = tmp_path / "last.py"
    program.write_text("def last(items):\n    return items[len(items)]\n", encoding="utf-8")
    test = tmp_path / "test_last.py"
    test.write_text("from last import last\n\n\ndef test_last():\n    assert last([1, 2]) == 2\n", encoding="utf-8")

    failing = shell.run("run-tests", str(program), "--json")
    assert failing.code == 1 and failing.json["cases"][0]["message"].startswith("IndexError")
    healed = shell("fix", str(program), "--json", "--autonomy", "full_auto")
    assert (healed.code, healed.json["outcome"]) == (0, "healed")
    assert "items[len(items)]" in program.read_text(encoding="utf-8")
    program.write_text(healed.json["files"]["last.py"], encoding="utf-8")
    passing = shell.run("run-tests", str(program), "--tests", str(test), "--", "-k", "last")
    assert passing.code == 0 and "1 passed" in passing.out
    program.write_text("for n in range(30):\n    print('row', n)\n" + healed.json["files"]["last.py"], encoding="utf-8")
    loud = shell.run("run-tests", str(program))
    assert loud.code == 0 and "as while files were imported:\n  row 0\n  row 1\n" in loud.out
    assert "  row 19\n  ... 10 lines more\n" in loud.out


def test_the_human_result_names_the_next_step(shell: Shell) -> None:
    ran = shell("demo", "intervals", "--headless")
    assert ran.code == 3
    assert ran.out.startswith("waiting: ") and "sessions decide" in ran.out and "diagnosis by search" in ran.out
    session_id = shell("sessions", "list", "--json").json[0]["session_id"]
    ran = shell("sessions", "decide", session_id, "approve")
    assert ran.code == 3 and "sessions decide" in ran.out and "<=" in ran.out


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["demo"], "--headless"),
        ([], "--headless"),
        (["resume"], "no session"),
        (["demo", "interval", "--json"], "Did you mean intervals?"),
        (["demos"], "Did you mean demo?"),
        (["bench", "x"], "There is no suite"),
        (["bench", "humaneval", "--limit", "0"], "--limit"),
        (["fix", "--json"], "holds no Python file"),
        (["fix", "missing.py", "--json"], "does not exist"),
        (["new", "", "--json"], "spec is empty"),
        (["new", "--json"], "--spec-file"),
        (["new", "sort words", "--json"], "--model"),
        (["demo", "--json", "--model", "anthropc:x"], "anthropc"),
        (["demo", "--json", "--model", "debuger=search"], "Did you mean debugger?"),
        (["demo", "--json", "--max-iterations", "0"], "max_iterations must be"),
        (["demo", "--json", "--autonomy", "full"], "autonomy must be one of"),
        (["demo", "--json", "--bogus"], "--bogus"),
        (["demo", "--json", "--model", "anthropic:claude-haiku-5-5"], "Set ANTHROPIC_API_KEY, or heal without a model"),
        (["demo", "--headless", "--model", "openai:gpt-x"], "--model search."),
        (["demo", "--json", "--model", "critic=qwen:q"], "Set DASHSCOPE_API_KEY, or heal without a model"),
        (["new", "--json", "sort words", "--model", "openai:x"], "Set OPENAI_API_KEY, or choose another model."),
        (["demo", "--json", "--", "-k", "x"], "takes nothing after"),
        (["resume", "--json"], "no session"),
        (["resume", "nope", "--json"], "nope"),
        (["sessions", "lst"], "Did you mean list?"),
        (["sessions", "show", "nope", "--json"], "nope"),
        (["sessions", "decide", "nope", "edit"], "--value"),
        (["sessions", "decide", "nope", "perhaps"], "There is no verdict"),
        (["run-tests", "--sandbox", "locl", "prog.py"], "does not exist"),
    ],
)
def test_bad_input_is_one_sentence_on_stderr_and_exit_2(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, argv: list[str], says: str
) -> None:
    monkeypatch.setenv("SELFHEAL_SESSIONS", str(shell.sessions))
    for key in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "OPENAI_BASE_URL", "DASHSCOPE_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    ran = shell.run(*argv)
    assert ran.code == 2
    if "--json" in argv:
        assert ran.json == {"error": ran.err.removeprefix("selfheal: ").strip(), "exit_code": 2}
    else:
        assert ran.out == ""
    assert ran.err.startswith("selfheal: ") and says in ran.err and len(ran.err.splitlines()) == 1
    assert not shell.sessions.exists()


def test_an_unknown_sandbox_names_the_nearest(shell: Shell) -> None:
    ran = shell("demo", "--json", "--sandbox", "locl")
    assert ran.code == 2 and "local" in ran.err
    assert not shell.sessions.exists()


def test_lists_and_settings(shell: Shell) -> None:
    demos = shell.run("demo", "--list", "--json").json
    assert demos[0]["name"] == "intervals" and {"title", "category", "story", "healable"} <= set(demos[0])
    assert "intervals" in shell.run("demo", "--list").out
    settings = shell("config", "--json", "--model", "search").json
    assert settings["model"] == {"value": "search", "origin": "flag (--model)"}
    assert "flag (--sessions)" in shell("config").out
    findings = {f["subject"]: f for f in shell("doctor", "--json").json}
    assert findings["sandbox"]["ok"] and findings["store"]["ok"]


def test_help_names_every_command_and_each_has_its_own(shell: Shell) -> None:
    ran = shell.run("--help")
    assert ran.code == 0 and all(f"  {name}" in ran.out for name in COMMANDS)
    for name in COMMANDS:
        assert f"usage: selfheal {name}" in shell.run(name, "--help").out


def test_ctrl_c_keeps_the_session_and_names_the_command_that_goes_on(shell: Shell) -> None:
    argv = ["demo", "intervals", "--json", "--autonomy", "full_auto", "--sessions", str(shell.sessions)]
    command = [sys.executable, "-m", "selfheal_tui", *argv]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=ROOT) as process:
        assert process.stdout and process.stderr
        assert "running the tests" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    told = json.loads(out)
    assert (process.returncode, told["error"]) == (130, "cancelled") and f"go on with: {told['next']}\n" in err
    session_id = shell("sessions", "list", "--json").json[0]["session_id"]
    assert f"selfheal resume {session_id}" in err and "Traceback" not in err
    resumed = shell("resume", "--json")
    assert (resumed.code, resumed.json["outcome"]) == (0, "healed")


@pytest.mark.parametrize("module", ["selfheal_tui.cli", "selfheal_tui.cli.fix", "asyncio.runners"])
@pytest.mark.parametrize("command", ["fix . --json", "run-tests --json"])
def test_ctrl_c_while_it_starts_is_told_as_later(tmp_path: Path, module: str, command: str) -> None:
    """The interrupt comes at a chosen import, as no clock could time it."""
    (tmp_path / "shop.py").write_text("def f():\n    return 1\n")
    (tmp_path / "test_shop.py").write_text("from shop import f\n\n\ndef test_f():\n    assert f() == 2\n")
    code = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        f"sys.argv = ['selfheal', *{command.split()!r}]\n"
        "from selfheal_tui.__main__ import main\n"
        "main()\n"
    )
    words = [sys.executable, "-P", "-c", code]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert ran.returncode == 130, ran.stderr
    assert json.loads(ran.stdout) == {"error": "cancelled", "session_id": "", "next": ""}
    assert ran.stderr == "selfheal: cancelled.\n"


def test_help_imports_neither_the_app_nor_the_graph() -> None:
    code = (
        "import sys; from selfheal_tui.cli import main; main(['--help']); main(['demo', '--list'])\n"
        "heavy = {'textual', 'langgraph', 'anthropic', 'ollama'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False, cwd=ROOT
    )
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("argv", ["demo --list", "--help", "fix --help"])
def test_output_that_nobody_reads_ends_quietly_and_is_no_success(argv: str) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    command = [sys.executable, "-m", "selfheal_tui", *argv.split()]
    with os.fdopen(writes, "w") as pipe:
        ran = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, timeout=60, check=False, cwd=ROOT)
    assert (ran.returncode, ran.stderr) == (141, b"")


@pytest.mark.parametrize(
    ("streams", "code", "words"),
    [
        (">&-", 2, "Standard output is closed"),
        (">/dev/full", 2, "The disk is full"),
        (">/dev/null 2>&-", 0, ""),
        (">/dev/null <&-", 0, ""),
    ],
)
def test_a_stream_that_is_closed_or_full_loses_no_output_unsaid(streams: str, code: int, words: str) -> None:
    command = f"{sys.executable} -m selfheal_tui --help {streams}"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False, cwd=ROOT)
    assert ran.returncode == code and words in ran.stderr and ran.stderr.count("\n") == bool(words)


def test_a_run_whose_progress_nobody_reads_any_more_is_cancelled_and_not_done(tmp_path: Path) -> None:
    run = f"{sys.executable} -m selfheal_tui demo intervals --headless --sessions {tmp_path}"
    command = f"{run} 2>&1 | head -1; exit ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False, cwd=ROOT)
    assert (ran.stdout, ran.returncode) == ("running the tests...\n", 141)


def test_the_app_opens_in_a_real_terminal_and_says_how_to_go_on(shell: Shell, asked: Any) -> None:
    code, screen = in_terminal("resume", "--sessions", str(shell.sessions), until="intervals", keys=b"\x11")
    assert code == 0, screen
    assert f"selfheal resume {asked['session_id']}" in screen


def in_terminal(*argv: str, until: str, keys: bytes) -> tuple[int, str]:
    """Run a command in a pty, press keys once `until` is on the screen; return exit code and all output."""
    terminal, inner = pty.openpty()
    command = [sys.executable, "-m", "selfheal_tui", *argv]
    environ = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
    screen, pressed = b"", False
    with subprocess.Popen(
        command, stdin=inner, stdout=inner, stderr=inner, start_new_session=True, cwd=ROOT, env=environ
    ) as process:
        os.close(inner)
        try:
            while select.select([terminal], [], [], 90)[0]:
                screen += os.read(terminal, 65536)
                if not pressed and until.encode() in screen:
                    os.write(terminal, keys)
                    pressed = True
            process.kill()
        except OSError:  # Linux reports the closed terminal so
            pass
    os.close(terminal)
    return process.returncode, screen.decode(errors="replace")
