"""Every kind of question from the command line: its JSON, its answers, its exit codes (CLI.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.cli import main
from tests.engine.driving import BUGGY, DIAGNOSIS, FIXED, TESTS, repair_reply, script
from tests.engine.test_questions import GREEN, GREEN_TESTS

TEST = "from solution import total\n\n\ndef test_sum():\n    assert total([1, 2], 0) == 3\n"
SPEC = "Write total(prices, discount): the sum of the prices less the discount.\n\n>>> total([5, 5], 3)\n7\n"
WORSE = BUGGY.replace("amount + discount", "amount - discount - 1")


class Shell:
    """Runs commands in this process and reads their JSON."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home, self.capsys, self.session = home, capsys, ""

    def __call__(self, *argv: str) -> tuple[int, dict[str, Any], str]:
        code = main([*argv, "--sessions", str(self.home / "runs")])
        captured = self.capsys.readouterr()
        result = json.loads(captured.out) if captured.out.strip() else {}
        self.session = result.get("session_id", self.session)
        return code, result, captured.err

    def decide(self, *answer: str) -> tuple[int, dict[str, Any], str]:
        return self("sessions", "decide", self.session, *answer, "--json")

    def waits(self, ran: tuple[int, dict[str, Any], str], kind: str) -> dict[str, Any]:
        """Check that a question of this kind waits; return it."""
        code, result, err = ran
        assert code == 3 and result["outcome"] == "waiting" and result["reason"], err
        question = result["review"]
        assert set(question) == {"kind", "checkpoint_id", "proposal", "evidence"} and question["kind"] == kind
        assert question["checkpoint_id"] == result["checkpoint_id"]
        return question


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.py").write_text(BUGGY)
    (tmp_path / "test_shop.py").write_text(TESTS)
    return Shell(tmp_path, capsys)


def refused(ran: tuple[int, dict[str, Any], str], words: str) -> None:
    assert ran[0] == 2 and words in ran[2], ran


def test_tests_code_and_end(shell: Shell) -> None:
    model = script(
        shell.home / "m.yaml",
        {"role": "spec_tester", "reply": {"tests": TEST}},
        {"role": "generator", "reply": {"code": FIXED}},
        {"role": "debugger", "reply": {**DIAGNOSIS, "evidence": []}},
    )
    flags = ["--autonomy", "review_all", "--adversary", "off", "--critic", "off", "--debug-steps", "0"]
    question = shell.waits(shell("new", SPEC, "--json", "--model", model, *flags), "tests")
    assert question["proposal"]["suite"] == "spec" and TEST in question["proposal"]["files"].values()
    refused(shell.decide("reject"), "needs a reason")
    refused(shell.decide("approve", "--rule-lines", "3"), "approval of a repair can make a rule")
    (path,) = question["proposal"]["files"]
    (shell.home / "edit.json").write_text(json.dumps({"changes": {path: "def broken("}}))
    refused(shell.decide("edit", "--value", "edit.json"), "does not parse")
    (shell.home / "edit.py").write_text(TEST + "\n\ndef test_none():\n    assert total([], 0) == 0\n")
    question = shell.waits(shell.decide("edit", "--value", "edit.py"), "code")
    assert question["proposal"]["files"]["solution.py"] == FIXED
    refused(shell.decide("approve", "--pick", "1"), "no candidate")
    refused(shell("sessions", "decide", "approve"), "is of no folder. If it is meant: selfheal sessions decide ")
    (shell.home / "own.py").write_text("# mine\n" + FIXED)
    question = shell.waits(shell.decide("edit", "--value", "own.py"), "end")
    report = question["evidence"]["report"]
    assert report["passed"] == 3 and {case["suite"] for case in report["cases"]} == {"spec", "examples"}
    refused(shell.decide("edit", "--value", "own.py"), "cannot be used as the edit")
    end = question["checkpoint_id"]
    code, result, _ = shell.decide("approve")
    assert (code, result["outcome"], result["review"]) == (0, "healed", None)
    assert result["files"]["solution.py"].startswith("# mine")
    refused(shell.decide("approve"), "No decision waits")
    refused(shell("sessions", "decide", "approve"), "waits for a decision. Name the one that is meant")
    refused(shell("sessions", "decide", "maybe"), "Missing: verdict. There are: approve")
    again = shell.waits(shell.decide("reject", "--at", end, "--note", "negative?"), "diagnosis")
    assert again["proposal"]["cause"] == DIAGNOSIS["cause"]
    code, result, _ = shell.decide("stop")
    assert (code, result["outcome"], result["branch"]) == (1, "stopped", "reject-1")
    assert result["files"]["solution.py"].startswith("# mine")


def test_repair_stalled_and_budget(shell: Shell) -> None:
    model = script(
        shell.home / "m.yaml",
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(WORSE, "One less.")},
    )
    flags = ["--critic", "off", "--debug-steps", "0", "--max-tokens", "100000"]
    shell.waits(shell("fix", "shop.py", "--tests", "test_shop.py", "--json", "--model", model, *flags), "diagnosis")
    question = shell.waits(shell.decide("approve"), "repair")
    assert question["proposal"]["label"] == "1" and list(question["evidence"]["candidates"]) == ["1"]
    for lines, words in (("-1", "covers nothing"), ("many", "is no whole number"), ("1.5", "is no whole number")):
        try:
            refused(shell.decide("approve", "--rule-lines", lines), words)
        except SystemExit as error:
            assert error.code == 2 and words in shell.capsys.readouterr().err
    refused(shell.decide("reject", "--note", "no", "--rule-lines", "3"), "approval of a repair can make a rule")
    shell.waits(shell.decide("reject", "--note", "not this"), "diagnosis")
    question = shell.waits(shell.decide("approve"), "stalled")
    assert "tried before" in question["proposal"]["reason"]
    stalled = question["checkpoint_id"]
    code, result, _ = shell.decide("reject")
    assert (code, result["outcome"]) == (1, "stalled") and "tried before" in result["reason"]
    shell.waits(shell.decide("approve", "--at", stalled), "diagnosis")
    few = [f"{shell.session}", "--at", stalled, "--set", "max_tokens=1", "--set", "feedback=more", "--run", "--json"]
    question = shell.waits(shell("sessions", "fork", *few), "budget")
    assert question["proposal"]["reached"] == ["max_tokens"]
    (shell.home / "limits.json").write_text('{"max_tokens": -5}')
    refused(shell.decide("edit", "--value", "limits.json"), "above 0")
    (shell.home / "limits.json").write_text('{"max_tokens": 1000000}')
    budget = question["checkpoint_id"]
    shell.waits(shell.decide("edit", "--value", "limits.json"), "diagnosis")
    code, result, _ = shell.decide("reject", "--at", budget)
    assert (code, result["outcome"], result["files"]["shop.py"]) == (1, "budget", BUGGY)


def test_a_call_that_no_case_settles(shell: Shell) -> None:
    (shell.home / "fixed.py").write_text(GREEN)
    (shell.home / "test_fixed.py").write_text(GREEN_TESTS)
    question = shell.waits(shell("fix", "fixed.py", "--headless", "--json", "--critic", "on"), "end")
    asked = question["evidence"]["question"]
    assert asked["now"] in [answer["text"] for answer in asked["answers"]] and len(asked["answers"]) > 1
    refused(shell.decide("edit", "--answer", "of course"), "is no Python value")
    refused(shell.decide("edit", "--hunks", "1"), "nothing to edit at the end")
    other = next(answer["text"] for answer in asked["answers"] if answer["text"] != asked["now"])
    question = shell.waits(shell.decide("edit", "--answer", other), "diagnosis")
    (failed,) = [case for case in question["evidence"]["report"]["cases"] if case["outcome"] == "failed"]
    assert failed["suite"] == "answers"


def test_an_edit_of_several_files_is_a_plain_map_of_their_texts(shell: Shell) -> None:
    (shell.home / "till.py").write_text("from shop import total\n\n\ndef pay(prices):\n    return total(prices, 0)\n")
    shell.waits(shell("fix", "shop.py", "till.py", "--tests", "test_shop.py", "--json"), "diagnosis")
    asked = shell.decide("approve")
    shell.waits(asked, "repair")
    assert asked[1]["next"].startswith(f"selfheal sessions decide {shell.session} approve")
    (shell.home / "mine.py").write_text(FIXED)
    refused(shell.decide("edit", "--value", "mine.py"), '{"shop.py": "...", "till.py": "..."}')
    (shell.home / "empty.json").write_text("{}")
    refused(shell.decide("edit", "--value", "empty.json"), 'as in {"shop.py": "..."}')
    (shell.home / "mine.json").write_text(json.dumps({"shop.py": FIXED}))
    code, result, err = shell.decide("edit", "--value", "mine.json")
    assert code == 0 and result["files"]["shop.py"] == FIXED, err
    assert result["next"].startswith(f"selfheal sessions apply {shell.session}")


def test_candidates_that_undo_each_other_are_not_taken_together(shell: Shell) -> None:
    (shell.home / "steps.py").write_text("def steps(n):\n    m = n + 1\n    k = m + 1\n    return k\n")
    (shell.home / "test_steps.py").write_text(
        "from steps import steps\n\n\ndef test_steps():\n    assert steps(1) == 4\n"
    )
    shell.waits(shell("fix", "steps.py", "--headless", "--json"), "diagnosis")
    question = shell.waits(shell.decide("approve"), "repair")
    lines = {label: one["diff"].count("-    m =") for label, one in question["evidence"]["candidates"].items()}
    first = next(label for label, at_first in lines.items() if at_first)
    second = next(label for label, at_first in lines.items() if not at_first)
    together = f"{first},{second}"
    refused(shell.decide("approve", "--candidates", together), f"{first} and {second} mend every case, each by itself")
    code, result, _ = shell.decide("approve", "--pick", second)
    assert (code, result["outcome"]) == (0, "healed")


def test_parts_that_undo_each_other_are_not_taken_together(shell: Shell) -> None:
    (shell.home / "steps.py").write_text("def steps(n):\n    m = n + 1\n    k = m + 1\n    return k\n")
    cases = ("steps(1) == 4", "steps(1) == [1] * steps(1)")
    tests = "".join(f"\n\ndef test_{n}():\n    assert {case}\n" for n, case in enumerate(cases))
    (shell.home / "test_steps.py").write_text(f"from steps import steps\n{tests}")
    shell.waits(shell("fix", "steps.py", "--headless", "--json", "--max-time-s", "20"), "diagnosis")
    question = shell.waits(shell.decide("approve"), "repair")
    lines = {label: one["diff"].count("-    m =") for label, one in question["evidence"]["candidates"].items()}
    first = next(label for label, at_first in lines.items() if at_first)
    second = next(label for label, at_first in lines.items() if not at_first)
    together = f"{first},{second}"
    refused(shell.decide("approve", "--candidates", together), "Together these candidates fail what they pass alone")
