"""What is said of notes for the next step. Pure."""

from __future__ import annotations

from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import one_line, plural

from .model import RunModel


def note_words(model: RunModel) -> list[str]:
    """Return lines about the notes that wait: how many, the newest, and whether anybody reads them."""
    if not model.notes:
        return []
    count = len(model.notes)
    lines = [f"{plural(count, 'note')} for the next step: “{one_line(model.notes[-1], 100)}” · u takes it back"]
    models = model.shown.models if model.shown is not None else {}
    if models and all(models.get(role, models.get("*")) == SEARCH for role in ("debugger", "repairer")):
        lines.append("The search cannot read notes; a model would (m chooses one).")
    return lines
