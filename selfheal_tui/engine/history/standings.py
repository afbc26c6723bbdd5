"""How the lanes of a race stand: what each does differently, where it is, and which is best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any

from selfheal_tui.errors import SelfHealError
from selfheal_tui.store.acts import Act

from ..moment.events import LaneResult, RaceFinished
from ..moment.state import add_spent, no_spend, spent_between

if TYPE_CHECKING:
    from .saved_session import SavedSession


async def compared(session: SavedSession, race: Act, failures: Mapping[str, SelfHealError]) -> RaceFinished:
    """Return how the lanes stand, the best first; `failures` are those that could not go on."""
    start, lanes = await session.snapshot(race.details["at"]), await session.branches.lanes_of(race)
    results = []
    for branch, changes in lanes.items():
        head = await session.checkpoint(await session.head(branch) or "")
        snapshot, failed = await session.snapshot(head.id), failures.get(branch)
        results.append(
            LaneResult(
                branch,
                lane_words(changes),
                head.id,
                "failed" if failed else "waiting" if head.pending else head.outcome or "running",
                str(failed) if failed else snapshot.reason if head.outcome else "",
                head.pending,
                head.passed,
                head.failed,
                spent_between(start.spent, snapshot.spent),
            )
        )
    return RaceFinished(start, ranked(results), reduce(add_spent, (lane.spent for lane in results), no_spend()))


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
    """Put the best lane first: healed, then by cases that pass, by money, by time."""

    def place(lane: LaneResult) -> tuple[Any, ...]:
        cost = lane.spent["cost_usd"]
        return (
            lane.outcome != "healed",
            -(lane.passed or 0),
            lane.failed or 0,
            lane.outcome == "failed",
            cost is None,
            cost or 0.0,
            lane.spent["time_s"],
        )

    return tuple(sorted(results, key=place))
