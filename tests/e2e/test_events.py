"""`--events` as a program reads it: stdout is lines and nothing else, and no reader or disk can harm the run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.cli import main
from tests.bench_data import write
from tests.engine.driving import ANSWERS, BUGGY, DIAGNOSIS, TESTS, script


class Shop:
    """Runs commands in this process, in a folder with a small broken program."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        (folder / "shop.py").write_text(BUGGY)
        (folder / "test_shop.py").write_text(TESTS)
        model = script(folder / "m.yaml", *ANSWERS)
        self.fix = ("fix", "shop.py", "--critic", "off", "--debug-steps", "0", "--model", model)

    def __call__(self, *argv: str) -> tuple[int, str, str]:
        code = main([*argv, "--sessions", "sessions"])
        captured = self.capsys.readouterr()
        return code, captured.out, captured.err


@pytest.fixture
def shop(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.chdir(tmp_path)
    return Shop(tmp_path, capsys)


def told(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_stdout_holds_the_lines_alone_and_an_answer_goes_on_in_the_same_way(shop: Shop) -> None:
    code, out, err = shop(*shop.fix, "--events", "-")
    lines = told(out)
    assert code == 3 and {line["v"] for line in lines} == {1} and len({line["session"] for line in lines}) == 1
    kinds = [line["event"] for line in lines]
    assert kinds[0] == "node_started" and kinds[-2:] == ["review_requested", "result"]
    assert {"case_finished", "suite_ran", "call_begun", "token_streamed", "call_finished", "checkpoint_saved"} < {
        *kinds
    }
    assert (lines[-1]["exit_code"], lines[-1]["outcome"], lines[-1]["result"]) == (3, "waiting", None)
    assert "sessions decide" in err, "what a person reads is on stderr"
    (call,) = (line for line in lines if line["event"] == "call_finished")
    assert (call["input_tokens"], call["cost_usd"], call["replayed"]) == (10, 0.01, False)

    code, out, err = shop("sessions", "decide", "approve", "--events", "-", "--json")
    lines = told(out)
    assert code == 3 and lines[-1]["event"] == "result" and lines[-2]["kind"] == "repair"
    assert lines[-1]["result"]["review"]["kind"] == "repair" and '"review"' not in err
    (rehearsal,) = (line for line in lines if line["event"] == "suite_ran")
    assert (rehearsal["purpose"], rehearsal["verdict"]) == ("rehearsal", "passed")

    code, out, _ = shop("resume", "--events=-")
    assert code == 3 and [line["event"] for line in told(out)] == ["review_requested", "result"]


def test_a_file_is_appended_to_and_stdout_is_as_ever(shop: Shop) -> None:
    file = shop.folder / "events.jsonl"
    code, out, _ = shop(*shop.fix, "--events", str(file), "--json", "--autonomy", "full_auto")
    assert code == 0 and json.loads(out)["outcome"] == "healed"
    first = told(file.read_text())
    assert first[-1]["result"] == json.loads(out)
    code, out, _ = shop("resume", "--events", str(file))
    assert code == 0 and out.startswith("healed")
    assert told(file.read_text())[: len(first)] == first and told(file.read_text())[-1]["event"] == "result"


def test_bad_input_gets_one_sentence_and_nothing_is_begun(shop: Shop) -> None:
    code, out, err = shop(*shop.fix, "--events", "no/such/file")
    assert code == 2 and not out and "no/such/file cannot be written (No such file or directory)." in err
    code, out, err = shop(*shop.fix, "--events", "-", "--no-run")
    assert code == 2 and "--no-run makes none" in err and told(out)[0]["exit_code"] == 2
    code, out, err = shop("fix", "gone.py", "--events", "-", "--json")
    (line,) = told(out)
    assert code == 2 and (line["event"], line["outcome"]) == ("result", "failed") and line["reason"] in err
    code, out, _ = shop("fix", "--no-such-flag", "--events", "-", "--json")
    assert code == 2 and told(out)[0]["event"] == "result"
    assert not (shop.folder / "sessions").exists()


def test_a_disk_that_is_full_ends_the_lines_and_not_the_run(shop: Shop) -> None:
    code, out, err = shop(*shop.fix, "--events", "/dev/full")
    assert code == 3 and out.startswith("waiting")
    assert err.count("no more events: /dev/full cannot be written (the disk is full). The run goes on") == 1


def test_a_reader_that_goes_away_ends_the_lines_and_not_the_run(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        code, _, err = shop(*shop.fix, "--events", "-")
    assert code == 3 and err.count("no more events: nobody reads them any more. The run goes on without them.") == 1
    assert "sessions decide" in err


@pytest.mark.usefixtures("cold_sandbox")
def test_a_cancelled_run_says_so_in_its_last_line(shop: Shop) -> None:
    (shop.folder / "test_shop.py").write_text(TESTS + "\n\ndef test_slow():\n    import time\n    time.sleep(60)\n")
    command = [sys.executable, "-m", "selfheal_tui", *shop.fix, "--events", "-", "--json", "--case-time-s", "60"]
    with subprocess.Popen(
        [*command, "--sessions", "sessions"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        while json.loads(process.stdout.readline())["event"] != "case_finished":
            pass
        os.kill(process.pid, signal.SIGINT)
        last = told(process.stdout.read())[-1]
    assert process.returncode == 130
    assert (last["event"], last["outcome"], last["exit_code"]) == ("result", "cancelled", 130)
    assert "selfheal resume" in last["result"]["next"]


def test_a_race_names_its_lanes(shop: Shop) -> None:
    assert shop(*shop.fix, "--headless")[0] == 3
    (session,) = (path.name for path in (shop.folder / "sessions").iterdir() if (path / "session.db").exists())
    lanes = ("--lane", "strategies=minimal", "--lane", "strategies=rewrite")
    code, out, _ = shop("sessions", "race", session, *lanes, "--events", "-")
    lines = told(out)
    assert code == 3 and len({line["lane"] for line in lines if "lane" in line}) == 2
    assert lines[-2]["event"] == "race_finished" and len(lines[-2]["lanes"]) == 2
    assert lines[-1]["outcome"] == "waiting"


def test_a_benchmark_names_its_tasks(shop: Shop) -> None:
    write(shop.folder / "own.jsonl")
    healed = {"path": "solution.py", "text": "def total(a, b):\n    return a + b\n"}
    replies = (
        {"role": "debugger", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": {"summary": "x", "files": [healed]}},
    )
    model = ("--model", script(shop.folder / "b.yaml", *replies), "--critic", "off", "--debug-steps", "0")
    code = main(["bench", "own.jsonl", "--ids", "Own/total", "--out", "r", "--events", "-", "--json", *model])
    lines = told(shop.capsys.readouterr().out)
    assert code == 0 and lines[0]["event"] == "task_started" and lines[-2]["event"] == "task_finished"
    assert {line["task"] for line in lines[:-1]} == {"Own/total"}
    assert lines[-2]["repaired"] is True and lines[-1]["result"]["summary"]["repaired"]["count"] == 1
