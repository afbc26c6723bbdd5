"""What a role may use and where it tells what happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.setting_values import AS_IT_COMES
from selfheal_tui.store.call_uses import OUTSIDE, Asker

from ..moment.budget import SEARCH_SHARE
from ..moment.closed import still_closed
from ..moment.comments import comment_line
from ..moment.events import Event
from ..moment.state import HealState, Record, Repair, iteration_of, no_spend
from ..moment.steering import Avoid
from ..moment.words import decider
from ..moment.workspace import Workspace
from .deps import Deps
from .prompt_room import Shrinkable

_NOT_TRIED = "What it does to the cases was not tried"
GIVES_WAY = ("history", "lessons", "feedback", "changes", "tests")
"""Values of a prompt that may be shortened, in this order; the program and the failing cases never are."""
TRIED_SHOWN = 4
"""Most earlier repairs that a prompt shows."""
_FAR_BACK = 50
"""How many earlier repairs are looked through."""
HUMAN = "the human"
_CASES_NAMED = 10


@dataclass(frozen=True, slots=True)
class RoleContext:
    """One call of a role."""

    deps: Deps
    emit: Callable[[Event], None]
    state: HealState
    workspace: Workspace
    spec: str
    report: SuiteReport | None = None
    asker: Asker = OUTSIDE
    """The moment that its calls are noted under."""
    waits_s: list[float] = field(default_factory=list)
    """Seconds for which its calls waited until the budget had room beside others' calls."""

    def model(self, role: str) -> str:
        """Return `provider:model` for a role: its own, else the one for all."""
        models = self.state["models"]
        return models.get(role) or models["*"]

    def effort(self, role: str) -> str:
        """Return how much a role's model should think; empty leaves it to the model."""
        efforts = self.state["policy"].get("effort", {})
        level = efforts.get(role, efforts.get("*", AS_IT_COMES))
        return "" if level == AS_IT_COMES else level

    @property
    def avoid(self) -> list[Avoid]:
        """Return what the human closed to the search for the cases that fail now."""
        return still_closed(self.state.get("avoid", ()), self.report)

    @property
    def search_time_s(self) -> float:
        """Return how long a search may take: its own limit, or most of the time that the run was given and has left.

        In a race it has a part of the time that is left for all lanes.
        """
        most, own_s = self.state["limits"]["max_time_s"], self.deps.search_time_s
        if most is not None:
            left_s = max(most - (self.state.get("spent") or no_spend())["time_s"], 0.0)
            own_s = min(left_s, max(own_s, SEARCH_SHARE * left_s))
        of_race_s = self.deps.purse.search_s()
        return own_s if of_race_s is None else min(own_s, of_race_s)

    @property
    def salt(self) -> str:
        """Return a text for each attempt, so that a second request in the same words is not answered by the ledger."""
        parts = (self.state.get("iteration", 0), self.state.get("attempt", 0), self.state.get("afresh", ""))
        return ".".join(str(part) for part in parts if part != "")


async def load_records(deps: Deps, head: str, limit: int = _FAR_BACK) -> list[tuple[Record, Repair]]:
    """Return the newest repairs reviewed so far on this line, newest first."""
    records: list[tuple[Record, Repair]] = []
    while head and len(records) < limit:
        record: Record = await deps.blobs.get(head)
        records.append((record, await deps.blobs.get(record["repair_ref"])))
        head = record["prev"]
    return records


async def load_declined(deps: Deps, head: str) -> list[str]:
    """Return what the human left out of the last few repairs reviewed on this line, newest first, as diffs.

    As many as a prompt tells of: it is read for each repair that is tried, however long a session is.
    """
    declined: list[str] = []
    for _ in range(TRIED_SHOWN):
        if not head:
            break
        record: Record = await deps.blobs.get(head)
        declined += [diff] if (diff := record.get("declined", "")) else []
        head = record["prev"]
    return declined


async def load_newest_taken(deps: Deps, head: str) -> tuple[Record, Repair] | None:
    """Return the newest repair that went in; None when none did, or when many were refused since."""
    for _ in range(_FAR_BACK):
        if not head:
            return None
        record: Record = await deps.blobs.get(head)
        if record["verdict"] != "reject":
            return record, await deps.blobs.get(record["repair_ref"])
        head = record["prev"]
    return None


async def person_took_part(deps: Deps, head: str) -> bool:
    """Tell whether a person let a repair in with which cases still failed: what follows is built on their choice."""
    for _ in range(_FAR_BACK):
        if not head:
            return False
        record: Record = await deps.blobs.get(head)
        if record["by"] == "human" and record["verdict"] != "reject":
            repair: Repair = await deps.blobs.get(record["repair_ref"])
            if "report" in repair and repair["report"]["verdict"] != "passed":
                return True
        head = record["prev"]
    return False


def last_change(newest_taken: tuple[Record, Repair] | None) -> Shrinkable:
    """Return what the newest repair that went in changed, and which cases it turned; its diff may be left out."""
    if newest_taken is None:
        return Shrinkable((), empty="(nothing yet: this is the program as it was given)")
    _, repair = newest_taken
    words = f"{repair['summary']}\n{_effect(repair)}"
    diff = repair.get("diff", "").strip()
    return Shrinkable((words, diff), ((1, "diff of the last change"),)) if diff else Shrinkable((words,))


def tried_texts(records: list[tuple[Record, Repair]], empty_rounds: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Return earlier repairs as text for a prompt, newest first: what became of each and what it did, and its diff.

    Why rounds brought nothing to try (`empty_rounds`) stands above the newest.
    """
    texts = [(_tried(record, repair), repair.get("diff", "").strip()) for record, repair in records[:TRIED_SHOWN]]
    if not empty_rounds:
        return texts
    rounds = "\n".join(f"A round since then brought nothing new: {why}" for why in empty_rounds)
    newest, *older = texts or [("", "")]
    return [(f"{rounds}\n{newest[0]}".strip(), newest[1]), *older]


def _tried(record: Record, repair: Repair) -> str:
    """Return a repair's words."""
    verdict = "refused" if record["verdict"] == "reject" else "taken"
    of_test = "a repair of a test, " if repair.get("of_test") else ""
    which = f"Iteration {iteration_of(record)} ({of_test}{repair['strategy']})"
    lines = [f"{which}, {verdict} by {decider(record['by'], HUMAN)}: {repair['summary']}"]
    lines += [f"Reason: {record['note']}"] if record["note"] else []
    lines += [f"Comment on {comment_line(comment)}" for comment in record.get("comments", ())]
    lines.append(_effect(repair))
    if declined := record.get("declined", "").strip():
        lines.append(f"Of what was proposed, the human declined:\n{declined}")
    elif edit := record.get("edit", "").strip():
        lines.append(f"The human changed the proposal:\n{edit}")
    return "\n".join(lines)


def _effect(repair: Repair) -> str:
    """Say which cases a repair turned, by name, as far as it was rehearsed."""
    if "fixes" not in repair:
        return f"{_NOT_TRIED}."
    fixed, broke = repair.get("fixes", []), repair.get("breaks", [])
    return f"It mended {_named(fixed) or 'no case'} and broke {_named(broke) or 'none'}."


def _named(case_ids: list[str]) -> str:
    more = f" and {len(case_ids) - _CASES_NAMED} more" if len(case_ids) > _CASES_NAMED else ""
    return ", ".join(case_ids[:_CASES_NAMED]) + more
