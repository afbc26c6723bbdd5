"""Ask a model once and get a valid object back: ledger -> stream -> parse -> validate -> one repair round.

The reply is on disk before anything uses it. What cannot be read is a failed attempt (ReplyInvalid), never a crash.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from selfheal_tui.errors import ProviderError, ReplyInvalid
from selfheal_tui.llm import retry
from selfheal_tui.llm.base import Completion, Provider, Request, TextDelta, Usage, Waiting
from selfheal_tui.llm.prices import priced
from selfheal_tui.llm.registry import split_model
from selfheal_tui.store.ledger import PaidReply, request_key
from selfheal_tui.text import one_line

from .deps import Deps
from .events import CallFinished, CallWaits, Event, TokenStreamed
from .prompts import load_prompt, render
from .reading import read_reply
from .state import Spent, add_spent, no_spend


async def ask_model(
    deps: Deps, emit: Callable[[Event], None], model: str, role: str, values: Mapping[str, str], salt: str
) -> tuple[dict[str, Any], Spent]:
    """Ask the role's model; return an object that fits the role's schema, and what it cost.

    Raises: ReplyInvalid after the repair round, with the cost on its `spent`; ProviderError; SettingsError.
    """
    prompt = load_prompt(role, deps.prompts_dir)
    request = Request(
        role=role,
        model=split_model(model)[1],
        system=prompt.system,
        shared=render(prompt, prompt.shared, values),
        prompt=render(prompt, prompt.user, values),
        schema=prompt.schema,
        max_tokens=prompt.max_tokens,
        salt=salt,
    )
    provider = deps.provider(model)
    key = request_key(provider.name, request)
    if paid := await deps.ledger.find(key):
        emit(CallFinished(role, model, paid.usage, True, paid.degraded))
        return paid.value, no_spend() | {"replayed_calls": 1}
    if deps.replay_only:
        raise ReplayOnly(
            f"No recorded reply answers this {role}'s question, and new calls are forbidden.",
            "Resume without --replay-only to ask the model.",
        )
    text, usage, cut = await _stream(provider, request, emit)
    reading = read_reply(text, prompt.schema)
    spent, degraded = _bill(usage), reading.degraded
    if reading.value is None:
        problems = [cut, *reading.problems] if cut else reading.problems
        degraded = one_line("asked twice: " + problems[0])
        emit(CallFinished(role, model, usage, False, degraded))
        again = replace(request, prompt=_repair_prompt(request.prompt, text, problems))
        text, usage, cut = await _stream(provider, again, emit)
        reading = read_reply(text, prompt.schema)
        spent = add_spent(spent, _bill(usage))
    if reading.value is None:
        problems = [cut, *reading.problems] if cut else reading.problems
        emit(CallFinished(role, model, usage, False, one_line("unreadable: " + problems[0])))
        raise InvalidReply(f"The {role}'s reply could not be read: {one_line(problems[0])}.", spent)
    total = Usage(spent["input_tokens"], spent["output_tokens"], spent["cost_usd"])
    await deps.ledger.record(key, provider.name, request, PaidReply(reading.value, total, degraded), prompt.label)
    emit(CallFinished(role, model, usage, False, degraded))
    return reading.value, spent


class ReplayOnly(ProviderError):
    """A call would have been new, and the user allows none."""


class InvalidReply(ReplyInvalid):
    """A reply that could not be read, with what it cost all the same."""

    def __init__(self, message: str, spent: Spent) -> None:
        super().__init__(message, "The attempt counts as failed.")
        self.spent = spent


_STOPPED = {"length": "the reply was cut at its longest", "refusal": "the model declined to answer"}
"""Stop reason -> what it means for the reply."""


async def _stream(provider: Provider, request: Request, emit: Callable[[Event], None]) -> tuple[str, Usage, str]:
    """Return text, what it cost, and why it ended early; retries are told as they happen."""
    text, usage, stopped, why = "", Usage(), "end", ""
    async with aclosing(retry.stream(provider, request)) as parts:  # type: ignore[type-var]
        async for part in parts:
            match part:
                case TextDelta():
                    emit(TokenStreamed(request.role, part.text))
                case Waiting():
                    emit(CallWaits(request.role, part.seconds, part.attempt, part.why))
                case Completion():
                    text, usage = part.text, priced(provider.name, request.model, part.usage)
                    stopped = part.stop_reason
                    why = part.why
    return text, usage, _STOPPED.get(stopped, "") and f"{_STOPPED[stopped]} {why}".strip()


def _repair_prompt(prompt: str, reply: str, problems: list[str]) -> str:
    return (
        f"{prompt}\n=== your last reply ===\n{reply}\n=== end ===\n"
        f"That reply could not be used: {'; '.join(problems)}. Answer again with one JSON object of the asked shape."
    )


def _bill(usage: Usage) -> Spent:
    return {
        **no_spend(),
        "calls": 1,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }
