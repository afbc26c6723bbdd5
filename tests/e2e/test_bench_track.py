"""`bench --track mlflow`: one run of MLflow for a run of a suite, also when it goes on; no harm without a server."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.bench.running import tracking
from selfheal_tui.cli import main
from tests.bench_data import write

IDS = "Own/total,Own/smaller"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    environ = dict(os.environ)
    write(tmp_path / "own.jsonl")
    yield tmp_path
    os.environ.clear()
    os.environ.update(environ)


def bench(*argv: str) -> int:
    return main(["bench", "own.jsonl", "--ids", IDS, "--out", "r", "--near-miss-s", "0", "--json", *argv])


def runs(uri: str) -> list[Any]:
    """Return all runs that MLflow keeps there."""
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=uri)
    return list(client.search_runs([one.experiment_id for one in client.search_experiments()]))


def steps(uri: str, run_id: str, name: str) -> list[tuple[int, float]]:
    from mlflow.tracking import MlflowClient

    return sorted((one.step, one.value) for one in MlflowClient(tracking_uri=uri).get_metric_history(run_id, name))


def results() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("r/results.jsonl").read_text("utf-8").splitlines()]


def test_a_run_has_its_parameters_figures_and_files_and_goes_on_as_the_same(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("mlflow")
    assert bench("--track", "mlflow") == 0
    report = json.loads(capsys.readouterr().out)
    uri = (folder / "r" / "mlflow").as_uri()
    (run,) = runs(uri)
    params, metrics = run.data.params, run.data.metrics
    assert (params["model"], params["suite"], params["max_iterations"]) == ("search", "own", "6")
    assert params["data_sha256"] == report["config"]["data_sha256"]
    assert params["prompt.debugger"] == report["config"]["prompts"]["debugger"]
    assert params["version.selfheal"] == report["config"]["versions"]["selfheal"]
    assert metrics["repaired.rate"] == report["summary"]["repaired"]["rate"] and metrics["tasks"] == 2
    assert run.info.status == "FINISHED"
    told = [(step, float(row["repaired"])) for step, row in enumerate(results(), 1)]
    assert steps(uri, run.info.run_id, "task.repaired") == told
    kept = {path.name for path in (folder / "r" / "mlflow").glob("*/*/artifacts/*")}
    assert kept == {"run.json", "results.json", "results.jsonl", "results.md"}

    import mlflow.telemetry

    assert mlflow.telemetry.get_telemetry_client() is None, "it must not report on its own use"

    # As after a kill between two tasks, where MLflow was away for the second.
    lines = Path("r/results.jsonl").read_text("utf-8").splitlines(keepends=True)
    Path("r/results.jsonl").write_text(lines[0], "utf-8")
    assert main(["bench", "--resume", "--out", "r", "--json"]) == 0
    (again,) = runs(uri)
    assert again.info.run_id == run.info.run_id and again.info.status == "FINISHED"
    assert steps(uri, run.info.run_id, "task.repaired") == told, "nothing is sent twice"


def test_a_server_that_is_away_costs_sentences_and_no_result(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mlflow")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        os.environ["MLFLOW_HTTP_REQUEST_MAX_RETRIES"] = "0"
        assert bench("--track", f"mlflow:http://127.0.0.1:{port}", "--limit", "1") == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["complete"] and len(results()) == 1
    assert captured.err.count("cannot be reached now. The run goes on; it is tried again.") == 1
    assert captured.err.count("does not have all of the run") == 1 and "Traceback" not in captured.err
    (last,) = (line for line in captured.err.splitlines() if "does not have all" in line)
    assert f"MLflow at http://127.0.0.1:{port} " in last and len(last) < 500

    # The rest is sent once there is a place for it.
    assert main(["bench", "--resume", "--out", "r", "--track", "mlflow", "--json"]) == 0
    (run,) = runs(Path("r/mlflow").absolute().as_uri())
    assert run.data.metrics["tasks"] == 1 and run.data.metrics["task.repaired"] == 1


@pytest.mark.parametrize(
    ("track", "words"),
    [
        ("wandb", "There is no tracking by 'wandb'. Give --track mlflow, or mlflow:URI."),
        ("mlflow:ftp://me:secret@host", "MLflow keeps no runs at 'host'."),
        ("mlflow:http://", "MLflow keeps no runs at 'http://'."),
        ("mlflow:https://me:secret@host", "holds no user or password: it is written down."),
    ],
)
def test_bad_input_gets_one_sentence_and_nothing_is_begun(
    track: str, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracking, "find_spec", lambda _: True)
    assert bench("--track", track) == 2
    err = capsys.readouterr().err
    assert words in err and "secret" not in err and not Path("r").exists()


def test_without_mlflow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(tracking, "find_spec", lambda _: None)
    assert bench("--track", "mlflow") == 2
    assert "--track mlflow needs MLflow. Install it: pip install 'selfheal-tui[mlflow]'." in capsys.readouterr().err
    assert not Path("r").exists()
