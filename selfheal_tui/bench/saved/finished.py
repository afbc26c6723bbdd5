"""A run's folder as somebody reads it who will not go on with it: nothing in it is changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line
from selfheal_tui.walled import read_below

from ..figures.metrics import TaskResult
from .journal import HEADER, RESULTS, read_header

_MOST_BYTES = 2_000_000_000
_OF_CONFIG = ("data_sha256", "tests_given", "models", "limits", "versions", "prompts")


@dataclass(frozen=True, slots=True)
class BenchRun:
    """What a folder says of its run."""

    folder: Path
    config: Mapping[str, Any]
    chosen: Mapping[str, Any]
    machine: Mapping[str, Any]
    results: tuple[TaskResult, ...]

    def tries(self) -> dict[str, list[TaskResult]]:
        """Return task -> its finished tries."""
        tasks: dict[str, list[TaskResult]] = {}
        for result in self.results:
            tasks.setdefault(task_of(result), []).append(result)
        return tasks


def task_of(result: Mapping[str, Any]) -> str:
    """Return the task's id without the number of its try."""
    return str(result["id"]).removesuffix(f"#{result.get('attempt', 1)}")


def read_run(folder: Path) -> BenchRun:
    """Read the run in a folder; a line that was cut off is no result. Raises: InputError with one sentence."""
    if not (folder / HEADER).is_file():
        raise InputError(f"{folder} holds no run: it has no {HEADER}.", "Name the folder that `selfheal bench` wrote.")
    header = read_header(folder)
    parts = [header.get(name) for name in ("config", "chosen", "machine")]
    config, chosen, machine = (part if isinstance(part, dict) else {} for part in parts)
    if missing := [name for name in _OF_CONFIG if name not in config]:
        raise InputError(f"{folder / HEADER} is damaged: it does not say its {missing[0]}.")
    return BenchRun(folder, config, chosen, machine, _results(folder))


def _results(folder: Path) -> tuple[TaskResult, ...]:
    path = folder / RESULTS
    try:
        content = read_below(folder, Path(RESULTS), _MOST_BYTES)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    results: dict[str, TaskResult] = {}
    for number, line in enumerate(content[: content.rfind(b"\n") + 1].splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            result = _checked(row)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise InputError(
                f"{path}, line {number}, is damaged: {one_line(f'{type(error).__name__}: {error}', 80)}.",
                "Take that line out, or run the suite anew.",
            ) from error
        results[result["id"]] = result
    return tuple(results.values())


def _checked(row: Any) -> TaskResult:
    """Check what comparisons read of a result; the rest may lack in a run of an earlier version."""
    spent = row["spent"]
    numbers = [row["time_s"], *(spent[name] for name in ("calls", "input_tokens", "output_tokens"))]
    cost_usd = spent["cost_usd"]
    if cost_usd is not None:
        numbers.append(cost_usd)
    flags = [row["repaired"], row["plausible"]]
    if not isinstance(row["id"], str) or not all(isinstance(flag, bool) for flag in flags):
        raise ValueError("it is no result of a task")
    if not all(isinstance(number, int | float) for number in numbers):
        raise ValueError("its bill holds no numbers")
    result: TaskResult = row
    return result
