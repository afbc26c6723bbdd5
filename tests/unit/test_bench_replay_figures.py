"""Recorded loops: what is read, what repetition would have saved, how verdicts are compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.bench.replay.recorded import failed, read_recordings
from selfheal_tui.bench.replay.rejudged import Verdicts, key_of, programs
from selfheal_tui.bench.replay.repetition import repetition
from selfheal_tui.bench.replay.report import build_replay, replay_markdown
from selfheal_tui.errors import InputError
from tests.bench_data import write
from tests.finished_runs import result
from tests.recorded_loops import FAIL, RIGHT, WRONG, loop, loops, step

TRACES = Path(__file__).resolve().parents[3] / "shared" / "data" / "ldb_traces.jsonl.gz"


def test_loops_are_read_and_what_is_none_is_named(tmp_path: Path) -> None:
    bad: list[dict[str, Any]] = [
        {**loops()[0], "id": "no trace", "trace": None},
        loop("no program", {"visible": FAIL}, buggy_code=None),
        loop("no verdict", {"code": WRONG, "visible": 3}),
        loop("no tests", step(WRONG, FAIL), visible_tests=None),
        loops()[0],
    ]
    found = read_recordings(write(tmp_path / "r.jsonl", [*loops(), *bad]))
    assert [one.record.id for one in found.loops] == ["healed", "stuck", "doubtful"]
    assert [one.code for one in found.loops[0].steps] == [WRONG, WRONG, RIGHT] and found.loops[0].healed
    assert [one.record.id for one in failed(found.loops)] == ["stuck", "doubtful"]
    assert len(found.left_out) == 5 and all("r.jsonl, line" in sentence for sentence in found.left_out)
    assert [one.record.id for one in read_recordings(tmp_path / "r.jsonl", limit=2, seed=3).loops] != [
        "healed",
        "stuck",
    ]


@pytest.mark.parametrize(("name", "why"), [("nowhere.jsonl", "does not exist"), (".", "is a folder")])
def test_a_file_that_is_none_is_refused(name: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=why):
        read_recordings(tmp_path / name)


def test_repetition_is_counted_as_the_loop_counts_it(tmp_path: Path) -> None:
    found = repetition(read_recordings(write(tmp_path / "r.jsonl", loops())).loops)
    assert found == {
        "loops": 3,
        "calls": 7,
        # A comment makes no other program.
        "again": 4,
        "loops_with_repetition": 2,
        "stops": {
            "1": {"loops": 2, "saved_calls": 1 + 3, "healed_later": 1},
            "2": {"loops": 1, "saved_calls": 2, "healed_later": 0},
        },
    }


def test_verdicts_are_compared_program_by_program(tmp_path: Path) -> None:
    recordings = read_recordings(write(tmp_path / "r.jsonl", loops()))
    # `doubtful` has the right program, which its record calls wrong.
    ours = {
        key: {"visible": loop.steps[n].code == RIGHT, "hidden": loop.steps[n].code == RIGHT, "why": "a|b\x1b[31m"}
        for key, (loop, n) in programs(recordings.loops).items()
    }
    results = [result("stuck", True), result("doubtful", False)]
    found = build_replay(recordings, ours, results, {"*": "search"}, {})  # type: ignore[arg-type]
    hidden = found["agreement"]["hidden"]
    assert hidden["table"] == {"pass_pass": 1, "pass_fail": 0, "fail_pass": 1, "fail_fail": 5}
    assert [(one["id"], one["step"], one["ours"]) for one in hidden["disagreements"]] == [("doubtful", 1, "pass")]
    assert found["complete"] and found["mended"]["repaired"]["count"] == 1 and found["mended"]["ids"] == ["stuck"]
    some = build_replay(recordings, dict(list(ours.items())[:2]), results, {"*": "search"}, {})  # type: ignore[arg-type]
    assert not some["complete"]
    assert f"**Not finished**: 2 of {len(ours)} programs judged, 2 of 2 recorded failures tried." in replay_markdown(
        some
    )
    text = replay_markdown(found)
    assert "| recorded as fail | 1 | 5 |" in text and "| doubtful | 1 | assert_fail | pass | a\\|b |" in text
    assert "after 2 in a row, as ours does | 1 | 2 | 28.6 % | 0 |" in text


def test_a_verdict_that_was_cut_off_is_judged_again(tmp_path: Path) -> None:
    (loop_, *_), verdicts = read_recordings(write(tmp_path / "r.jsonl", loops())).loops, Verdicts(tmp_path)
    verdicts.add(key_of(loop_, WRONG), {"visible": False, "hidden": False, "why": ""})
    verdicts.add(key_of(loop_, RIGHT), {"visible": True, "hidden": True, "why": ""})
    path = tmp_path / "verdicts.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    again = Verdicts(tmp_path)
    assert list(again.found) == [key_of(loop_, WRONG)]
    again.add(key_of(loop_, RIGHT), {"visible": True, "hidden": True, "why": ""})
    assert len(Verdicts(tmp_path).found) == 2


@pytest.mark.skipif(not TRACES.exists(), reason="the recorded loops lie outside of the repository")
def test_the_published_loops_are_read() -> None:
    found = read_recordings(TRACES)
    assert len(found.loops) > 400 and json.dumps(repetition(found.loops))
    assert repetition(found.loops)["again"] > repetition(found.loops)["calls"] / 2
