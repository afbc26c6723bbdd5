"""What a stop writes that no question was asked for: the run ends where it stands. Pure."""

from __future__ import annotations

from selfheal_tui.text import one_line

from ..moment.node_facts import START, facts_of
from ..moment.state import HealState, Spent, no_spend
from ..moment.timeline import Checkpoint


def stopped(last: Checkpoint, best: str) -> HealState:
    """Return the state of a run that ends after `last`; `best` is the best edit of a search so far, or empty."""
    doing = "; ".join(dict.fromkeys(facts_of(node).doing for node in last.next))
    found = f" Best edit so far: {one_line(best, 160).rstrip('.')}" if best else ""
    found += "." if found and not found.endswith("…") else ""
    reason = f"Stopped by the user while it was {doing}.{found}"
    return {"outcome": "stopped", "reason": reason, "gist": "stopped by you", "node": last.node}


def cut_off(last: Checkpoint, why: str, worked_s: float) -> HealState:
    """Return the state of a lane that ends after `last`, as the budget of the race did; no bill has `worked_s` yet."""
    doing = "; ".join(dict.fromkeys(facts_of(node).doing for node in last.next))
    spent: Spent = {**no_spend(), "time_s": round(worked_s, 3)}
    reason = f"{why} Cut off while it was {doing}."
    return {"outcome": "budget", "reason": reason, "gist": "cut off", "node": last.node, "spent": spent}


def stopped_after(last: Checkpoint) -> str:
    """Return the node after which the run is said to have ended."""
    return "__start__" if last.node == START else last.node
