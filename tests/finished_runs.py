"""Folders of finished benchmark runs, written as `selfheal bench` writes them, for tests that read them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HEADER: dict[str, Any] = {
    "format": 1,
    "started_at": "2026-01-01T00:00:00+00:00",
    "config": {
        "suite": "own",
        "data": "/data/own.jsonl",
        "data_sha256": "a" * 64,
        "tests_given": "visible",
        "models": {"*": "search"},
        "limits": {"max_iterations": 6},
        "policy": {"critic": "auto", "strategies": ["minimal"]},
        "suite_limits": {"time_s": 30.0},
        "versions": {"selfheal": "1"},
        "prompts": {"debugger": "b" * 64},
    },
    "chosen": {"limit": None, "ids": [], "seed": None, "tries": 1, "jobs": 1, "arguments": {}},
    "machine": {"system": "Linux", "processor": "x", "cores": 2},
}


def result(name: str, repaired: bool, *, attempt: int = 1, cost_usd: float | None = 0.5, **more: Any) -> dict[str, Any]:
    """Return a line of results.jsonl, as far as it is read of a finished run."""
    spent = {"calls": 2, "replayed_calls": 0, "input_tokens": 90, "output_tokens": 10, "cost_usd": cost_usd}
    row = {"id": name, "repaired": repaired, "plausible": repaired, "time_s": 1.5, "spent": {**spent, "time_s": 1.5}}
    return {**row, **({"id": f"{name}#{attempt}", "attempt": attempt} if attempt > 1 else {}), **more}


def write_run(folder: Path, results: Iterable[Mapping[str, Any]], **config: Any) -> Path:
    """Write a run; `config` replaces fields of its header's config. Return the folder."""
    folder.mkdir()
    header = {**HEADER, "config": {**HEADER["config"], **config}}
    (folder / "run.json").write_text(json.dumps(header), "utf-8")
    (folder / "results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in results), "utf-8")
    return folder
