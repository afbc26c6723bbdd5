"""The protocol of a model provider: takes one request, streams the text of the reply, ends with a completion."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from selfheal_tui.money import round_usd

StopReason = Literal["end", "length", "refusal"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call used: tokens, and dollars where the price is known."""

    input_tokens: int = 0
    """All input, whether it was read from a cache, written to one or neither."""
    output_tokens: int = 0
    """All output, thinking included."""
    cost_usd: float | None = None
    """None when the price is unknown; 0.0 only when the call is known to be free."""
    cached_tokens: int = 0
    """Part of `input_tokens` that was read from the provider's cache; usually cheaper."""
    cache_write_tokens: int = 0
    """Part of `input_tokens` that was written to the provider's cache; dearer at some providers."""
    thinking_tokens: int = 0
    """Part of `output_tokens` that was thinking, where the provider tells."""
    estimated: bool = False
    """True when the provider did not say how much was used: a token per four characters was assumed."""

    def __add__(self, other: Usage) -> Usage:
        has_price = self.cost_usd is not None and other.cost_usd is not None
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            round_usd((self.cost_usd or 0.0) + (other.cost_usd or 0.0)) if has_price else None,
            self.cached_tokens + other.cached_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.thinking_tokens + other.thinking_tokens,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model, with everything that can change the answer."""

    role: str
    """Who asks: debugger, repairer, generator..."""
    model: str
    """The provider's own name for the model."""
    system: str
    prompt: str
    """The end of the user message: what is for this call alone."""
    schema: Mapping[str, Any]
    """JSON Schema of the reply; empty when plain text is asked for."""
    max_tokens: int = 8192
    """Room for the answer; a provider adds room for thinking where the model thinks."""
    salt: str = ""
    """`ITERATION.ATTEMPT`, bumped to ask the same question afresh; attempt 0, and an empty salt, ask first."""
    shared: str = ""
    """The start of the user message, the same over many calls of a session: cached where the provider can."""
    moment: str = ""
    """Follows `shared`: the same in all calls about one moment, as the steps of a diagnosis; cached as well."""
    grown: str = ""
    """Follows `moment`: the next call may add to its end, and changes nothing before; cached as far as it came."""
    effort: str = ""
    """How much the model should think, one of `setting_values.EFFORTS`; empty leaves it to the model."""
    room_tokens: int = 0
    """The most that the context leaves for the reply, thinking included; 0 while nobody knows the context."""
    wider: bool = False
    """The last reply was cut at its longest: twice the room this time."""

    @property
    def user(self) -> str:
        """The whole user message."""
        return self.shared + self.moment + self.grown + self.prompt


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the reply, as it arrives."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """A piece of what the model thinks, as it arrives: no part of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the user should know about the call, which goes on."""

    text: str


@dataclass(frozen=True, slots=True)
class Departure:
    """A request that holds the prompt and is about to leave; it goes out when the next value is asked for."""

    address: str
    """`scheme://host:port`, without user, path or query."""
    size_bytes: int
    """Of the request's body as it is sent; headers are not counted."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An attempt failed and the next one follows after a pause: text that arrived so far is void."""

    seconds: float
    attempt: int
    """The attempt that follows: 2 for the first retry."""
    why: str
    """The failed attempt's message, one sentence."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The whole reply: always the last value."""

    text: str
    """All pieces of the (last) attempt joined."""
    usage: Usage = field(default_factory=Usage)
    """Failed attempts that were paid for included."""
    stop_reason: StopReason = "end"
    """length when the reply was cut at max_tokens or the context's end; refusal when the model declined."""
    why: str = ""
    """The provider's own words on a refusal; usually empty."""


class Provider(Protocol):
    """A model service, or a stand-in for one."""

    name: str

    def stream(self, request: Request) -> AsyncIterator[TextDelta | ThoughtDelta | Notice | Departure | Completion]:
        """Stream the reply of one attempt. Closing or cancelling it closes the connection.

        Yields a `Departure` before each request that takes the prompt off this machine.

        Raises: ProviderError with a remedy; those of `faults.py` say whether a retry can help.
        """
        ...

    async def aclose(self) -> None:
        """Close connections."""
        ...


@runtime_checkable
class TellsAddress(Protocol):
    """A provider whose requests leave this process."""

    @property
    def address(self) -> str:
        """Return where requests go, as `Departure.address` does."""
        ...


@runtime_checkable
class TellsContext(Protocol):
    """A provider that can say how long a model's context is, before it is asked anything."""

    async def context_tokens(self, model: str) -> int | None:
        """Return the tokens that prompt and reply may take together; None when it cannot be told now.

        Asked before every call: keep what does not change. A server that fails is no fault here; the call will say so.
        """
        ...
