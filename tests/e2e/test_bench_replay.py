"""`selfheal bench replay` as a script uses it, with the real sandbox and the real search."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from selfheal_tui.cli import main
from tests.bench_data import write
from tests.recorded_loops import loops


def test_recorded_loops_are_judged_again_and_their_failures_tried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = loops()[1:2]
    # A wrong verdict on its second program, so that something disagrees.
    rows[0]["trace"]["steps"] = [*rows[0]["trace"]["steps"][:3], {**rows[0]["trace"]["steps"][3], "visible": "pass"}]
    write(tmp_path / "r.jsonl", rows)
    argv = ["bench", "replay", "r.jsonl", "--out", "o", "--json", "--jobs", "2"]
    assert main(argv) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert found["complete"] and found["agreement"]["hidden"]["table"]["fail_fail"] == 3
    assert [one["why"][:6] for one in found["agreement"]["visible"]["disagreements"]] == ["failed"]
    assert found["mended"]["repaired"]["count"] == 1 and found["repetition"]["again"] == 2
    assert "3 programs of 1 recorded loop to judge, 0 done" in err and "3 of 3: stuck, step 3, fails" in err
    kept = (tmp_path / "o" / "mended" / "results.jsonl").read_bytes()
    assert json.loads((tmp_path / "o" / "replay.json").read_text("utf-8")) == found

    assert main(argv) == 2 and "holds a replay already" in capsys.readouterr().err
    assert main([*argv, "--resume"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == found and "3 done" in err and "1 of 3:" not in err
    assert (tmp_path / "o" / "mended" / "results.jsonl").read_bytes() == kept
    assert main([*argv, "--resume", "--max-iterations", "1"]) == 2
    assert "other limits: max_iterations 6, now max_iterations 1" in capsys.readouterr().err


def test_what_cannot_be_replayed_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "r.jsonl", [{**loops()[0], "trace": None}])
    for argv, sentence in (
        (["r.jsonl"], "needs `trace` with its `steps` (r.jsonl, line 1)"),
        (["r.jsonl", "--resume"], "--resume needs --out"),
        (["nowhere.jsonl"], "does not exist"),
    ):
        code = main(["bench", "replay", *argv])
        out, err = capsys.readouterr()
        assert (code, out) == (2, "") and sentence in err and "Traceback" not in err
    assert not (tmp_path / "bench-results").exists()
    write(tmp_path / "r.jsonl", loops()[:1])
    assert main(["bench", "replay", "r.jsonl", "--out", "o", "--resume"]) == 2
    assert "holds no replay to resume" in capsys.readouterr().err
