"""The local sandbox for tests that are about something else: its servers outlive it, one start for each worker.

Each test still opens, uses and closes a `LocalSandbox` of its own; only the process that its runs fork from stays.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any

from selfheal_tui.sandbox.host import RunServer
from selfheal_tui.sandbox.local import LocalSandbox

_SERVERS: dict[tuple[Any, ...], RunServer] = {}
"""(layers, python, allow_unsandboxed, packages imported ahead, with pytest) -> server."""


class WarmSandbox(LocalSandbox):
    """Takes the server that an earlier test of this process has started, where there is one."""

    async def _open(self, preload: Collection[str], pytest: bool) -> RunServer:
        key = (*self._how, frozenset(preload), pytest)
        server = _SERVERS.get(key)
        if server is None or not server.alive:
            _SERVERS[key] = server = await super()._open(preload, pytest)
        return _Lent(server)  # type: ignore[return-value]


class _Lent:
    """A server that stays when the sandbox is closed; whoever kills it kills it for all."""

    def __init__(self, server: RunServer) -> None:
        self._server = server

    def __getattr__(self, name: str) -> Any:
        return getattr(self._server, name)

    async def aclose(self) -> None:
        """Leave it to the next test: a sandbox that closes has ended its runs one by one."""


def end_servers() -> None:
    """End the servers of this process."""
    while _SERVERS:
        asyncio.run(_SERVERS.popitem()[1].aclose())
