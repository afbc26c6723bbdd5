"""`selfheal bench` as scripts use it: verdicts of hidden tests, a results folder, a run that can be killed."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from selfheal_tui.cli import main
from tests.bench_data import record, records, write

ROOT = Path(__file__).resolve().parents[2]
IDS = "Own/total,Own/smaller,Own/magic,Own/untested"


DIAGNOSIS = {
    "fault": "code",
    "category": "operator",
    "cause": "It computes something else.",
    "evidence": [{"file": "solution.py", "line": 2, "why": "here"}],
    "strategy": "Compute what is asked for.",
    "confidence": 0.9,
}
REPAIRED = {
    "total": "def total(a, b):\n    a = int(a)\n    return a + b\n",
    "smaller": "def smaller(a, b):\n    if a < b:\n        return a\n    return b\n",
    "magic": "def magic(text):\n    return text + text\n",
}


def repairer(name: str) -> dict[str, Any]:
    """Return the reply to a question about one of the own programs."""
    files = [{"path": "solution.py", "text": REPAIRED[name]}]
    return {"role": "repairer", "when": [f"def {name}("], "reply": {"summary": "Mended.", "files": files}}


def script(path: Path, *replies: dict[str, Any]) -> str:
    """Write a script of replies; return the model's name."""
    path.write_text(yaml.safe_dump({"replies": list(replies)}), "utf-8")
    return f"scripted:{path}"


class Bench:
    """Runs `selfheal bench` in this process, in a folder of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys
        self.data = write(folder / "own.jsonl")
        replies = [{"role": "debugger", "reply": DIAGNOSIS}, *map(repairer, REPAIRED)]
        self.model = ("--model", script(folder / "model.yaml", *replies), "--max-iterations", "2")

    def __call__(self, *argv: str) -> tuple[int, str, str]:
        code = main(["bench", *argv])
        captured = self.capsys.readouterr()
        return code, captured.out, captured.err


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.chdir(tmp_path)
    return Bench(tmp_path, capsys)


def tasks(folder: Path) -> dict[str, Any]:
    """Return task id -> the line that the run wrote."""
    lines = (folder / "results.jsonl").read_text("utf-8").splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


def test_hidden_tests_say_what_is_repaired_and_the_report_says_the_rest(bench: Bench) -> None:
    code, out, err = bench("own.jsonl", "--json", "--out", "r", "--jobs", "2", *bench.model, "--ids", IDS)
    assert code == 0, err
    report = json.loads(out)
    assert report["complete"] and report["selected"] == 3 and len(report["not_tried"]) == 1
    found = {task["id"]: task for task in report["tasks"]}
    total, smaller, magic = found["Own/total"], found["Own/smaller"], found["Own/magic"]
    assert (total["outcome"], total["plausible"], total["repaired"], total["plus"]["passed"]) == ("healed", *[True] * 3)
    assert total["hidden"]["trust"] == "verified" and "+    return a + b" in total["diff"]
    # The line that nothing needs, and the one where the reference has its fix.
    assert (total["edit"]["size"]["lines"], total["edit"]["needed"], total["edit"]["shared"]["lines"]) == (
        2,
        {"lines": 1, "tokens": 1},
        1,
    )
    assert report["summary"]["edits"]["precision"]["lines"] == 0.5
    assert (smaller["plausible"], smaller["repaired"], smaller["hidden"]["cases_passed"]) == (True, False, 1)
    assert (magic["plausible"], magic["repaired"], magic["hidden"]) == (False, False, None)
    figures = report["summary"]
    assert (figures["repaired"]["count"], figures["plausible"]["count"], figures["tasks"]) == (1, 2, 3)
    assert figures["by_author"]["model-b"]["repaired"]["count"] == 0 and figures["spent"]["calls"] >= 6
    config = report["config"]
    assert len(config["data_sha256"]) == len(config["prompts"]["debugger"]) == 64
    assert config["models"]["*"].startswith("scripted:") and report["machine"]["cores"] and report["isolation"]
    assert "3 of 3, repaired 1 (33 %)" in err and "Own/smaller plausible, wrong in" in err and " left: " in err
    folder = bench.folder / "r"
    assert {p.name for p in folder.iterdir()} == {
        "lock",
        "run.json",
        "results.json",
        "results.jsonl",
        "results.md",
        "results.html",
    }
    assert json.loads((folder / "results.json").read_text("utf-8")) == report
    assert "| Own/smaller | healed | pass | 1 of 2 |" in (folder / "results.md").read_text("utf-8")


def test_the_search_heals_without_a_model(bench: Bench) -> None:
    code, out, err = bench("own.jsonl", "--json", "--limit", "1")
    assert code == 0, err
    report = json.loads(out)
    (task,) = report["tasks"]
    assert (task["outcome"], task["repaired"]) == ("healed", True) and task["candidates"] > 0
    assert report["config"]["models"] == {"*": "search"} and len(report["not_tried"]) == 2
    assert 0.0 < task["confidence"] <= 1.0 and report["summary"]["calibration"]["repairs"] == 1


def test_a_bad_record_is_told_and_the_others_run(bench: Bench) -> None:
    bench.data.write_text('{"id": 3}\n' * 7 + bench.data.read_text("utf-8"), "utf-8")
    code, out, err = bench("own.jsonl", "--json", "--ids", "Own/total")
    assert code == 0, err
    report = json.loads(out)
    assert report["summary"]["repaired"]["count"] == 1 and len(report["not_read"]) == 7
    assert "left out: A record needs an `id` (own.jsonl, line 1)." in err and "2 more entries" in err


def test_our_own_tasks_run_by_name_and_are_told_by_category(bench: Bench) -> None:
    code, out, err = bench("builtin", "--json", "--ids", "grades,history", "--out", "r")
    assert code == 0, err
    report = json.loads(out)
    (task,) = report["tasks"]
    assert (task["id"], task["category"], task["plausible"], task["repaired"]) == (
        *("grades", "boundary conditions"),
        *(True, False),
    )
    assert task["hidden"]["cases_passed"] < task["hidden"]["cases"] and task["hidden"]["trust"] == "provisional"
    assert "history" in report["not_tried"] and "boundary conditions" in report["summary"]["by_category"]


def test_a_task_of_ours_is_written_by_a_model_and_judged(bench: Bench) -> None:
    written = (ROOT / "selfheal_tui" / "bench" / "tasks" / "history" / "reference.py").read_text("utf-8")
    tests = "from solution import History\n\n\ndef test_size():\n    assert len(History(1)) == 0\n"
    replies = [{"role": "spec_tester", "reply": {"tests": tests}}, {"role": "generator", "reply": {"code": written}}]
    model = script(bench.folder / "writer.yaml", *replies)
    code, out, err = bench("builtin", "--json", "--ids", "history", "--model", model)
    assert code == 0, err
    (task,) = json.loads(out)["tasks"]
    assert (task["outcome"], task["repaired"], task["hidden"]["trust"]) == ("healed", True, "verified")


def test_each_task_may_be_tried_several_times(bench: Bench) -> None:
    argv = ("own.jsonl", "--ids", "Own/total,Own/magic", "--out", "r", "--tries", "2", "--json", *bench.model)
    code, out, err = bench(*argv)
    assert code == 0, err
    report = json.loads(out)
    assert [task["id"] for task in report["tasks"]] == ["Own/total", "Own/magic", "Own/total#2", "Own/magic#2"]
    assert report["summary"]["over_tries"]["pass_at_k"] == {"1": 0.5, "2": 0.5} and report["complete"]
    code, out, _ = bench("--out", "r", "--resume", "--json")
    assert code == 0 and len(json.loads(out)["tasks"]) == 4


def test_a_finished_task_is_not_run_again_and_a_cut_line_is_no_result(bench: Bench) -> None:
    assert bench("own.jsonl", "--out", "r", "--ids", "Own/total,Own/smaller", "--keep", *bench.model)[0] == 0
    journal = bench.folder / "r" / "results.jsonl"
    first, second = journal.read_bytes().splitlines(keepends=True)
    kept = [json.loads(line)["session_id"] for line in (first, second)]
    assert all((bench.folder / "r" / "sessions" / name).is_dir() for name in kept)

    code, out, err = bench("own.jsonl", "--out", "r")
    assert (code, out) == (2, "") and "holds a run already" in err
    journal.write_bytes(first + second[:-40])
    code, out, err = bench("--out", "r", "--resume", "--json")
    assert code == 0, err
    assert journal.read_bytes().startswith(first) and set(tasks(bench.folder / "r")) == {"Own/total", "Own/smaller"}
    assert "2 of 2" in err and "1 of 2" not in err
    assert json.loads(out)["chosen"]["ids"] == ["Own/total", "Own/smaller"]
    for percent, wanted in (("50", 0), ("51", 1)):
        assert bench("--out", "r", "--resume", "--fail-under", percent)[0] == wanted


def test_a_run_goes_on_only_as_it_was_begun(bench: Bench) -> None:
    assert bench("own.jsonl", "--ids", "Own/total", "--critic", "off", *bench.model)[0] == 0
    (folder,) = (bench.folder / "bench-results").iterdir()
    assert folder.name.endswith("-own")
    code, _, err = bench("own.jsonl", "--resume")
    assert code == 2 and "no unfinished run of own" in err
    code, _, err = bench("own.jsonl", "--resume", "--out", str(folder), "--max-iterations", "3")
    assert code == 2 and "other limits: max_iterations 2, now max_iterations 3" in err
    code, _, err = bench("own.jsonl", "--resume", "--out", str(folder), "--critic", "on")
    assert code == 2 and "other policy: critic off, now critic on" in err
    code, out, err = bench("--resume", "--out", str(folder), "--json")
    assert code == 0 and json.loads(out)["config"]["policy"]["critic"] == "off", err
    write(
        bench.data, [*records(), record("more", buggy_code="x = 1", visible_tests="assert x", hidden_tests="assert x")]
    )
    code, _, err = bench("own.jsonl", "--resume", "--out", str(folder))
    assert code == 2 and "other data sha256" in err
    code, _, err = bench("--resume", "--out", "nowhere")
    assert code == 2 and "no run to resume" in err


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="the extra ray is here")
def test_without_ray_nothing_is_begun(bench: Bench) -> None:
    code, _, err = bench("own.jsonl", "--on", "ray", "--out", "r")
    assert code != 0 and "Ray is not installed" in err and "selfheal-tui[ray]" in err
    assert not (bench.data.parent / "r").exists()


def test_what_the_search_cannot_even_start_on_is_a_result(bench: Bench) -> None:
    write(bench.data, [{**records()[0], "buggy_code": "def total(a, b:\n    return a\n"}])
    code, out, _ = bench("own.jsonl", "--out", "r", "--json")
    (task,) = json.loads(out)["tasks"]
    assert (code, task["outcome"], task["repaired"]) == (0, "refused", False) and "does not parse" in task["reason"]


def test_a_repair_of_a_model_costs_once_even_where_the_run_was_stopped(bench: Bench) -> None:
    """The debugger's reply is paid, the repairer fails; the resumed run asks the repairer only."""
    usage = {"input_tokens": 100, "output_tokens": 10, "cost_usd": 0.25}
    file = bench.folder / "paid.yaml"
    model = script(
        file, {"role": "debugger", "reply": DIAGNOSIS, "usage": usage}, {"role": "repairer", "error": "busy"}
    )
    argv = ("own.jsonl", "--ids", "Own/total", "--out", "r", "--json", "--model", model)
    code, out, err = bench(*argv)
    assert code == 4 and json.loads(out)["failed"].keys() == {"Own/total"} and tasks_or_none(bench) == {}
    assert "selfheal bench own.jsonl --out r --resume" in err

    script(file, {"role": "debugger", "error": "asked again"}, {**repairer("total"), "usage": usage})
    code, out, err = bench("--out", "r", "--resume", "--json")
    assert code == 0, err
    report = json.loads(out)
    assert report["summary"]["repaired"]["count"] == 1
    assert (report["summary"]["spent"]["calls"], report["summary"]["spent"]["cost_usd"]) == (2, 0.5)


def test_code_is_written_where_there_is_none(bench: Bench) -> None:
    hidden = "def check(candidate):\n    assert candidate(3) == 4\n"
    spec = 'def inc(n):\n    """Return the next number.\n    >>> inc(1)\n    2\n    """\n'
    write(bench.data, [record("inc", buggy_code=None, prompt=spec, visible_tests=None, hidden_tests=hidden)])
    tests = "from solution import inc\n\n\ndef test_one():\n    assert inc(5) == 6\n"
    replies = [
        {"role": "spec_tester", "reply": {"tests": tests}},
        {"role": "generator", "when": ["inc(1) == 2"], "reply": {"code": "def inc(n):\n    return n + 1\n"}},
    ]
    model = script(bench.folder / "writer.yaml", *replies)
    code, out, err = bench("own.jsonl", "--out", "r", "--json", "--model", model)
    assert code == 0, err
    (task,) = json.loads(out)["tasks"]
    assert (task["outcome"], task["repaired"], task["unchanged"]) == ("healed", True, False)


def tasks_or_none(bench: Bench) -> dict[str, Any]:
    """Return the finished tasks; none when nothing was written yet."""
    return tasks(bench.folder / "r") if (bench.folder / "r" / "results.jsonl").exists() else {}


def started(bench: Bench, *argv: str) -> subprocess.Popen[str]:
    """Start the real command and wait until it has finished a task."""
    command = [sys.executable, "-m", "selfheal_tui", "bench", "own.jsonl", "--out", "r", *bench.model, *argv]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=bench.folder, env=environ, stdout=pipe, stderr=pipe, text=True)
    journal, deadline = bench.folder / "r" / "results.jsonl", time.monotonic() + 60
    while not (journal.exists() and journal.read_bytes().count(b"\n")):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    return process


TASKS = 5
"""More than are finished when the first one is seen to be."""


@pytest.fixture
def long(bench: Bench) -> Bench:
    write(bench.data, [{**records()[0], "id": f"Own/{n}"} for n in range(TASKS)])
    return bench


def test_ctrl_c_reports_what_is_done_and_says_how_to_go_on(long: Bench) -> None:
    with started(long) as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, ""), err
    assert "cancelled after" in err and "selfheal bench own.jsonl --out r --resume" in err and "Traceback" not in err
    partial = json.loads((long.folder / "r" / "results.json").read_text("utf-8"))
    assert not partial["complete"] and 1 <= partial["summary"]["tasks"] < TASKS


def test_a_killed_run_goes_on_and_keeps_what_it_had(long: Bench) -> None:
    with started(long, "--jobs", "2") as process:
        process.kill()
        process.communicate(timeout=60)
    before = tasks(long.folder / "r")
    assert 1 <= len(before) < TASKS
    code, out, err = long("--out", "r", "--resume", "--json")
    assert code == 0, err
    after = tasks(long.folder / "r")
    assert len(after) == TASKS and all(after[name] == row for name, row in before.items())
    assert json.loads(out)["summary"]["repaired"]["count"] == TASKS
    assert not (long.folder / "r" / "sessions").exists()
