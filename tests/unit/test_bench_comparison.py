"""`selfheal bench compare` on written folders: what is counted, what is left out, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from selfheal_tui.bench.compare.comparison import build_comparison
from selfheal_tui.bench.compare.text import comparison_markdown
from selfheal_tui.bench.saved.finished import read_run
from selfheal_tui.cli import main
from tests.finished_runs import result, write_run

HOSTILE = "x\x1b[31m|<b>\u202e"


def two(folder: Path) -> tuple[Path, Path]:
    """Write two runs: over 12 tasks that both tried, of which A alone repaired 1 and B alone 9."""
    a = [result("both", True), *(result(f"b{n}", False) for n in range(9)), result("a", True), result("none", False)]
    b = [result("none", False), *(result(f"b{n}", True) for n in range(9)), result("a", False), result("both", True)]
    return (
        write_run(folder / "A", [*a, result("left", True)]),
        write_run(
            folder / "B",
            [*b, result(HOSTILE, True)],
            models={"*": "openai:large", "critic": "openai:small"},
            policy={"critic": "off", "strategies": ["minimal"]},
        ),
    )


def test_figures_of_a_comparison(tmp_path: Path) -> None:
    a, b = two(tmp_path)
    found = build_comparison(read_run(a), read_run(b))
    assert found["tasks"] == 12 and found["tried_once"]
    assert found["repaired"] == {"both": 1, "only_a": 1, "only_b": 9, "neither": 1}
    assert found["turned"] == {"only_a": ["a"], "only_b": [f"b{n}" for n in range(9)]}
    assert found["left_out"] == {"only_in_a": ["left"], "only_in_b": [HOSTILE]}
    assert found["test"]["p"] == 0.021484375
    difference = found["difference"]
    assert difference["mean"] == round(8 / 12, 6) and 0.15 < difference["low"] < 0.5 and difference["high"] == 1.0
    assert found["a"]["spent"] == {"cost_usd": 6.0, "calls": 24, "tokens": 1200, "time_s": 18.0}
    assert found["a"]["per_repair"]["cost_usd"] == 3.0 and found["b"]["per_repair"]["calls"] == 2.4
    assert found["differs"] == {
        "models.*": {"a": "search", "b": "openai:large"},
        "models.critic": {"a": None, "b": "openai:small"},
        "policy.critic": {"a": "auto", "b": "off"},
    }


def test_tries_of_a_task_are_averaged_and_unknown_prices_stay_unknown(tmp_path: Path) -> None:
    tries = [result("t", True), result("t", False, attempt=2), result("s", False), result("s", False, attempt=2)]
    a = write_run(tmp_path / "A", tries)
    b = write_run(tmp_path / "B", [result("t", True, cost_usd=None), result("s", False)])
    found = build_comparison(read_run(a), read_run(b))
    assert found["by_task"] == {"t": {"a": 0.5, "b": 1.0}, "s": {"a": 0.0, "b": 0.0}}
    assert found["repaired"] == {"both": 0, "only_a": 0, "only_b": 1, "neither": 1} and not found["tried_once"]
    assert found["difference"]["mean"] == 0.25 and found["a"]["tries"] == 4
    assert found["b"]["spent"]["cost_usd"] is None
    text = comparison_markdown(found)
    assert "| B more often | 1 |" in text and "| money | $2.0000 | unknown |" in text


def test_the_command_prints_markdown_or_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = two(tmp_path)
    assert main(["bench", "compare", str(a), str(b), "--seed", "3"]) == 0
    text, err = capsys.readouterr()
    assert not err and "| only B | 9 |" in text and "p = 0.0215 (10 tasks turned)" in text
    assert "10,000 resamples, seed 3" in text and "B repairs 66.7 points more than A" in text
    assert "\x1b" not in text and "\u202e" not in text and "x\\|&lt;b>" in text
    assert "| critic | auto | off |" in text and "| model of the critic | - | openai:small |" in text
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert main(["bench", "compare", str(a), str(b), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == build_comparison(read_run(a), read_run(b))
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_what_cannot_be_compared_is_refused_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = write_run(tmp_path / "A", [result("t", True)])
    rows = {
        "data": (write_run(tmp_path / "data", [result("t", True)], data_sha256="c" * 64), "it has other data"),
        "tests": (write_run(tmp_path / "tests", [result("t", True)], tests_given="all"), "other tests given"),
        "others": (write_run(tmp_path / "others", [result("u", True)]), "no finished task in common"),
        "empty": (write_run(tmp_path / "empty", []), "no finished task in common"),
        "wrong": (write_run(tmp_path / "wrong", [{"id": "t"}]), "line 1, is damaged"),
        "bill": (write_run(tmp_path / "bill", [{**result("t", True), "spent": []}]), "line 1, is damaged"),
        "itself": (a, "are the same folder"),
        "nothing": (tmp_path, "holds no run"),
        "nowhere": (tmp_path / "nowhere", "holds no run"),
    }
    (tmp_path / "wrong" / "results.jsonl").write_text("[]\n", "utf-8")
    for folder, sentence in rows.values():
        code = main(["bench", "compare", str(a), str(folder)])
        out, err = capsys.readouterr()
        assert (code, out) == (2, "") and sentence in err and "Traceback" not in err, err


def test_a_line_that_was_cut_off_is_no_result_and_stays(tmp_path: Path) -> None:
    a = write_run(tmp_path / "A", [result("t", True), result("u", True)])
    whole = (a / "results.jsonl").read_bytes()
    (a / "results.jsonl").write_bytes(whole[:-5])
    assert [row["id"] for row in read_run(a).results] == ["t"]
    assert (a / "results.jsonl").read_bytes() == whole[:-5]
