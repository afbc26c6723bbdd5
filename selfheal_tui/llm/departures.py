"""What leaves this machine and what comes back, seen at the one door of the SDKs: their HTTP client with its hooks.

Every request of an attempt is held just before it goes out, until that has been told; every byte of the answer is a
sign of life, those that the SDK swallows too.

The hook of a request is called for redirects to other hosts too, with the body as it is about to be sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextvars import ContextVar
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from .base import Departure

_DEFAULT_PORTS = {"http": 80, "https": 443}

T = TypeVar("T")


class Sending(Generic[T]):
    """An SDK's call that stops before each request with a body, until the caller asks for the next one."""

    def __init__(self, call: Coroutine[Any, Any, T], is_alive: Callable[[], None]) -> None:
        """`is_alive` is called for each piece of the answer as it comes from the network."""
        self.is_alive = is_alive
        self._held: asyncio.Queue[Departure | None] = asyncio.Queue()
        self._may_go = asyncio.Event()
        self.answered = False
        """Whether the call has ended, so that no further request will come."""
        token = _SENDING.set(self)
        try:
            self._task = asyncio.create_task(call)
        finally:
            _SENDING.reset(token)
        self._task.add_done_callback(lambda _: self._held.put_nowait(None))

    async def next_departure(self) -> Departure | None:
        """Release the held request; return the next one that is about to leave, None when the call has ended."""
        self._may_go.set()
        departure = await self._held.get()
        self.answered = departure is None
        return departure

    async def answer(self) -> T:
        """Return what the call returned. Raises: what it raised."""
        return await self._task

    async def close(self) -> None:
        """End the call; a held request is never sent."""
        self._task.cancel()
        await asyncio.wait([self._task])
        if not self._task.cancelled():
            self._task.exception()  # fetched, so that asyncio does not log it

    async def hold(self, request: Any) -> None:
        """Wait until the request may go."""
        body = await request.aread()
        if body:
            self._may_go.clear()
            self._held.put_nowait(Departure(address_of(str(request.url)), len(body)))
            await self._may_go.wait()


_SENDING: ContextVar[Sending[Any] | None] = ContextVar("_SENDING", default=None)
"""The call that a request belongs to, as calls share one client; None for requests without a prompt."""


def hold_requests(client: Any) -> None:
    """Make an SDK's client hold each request that belongs to a `Sending`."""
    # No SDK offers its HTTP client's hooks; tests/contract/test_departures.py sees when one keeps it elsewhere.
    http = client._client
    hooks = http.event_hooks
    http.event_hooks = {"request": [*hooks["request"], _hold], "response": [*hooks["response"], _listen]}


async def _hold(request: Any) -> None:
    if (sending := _SENDING.get()) is not None:
        await sending.hold(request)


async def _listen(response: Any) -> None:
    if (sending := _SENDING.get()) is not None:
        sending.is_alive()
        response.stream = _heard(response.stream, sending.is_alive)


def _heard(stream: Any, is_alive: Callable[[], None]) -> Any:
    """Return an HTTP client's stream of bytes that calls `is_alive` for each piece.

    The client insists on a stream of its own kind, and the SDKs bring different clients.
    """

    async def pieces(_: Any) -> AsyncIterator[bytes]:
        async for piece in stream:
            is_alive()
            yield piece

    async def close(_: Any) -> None:
        await stream.aclose()

    kind = next(base for base in type(stream).__mro__ if base.__name__ == "AsyncByteStream")
    return type("HeardStream", (kind,), {"__aiter__": pieces, "aclose": close})()


def address_of(url: str) -> str:
    """Return `scheme://host:port` of a URL, the port where it is not the usual one; never user, path or query."""
    parts = urlsplit(url)
    name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = "" if parts.port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f":{parts.port}"
    return f"{parts.scheme}://{name}{port}"
