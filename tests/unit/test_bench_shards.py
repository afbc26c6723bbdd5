"""Parts of a suite: which task belongs to which, and what joins them again or refuses to."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.bench.figures.report import build_report, markdown
from selfheal_tui.bench.figures.tries import each_try
from selfheal_tui.bench.running.origin import build_header
from selfheal_tui.bench.saved.journal import open_journal, vouch
from selfheal_tui.bench.suites.records import build_record
from selfheal_tui.bench.suites.shards import Shard, parse_shard, records_of, shard_header, shard_of
from selfheal_tui.cli import main
from selfheal_tui.engine.moment.state import no_spend
from selfheal_tui.errors import InputError
from tests.bench_data import record

RECORDS = each_try([build_record(record(f"f{n}"), "here") for n in range(40)], 2)
CONFIG: dict[str, Any] = {
    "suite": "own",
    "data": "/a/own.jsonl",
    "data_sha256": "0" * 64,
    "tests_given": "visible",
    "models": {"*": "search"},
    "limits": {"max_time_s": 10.0},
    "policy": {},
    "suite_limits": {},
    "versions": {"selfheal": "0.1.0", "python": "3.11.7"},
    "prompts": {},
}


def result(name: str, repaired: bool) -> dict[str, Any]:
    """Return a finished task, whole."""
    verdict = {"passed": repaired, "cases": 1, "cases_passed": int(repaired), "trust": "verified", "not_verified": None}
    return {
        "id": name,
        "bug_type": "operator",
        "author": "a",
        "outcome": "healed",
        "reason": "",
        "plausible": True,
        "repaired": repaired,
        "hidden": {**verdict, "error": None},
        "plus": None,
        "has_plus": False,
        "unchanged": False,
        "confidence": 0.5,
        "iterations": 1,
        "candidates": 3,
        "time_s": 1.0,
        "spent": no_spend(),
        "diff": "",
        "finished_at": "2026-01-01T00:00:00+00:00",
    }


class Shards:
    """Writes the folders of a suite of 12 tasks in three shards."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.records = [build_record(record(f"f{n}"), "here") for n in range(12)]

    def write(self, number: int, *, of: int = 3, tasks: int | None = None, **config: Any) -> str:
        """Write one shard's folder; `tasks` of its tasks are finished."""
        shard = Shard(number, of)
        mine = records_of(self.records, shard)
        chosen = {**dict.fromkeys(("limit", "seed")), "ids": [], "tries": 1, "jobs": 1}
        chosen |= {"arguments": {"shard": str(shard)}, "shard": shard_header(shard, len(mine), len(self.records))}
        header = build_header({**CONFIG, **config}, chosen)
        folder = self.folder / f"s{number}"
        rows: list[Any] = [result(r.id, r.id.endswith(("1", "2"))) for r in mine][:tasks]
        with open_journal(folder, header, resume=False) as journal:
            journal.write_results(rows)
            told: Any = {"not_tried": {"Own/x": "no hidden tests"}, "isolation": ["seccomp"]}
            report = build_report(header, rows, selected=len(mine), **told)
            journal.write_report(report, markdown(report))
        return str(folder)

    def merge(self, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any, str]:
        """Run the command; return its exit code, its JSON and what it said."""
        code = main(["bench", "merge", *words, "--out", str(self.folder / "all"), "--json"])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, json.loads(out) if out else None, err


@pytest.fixture
def shards(tmp_path: Path) -> Shards:
    return Shards(tmp_path)


def test_each_task_is_in_one_shard_with_all_its_tries_and_the_same_on_every_machine() -> None:
    parts = [records_of(RECORDS, Shard(number, 4)) for number in (1, 2, 3, 4)]
    assert sorted(r.id for part in parts for r in part) == sorted(r.id for r in RECORDS)
    assert all(parts) and records_of(RECORDS, Shard(1, 1)) == RECORDS
    for part in parts:
        assert {r.id for r in part} == {r.id.partition("#")[0] + tail for r in part for tail in ("", "#2")}
    assert [shard_of(f"Own/f{n}", 1, 4) for n in range(6)] == [2, 2, 3, 4, 2, 1]


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "1/0", "a/b", "-1/2", "1/4/2", ""])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="write K/N"):
        parse_shard(text)


def test_a_merged_run_is_the_whole_run(shards: Shards, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [shards.write(number) for number in (3, 1, 2)]
    code, report, err = shards.merge(capsys, *folders)
    assert code == 0, err
    assert [task["id"] for task in report["tasks"]] == [f"Own/f{n}" for n in range(12)]
    assert report["complete"] and report["selected"] == 12 and report["isolation"] == ["seccomp"]
    assert report["summary"]["repaired"]["count"] == 3 and report["not_tried"] == {"Own/x": "no hidden tests"}
    assert report["config"] == CONFIG and [one["shard"] for one in report["merged"]] == [[3], [1], [2]]
    whole = shards.folder / "all"
    assert json.loads((whole / "results.json").read_text("utf-8")) == report
    vouch(whole, False)
    assert shards.merge(capsys, *folders)[0] == 2  # it is not overwritten


def test_the_share_of_a_merged_run_may_decide(shards: Shards, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, _ = shards.merge(capsys, *(shards.write(number) for number in (1, 2, 3)), "--fail-under", "26")
    assert code == 1


def test_what_is_missing_is_named_and_may_be_accepted_and_added_later(
    shards: Shards, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, third = shards.write(1), shards.write(2, tasks=1), shards.write(3)
    code, _, err = shards.merge(capsys, first, second)
    assert code == 2 and "Shard 3/3 is missing" in err
    code, _, err = shards.merge(capsys, first, second, third)
    assert code == 2 and "s2 is not finished" in err and "--resume" in err
    code, report, _ = shards.merge(capsys, first, third, "--partial")
    assert code == 0 and not report["complete"] and report["selected"] == 12
    assert "shard 1, 3 of 3" in (shards.folder / "all" / "results.md").read_text("utf-8")
    later = Shards(shards.folder / "later")
    whole = later.write(2)
    code, report, err = later.merge(capsys, str(shards.folder / "all"), whole)
    assert code == 0 and report["complete"] and len(report["tasks"]) == 12, err


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"versions": {"selfheal": "0.2.0"}}, "other versions"),
        ({"data_sha256": "1" * 64}, "other data sha256"),
        ({"tests_given": "all"}, "other tests given"),
        ({"limits": {"max_time_s": 20.0}}, "other limits"),
        ({"policy": {"critic": "off"}}, "other policy"),
        ({"of": 4}, "other shards"),
    ],
)
def test_runs_that_are_not_alike_are_refused(
    shards: Shards, capsys: pytest.CaptureFixture[str], changed: dict[str, Any], said: str
) -> None:
    code, _, err = shards.merge(capsys, shards.write(1), shards.write(2, **changed))
    assert code == 2 and said in err and "s2" in err and not (shards.folder / "all").exists()


def test_where_the_data_lies_may_differ(shards: Shards, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = shards.merge(capsys, shards.write(1), shards.write(2, data="/b/own.jsonl"), shards.write(3))
    assert code == 0, err


def test_a_task_with_two_results_is_refused_and_the_same_result_counts_once(
    shards: Shards, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [shards.write(number) for number in (1, 2, 3)]
    assert shards.merge(capsys, *folders, folders[0])[1]["summary"]["tasks"] == 12
    other = shutil.copytree(folders[1], shards.folder / "other")
    text = (other / "results.jsonl").read_text("utf-8")
    (other / "results.jsonl").write_text(text.replace('"time_s": 1.0', '"time_s": 2.0'), "utf-8")
    code = main(["bench", "merge", *folders, str(other), "--out", str(shards.folder / "new")])
    assert code == 2 and "has one result in" in capsys.readouterr().err


def _cut(folder: Path) -> None:
    (folder / "results.jsonl").write_bytes((folder / "results.jsonl").read_bytes()[:-20])


def _damaged(folder: Path) -> None:
    (folder / "results.jsonl").write_text("{\n", "utf-8")


def _foreign(folder: Path) -> None:
    text = (folder / "results.jsonl").read_text("utf-8")
    (folder / "results.jsonl").write_text(text.replace('"time_s": 1.0', '"time_s": "long"'), "utf-8")


def _of_another_shard(folder: Path) -> None:
    (folder / "results.jsonl").write_bytes((folder.parent / "s1" / "results.jsonl").read_bytes())


def _no_shard(folder: Path) -> None:
    header = json.loads((folder / "run.json").read_text("utf-8"))
    del header["chosen"]["shard"]
    (folder / "run.json").write_text(json.dumps(header), "utf-8")


def _no_object(folder: Path) -> None:
    (folder / "run.json").write_text('{"format": 1, "started_at": "", "config": []}', "utf-8")


def _emptied(folder: Path) -> None:
    (folder / "run.json").unlink()


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (_cut, "not finished: 1 task of"),
        (_damaged, "results.jsonl is damaged"),
        (_foreign, "time_s is no float"),
        (_of_another_shard, "belongs to shard 1/3"),
        (_no_shard, "is no shard: it was run without --shard"),
        (_no_object, "run.json is damaged"),
        (_emptied, "holds no run"),
    ],
)
def test_a_folder_that_cannot_be_merged_is_told_in_a_sentence_and_left_as_it_is(
    shards: Shards, capsys: pytest.CaptureFixture[str], harm: Any, said: str
) -> None:
    folders = [shards.write(number) for number in (1, 2, 3)]
    harm(Path(folders[1]))
    before = {p.name: p.read_bytes() for p in Path(folders[1]).iterdir()}
    code, _, err = shards.merge(capsys, *folders)
    assert code == 2 and said in err and err.count("\n") == 1
    assert {p.name: p.read_bytes() for p in Path(folders[1]).iterdir()} == before


def test_a_merged_run_of_others_is_gone_on_with_only_on_the_users_word(
    shards: Shards, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folders = [shards.write(number) for number in (1, 2, 3)]
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another user"))
    assert shards.merge(capsys, *folders)[0] == 0
    with pytest.raises(InputError, match="not started here by you"):
        vouch(shards.folder / "all", False)
