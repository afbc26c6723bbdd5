"""For export formats: a function from a story (its shape: `selfheal_tui/engine/out/export/story.py`) to a text."""

from selfheal_tui.engine.out.export.plugged import Exporter
from selfheal_tui.errors import InputError

__all__ = ["Exporter", "InputError"]
