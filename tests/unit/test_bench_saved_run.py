"""A benchmark's folder as the app and `bench report` read it: while it runs, damaged, or from somebody else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from selfheal_tui.bench.saved.run import list_runs, load_run, stamp
from selfheal_tui.cli import main
from selfheal_tui.store.lock import open_driver_lock
from tests.bench_runs import append, write_run
from tests.unit.test_bench_metrics import result

pytestmark = pytest.mark.usefixtures("own_configuration")


@pytest.fixture
def own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_a_finished_run_is_read_whole(tmp_path: Path) -> None:
    run = load_run(write_run(tmp_path / "r", [result("a"), result("b", repaired=False)]))
    assert (run.name, run.suite, run.models, run.selected) == ("r", "own", "search", 2)
    assert run.complete and run.is_own and not (run.driver or run.damage or run.not_read)
    assert [r["id"] for r in run.results] == ["a", "b"] and "tasks" not in run.report


def test_a_run_is_followed_while_it_is_written(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "r", [result("a")], selected=3, ended=False)
    with open_driver_lock(folder):
        before = stamp(folder)
        with (folder / "results.jsonl").open("a") as file:
            file.write('{"id": "half')
        run = load_run(folder)
        assert run.driver.startswith(f"process {os.getpid()} on ") and not run.complete
        assert (len(run.results), run.selected, run.not_read) == (1, 3, 0), "a line that is being written is no damage"
        assert stamp(folder) != before and (folder / "results.jsonl").read_text().endswith('"half')
        driven = stamp(folder)
    assert stamp(folder) != driven and load_run(folder).driver == ""


def test_damaged_lines_are_left_out_and_counted(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "r", [result("a")], ended=False)
    with (folder / "results.jsonl").open("ab") as file:
        file.write(b"\xff\xfe\n[]\n{}\n" + b"[" * 100_000 + b"\n")
    append(folder, result("b"))
    run = load_run(folder)
    assert [r["id"] for r in run.results] == ["a", "b"] and run.not_read == 4


@pytest.mark.parametrize("name", ["run.json", "results.jsonl", "results.json", "sessions", "results.html"])
def test_a_link_in_the_folder_is_not_followed(tmp_path: Path, name: str) -> None:
    folder = write_run(tmp_path / "r", [result("a")])
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(tmp_path)
    assert "is a link" in load_run(folder).damage


def test_a_folder_without_a_run_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    assert "run.json cannot be read" in load_run(folder).damage
    (folder / "run.json").write_text("[1")
    assert load_run(folder).damage == "Its run.json is damaged."
    (folder / "run.json").write_text('{"format": 99}')
    assert load_run(folder).damage == "It is a run of another version of selfheal."
    (folder / "run.json").write_text('{"format": 1, "config": 3, "chosen": {"selected": true}, "started_at": []}')
    run = load_run(folder)
    assert not run.damage and (run.suite, run.models, run.selected, run.is_own) == ("", "", None, False)


def test_a_run_from_elsewhere_is_told_from_our_own(tmp_path: Path) -> None:
    assert not load_run(write_run(tmp_path / "r", [], own=False)).is_own


def test_runs_are_listed_newest_first_and_nothing_else_is(tmp_path: Path) -> None:
    parent = tmp_path / "bench-results"
    assert list_runs(parent) == []
    for number, name in enumerate(("b", "a")):
        os.utime(write_run(parent / name, []) / "run.json", (number, number))
    (parent / "other").mkdir()
    (parent / "link").symlink_to(parent / "a")
    assert [path.name for path in list_runs(parent)] == ["a", "b"]


def test_the_page_of_a_run_is_made_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_run(tmp_path / "r", [result("the-task")])
    assert main(["bench", "report", str(folder)]) == 0
    assert "the-task" in (folder / "results.html").read_text() and "1 task in" in capsys.readouterr().out
    assert main(["bench", "report", str(folder), "--html", str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").read_text() == (folder / "results.html").read_text()
    assert "Not finished" not in (tmp_path / "page.html").read_text()


def test_what_cannot_be_reported_gets_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for argument in (str(tmp_path / "none"), str(tmp_path)):
        assert main(["bench", "report", argument]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") <= 2 and ("is no folder" in said or "holds no run" in said)
    folder = write_run(tmp_path / "r", [])
    assert main(["bench", "report", str(folder), "--html", str(tmp_path / "no" / "x.html")]) == 2
    assert "There is no folder" in capsys.readouterr().err
