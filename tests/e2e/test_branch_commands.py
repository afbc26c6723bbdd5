"""`sessions undo`, `race` and `branch`, as scripts use them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from selfheal_tui.cli import main
from tests.e2e.test_sessions_commands import Ran, Shell
from tests.engine.driving import BUGGY, DIAGNOSIS, FIXED, TESTS, repair_reply, script


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A session that waits with its diagnosis; only a rewrite heals it."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "shop.py").write_text(BUGGY, encoding="utf-8")
    (project / "test_shop.py").write_text(TESTS, encoding="utf-8")
    usage = {"input_tokens": 10, "output_tokens": 20, "cost_usd": 0.25}
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS, "usage": usage},
        {"role": "repairer", "when": "Write the faulty function anew", "reply": repair_reply(FIXED), "usage": usage},
        {"role": "repairer", "reply": repair_reply(BUGGY.replace("= 0", "= 0.0")), "usage": usage},
    )
    flags = ["--model", model, "--critic", "off", "--debug-steps", "0", "--near-miss-s", "0", "--max-iterations", "1"]
    made = Shell(tmp_path, capsys)
    assert main(["fix", str(project / "shop.py"), "--headless", *flags, "--sessions", str(made.sessions)]) == 3
    capsys.readouterr()
    return made


def head(ran: Ran) -> str:
    return str(next(c["checkpoint_id"] for c in reversed(ran.json["checkpoints"])))


def test_an_answer_is_undone_and_done_again(shell: Shell) -> None:
    assert shell("undo", shell.session).code == 2
    asked = shell("show", shell.session, "--json")
    stopped = shell("decide", shell.session, "stop", "--json")
    assert (stopped.code, stopped.json["outcome"]) == (1, "stopped")
    undone = shell("undo", shell.session, "--json")
    assert undone.code == 0
    assert undone.json == {
        "undone": "decision",
        "what": "your stop of the diagnosis",
        "branch": "main",
        "checkpoint_id": head(asked),
        "next_undo": "",
        "outcome": "waiting",
    }
    assert shell("list", "--json").json[0]["outcome"] == "waiting"
    again = shell("undo", shell.session, "--redo")
    assert again.out == "Did again your stop of the diagnosis. The session stands on main, stopped.\n"
    assert shell("list", "--json").json[0]["outcome"] == "stopped"
    assert shell("undo", shell.session).code == 0
    other = shell("decide", shell.session, "approve", "--json")
    assert (other.code, other.json["branch"], other.json["review"]["kind"]) == (3, "main", "repair")


def test_an_answer_that_does_not_fit_the_question_says_so(shell: Shell) -> None:
    rows = shell("show", shell.session, "--json").json["checkpoints"]
    start = next(row["checkpoint_id"] for row in rows if not row.get("pending"))
    refused = {
        ("edit", "--hunks", "1"): "--hunks is for a repair; this question is about the diagnosis.",
        ("approve", "--rule-lines", "0"): "--rule-lines needs 1 or more.",
        ("approve", "--at", start, "--once"): f"No question is asked at checkpoint {start}.",
    }
    for arguments, why in refused.items():
        ran = shell("decide", shell.session, *arguments)
        assert ran.code == 2 and why in ran.err


def test_a_race_is_run_and_its_winner_kept(shell: Shell) -> None:
    lanes = ["--lane", "strategies=minimal autonomy=full_auto", "--lane", "strategies=rewrite autonomy=full_auto"]
    assert shell("race", shell.session, "--lane", "strategies=minimal").code == 2
    assert shell("race", shell.session, "--lane", "minimal", "--lane", "x").code == 2
    ran = shell("race", shell.session, *lanes, "--max-cost-usd", "5", "--json")
    assert ran.code == 0
    assert [(lane["branch"], lane["outcome"]) for lane in ran.json["lanes"]] == [
        ("race-rewrite", "healed"),
        ("race-minimal", "gave_up"),
    ]
    assert (ran.json["best"], ran.json["kept"], ran.json["spent"]["cost_usd"]) == ("race-rewrite", None, 0.5)
    assert "race-rewrite: repair" in ran.err
    assert main(["resume", shell.session, "--headless", "--json", "--sessions", str(shell.sessions)]) == 0
    waiting = json.loads(shell.capsys.readouterr().out)
    assert (waiting["branch"], [lane["outcome"] for lane in waiting["lanes"]]) == (
        "race-rewrite",
        ["healed", "gave_up"],
    )
    shown = shell("show", shell.session).out
    assert shown.startswith("A race waits for your choice:\nrace-rewrite  healed") and "keep race-rewrite" in shown
    refused = shell("decide", shell.session, "approve")
    assert refused.code == 2 and "A race waits in session" in refused.err and "lanes: race-minimal" in refused.err
    empty = shell("export", shell.session, "--branch", "main", "--format", "patch")
    assert empty.out == "" and "That branch changes nothing: the patch is empty." in empty.err
    assert waiting["next"] == f"selfheal sessions branch {shell.session} keep race-rewrite --sessions {shell.sessions}"
    assert main(["resume", shell.session, "--headless", "--sessions", str(shell.sessions)]) == 0
    told = shell.capsys.readouterr().out.splitlines()
    assert told[0].startswith("race-rewrite  healed") and any(line.startswith("race-minimal") for line in told)
    assert f"keep     {waiting['next']}" in told and not any("apply" in line for line in told)
    kept = shell("branch", shell.session, "keep", "race-rewrite", "--json")
    assert kept.json == {"branch": "race-rewrite", "change": "keep", "hidden": ["race-minimal"]}
    listed = shell("branch", shell.session, "list", "--json").json
    assert listed["stands"] == "race-rewrite"
    rows = {row["name"]: row for row in listed["branches"]}
    assert (rows["race-minimal"]["hidden"], rows["race-rewrite"]["passed"]) == ("race", 2)
    assert rows["race-rewrite"]["spent"]["calls"] == 2 and rows["race-rewrite"]["from_branch"] == "main"
    assert "+    return amount - discount" in shell("export", shell.session, "--format", "patch").out
    assert shell("branch", shell.session, "show", "race-minimal").code == 0
    text = shell("branch", shell.session, "list").out
    assert "* race-rewrite" in text and "hidden" not in text


def test_a_race_keeps_the_best_at_once(shell: Shell) -> None:
    lanes = ["--lane", "strategies=minimal autonomy=full_auto", "--lane", "strategies=rewrite autonomy=full_auto"]
    ran = shell("race", shell.session, *lanes, "--keep")
    assert ran.code == 0 and "Kept race-rewrite" in ran.out and ran.out.startswith("race-rewrite")
    assert main(["resume", shell.session, "--headless", "--sessions", str(shell.sessions)]) == 0


def test_branches_are_pinned_hidden_and_gone_to(shell: Shell) -> None:
    at = head(shell("show", shell.session, "--json"))
    assert shell("fork", shell.session, "--at", at, "--label", "mine").code == 0
    assert shell("branch", shell.session, "hide", "mine").code == 2, "the session stands there"
    assert shell("branch", shell.session, "go", "main").code == 0
    for change in ("pin", "hide"):
        assert shell("branch", shell.session, change, "mine").code == 0
    rows = {row["name"]: row for row in shell("branch", shell.session, "list", "--json").json["branches"]}
    assert rows["mine"]["pinned"] and rows["mine"]["hidden"] == "you"
    assert shell("branch", shell.session, "list", "mine").code == 2
    assert shell("branch", shell.session, "pin").code == 2
    assert shell("branch", shell.session, "pin", "mine", "too much").code == 2
