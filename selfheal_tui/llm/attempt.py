"""One attempt at a call: what was asked, what has arrived so far, and how it ends."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from .base import Completion, Request, StopReason, Usage
from .breakages import bad_answer
from .faults import ConnectionFailed, ProviderFault
from .service import Service
from .thoughts import ThoughtFilter

_CHARS_PER_TOKEN = 4


@dataclass(slots=True)
class Attempt:
    """Filled in by a provider as the events arrive."""

    request: Request
    payload: dict[str, Any] = field(default_factory=dict)
    """What was sent last: attempts run side by side, so what one learns is not what the other one sent."""
    refused: set[str] = field(default_factory=set)
    """Names of parameters that the server refused in this attempt."""
    room: int | None = None
    """The most output tokens that this prompt leaves room for; None while nothing is known."""
    context: int = 0
    """The context in tokens that was asked for, where that is ours to ask."""
    begun: bool = False
    """Whether any event has arrived."""
    pieces: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    """What the model thinks, as far as the server shows it."""
    thoughts: ThoughtFilter = field(init=False)
    stop: StopReason | None = None
    """None until the provider said that, and why, the reply has ended."""
    why: str = ""
    """The provider's words on a refusal."""
    usage: Usage | None = None
    """None until the provider said how much was used."""

    def __post_init__(self) -> None:
        self.thoughts = ThoughtFilter(taken=self.thinking)

    @property
    def text(self) -> str:
        """The reply so far."""
        return "".join(self.pieces)

    def completion(self, service: Service) -> Completion:
        """Return the whole reply after the last event. Raises: ProviderFault when it is cut or empty."""
        text = self.text
        fault: ProviderFault | None = None
        if self.stop is None and self.begun:
            fault = ConnectionFailed(f"The reply of {service.label} broke off before its end.")
        elif self.stop is None:
            fault = bad_answer(service, "nothing that is part of a reply")
        elif self.stop == "end" and not text.strip() and self.usage is None and not self.thinking:
            fault = bad_answer(service, "an empty reply")
            fault.hint = "The model wrote nothing. Resume to try again; if that does not help, choose another model."
        if fault is not None:
            raise self.noted_on(fault)
        usage = self.usage or estimated_usage(self.request, text + "".join(self.thinking))
        return Completion(text, usage, self.stop or "end", service.scrub(self.why))

    def noted_on(self, fault: ProviderFault) -> ProviderFault:
        """Note on a fault the text that had arrived and what it cost."""
        fault.partial_text = self.text
        if self.pieces or self.thinking or self.usage:
            guess = estimated_usage(self.request, self.text + "".join(self.thinking))
            usage = self.usage or guess
            # Only the input is reported early; nobody reports the output up to a break.
            fault.usage = replace(usage, output_tokens=max(usage.output_tokens, guess.output_tokens), estimated=True)
        return fault


def sendable(request: Request) -> Request:
    """Return the request without lone surrogates, which no JSON in UTF-8 can carry."""

    def clean(text: str) -> str:
        return text.encode("utf-8", "replace").decode("utf-8")

    texts = ("system", "shared", "moment", "grown", "prompt")
    return replace(request, **{name: clean(getattr(request, name)) for name in texts})  # type: ignore[arg-type]


def estimated_usage(request: Request, text: str) -> Usage:
    """Estimate the usage at four characters a token, and mark it as estimated."""
    prompt_size = len(request.system) + len(request.user)
    return Usage(math.ceil(prompt_size / _CHARS_PER_TOKEN), math.ceil(len(text) / _CHARS_PER_TOKEN), estimated=True)


def look(event: Any, *path: str) -> Any:
    """Follow attributes into an SDK's object; None where one is missing, because servers leave fields out."""
    for name in path:
        event = getattr(event, name, None)
    return event


def count(value: Any) -> int:
    """Return a token count; 0 for a value that is not one."""
    return value if isinstance(value, int) and value > 0 else 0
