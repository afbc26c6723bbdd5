"""For model providers: the protocol, requests and replies, what can go wrong, and helpers for local models."""

from selfheal_tui.errors import ProviderError, SelfHealError, SettingsError
from selfheal_tui.llm.attempt import estimated_usage, sendable
from selfheal_tui.llm.base import (
    Completion,
    Departure,
    Notice,
    Provider,
    Request,
    StopReason,
    TellsAddress,
    TellsContext,
    TextDelta,
    ThoughtDelta,
    Usage,
)
from selfheal_tui.llm.breakages import explain_limit
from selfheal_tui.llm.faults import ProviderFault
from selfheal_tui.llm.plugged import ProviderPlugin
from selfheal_tui.llm.schemas import schema_note
from selfheal_tui.llm.service import Service
from selfheal_tui.llm.thoughts import ThoughtFilter
from selfheal_tui.llm.time_limits import Stopwatch, TimeLimitReached, TimeLimits
from selfheal_tui.provider_variables import secrets
from selfheal_tui.text import one_line

from . import faults

__all__ = [
    "Completion",
    "Departure",
    "Notice",
    "Provider",
    "ProviderError",
    "ProviderFault",
    "ProviderPlugin",
    "Request",
    "SelfHealError",
    "Service",
    "SettingsError",
    "StopReason",
    "Stopwatch",
    "TellsAddress",
    "TellsContext",
    "TextDelta",
    "ThoughtDelta",
    "ThoughtFilter",
    "TimeLimitReached",
    "TimeLimits",
    "Usage",
    "estimated_usage",
    "explain_limit",
    "faults",
    "one_line",
    "schema_note",
    "secrets",
    "sendable",
]
