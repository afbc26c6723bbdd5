"""`bench --track mlflow[:URI]`: a benchmark run as one run of MLflow too; its folder stays complete by itself.

MLflow is imported on use, and told not to report on its own use. What it cannot take now is sent again at the end, and
by `--resume`: the run is found by a tag, and what it has is asked before anything is sent.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from selfheal_tui.errors import InputError
from selfheal_tui.llm.departures import address_of
from selfheal_tui.text import one_line

from ..figures.metrics import TaskResult
from ..saved.journal import HEADER, REPORT, RESULTS, SUMMARY, Journal

INSTALL = "pip install 'selfheal-tui[mlflow]'"
FOLDER = "mlflow"
"""Below the run's folder: where MLflow keeps the run unless another place is named."""
EXPERIMENT = "selfheal-bench"
Status = Literal["FINISHED", "KILLED", "FAILED"]
_TAG, _URI, _NAME = "selfheal.run", "MLFLOW_TRACKING_URI", "MLFLOW_EXPERIMENT_NAME"
_QUIET = {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true", "MLFLOW_ALLOW_FILE_STORE": "true"}
"""MLflow asks its users before it writes plain files, the form that needs no database package."""
_PATIENCE = {
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_BACKOFF_FACTOR": "1",
}
"""A server that is away is given up after seconds, not minutes, unless the user's own variables say otherwise."""
_ALL = ("by_category", "by_bug_type", "by_author")
"""Parts of the figures whose names come from the data."""
_STEP = "task.time_s"
"""Every task has this metric: its steps tell which tasks MLflow knows."""
_DATABASES = ("sqlite", "postgresql", "mysql", "mssql")
_PLACES = ("file", "http", "https", "databricks", *_DATABASES)
"""Schemes of addresses that MLflow can keep runs at."""
_MOST_OF_A_PARAMETER = 500


def check_track(text: str) -> str:
    """Return what `--track` says, in one form: `mlflow` or `mlflow:URI`. Raises: InputError."""
    name, _, given = text.partition(":")
    if name != "mlflow":
        raise InputError(f"There is no tracking by {one_line(text, 60)!r}.", "Give --track mlflow, or mlflow:URI.")
    if find_spec("mlflow") is None:
        raise InputError("--track mlflow needs MLflow.", f"Install it: {INSTALL}.")
    _check_place(given or os.environ.get(_URI, "").strip())
    if "@" in given and urlsplit(given).username is not None:
        raise InputError(
            "An address of --track holds no user or password: it is written down.",
            "Set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD.",
        )
    return f"mlflow:{given if not given or urlsplit(given).scheme else Path(given).absolute()}".rstrip(":")


def _check_place(uri: str) -> None:
    try:
        parts = urlsplit(uri)
        scheme = parts.scheme.partition("+")[0]
        usable = scheme in ("", *_PLACES) and bool(parts.hostname or scheme not in ("http", "https"))
    except ValueError:
        usable = False
    if not usable:
        shown = one_line(uri.rpartition("@")[2], 100)  # without a password
        raise InputError(
            f"MLflow keeps no runs at {shown!r}.", "Give a folder, or an address as mlflow:http://localhost:5000."
        )
    if scheme in _DATABASES and not (find_spec("sqlalchemy") and find_spec("alembic")):
        raise InputError(f"MLflow's small package cannot use {scheme}.", "Install all of it: pip install mlflow.")


class Tracked:
    """A benchmark run in MLflow. Nothing here raises: what cannot be sent is said once, in a sentence."""

    def __init__(self, track: str, journal: Journal, selected: int, tell: Callable[[str], None]) -> None:
        """`track` is as `check_track` returns it; `selected` tasks are to be run; `tell` says a sentence."""
        own = os.environ.get(_URI, "").strip()
        given = track.partition(":")[2]
        self._uri = given or own or (journal.folder / FOLDER).absolute().as_uri()
        self._journal, self._selected, self._tell = journal, selected, tell
        # Before MLflow is imported: it reads some of them then.
        os.environ.update(_QUIET)
        for name, value in _PATIENCE.items():
            os.environ.setdefault(name, value)
        # One thread: MLflow waits for its server, and the tasks do not wait for MLflow.
        self._thread = ThreadPoolExecutor(1, "mlflow")
        self._last: Future[None] | None = None
        self._client: Any = None
        self._run_id = ""
        self._steps: set[int] = set()
        self._was_told = False
        self._send()

    def finished(self) -> None:
        """Send the tasks that are new in the journal, when there is time for it."""
        if self._last is None or self._last.done():
            self._send()

    def end(self, report: Mapping[str, Any], status: Status) -> None:
        """Send what is left, the figures and the files, and end MLflow's run."""
        self._last = self._thread.submit(self._guarded, lambda: self._ended(report, status), last=True)
        self._thread.shutdown(wait=True)
        self._last.result()

    @property
    def place(self) -> str:
        """Say where MLflow keeps the run, without a password."""
        is_server = self._uri.startswith(("http://", "https://"))
        return one_line(address_of(self._uri) if is_server else self._uri, 200)

    def _send(self) -> None:
        self._last = self._thread.submit(self._guarded, self._sent)

    def _guarded(self, work: Callable[[], None], *, last: bool = False) -> None:
        try:
            from mlflow.exceptions import MlflowException
        except ImportError as error:
            self._failed(error, last)
            return
        try:
            self._client = self._client or _open(self._uri)
            work()
        except (MlflowException, OSError, ImportError) as error:
            self._failed(error, last)

    def _failed(self, error: Exception, last: bool) -> None:
        if last:
            why = one_line(str(error), 200)
            self._tell(
                f"selfheal: MLflow at {self.place} does not have all of the run ({why}). "
                "The run's folder has; --resume sends the rest."
            )
        elif not self._was_told:
            self._was_told = True
            self._tell(f"selfheal: MLflow at {self.place} cannot be reached now. The run goes on; it is tried again.")

    def _sent(self) -> None:
        """Send the run's beginning, if MLflow does not have it, and every task that it does not have."""
        if not self._run_id:
            self._begin()
        for step, result in enumerate([*self._journal.results.values()], 1):
            if step not in self._steps:
                self._client.log_batch(self._run_id, metrics=_metrics(task_metrics(result), step, _at_ms(result)))
                self._steps.add(step)

    def _begin(self) -> None:
        client, header = self._client, self._journal.header
        name = os.environ.get(_NAME, "").strip() or EXPERIMENT
        known = client.get_experiment_by_name(name)
        experiment = known.experiment_id if known else client.create_experiment(name)
        mark = run_mark(header)
        found = client.search_runs([experiment], f"tags.`{_TAG}` = '{mark}'", max_results=1)
        if found:
            run = found[0]
            client.update_run(run.info.run_id, status="RUNNING")
            self._steps = {one.step for one in client.get_metric_history(run.info.run_id, _STEP)}
        else:
            config = header["config"]
            tags = {_TAG: mark, "selfheal.suite": str(config["suite"]), "selfheal.started_at": header["started_at"]}
            title = f"{config['suite']} {self._journal.folder.name}"
            run = client.create_run(experiment, tags=tags, run_name=one_line(title, 200))
        self._run_id = run.info.run_id
        # What a run was begun with stays; MLflow refuses another value.
        lacking = {k: v for k, v in parameters(header, self._selected).items() if k not in run.data.params}
        from mlflow.entities import Param

        client.log_batch(self._run_id, params=[Param(key, value) for key, value in lacking.items()])

    def _ended(self, report: Mapping[str, Any], status: Status) -> None:
        self._sent()
        step = len(self._journal.results)
        self._client.log_batch(self._run_id, metrics=_metrics(dict(figures(report["summary"])), step))
        for name in (HEADER, RESULTS, SUMMARY, REPORT):
            if (path := self._journal.folder / name).is_file():
                self._client.log_artifact(self._run_id, str(path))
        self._client.set_terminated(self._run_id, status)


def run_mark(header: Mapping[str, Any]) -> str:
    """Return what a run is known by, also when it goes on: a hash of what it was begun with, and when."""
    text = json.dumps([header["started_at"], header["config"]], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def parameters(header: Mapping[str, Any], selected: int) -> dict[str, str]:
    """Return what a run was made with as MLflow's parameters; a prompt's version is the hash of its file."""
    config, chosen = header["config"], header["chosen"]
    named: dict[str, Any] = {
        "suite": config["suite"],
        "tests_given": config["tests_given"],
        "data_sha256": config["data_sha256"],
        "tasks": selected,
        **{name: chosen.get(name) for name in ("limit", "seed", "tries", "jobs")},
        **{"model" if role == "*" else f"model.{role}": name for role, name in config["models"].items()},
        **config["limits"],
        **{f"version.{name}": version for name, version in config["versions"].items()},
        **{f"prompt.{role}": ref for role, ref in config["prompts"].items()},
        **{f"machine.{name}": value for name, value in header["machine"].items()},
    }
    return {_key(name): one_line(_said(value), _MOST_OF_A_PARAMETER) for name, value in named.items()}


def task_metrics(result: TaskResult) -> dict[str, float]:
    """Return the figures of one task; its step is its line in results.jsonl."""
    spent = result["spent"]
    told: dict[str, float] = {
        "task.repaired": float(result["repaired"]),
        "task.plausible": float(result["plausible"]),
        _STEP: result["time_s"],
        "task.iterations": result["iterations"],
        "task.candidates": result["candidates"],
        "task.calls": spent["calls"],
        "task.input_tokens": spent["input_tokens"],
        "task.output_tokens": spent["output_tokens"],
    }
    if spent["cost_usd"] is not None:
        told["task.cost_usd"] = spent["cost_usd"]
    if result["confidence"] is not None:
        told["task.confidence"] = result["confidence"]
    return told


def figures(summary: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """Yield the numbers of the summary under dotted names, without those of single groups of tasks."""
    for name, value in summary.items():
        if isinstance(value, Mapping) and name not in _ALL:
            yield from figures(value, f"{prefix}{name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield _key(prefix + name), float(value)


def _open(uri: str) -> Any:
    import logging

    from mlflow.tracking import MlflowClient

    # It would write of each attempt on the terminal, in words of its own.
    for library in ("mlflow", "urllib3.connectionpool"):
        logging.getLogger(library).setLevel(logging.CRITICAL)
    return MlflowClient(tracking_uri=uri)


def _metrics(values: Mapping[str, float], step: int, at_ms: int | None = None) -> Sequence[Any]:
    from mlflow.entities import Metric

    at_ms = int(datetime.now().timestamp() * 1000) if at_ms is None else at_ms
    return [Metric(name, value, at_ms, step) for name, value in values.items()]


def _at_ms(result: TaskResult) -> int:
    return int(datetime.fromisoformat(result["finished_at"]).timestamp() * 1000)


def _key(name: str) -> str:
    """Return a name that MLflow takes."""
    return re.sub(r"[^\w./ -]", "_", name, flags=re.ASCII)[:200]


def _said(value: Any) -> str:
    return "none" if value is None else str(value)
