"""Tasks a minute of one suite at `--jobs` 1 and 2 and on 1, 2 and 4 Ray workers, one after the other.

    python -m tests.benchmarks.scaling [--tasks 12]

`whole` counts from the command's start to its end. `running` counts from the first finished task to the last, without
the start of Python, Ray and the sandbox. The search uses every core by itself, so more tasks at a time than cores bring
nothing here; a model that is waited for is imitated by replies that take a second each. Needs the extra `ray`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from pathlib import Path

import yaml

from tests.bench_data import records, write
from tests.e2e.test_bench import DIAGNOSIS, repairer

ROOT = Path(__file__).resolve().parents[2]
PLACES = (("jobs", 1), ("jobs", 2), ("ray", 1), ("ray", 2), ("ray", 4))


def _model(folder: Path) -> str:
    """Write a model whose replies take about a second each; return its name."""
    slow = [{**reply, "delay_s": 1 / (len(json.dumps(reply["reply"], indent=1)) // 24 + 1)} for reply in _replies()]
    (folder / "model.yaml").write_text(yaml.safe_dump({"replies": slow}), "utf-8")
    return f"scripted:{folder / 'model.yaml'}"


def _replies() -> list[dict[str, object]]:
    return [{"role": "debugger", "reply": DIAGNOSIS}, repairer("total")]


def _run(folder: Path, out: str, *argv: str) -> tuple[float, float]:
    """Run the suite; return whole tasks a minute, and tasks a minute while it ran."""
    command = [sys.executable, "-m", "selfheal_tui", "bench", str(folder / "own.jsonl"), "--out", out, *argv]
    began = time.monotonic()
    ran = subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False, capture_output=True, text=True
    )
    if ran.returncode:
        raise SystemExit(f"selfheal ended with exit {ran.returncode} and said:\n{ran.stderr}")
    whole_s = time.monotonic() - began
    rows = [json.loads(line) for line in (folder / out / "results.jsonl").read_text("utf-8").splitlines()]
    if not all(row["repaired"] for row in rows):
        raise SystemExit("A task was not repaired: these figures would mean nothing.")
    ends = sorted(datetime.fromisoformat(row["finished_at"]).timestamp() for row in rows)
    return 60 * len(rows) / whole_s, 60 * (len(rows) - 1) / (ends[-1] - ends[0])


@contextmanager
def _cluster(workers: int):  # type: ignore[no-untyped-def]
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": workers, "include_dashboard": False})
    try:
        yield cluster.address
    finally:
        cluster.shutdown()


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tasks", type=int, default=12)
    tasks = max(2, parser.parse_args().tasks)  # between the ends of two there is a time
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # Ray makes its workers polite (nice 15), which beside other work would be all that is measured.
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - its name
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "own.jsonl", [{**records()[0], "id": f"total/{number}"} for number in range(tasks)])
        models = {"search": "search", "replies of a second": _model(folder)}
        print("| model | where | whole | running |\n|---|---|---|---|", flush=True)
        for kind, count in PLACES:
            place: AbstractContextManager[str] = _cluster(count) if kind == "ray" else nullcontext("")
            with place as address:
                where = ("--on", f"ray://{address}") if address else ("--jobs", str(count))
                for label, model in models.items():
                    whole, running = _run(folder, f"{kind}{count}-{label[:3]}", "--model", model, *where)
                    said = f"{count} Ray worker{'s' * (count > 1)}" if address else f"`--jobs {count}`"
                    print(f"| {label} | {said} | {whole:.0f} | {running:.0f} |", flush=True)


if __name__ == "__main__":
    main()
