"""`selfheal bench matrix` against a server that speaks a vendor's protocol: what it is asked, and what a kill costs."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from selfheal_tui.bench.matrix.file import read_plan
from selfheal_tui.cli import main
from tests.bench_data import records, write
from tests.e2e.forked_commands import Ended, run_command
from tests.e2e.test_bench import DIAGNOSIS, repairer
from tests.wire.script import Script
from tests.wire.server import Recorded, WireServer

USAGE = {"input_tokens": 100, "output_tokens": 10}
CRITIC = {"untried": [], "thought": "", "summary": "It adds.", "basis": "", "test": "", "verdict": "approve"}
PLAN: dict[str, Any] = {
    "suite": "own.jsonl",
    "ids": ["Own/total"],
    "settings": {"model": "openai:tiny", "debug_steps": 0, "oracle_calls": 0, "near_miss_s": 0, "max_iterations": 2},
    "axes": {"critic": ["off", "on"]},
}


def script(*first: dict[str, Any]) -> Script:
    """Return a model that knows the program; the critic approves."""
    replies = [
        *first,
        {"role": "debugger", "reply": DIAGNOSIS},
        repairer("total"),
        {"role": "critic", "reply": CRITIC},
    ]
    return Script.of(*({**reply, "usage": USAGE} for reply in replies), models=["tiny"])


def write_plan(folder: Path, **changes: Any) -> Path:
    """Write the data and the file of a matrix; return the file."""
    write(folder / "own.jsonl", records())
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump({**PLAN, **changes}), "utf-8")
    return path


async def matrix(
    server: WireServer, folder: Path, *words: str, on_line: Callable[[int, int], None] = lambda pid, line: None
) -> Ended:
    """Run the command to its end, or until it is killed."""
    environment = {**os.environ, **server.environment()}
    prices = ("--prices", "openai:tiny=100/1000")
    argv = ["bench", "matrix", "plan.yaml", "--out", "m", "--json", *prices, *words]
    return await run_command(argv, environment, folder / "stdout", on_line, folder)


def roles(chats: list[Recorded]) -> dict[str, int]:
    """Return role -> how many requests came."""
    names = [chat.role for chat in chats]
    return {name: names.count(name) for name in sorted(set(names))}


async def test_a_reply_is_paid_once_and_counts_in_each_cell(tmp_path: Path) -> None:
    write_plan(tmp_path)
    async with WireServer(script()) as server:
        done = await matrix(server, tmp_path)
        assert done.code == 0, done.err
        assert roles(server.chats) == {"critic": 1, "debugger": 1, "repairer": 1}
        found = json.loads(done.out)
    off, on = found["cells"]
    assert (off["name"], on["name"], found["complete"]) == ("critic=off", "critic=on", True)
    assert (off["spent"]["calls"], on["spent"]["calls"]) == (2, 3)
    assert (off["paid"]["calls"], on["paid"]["calls"]) == (2, 1)
    assert found["calls"] == {"alone": 5, "paid": 3}
    assert found["cost_usd"] == {"alone": pytest.approx(5 * 0.02), "paid": pytest.approx(3 * 0.02)}
    assert on["repaired"]["count"] == 1 and on["against_first"]["test"]["p"] == 1.0
    headers = [
        json.loads((tmp_path / "m" / name / "run.json").read_text("utf-8")) for name in ("critic=off", "critic=on")
    ]
    assert [header["config"]["policy"]["critic"] for header in headers] == ["off", "on"]
    table = (tmp_path / "m" / "table.md").read_text("utf-8")
    assert "# own.jsonl: 2 cells" in table and "3 calls paid ($0.0600)" in table


@pytest.mark.deep
async def test_a_kill_loses_nothing_that_was_paid(tmp_path: Path) -> None:
    write_plan(tmp_path)
    process = 0

    def remember(pid: int, line: int) -> None:
        nonlocal process
        process = pid

    async def kill(chat: Recorded, share: float) -> None:
        # The diagnosis is paid and the repair is asked for; then the second cell asks what the first has not.
        if share == 0.0 and len(server.chats) in (2, 4):
            os.kill(process, signal.SIGKILL)

    async with WireServer(script()) as server:
        server.watch = kill
        for words in ((), ("--resume",)):
            done = await matrix(server, tmp_path, *words, on_line=remember)
            assert done.code == -signal.SIGKILL
        done = await matrix(server, tmp_path, "--resume")
        assert done.code == 0, done.err
        # Two were in flight when the process was killed; all others were asked once.
        assert roles(server.chats) == {"critic": 2, "debugger": 1, "repairer": 2}
        found = json.loads(done.out)
        assert found["complete"] and found["calls"] == {"alone": 5, "paid": 3}
        # A further cell pays for nothing that one of the others has asked.
        write_plan(tmp_path, axes={"critic": ["off", "on", "auto"]})
        more = await matrix(server, tmp_path, "--resume")
        assert more.code == 0, more.err
        assert len(server.chats) == 5
    auto = json.loads(more.out)["cells"][2]
    told = (auto["name"], auto["complete"], auto["spent"]["calls"], auto["paid"]["calls"])
    assert told == ("critic=auto", True, 3, 0)


@pytest.mark.deep
async def test_a_cell_that_cannot_go_on_leaves_the_others(tmp_path: Path) -> None:
    write_plan(tmp_path, axes={"model": ["openai:gone", "openai:tiny"], "critic": ["off"]})
    async with WireServer(script()) as server:
        done = await matrix(server, tmp_path)
    assert done.code == 4, done.err
    found = json.loads(done.out)
    gone, tiny = found["cells"]
    assert (gone["name"], gone["complete"], gone["repaired"]["of"]) == ("model=openai-gone", False, 0) and gone[
        "failed"
    ]
    assert (tiny["complete"], tiny["repaired"]["count"], tiny["against_first"]) == (True, 1, None)
    assert "1 of 2 cells finished; go on with: selfheal bench matrix plan.yaml --out m --resume" in done.err


def refused(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """Run the command, which must refuse in a sentence before anything is written; return the sentence."""
    code = main(["bench", "matrix", *argv])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "") and "Traceback" not in err and err.count("\n") <= 2, err
    return err


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"axis": {}}, "Did you mean axes?"),
        ({"axes": {"critik": ["on"]}}, "Did you mean critic?"),
        ({"axes": {"critic": ["perhaps"]}}, "critic must be one of auto, on, off"),
        ({"axes": {"critic": "on"}}, "must be a list of values"),
        ({"axes": {"strategies": ["minimal", "serch"]}}, "Did you mean 'search'?"),
        ({"axes": {"model": ["opnai:x"]}}, "opnai"),
        ({"axes": {"debug_steps": [0, -1]}}, "debug_steps must be"),
        ({"axes": {}}, "needs either `axes` or `cells`"),
        ({"axes": {"critic": ["on", "on"]}}, "Two cells of plan.yaml are named critic=on"),
        (
            {"axes": {"debug_steps": list(range(20)), "oracle_calls": list(range(10)), "critic": ["on", "off"]}},
            "make 400",
        ),
        ({"axes": {}, "cells": [{"critic": "on"}]}, "Cell 1 of plan.yaml needs a `name`"),
        ({"limit": 0}, "`limit` must be a whole number from 1"),
        ({"suite": None}, "names no suite"),
        ({"settings": {"sandbox": "e2b"}}, "There is no 'sandbox' setting"),
    ],
)
def test_a_file_that_cannot_be_run_is_refused_in_a_sentence(
    changes: dict[str, Any],
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    base = {**PLAN, "settings": {}}
    write_plan(tmp_path, **{**base, **changes})
    assert sentence in refused(capsys, "plan.yaml", "--out", "m")
    assert not (tmp_path / "m").exists()


def test_a_folder_or_file_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "cannot be read" in refused(capsys, "nowhere.yaml")
    (tmp_path / "bad.yaml").write_text("suite: [\n", "utf-8")
    assert "line 2 is no YAML" in refused(capsys, "bad.yaml")
    write_plan(tmp_path, settings={}, axes={"critic": ["on", "off"]})
    assert "no matrix to resume" in refused(capsys, "plan.yaml", "--resume", "--out", "m")
    assert "no unfinished matrix" in refused(capsys, "plan.yaml", "--resume")
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "matrix.json").write_text('{"format": 1}', "utf-8")
    assert "holds a matrix already" in refused(capsys, "plan.yaml", "--out", "m")
    assert "not started here by you" in refused(capsys, "plan.yaml", "--out", "m", "--resume")


def test_the_files_that_the_page_shows_can_be_read(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md").read_text("utf-8")
    shown = [block.partition("```")[0] for block in page.split("```yaml\n")[1:]]
    plans = []
    for number, text in enumerate(shown):
        (tmp_path / f"{number}.yaml").write_text(text, "utf-8")
        plans.append(read_plan(tmp_path / f"{number}.yaml"))
    assert [len(plan.cells) for plan in plans] == [8, 2]
    first, last = plans[0].cells[0], plans[0].cells[-1]
    assert first.name == "model=ollama-qwen2.5-coder,critic=off,debug_steps=0" and first.values["critic"] == "off"
    assert last.values["model"] == "anthropic:claude-sonnet-5-5" and last.values["max_cost_usd"] == 0.2
