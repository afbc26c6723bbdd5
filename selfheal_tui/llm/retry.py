"""Retry a failed attempt where that can help: visibly, cancellable, and never with a long wait."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from random import random as uniform

from selfheal_tui.errors import SelfHealError
from selfheal_tui.extensions import enabled, said_by

from .base import Completion, Departure, Notice, Provider, Request, TextDelta, ThoughtDelta, Usage, Waiting
from .faults import ProviderFault, ServerFailed
from .time_limits import duration

MAX_WAIT_S = 60.0
"""When a server asks to wait longer, the call fails instead."""
_FIRST_WAIT_S = 1.0
_MAX_BACKOFF_S = 20.0


async def stream(
    provider: Provider,
    request: Request,
    *,
    attempts: int = 4,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    random: Callable[[], float] = uniform,
) -> AsyncIterator[TextDelta | ThoughtDelta | Notice | Departure | Waiting | Completion]:
    """Stream the reply, in up to `attempts` attempts; a `Waiting` makes the text before it void.

    Between attempts: 1, 2, 4... s, less up to half at random (`random` gives 0..1), or longer if the server says so.
    The completion's usage counts the broken attempts too. Cancelling or closing it ends the attempt or the wait.

    Raises: ProviderFault of the last attempt, with the longest partial text and the usage of all of them.
    """
    spent, partial = Usage(), ""
    for attempt in range(1, attempts + 1):
        try:
            async with aclosing(_attempt(provider, request)) as parts:
                async for part in parts:
                    yield replace(part, usage=_sum(spent, part.usage)) if isinstance(part, Completion) else part
            return
        except ProviderFault as fault:
            spent, partial = _sum(spent, fault.usage), max(partial, fault.partial_text, key=len)
            fault.usage, fault.partial_text = spent, partial
            if not fault.retryable:
                raise
            wait_s = max(_backoff_s(attempt, random()), fault.retry_after_s or 0.0)
            if wait_s > MAX_WAIT_S:
                wait_words = duration(wait_s)
                fault.hint = f"Resume in {wait_words}, or choose another model."
                if wait_words not in fault.message:
                    fault.say(f"{fault.message[:-1]} and asks to wait {wait_words}.")
                raise
            if attempt == attempts:
                if attempts > 1:
                    fault.say(f"{fault.message[:-1]}, {attempts} times in a row.")
                raise
            why = fault.message
        yield Waiting(wait_s, attempt + 1, why)
        await sleep(wait_s)


async def _attempt(
    provider: Provider, request: Request
) -> AsyncGenerator[TextDelta | ThoughtDelta | Notice | Departure | Completion, None]:
    """Make one attempt; what a provider of another package raises besides errors of ours is a fault too."""
    try:
        async with aclosing(provider.stream(request)) as parts:  # type: ignore[type-var]
            async for part in parts:
                yield part
    except SelfHealError:
        raise
    except Exception as error:
        if (plugin := enabled("provider").get(provider.name)) is None:
            raise
        # A package may raise anything. The same question would fail the same way again.
        what = f"{plugin.words} failed: {said_by(error)}."
        raise ServerFailed(what, f"Update {plugin.package}, or choose another model.", retryable=False) from error


def _backoff_s(attempt: int, chance: float) -> float:
    """Return the pause after an attempt: exponential backoff, half of it random (jitter)."""
    full = min(_MAX_BACKOFF_S, _FIRST_WAIT_S * 2.0 ** (attempt - 1))
    return full * (1 + chance) / 2


def _sum(spent: Usage, more: Usage) -> Usage:
    """Add usages; an empty one leaves the other as it is, its price included."""
    if spent == Usage():
        return more
    return spent if more == Usage() else spent + more
