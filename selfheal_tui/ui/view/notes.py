"""What is said of notes for the next step. Pure."""

from __future__ import annotations

from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import one_line, plural

from .model import RunModel


def note_words(model: RunModel) -> list[str]:
    """Return a line about the notes that wait: how many, and the newest; none where none waits."""
    if not model.notes:
        return []
    count = len(model.notes)
    undo = " · u takes it back" if model.takes_note_back else ""
    return [f"{plural(count, 'note')} for the next step: “{one_line(model.notes[-1], 100)}”{undo}"]


def waits_words(model: RunModel) -> list[str]:
    """Return a short line about notes of which it was said that the search cannot read them."""
    waiting = f"{plural(len(model.notes), 'note waits', 'notes wait')} for a step that asks a model"
    one = "it" if len(model.notes) == 1 else "one"
    return [f"{waiting} · u takes {one} back" if model.takes_note_back else waiting]


def unread_words(model: RunModel) -> str:
    """Say that nobody reads the notes that wait; empty where a model does, or none waits."""
    models = model.shown.models if model.shown is not None else {}
    reads = not models or any(models.get(role, models.get("*")) != SEARCH for role in ("debugger", "repairer"))
    return "" if reads or not model.notes else "The search cannot read notes; a model would (m chooses one)."
