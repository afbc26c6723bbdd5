"""What a model provider is: one request in, an async iterator of text ending in a completion out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call cost."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    """None when the price is unknown; 0.0 only when the call is known to be free."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model; everything that can change the answer is in here."""

    role: str
    """Who asks: debugger, repairer, generator..."""
    model: str
    """The provider's own name for the model."""
    system: str
    prompt: str
    schema: Mapping[str, Any]
    """JSON Schema of the reply."""
    max_tokens: int = 8192
    salt: str = ""
    """Bumped to ask the same question afresh."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the reply, as it arrives."""

    text: str


@dataclass(frozen=True, slots=True)
class Completion:
    """The whole reply: always the last value."""

    text: str
    usage: Usage = field(default_factory=Usage)
    stop_reason: str = "end"
    """end, or length when the reply was cut at max_tokens."""


class Provider(Protocol):
    """A place that answers requests."""

    name: str

    def stream(self, request: Request) -> AsyncIterator[TextDelta | Completion]:
        """Stream the reply. Raises: ProviderError with a remedy."""
        ...

    async def aclose(self) -> None:
        """Close connections."""
        ...
