"""Several run folders of one suite as one: shards that are put together, every figure from the tasks anew.

The folders may come from other machines, so each is read like a stranger's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfheal_tui.engine.out.transfer.shapes import problem
from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line, plural

from ..figures.metrics import TaskResult
from ..suites.shards import ShardHeader, shard_of
from .journal import HEADER, REPORT, RESULTS, SUMMARY, is_own, read_header, read_results
from .own_runs import check_run_folder

_CONFIG = {
    **dict.fromkeys(("suite", "data", "data_sha256", "tests_given"), str),
    **dict.fromkeys(("models", "limits", "suite_limits", "versions", "prompts"), dict[str, Any]),
}
_CHOSEN = {"limit": int | None, "ids": list[str], "seed": int | None, "jobs": int, "arguments": dict[str, Any]}
_MACHINE = {"system": str, "processor": str, "cores": int}
_SAME_CHOICE = ("limit", "ids", "seed", "tries")


@dataclass(frozen=True, slots=True)
class Part:
    """One run folder that was read."""

    folder: Path
    header: dict[str, Any]
    shard: ShardHeader
    results: dict[str, TaskResult]
    report: Mapping[str, Any]
    """What its results.json says besides figures; empty where it was killed before it wrote one."""
    own: bool
    """This user started it here."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A run that is put together."""

    header: dict[str, Any]
    results: list[TaskResult]
    selected: int
    not_tried: Mapping[str, str]
    not_read: Sequence[str]
    failed: Mapping[str, str]
    isolation: Sequence[str]
    own: bool
    """All of it was started here by this user."""


def load_part(folder: Path) -> Part:
    """Read a folder that is to be merged; nothing in it is changed. Raises: InputError, SessionError for a link."""
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder.", "Name the folders that `selfheal bench --shard` wrote.")
    check_run_folder(folder, (HEADER, RESULTS, SUMMARY, REPORT), ())
    if not (folder / HEADER).exists():
        raise InputError(f"{folder} holds no run.", "Name the folders that `selfheal bench --shard` wrote.")
    header = read_header(folder)
    if why := _header_problem(header):
        raise InputError(f"{folder / HEADER} is damaged: {why}.")
    shard = header["chosen"].get("shard")
    if shard is None:
        raise InputError(f"{folder} is no shard: it was run without --shard.")
    if (why := problem(shard, ShardHeader, "its shard")) or shard["of"] < 1:
        raise InputError(f"{folder / HEADER} is damaged: {why or 'its shard is none'}.")
    results = read_results(folder, mend=False)
    for name, row in results.items():
        if why := problem(row, TaskResult, "the task"):
            raise InputError(f"{folder / RESULTS} is damaged: of {one_line(repr(name), 60)}, {why}.")
        number = shard_of(name, row.get("attempt", 1), shard["of"])
        if number not in shard["numbers"]:
            raise InputError(
                f"{folder} holds the task {one_line(name, 60)!r}, which belongs to shard {number}/{shard['of']}."
            )
    return Part(folder, header, shard, results, _report(folder), is_own(folder))


def merge(parts: Sequence[Part], *, partial: bool) -> Merged:
    """Put shards together. `partial` accepts that tasks or whole shards are missing.

    Raises: InputError naming what does not go together or what is missing.
    """
    first = parts[0]
    for part in parts[1:]:
        _check_same(first, part)
    results: dict[str, TaskResult] = {}
    holder: dict[str, Path] = {}
    for part in parts:
        for name, row in part.results.items():
            if results.setdefault(name, row) != row:
                raise InputError(
                    f"The task {one_line(name, 60)!r} has one result in {holder[name]} and another in {part.folder}.",
                    "Leave one of the folders out.",
                )
            holder.setdefault(name, part.folder)
    if not partial:
        _check_all_here(parts)
    failed = {name: why for part in parts for name, why in part.report.get("failed", {}).items() if name not in results}
    told = next((part.report for part in parts if part.report), {})
    rows = sorted(results.values(), key=lambda row: (row.get("attempt", 1), _natural(row["id"])))
    isolation = dict.fromkeys(name for part in parts for name in part.report.get("isolation", ()))
    return Merged(
        _joined_header(parts),
        rows,
        first.shard["selected"],
        told.get("not_tried", {}),
        told.get("not_read", ()),
        failed,
        tuple(isolation),
        all(part.own for part in parts),
    )


def _check_same(first: Part, other: Part) -> None:
    ours, theirs = first.header["config"], other.header["config"]
    different = [name for name in sorted({*ours, *theirs} - {"data"}) if ours.get(name) != theirs.get(name)]
    if different == ["policy"] and _without_plugins(ours) == _without_plugins(theirs):
        different = ["plug-ins"]
    chosen, their_choice = first.header["chosen"], other.header["chosen"]
    different += [f"choice of tasks ({n})" for n in _SAME_CHOICE if chosen.get(n) != their_choice.get(n)]
    different += [f"shards ({n})" for n in ("of", "selected") if first.shard[n] != other.shard[n]]
    if different:
        raise InputError(
            f"{other.folder} was run with other {different[0].replace('_', ' ')} than {first.folder}.",
            "Merge only shards that were run alike.",
        )


def _without_plugins(config: Mapping[str, Any]) -> dict[str, Any] | None:
    policy = config.get("policy")
    return {name: one for name, one in policy.items() if name != "plugins"} if isinstance(policy, dict) else None


def _check_all_here(parts: Sequence[Part]) -> None:
    of = parts[0].shard["of"]
    here = {number for part in parts for number in part.shard["numbers"]}
    if missing := sorted(set(range(1, of + 1)) - here):
        names = ", ".join(f"{number}/{of}" for number in missing[:10]) + (" ..." if len(missing) > 10 else "")
        raise InputError(
            f"{'Shard' if len(missing) == 1 else 'Shards'} {names} {'is' if len(missing) == 1 else 'are'} missing.",
            "Name its folder too, or merge what there is with --partial.",
        )
    for part in parts:
        if (lacking := part.shard["mine"] - len(part.results)) > 0:
            raise InputError(
                f"{part.folder} is not finished: {plural(lacking, 'task')} of {part.shard['mine']} "
                f"{'has' if lacking == 1 else 'have'} no result.",
                f"Go on with it (selfheal bench --resume --out {part.folder}), or merge what there is with --partial.",
            )


def _joined_header(parts: Sequence[Part]) -> dict[str, Any]:
    """Return a header as a run of the whole suite would have; `merged` says where it comes from."""
    first = parts[0].header
    numbers = {number: part.shard for part in parts for number in part.shard["numbers"]}
    mine = {tuple(part.shard["numbers"]): part.shard["mine"] for part in parts}
    shard: ShardHeader = {**parts[0].shard, "numbers": sorted(numbers), "mine": sum(mine.values())}
    machines = {json.dumps(part.header["machine"], sort_keys=True): part.header["machine"] for part in parts}
    chosen = {**first["chosen"], "shard": shard, "jobs": sum(part.header["chosen"]["jobs"] for part in parts)}
    chosen["arguments"] = {**first["chosen"]["arguments"], "shard": None}
    return {
        **{name: first[name] for name in ("format", "config")},
        "started_at": min(part.header["started_at"] for part in parts),
        "chosen": chosen,
        "machine": _joined_machine(list(machines.values())),
        "merged": [
            {"folder": part.folder.name, "shard": part.shard["numbers"], "started_at": part.header["started_at"]}
            for part in parts
        ],
    }


def _joined_machine(machines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if len(machines) == 1:
        return dict(machines[0])
    joined = {name: " and ".join(dict.fromkeys(one[name] for one in machines)) for name in ("system", "processor")}
    return {**joined, "cores": sum(one["cores"] for one in machines)}


def _natural(name: str) -> list[str | int]:
    """Return what sorts `task/2` before `task/10`."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"([0-9]+)", name)]


def _header_problem(header: Mapping[str, Any]) -> str:
    if not isinstance(header.get("started_at"), str):
        return "it does not say when it was started"
    for part, kinds in (("config", _CONFIG), ("chosen", _CHOSEN), ("machine", _MACHINE)):
        held = header.get(part)
        if not isinstance(held, dict):
            return f"its {part} is no object"
        for name, kind in kinds.items():
            if why := problem(held.get(name), kind, f"{name} of its {part}"):
                return why
    return ""


def _report(folder: Path) -> Mapping[str, Any]:
    try:
        report = json.loads((folder / SUMMARY).read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{folder / SUMMARY} cannot be read: {one_line(str(error))}.") from error
    told = {"failed": dict[str, str], "not_tried": dict[str, str], "not_read": list[str], "isolation": list[str]}
    for name, kind in told.items():
        if why := problem(report.get(name) if isinstance(report, dict) else None, kind, name):
            raise InputError(f"{folder / SUMMARY} is damaged: {why}.")
    return {name: report[name] for name in told}
