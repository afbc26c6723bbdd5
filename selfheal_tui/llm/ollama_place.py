"""Where Ollama runs a model that is loaded: on the graphics card, on the processor, or in part on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from selfheal_tui.text import one_line, size_words

from .attempt import count, look


@dataclass(frozen=True, slots=True)
class Place:
    """A loaded model's memory, its context included."""

    size_bytes: int
    on_card_bytes: int
    context_tokens: int
    """0 where the server does not tell."""

    @property
    def percent_on_processor(self) -> int:
        """The share that is not on the graphics card; at least 1 when there is any."""
        rest = self.size_bytes - self.on_card_bytes
        return max(1, round(100 * rest / self.size_bytes)) if rest > 0 else 0

    @property
    def words(self) -> str:
        """Say it in a few words."""
        percent = self.percent_on_processor
        return f"loaded, {percent} % on the processor" if percent else "loaded, on the graphics card"

    def warning(self, model: str) -> str:
        """Say what makes the model slow, and what helps; empty when nothing does."""
        shown, percent = one_line(model, 80), self.percent_on_processor
        if not percent:
            return ""
        if not self.on_card_bytes:
            return (
                f"Ollama runs {shown} on the processor alone, without a graphics card: replies take long. "
                "A smaller model or a smaller quantisation of it is faster."
            )
        context = f" with its context of {self.context_tokens:,} tokens" if self.context_tokens else ""
        return (
            f"Ollama runs {percent} % of {shown} on the processor, which is many times slower: it takes "
            f"{size_words(self.size_bytes)}{context}, and {size_words(self.on_card_bytes)} fit on the graphics card. "
            "A smaller model, a smaller quantisation or a smaller `context_tokens` is faster."
        )


def place_of(model: str, running: Any) -> Place | None:
    """Return the place of a model in the SDK's list of what is loaded; None when it is not there."""
    for one in look(running, "models") or ():
        if same_model(str(look(one, "model")), model) and (size_bytes := count(look(one, "size"))):
            return Place(size_bytes, count(look(one, "size_vram")), count(look(one, "context_length")))
    return None


def same_model(one: str, other: str) -> bool:
    """Tell whether two names mean the same model: a name without a tag has the tag `latest`."""
    return one.removesuffix(":latest") == other.removesuffix(":latest")
