"""How the lanes of a race stand: what each does differently, where it is, and which is best. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from selfheal_tui.errors import SelfHealError
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.store.blobs import json_text, text_ref

from ..moment.budget import over_words
from ..moment.doubts import build_doubts, least_confidence
from ..moment.events import CheckpointSaved, LaneResult, RaceFinished
from ..moment.gist import change_words
from ..moment.proposals import proposal_words
from ..moment.snapshot import Snapshot
from ..moment.state import WELL_ENDED, RunLimits, add_spent, no_spend, spent_between


def lane_result(
    start: Snapshot, branch: str, changes: Mapping[str, Any], newest: CheckpointSaved, failure: SelfHealError | None
) -> LaneResult:
    """Return where a lane stands; `changes` is what it does differently, `failure` why it could not go on."""
    head, snapshot = newest.checkpoint, newest.snapshot
    has, would_pass = _has(start, snapshot)
    return LaneResult(
        branch,
        lane_words(changes),
        head.id,
        "failed" if failure else "waiting" if head.pending else head.outcome or "running",
        str(failure) if failure else snapshot.reason if head.outcome else "",
        head.pending,
        head.passed,
        None if head.failed is None else head.failed + len(snapshot.waiting),
        spent_between(start.spent, snapshot.spent),
        _result_ref(snapshot),
        _beside_strategy(changes) if (snapshot.models.get("repairer") or snapshot.models.get("*")) == SEARCH else "",
        has=has,
        would_pass=would_pass,
        doubts=tuple(build_doubts(snapshot)),
        confidence=least_confidence(snapshot),
    )


def _beside_strategy(changes: Mapping[str, Any]) -> str:
    return lane_words({name: value for name, value in changes.items() if name != "strategies"})


def _has(start: Snapshot, snapshot: Snapshot) -> tuple[str, int | None]:
    """Return what a lane has to show, in words, and how many cases pass with the first of its repairs."""
    changed = {path: text for path, text in snapshot.program.items() if text != start.program.get(path)}
    done = f"changed {change_words(start.program, changed)}" if changed else ""
    asked, passes = proposal_words(snapshot)
    return "; ".join(filter(None, (done, asked))), passes


def _result_ref(snapshot: Snapshot) -> str:
    candidates = [dict(repair["changes"]) for repair in snapshot.candidates.values()]
    diagnosis = snapshot.diagnosis["cause"] if snapshot.diagnosis else ""
    return text_ref(json_text([dict(snapshot.program), candidates, diagnosis]))


def race_result(start: Snapshot, lanes: Sequence[LaneResult], limits: RunLimits | None = None) -> RaceFinished:
    """Return how a race stands that began at `start`, from its lanes as they began: the best lane first.

    `limits` are those of all lanes together.
    """
    spent = reduce(add_spent, (lane.spent for lane in lanes), no_spend())
    over = over_words(limits, spent) if limits else ""
    return RaceFinished(start, _compared(ranked(lanes)), spent, tuple(lane.branch for lane in lanes), over)


def _compared(lanes: Sequence[LaneResult]) -> tuple[LaneResult, ...]:
    """Say of each lane that came to the same as one before it that it did, and why where that is known."""
    first: dict[str, LaneResult] = {}
    compared = []
    for lane in lanes:
        other = first.setdefault(lane.result_ref, lane)
        if other is lane or not lane.result_ref or "failed" in (lane.outcome, other.outcome):
            compared.append(lane)
            continue
        only_strategies = lane.says != other.says and lane.beside_strategy == other.beside_strategy != ""
        why = ": the search works the same way whatever the strategy" if only_strategies else ""
        compared.append(replace(lane, same=f"The same result as {other.branch}{why}."))
    return tuple(compared)


def lane_words(changes: Mapping[str, Any]) -> str:
    """Say what a lane does differently, in one line."""
    words = []
    for name, value in changes.items():
        if isinstance(value, Mapping) and name == "model":
            words += [f"model={model}" if role == "*" else f"model={role}={model}" for role, model in value.items()]
        elif isinstance(value, Mapping):
            words.append(f"{name} of {', '.join(map(str, value))}")
        else:
            words.append(f"{name}={','.join(map(str, value)) if isinstance(value, list | tuple) else value}")
    return " ".join(words) or "nothing"


def ranked(results: Iterable[LaneResult]) -> tuple[LaneResult, ...]:
    """Put the best lane first: healed, then by cases that pass (or would, with its repair), by doubts, money, time.

    Of two with as many cases one that asks goes before one that has ended.
    """

    def place(lane: LaneResult) -> tuple[Any, ...]:
        cost = lane.spent["cost_usd"]
        return (
            lane.outcome not in WELL_ENDED,
            -max(lane.passed or 0, lane.would_pass or 0),
            lane.asks is None,
            lane.failed or 0,
            lane.outcome == "failed",
            len(lane.doubts),
            cost is None,
            cost or 0.0,
            lane.spent["time_s"],
        )

    return tuple(sorted(results, key=place))
