"""Giving a step the notes that the user wrote for it; from then on they are among what the human said."""

from __future__ import annotations

from langgraph.runtime import Runtime

from selfheal_tui.setting_values import SEARCH

from ..moment.events import NoteRead
from ..moment.state import FEEDBACK_KEPT, HealState, Heard
from .deps import Deps


async def heard_notes(state: HealState, runtime: Runtime[Deps], node: str, role: str) -> HealState:
    """Return what changes in the state when `node` reads the notes that wait, for `role` to be told of them.

    The search cannot read, so it leaves them for a model.
    """
    before: Heard | None = state.get("heard")
    nothing: HealState = {"heard": None} if before else {}
    if (state["models"].get(role) or state["models"]["*"]) == SEARCH:
        return nothing
    execution, notes = runtime.execution_info, runtime.context.notes
    last = {note_id for note_id, _ in before["notes"]} if before else set()
    waiting = await notes.read(execution.checkpoint_id if execution else "", node)
    fresh = [note for note in waiting if note.id not in last]
    if last:
        # After a crash between the moment and this word about it.
        await notes.settle(last)
    if not fresh:
        return nothing
    for note in fresh:
        runtime.stream_writer(NoteRead(note.text, node))
    return {
        "feedback": [*state.get("feedback", []), *(note.text for note in fresh)][-FEEDBACK_KEPT:],
        "heard": {"by": node, "notes": [[note.id, note.text] for note in fresh]},
    }
