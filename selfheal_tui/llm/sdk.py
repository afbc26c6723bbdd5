"""One attempt at a call through a vendor's SDK: what all such providers share. Vendors differ in a few small methods.

The SDK is imported and its client made in a thread, on the first call: an import takes seconds. Whatever the SDK
raises becomes a ProviderFault, which is raised outside of the handler, so that no traceback holds request headers.
"""

from __future__ import annotations

import asyncio
import difflib
import importlib
import importlib.util
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Coroutine, Mapping
from typing import Any, TypeVar

from selfheal_tui.errors import SettingsError
from selfheal_tui.text import one_line

from .attempt import Attempt, look, sendable
from .base import Completion, Departure, Notice, Request, TextDelta, ThoughtDelta
from .breakages import explain_limit, explain_redirect
from .departures import Sending, address_of, hold_requests
from .faults import ModelMissing, ProviderFault
from .model_facts import ModelFacts
from .service import Service
from .statuses import page_instead
from .time_limits import Stopwatch, TimeLimitReached, TimeLimits

_MAX_ADAPTIONS = 8
_LIST_TIME_S = 5.0
_LINGER_S = 2.0
"""How long a stream may stay open after the end of its reply; the count of tokens may come then."""
_END = object()
_ERROR_TREES = {
    "anthropic": ("AnthropicError",),
    "openai": ("OpenAIError",),
    "ollama": ("ResponseError", "RequestError"),
    "httpx": ("HTTPError", "InvalidURL", "StreamError"),
    "httpx2": ("HTTPError", "InvalidURL", "StreamError"),
    "anyio": ("EndOfStream", "BrokenResourceError", "ClosedResourceError"),
}
"""Module -> the base classes of its exceptions; SDKs change their HTTP library between versions."""
_DECODER_ERRORS = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)
"""What an SDK's decoder raises for a well-formed answer of another shape."""

T = TypeVar("T")


class SdkProvider(ABC):
    """A provider on a vendor's SDK."""

    name: str
    sdk_name: str
    """The package that is imported on first use."""

    def __init__(self, service: Service, limits: TimeLimits | None = None) -> None:
        self.service = service
        self.limits = limits or TimeLimits()
        self._client: Any = None
        self._caught: tuple[type[Exception], ...] = ()
        self._connecting = asyncio.Lock()

    @property
    def address(self) -> str:
        """Where requests go: `scheme://host:port`."""
        return address_of(self.service.url)

    async def stream(
        self, request: Request
    ) -> AsyncIterator[TextDelta | ThoughtDelta | Notice | Departure | Completion]:
        """Stream the reply of one attempt. Raises: ProviderFault, with what had arrived on it."""
        client = await self.client()
        attempt, watch = Attempt(sendable(request)), Stopwatch(self.limits)
        sending: Sending[Any] | None = None
        events: list[Any] = []
        adaptions = 0
        try:
            while True:
                try:
                    if sending is None:
                        sending = Sending(await self._start(client, attempt, events), watch.is_alive)
                    if not sending.answered:
                        departure = await self.step(watch.wait(sending.next_departure()), request.model)
                        if departure is not None:
                            yield departure
                            continue
                        event = await self.step(sending.answer(), request.model)
                    else:
                        most_s = None if attempt.stop is None else _LINGER_S
                        event = await self.step(watch.wait(anext(events[-1], _END), most_s), request.model)
                except ProviderFault as fault:
                    if attempt.stop is not None:
                        break  # The reply is whole and paid for: what happens to the connection now is no matter.
                    if not attempt.begun and adaptions < _MAX_ADAPTIONS and self._adapt(fault, attempt):
                        adaptions += 1
                        await _close(sending, events)
                        sending = None
                        continue
                    if isinstance(fault, ModelMissing):
                        await self._name_others(fault, request.model)
                    attempt.noted_on(fault)
                    raise
                if event is _END:
                    break
                attempt.begun = True
                thoughts = len(attempt.thinking)
                if text := self._read(event, attempt):
                    attempt.pieces.append(text)
                for thought in attempt.thinking[thoughts:]:
                    yield ThoughtDelta(thought)
                if text:
                    yield TextDelta(text)
                watch.is_alive()
        finally:
            await _close(sending, events)
        yield attempt.completion(self.service)

    async def client(self) -> Any:
        """Return the SDK's client, made on first use."""
        async with self._connecting:
            if self._client is None:
                self._client, self._caught = await asyncio.to_thread(self._load)
        return self._client

    async def list_models(self, time_s: float = _LIST_TIME_S) -> dict[str, ModelFacts]:
        """Return the models that the server offers, and what its list says of each. Raises: ProviderFault."""
        client = await self.client()
        watch = Stopwatch(TimeLimits(first_s=time_s))
        return await self.step(watch.wait(self._list(client)), "")

    async def aclose(self) -> None:
        """Close connections; the next call would open new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    @abstractmethod
    def _connect(self, sdk: Any) -> Any:
        """Return a client of the imported SDK; runs in a thread."""

    async def _prepare(self, client: Any, attempt: Attempt) -> None:  # noqa: B027
        """Ask the server for what the request depends on; nothing by default. Raises: ProviderFault."""

    @abstractmethod
    def _payload(self, attempt: Attempt) -> dict[str, Any]:
        """Return the arguments of the SDK's method, as far as the server is known to accept them."""

    @abstractmethod
    async def _send(self, client: Any, payload: dict[str, Any]) -> Any:
        """Send the request; return the SDK's async iterator of events."""

    @abstractmethod
    def _read(self, event: Any, attempt: Attempt) -> str:
        """Return the text of an event and note on the attempt what else it says, what the model thinks for one.

        Must not fail on odd shapes.
        """

    @abstractmethod
    def _explain(self, error: Exception, model: str) -> ProviderFault:
        """Return the fault behind an exception."""

    @abstractmethod
    async def _list(self, client: Any) -> dict[str, ModelFacts]:
        """Return the server's models by name."""

    def _adapt(self, fault: ProviderFault, attempt: Attempt) -> bool:
        """Drop and remember what the server has just refused; return whether asking again can help."""
        return False

    def _load(self) -> tuple[Any, tuple[type[Exception], ...]]:
        try:
            sdk = importlib.import_module(self.sdk_name)
        except ImportError as error:
            reason = one_line(str(error), 100)
            raise SettingsError(f"The {self.sdk_name} package cannot be loaded: {reason}.", "Reinstall it.") from None
        client = self._connect(sdk)
        hold_requests(client)
        caught: list[type[Exception]] = [OSError, *_DECODER_ERRORS]
        for module, names in _ERROR_TREES.items():
            loaded = sys.modules.get(module)
            caught += [getattr(loaded, name) for name in names if hasattr(loaded, name)]
        return client, tuple(caught)

    async def _start(self, client: Any, attempt: Attempt, events: list[Any]) -> Coroutine[Any, Any, Any]:
        """Return the coroutine that sends the request, not started yet. Raises: ProviderFault."""
        await self._prepare(client, attempt)
        attempt.payload = self._payload(attempt)
        return self._first(client, attempt, events)

    async def _first(self, client: Any, attempt: Attempt, events: list[Any]) -> Any:
        """Send the request; put the SDK's iterator on `events` and return the first one: some SDKs send only then."""
        events.append(await self._send(client, attempt.payload))
        response = look(events[-1], "response")
        if response is not None and "html" in response.headers.get("content-type", ""):
            raise page_instead(self.service)
        return await anext(events[-1], _END)

    async def step(self, awaited: Awaitable[T], model: str) -> T:
        """Wait for the SDK. Raises: ProviderFault, without the SDK's exception as its cause."""
        try:
            return await awaited
        except TimeLimitReached as reached:
            fault = explain_limit(self.service, reached)
        except self._caught as error:
            fault = explain_redirect(self.service, error) or self._explain(error, model)
        raise fault

    async def _name_others(self, fault: ModelMissing, model: str) -> None:
        """Add models with similar names to the message; none where the server does not tell."""
        try:
            names = await self.list_models()
        except ProviderFault:
            return
        if near := near_names(model, list(names)):
            fault.say(f"{fault.message[:-1]}; close to it: {', '.join(near)}.")


def say_only_ours(client: Any, headers: Mapping[str, str]) -> None:
    """Make a client of Anthropic's or OpenAI's SDK send these headers besides the API's own, and no other.

    Both SDKs add what a variable of the environment names, to whatever address they are given, and no argument of
    theirs says otherwise. Raises: SettingsError when the SDK keeps its headers elsewhere.
    """
    if not hasattr(client, "_custom_headers"):
        package = type(client).__module__.partition(".")[0]
        raise SettingsError(f"This version of the {package} package cannot be used safely.", "Upgrade selfheal.")
    client._custom_headers = dict(headers)


def check_installed(package: str, extra: str = "") -> None:
    """Check that an SDK is installed, without importing it. Raises: SettingsError with the command to install it."""
    if importlib.util.find_spec(package) is None:
        target = f"'selfheal-tui[{extra}]'" if extra else package
        raise SettingsError(f"The {package} package is not installed.", f"Install it: pip install {target}.")


def near_names(model: str, names: list[str]) -> list[str]:
    """Return up to three names that resemble a model's, its own family (`qwen3:8b`, `qwen3:4b`) first."""
    family = model.partition(":")[0]
    same = [name for name in names if name.partition(":")[0] == family]
    return [*same, *(n for n in difflib.get_close_matches(model, names, 3, 0.6) if n not in same)][:3]


async def _close(sending: Sending[Any] | None, events: list[Any]) -> None:
    """Close the connection of an attempt, at whatever point it is."""
    if sending is not None:
        await sending.close()
    while events:
        opened = events.pop()
        await (getattr(opened, "aclose", None) or opened.close)()
