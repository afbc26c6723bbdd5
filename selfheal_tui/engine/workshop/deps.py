"""What nodes may use: the graph's context. Lives in memory only, never in a checkpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from selfheal_tui.llm.base import Provider, Request, Usage
from selfheal_tui.llm.model_facts import UNKNOWN, output_room
from selfheal_tui.llm.prices import priced
from selfheal_tui.llm.registry import open_provider, other_url
from selfheal_tui.llm.schemas import schema_note
from selfheal_tui.llm.time_limits import TimeLimits
from selfheal_tui.sandbox.base import Coverage, Limits, Sandbox, Suite
from selfheal_tui.sandbox.flips import Flips
from selfheal_tui.store.bills import Bills
from selfheal_tui.store.blobs import Blobs
from selfheal_tui.store.ledger import Ledger
from selfheal_tui.store.lessons import LessonBook
from selfheal_tui.store.notes import Notes
from selfheal_tui.store.programs import Programs
from selfheal_tui.store.sent import SentLog
from selfheal_tui.store.shared_replies import SharedReplies
from selfheal_tui.store.tried import Tried

from ..moment.state import HealState, Spent, is_as_given, spend_of
from ..moment.workspace import Workspace
from .prompt_room import Room
from .purse import Purse
from .searches import Searches
from .suite_run import SuiteRun

_LARGE = 50_000
"""Characters of tests; a smaller suite runs again within a second, and the first run is fastest without coverage."""


@dataclass(frozen=True, slots=True)
class Covered:
    """What a run recorded, and over which files."""

    files: Mapping[str, str]
    coverage: Coverage


@dataclass(slots=True)
class Deps:
    """Opened once per session."""

    blobs: Blobs
    ledger: Ledger
    bills: Bills
    sent: SentLog
    sandbox: Sandbox
    programs: Programs
    tried: Tried
    lessons: LessonBook
    notes: Notes
    session_id: str
    prompts_dir: Path | None = None
    suite_limits: Limits = field(default_factory=Limits)
    verify: bool = True
    """Ask for a second opinion on a passing suite."""
    replay_only: bool = False
    """Answer from the ledger only; a new call is refused."""
    allowed: tuple[str, ...] = ()
    """What the user lets tests have beyond the sandbox, as `Allowance.names` says it."""
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
    purse: Purse = field(default_factory=Purse)
    """What calls may still use."""
    prices: Mapping[str, str] = field(default_factory=dict)
    """The user's own: `provider:model` -> a price as `Price.from_text` reads it."""
    time_limits: TimeLimits | None = None
    """What a call may take; None for each provider's own limits."""
    advisors: Mapping[str, Callable[[Mapping[str, str]], Any]] = field(default_factory=dict)
    """Name -> an advisor that is a function of the program that uses selfheal."""
    shared: SharedReplies | None = None
    """Replies that sessions of the same task share, as the cells of a benchmark's matrix do."""
    searches: Searches = field(default_factory=Searches)
    flips: Flips = field(default_factory=Flips)
    """Which cases flip over the code as it was given."""
    ahead: SuiteRun | None = None
    """The first run of the tests, where it was begun before the graph was there; for the node that needs it."""

    covered: Covered | None = None
    """The lines that the first run of a large suite recorded, so that it need not run a second time for them."""

    def suite_of(self, workspace: Workspace, *, coverage: bool = False) -> Suite:
        """Return what is run over a program as it is."""
        return workspace.suite(self.suite_limits, coverage=coverage, verify=self.verify)

    def first_suite_of(self, state: HealState, workspace: Workspace) -> Suite:
        """Return what is run first; a large suite records its lines at once, as the diagnosis will ask for them."""
        size = sum(map(len, workspace.test_texts.values()))
        return self.suite_of(workspace, coverage=is_as_given(state) and size > _LARGE)

    async def flipping(self, workspace: Workspace, cases: Iterable[str]) -> list[str]:
        """Return those of these cases that pass and fail over the program as it was given. Raises: SandboxError."""
        if not workspace.base:
            return []
        return await self.flips.among(cases, self.sandbox, workspace.suite(self.suite_limits, changes=workspace.base))

    def turn(self, key: str) -> asyncio.Lock:
        """Return the lock under which a request is asked."""
        return self.turns.setdefault(key, asyncio.Lock())

    def provider(self, model: str) -> Provider:
        """Return the provider, opened on first use. Raises: SettingsError, ProviderError."""
        if model not in self.providers:
            self.providers[model] = open_provider(model, self.time_limits)
        return self.providers[model]

    def priced(self, provider: Provider, model: str, usage: Usage) -> Usage:
        """Return the usage of a call to a provider with its cost, where that is known."""
        return priced(provider.name, model, usage, self.prices, other_url(provider))

    def most_of(self, provider: Provider, request: Request) -> Spent:
        """Return the most that a call may use: prompt and longest reply in tokens, their price, the longest time."""
        prompt_tokens = Room().tokens(request.system + schema_note(request.schema) + request.user)
        # All of the prompt may be written to the cache, which is dearer at some providers.
        usage = Usage(prompt_tokens, output_room(request, UNKNOWN), cache_write_tokens=prompt_tokens)
        time_s = (self.time_limits or TimeLimits()).total_s
        return {**spend_of(self.priced(provider, request.model, usage)), "time_s": time_s}

    async def aclose(self) -> None:
        """Close the providers; the sandbox belongs to the workbench."""
        for provider in self.providers.values():
            await provider.aclose()
