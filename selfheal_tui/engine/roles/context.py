"""What a role may use and where it tells what happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from selfheal_tui.sandbox.base import SuiteReport

from ..deps import Deps
from ..events import Event
from ..state import HealState, Record, Repair
from ..workspace import Workspace


@dataclass(frozen=True, slots=True)
class RoleContext:
    """One call of a role."""

    deps: Deps
    emit: Callable[[Event], None]
    state: HealState
    workspace: Workspace
    spec: str
    report: SuiteReport | None = None

    def model(self, role: str) -> str:
        """Return `provider:model` for a role: its own, else the one for all."""
        models = self.state["models"]
        return models.get(role) or models["*"]

    @property
    def salt(self) -> str:
        """Return what makes a second question in the same words a new question."""
        return f"{self.state.get('iteration', 0)}.{self.state.get('attempt', 0)}"


async def load_records(deps: Deps, head: str, limit: int = 50) -> list[tuple[Record, Repair]]:
    """Return the repairs reviewed so far on this line, newest first."""
    found: list[tuple[Record, Repair]] = []
    while head and len(found) < limit:
        record: Record = await deps.blobs.get(head)
        found.append((record, await deps.blobs.get(record["repair_ref"])))
        head = record["prev"]
    return found


def last_change(records: list[tuple[Record, Repair]]) -> str:
    """Return what the newest repair that went in changed, and which cases it turned, as text for a prompt."""
    for record, repair in records:
        if record["verdict"] == "reject":
            continue
        fixed, broke = repair.get("fixes", []), repair.get("breaks", [])
        turned = [f"now pass: {', '.join(fixed[:10])}"] if fixed else ["no case passes that failed before"]
        turned += [f"now fail: {', '.join(broke[:10])}"] if broke else []
        return f"{repair['summary']}\nBy its rehearsal, {'; '.join(turned)}.\n{repair.get('diff', '')}".strip()
    return "(nothing yet: this is the program as it was given)"


def tried_texts(records: list[tuple[Record, Repair]], shown: int = 4) -> list[str]:
    """Return earlier repairs as text for a prompt, newest first."""
    texts = []
    for record, repair in records[:shown]:
        note = f" Reason: {record['note']}" if record["note"] else ""
        texts.append(
            f"Repair of iteration {record['iteration']} ({record['verdict']} by {record['by']}): {repair['summary']}"
            f"{note}\nIt fixed {len(repair.get('fixes', []))} and broke {len(repair.get('breaks', []))} cases.\n"
            f"{repair.get('diff', '')}"
        )
    return texts
