"""What nodes may use: the graph's context. Lives in memory only, never in a checkpoint."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakValueDictionary

from selfheal_tui.llm.base import Provider
from selfheal_tui.llm.registry import open_provider
from selfheal_tui.sandbox.base import Limits, Sandbox
from selfheal_tui.store.bills import Bills
from selfheal_tui.store.blobs import Blobs
from selfheal_tui.store.ledger import Ledger
from selfheal_tui.store.lessons import LessonBook
from selfheal_tui.store.programs import Programs
from selfheal_tui.store.sent import SentLog

from .prompt_room import Room
from .race_budget import RaceBudget


@dataclass(slots=True)
class Deps:
    """Opened once per session."""

    blobs: Blobs
    ledger: Ledger
    bills: Bills
    sent: SentLog
    sandbox: Sandbox
    programs: Programs
    lessons: LessonBook
    session_id: str
    prompts_dir: Path | None = None
    suite_limits: Limits = field(default_factory=Limits)
    verify: bool = True
    """Ask for a second opinion on a passing suite."""
    replay_only: bool = False
    """Answer from the ledger only; a new call is refused."""
    search_time_s: float = 60.0
    """Wall clock for one search."""
    failed_strategies: dict[tuple[str, int, int], set[str]] = field(default_factory=dict)
    """(branch, iteration, attempt) -> strategies of that round whose provider failed."""
    providers: dict[str, Provider] = field(default_factory=dict)
    """`provider:model` -> the open provider."""
    rooms: dict[str, Room] = field(default_factory=dict)
    """`provider:model` -> what its refusals have taught about its context."""
    turns: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    """Request -> the turn of who asks it now: lanes that ask the same at the same time pay once."""
    pool: RaceBudget | None = None
    """The budget of all lanes together; None outside a race."""

    def turn(self, key: str) -> asyncio.Lock:
        """Return the lock under which a request is asked."""
        return self.turns.setdefault(key, asyncio.Lock())

    def provider(self, model: str) -> Provider:
        """Return the provider, opened on first use. Raises: SettingsError, ProviderError."""
        if model not in self.providers:
            self.providers[model] = open_provider(model)
        return self.providers[model]

    async def aclose(self) -> None:
        """Close the providers; the sandbox belongs to the workbench."""
        for provider in self.providers.values():
            await provider.aclose()
