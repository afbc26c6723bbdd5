"""Hold every request of an attempt just before it leaves this machine, until the caller has recorded it.

All SDKs use an HTTP client with hooks. The hook is called for each request, redirects to other hosts included, with
the body as it is about to be sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextvars import ContextVar
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from .base import Departure

_DEFAULT_PORTS = {"http": 80, "https": 443}

T = TypeVar("T")


class Sending(Generic[T]):
    """An SDK's call that stops before each request with a body, until the caller asks for the next one."""

    def __init__(self, call: Coroutine[Any, Any, T]) -> None:
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
    http.event_hooks = {**http.event_hooks, "request": [*http.event_hooks["request"], _hold]}


async def _hold(request: Any) -> None:
    if (sending := _SENDING.get()) is not None:
        await sending.hold(request)


def address_of(url: str) -> str:
    """Return `scheme://host:port` of a URL, the port where it is not the usual one; never user, path or query."""
    parts = urlsplit(url)
    name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = "" if parts.port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f":{parts.port}"
    return f"{parts.scheme}://{name}{port}"
