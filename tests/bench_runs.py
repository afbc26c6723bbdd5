"""Folders of benchmark runs as `selfheal bench` leaves them, written at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from selfheal_tui.bench.figures.report import build_report
from selfheal_tui.bench.saved.own_runs import note_run

HEADER: dict[str, Any] = {
    "format": 1,
    "started_at": "2026-01-01T10:00:00.000+00:00",
    "config": {
        "suite": "own",
        "data": "/data/own.jsonl",
        "data_sha256": "ab" * 32,
        "tests_given": "visible",
        "models": {"*": "search"},
        "limits": {"max_iterations": 6, "max_time_s": None},
        "versions": {"selfheal": "0.1.0", "python": "3.11"},
        "prompts": {"debugger": "cd" * 32},
    },
    "chosen": {"limit": None, "ids": [], "seed": None, "tries": 1, "jobs": 1},
    "machine": {"system": "Linux", "processor": "a processor", "cores": 2},
}


def write_run(
    folder: Path,
    results: Sequence[Any],
    *,
    selected: int | None = None,
    ended: bool = True,
    own: bool = True,
    **header: Any,
) -> Path:
    """Write a run of which so many tasks were selected; one that has not `ended` has no report."""
    folder.mkdir(parents=True)
    of = len(results) if selected is None else selected
    whole = {**HEADER, "chosen": {**HEADER["chosen"], "selected": of}, **header}
    text = json.dumps(whole) + "\n"
    (folder / "run.json").write_text(text, "utf-8")
    append(folder, *results)
    if ended:
        report = build_report(whole, results, selected=of, not_tried={})
        (folder / "results.json").write_text(json.dumps(report), "utf-8")
    if own:
        note_run(folder, text.encode())
    return folder


def append(folder: Path, *results: Any) -> None:
    """Write finished tasks down."""
    with (folder / "results.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(result) + "\n" for result in results)
