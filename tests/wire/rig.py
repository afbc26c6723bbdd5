"""A real provider on a fake server, for tests that hold for every provider."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.llm.base import Completion, Departure, Notice, Provider, Request, TextDelta, ThoughtDelta
from selfheal_tui.llm.registry import PROVIDERS
from selfheal_tui.llm.time_limits import TimeLimits
from selfheal_tui.provider_variables import VENDORS

from .script import Script
from .server import WireServer

WIRED = ("anthropic", "ollama", "openai")
"""Providers that talk to a server."""
KEY = "sk-test-0123456789abcdef"
FAST = TimeLimits(connect_s=2.0, first_s=0.3, piece_s=0.3, total_s=1.5)
"""For tests of time-outs."""
PATIENT = TimeLimits(connect_s=10.0, first_s=30.0, piece_s=30.0, total_s=60.0)
"""For all others: the machine may be busy."""
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["cause", "lines"],
    "properties": {
        "cause": {"type": "string", "minLength": 1, "maxLength": 2000},
        "lines": {"type": "array", "maxItems": 8, "items": {"type": "integer", "minimum": 1}},
    },
}
_ROLES = {"debugger": "You are the debugger", "repairer": "You are the repairer"}
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
_SETTINGS = (*(name for vendor in VENDORS.values() for name in vendor.names), *_PROXIES)


@dataclass(slots=True)
class Rig:
    """An open provider and the server it talks to; a scripted provider has none."""

    provider: Provider
    server: WireServer | None = None
    pieces: list[str] = field(default_factory=list)
    """Text of the last call, as it came."""
    thoughts: list[str] = field(default_factory=list)
    """What the model thought in it, as it came."""
    departures: list[Departure] = field(default_factory=list)
    """What the last call told of its requests."""
    notices: list[str] = field(default_factory=list)
    """What the user was told besides, in all calls."""

    @property
    def bodies(self) -> list[Any]:
        """The bodies of the requests that asked a model."""
        assert self.server is not None
        return [recorded.body for recorded in self.server.chats]

    async def ask(self, asked: Request | None = None) -> Completion:
        """Make one call; return its completion. Checks that nothing but text comes before it, and nothing after."""
        self.pieces, self.thoughts, self.departures = [], [], []
        last: Completion | None = None
        async for part in self.provider.stream(asked or request()):
            assert last is None, "something came after the completion"
            if isinstance(part, TextDelta):
                self.pieces.append(part.text)
            elif isinstance(part, ThoughtDelta):
                self.thoughts.append(part.text)
            elif isinstance(part, Departure):
                self.departures.append(part)
            elif isinstance(part, Notice):
                self.notices.append(part.text)
            else:
                last = part
        assert last is not None, "no completion"
        return last


def request(prompt: str = "Find the cause.", **fields: Any) -> Request:
    """Return a debugger's question."""
    system = "You are the debugger of a program-repair team."
    return Request(
        **{"role": "debugger", "model": "tiny", "system": system, "prompt": prompt, "schema": SCHEMA, **fields}
    )


async def until(holds: Callable[[], bool], time_s: float = 5.0) -> None:
    """Wait for what comes about by itself; fail when it does not."""
    async with asyncio.timeout(time_s):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the keys, addresses and proxies of the user's environment."""
    for name in _SETTINGS:
        monkeypatch.delenv(name, raising=False)


@asynccontextmanager
async def rig(
    name: str, monkeypatch: pytest.MonkeyPatch, *entries: Mapping[str, Any], limits: TimeLimits = PATIENT, **script: Any
) -> AsyncIterator[Rig]:
    """Open a provider of that name on a server with these entries."""
    clean(monkeypatch)
    script = {"key": "" if name == "ollama" else KEY, "roles": _ROLES, **script}
    async with WireServer(Script.of(*entries, **script)) as server:
        for variable, value in server.environment(KEY).items():
            monkeypatch.setenv(variable, value)
        provider = open_with(name, limits)
        try:
            yield Rig(provider, server)
        finally:
            await provider.aclose()


@asynccontextmanager
async def scripted_rig(tmp_path: Path, *entries: Mapping[str, Any]) -> AsyncIterator[Rig]:
    """Open the scripted provider with these entries; they need a role."""
    import yaml

    path = tmp_path / "script.yaml"
    path.write_text(yaml.safe_dump({"replies": [dict(entry) for entry in entries]}, allow_unicode=True), "utf-8")
    module, _, function = PROVIDERS["scripted"].partition(":")
    provider: Provider = getattr(importlib.import_module(module), function)(str(path))
    yield Rig(provider)
    await provider.aclose()


def open_with(name: str, limits: TimeLimits) -> Provider:
    """Open a provider of the registry with time limits of one's own."""
    module, _, function = PROVIDERS[name].partition(":")
    provider: Provider = getattr(importlib.import_module(module), function)("tiny", limits)
    return provider
