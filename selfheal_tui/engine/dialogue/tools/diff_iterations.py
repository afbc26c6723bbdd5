"""Tool: what the repairs between two iterations of this branch changed, and which cases each fixed or broke."""

from __future__ import annotations

from collections.abc import Sequence

from selfheal_tui.text import truncate_middle

from ...moment.state import Record, Repair, iteration_of
from ...workshop.role_context import RoleContext, load_records
from .common import Refused

_MOST_CASES = 10
_MOST_DIFF = 1_500


async def diff_iterations(context: RoleContext, first: int, last: int) -> str:
    """Return the repairs after iteration `first` up to `last`, oldest first; 0 is the program as given.

    A `last` of 0 is the newest, and with both 0 it is the newest repair alone. Raises: Refused.
    """
    newest = context.state.get("iteration", 0)
    if not newest:
        raise Refused("there is only iteration 0: the program as it was given; nothing was repaired yet")
    start, end = (newest - 1, newest) if not first and not last else (first, last or newest)
    if not 0 <= start < end <= newest:
        raise Refused(f"`first` and `last` must be two iterations from 0 to {newest}, the earlier one first")
    records = await load_records(context.deps, context.state.get("head", ""))
    between = [(record, repair) for record, repair in reversed(records) if start < iteration_of(record) <= end]
    if not between:
        return f"No repair is recorded between iteration {start} and {end}."
    return f"From iteration {start} to {end}:\n" + "\n".join(_described(between))


def _described(records: Sequence[tuple[Record, Repair]]) -> list[str]:
    parts = []
    for record, repair in records:
        refused = record["verdict"] == "reject"
        heading = (
            f"proposed for iteration {iteration_of(record)} and rejected, not in the program"
            if refused
            else f"led to iteration {iteration_of(record)}"
        )
        note = f" Reason: {record['note']}" if record["note"] else ""
        parts.append(f"--- {heading}: {repair['summary']}{note}")
        if "fixes" in repair:
            fixed, broke = (", ".join(ids[:_MOST_CASES]) for ids in (repair["fixes"], repair.get("breaks", [])))
            parts.append(f"fixed: {fixed or '(no case)'}; broke: {broke or '(no case)'}")
        diff = repair.get("diff", "") or record.get("edit", "")
        parts.append(truncate_middle(diff.strip(), _MOST_DIFF) or f"(it changed {', '.join(repair['changes'])})")
    return parts
