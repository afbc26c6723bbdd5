"""Ask a model once and get a valid object back: ledger -> fit -> stream -> parse -> validate -> one repair round.

The reply is on disk before anything uses it. What cannot be read is a failed attempt (ReplyInvalid), never a crash.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from selfheal_tui.errors import ProviderError, ReplyInvalid
from selfheal_tui.llm import retry
from selfheal_tui.llm.base import Completion, Provider, Request, TellsContext, TextDelta, Usage, Waiting
from selfheal_tui.llm.faults import ContextTooLong
from selfheal_tui.llm.prices import priced
from selfheal_tui.llm.registry import split_model
from selfheal_tui.store.ledger import PaidReply, request_key
from selfheal_tui.text import one_line

from .deps import Deps
from .events import CallFinished, CallWaits, Event, PromptShortened, TokenStreamed
from .prompts import load_prompt
from .question import Question
from .reading import read_reply
from .room import Room, Shrinkable
from .state import Spent, add_spent, no_spend

_MOST_REFUSALS = 3
"""A prompt refused so often as too long is not shortened again."""


async def ask_model(
    deps: Deps,
    emit: Callable[[Event], None],
    model: str,
    role: str,
    values: Mapping[str, str | Shrinkable],
    salt: str,
    gives_way: Sequence[str] = (),
) -> tuple[dict[str, Any], Spent]:
    """Ask the role's model; return an object that fits the role's schema, and what it cost.

    `gives_way` names the values that are shortened, in this order, when the prompt does not fit the model's context.

    Raises: ReplyInvalid after the repair round, with the cost on its `spent`; ProviderError; SettingsError.
    """
    prompt = load_prompt(role, deps.prompts_dir)
    question = Question(prompt, model, values, gives_way, salt)
    provider = deps.provider(model)
    key = request_key(provider.name, question.request(Room()).request)
    if paid := await deps.ledger.find(key):
        emit(CallFinished(role, model, paid.usage, True, paid.degraded))
        return paid.value, no_spend() | {"replayed_calls": 1}
    if deps.replay_only:
        raise ReplayOnly(
            f"No recorded reply answers this {role}'s question, and new calls are forbidden.",
            "Resume without --replay-only to ask the model.",
        )
    request, text, usage, cut = await _ask(deps, provider, question, emit)
    reading = read_reply(text, prompt.schema)
    spent, degraded = _bill(usage), reading.degraded
    if reading.value is None:
        problems = [cut, *reading.problems] if cut else reading.problems
        degraded = one_line("asked twice: " + problems[0])
        emit(CallFinished(role, model, usage, False, degraded))
        again = replace(question, last_reply=text, problems=tuple(problems))
        _, text, usage, cut = await _ask(deps, provider, again, emit)
        reading = read_reply(text, prompt.schema)
        spent = add_spent(spent, _bill(usage))
    if reading.value is None:
        problems = [cut, *reading.problems] if cut else reading.problems
        emit(CallFinished(role, model, usage, False, one_line("unreadable: " + problems[0])))
        raise InvalidReply(f"The {role}'s reply could not be read: {one_line(problems[0])}.", spent)
    total = Usage(spent["input_tokens"], spent["output_tokens"], spent["cost_usd"])
    sent = request_key(provider.name, request)
    await deps.ledger.record(sent, provider.name, request, PaidReply(reading.value, total, degraded), prompt.label)
    if sent != key:
        await deps.ledger.note_sent(key, sent)
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


async def _ask(
    deps: Deps, provider: Provider, question: Question, emit: Callable[[Event], None]
) -> tuple[Request, str, Usage, str]:
    """Send the question in a form that fits the model; return that, the reply's text, its cost, why it ended early.

    A limit that nobody told beforehand is learnt from the refusal. Raises: ContextTooLong when nothing can be left out.
    """
    try:
        return await _ask_fitting(deps, provider, question, emit)
    except ContextTooLong:
        # When the run is resumed, the model may have been started anew with a longer context.
        deps.rooms.pop(question.model, None)
        raise


async def _ask_fitting(
    deps: Deps, provider: Provider, question: Question, emit: Callable[[Event], None]
) -> tuple[Request, str, Usage, str]:
    room = deps.rooms.get(question.model) or Room(await _told_context(provider, question))
    lost, refusals, refused = Usage(), 0, None
    while True:
        asked = question.request(room)
        if asked.request == refused:
            deps.rooms[question.model] = room = room.denser()
            continue
        if asked.left_out and room.context:
            emit(PromptShortened(asked.request.role, room.context, asked.left_out))
        try:
            text, usage, cut = await _stream(provider, asked.request, emit)
        except ContextTooLong as fault:
            learnt, refusals = room.refused(fault.limit_tokens), refusals + 1
            if learnt is None or refusals == _MOST_REFUSALS:
                raise
            deps.rooms[question.model] = room = learnt
            refused = asked.request
            if fault.usage != Usage():
                more = priced(provider.name, refused.model, fault.usage)
                lost = more if lost == Usage() else lost + more
            continue
        return asked.request, text, usage if lost == Usage() else lost + usage, cut


async def _told_context(provider: Provider, question: Question) -> int | None:
    if not isinstance(provider, TellsContext):
        return None
    return await provider.context_tokens(split_model(question.model)[1])


async def _stream(provider: Provider, request: Request, emit: Callable[[Event], None]) -> tuple[str, Usage, str]:
    """Return text, what it cost, and why it ended early; retries are told as they happen."""
    text, usage, stopped, why = "", Usage(), "end", ""
    async with aclosing(retry.stream(provider, request)) as parts:  # type: ignore[type-var]
        async for part in parts:
            match part:
                case TextDelta():
                    emit(TokenStreamed(request.role, part.text))
                case Waiting():
                    emit(
                        CallWaits(
                            request.role, part.seconds, part.attempt, part.why, f"{provider.name}:{request.model}"
                        )
                    )
                case Completion():
                    text, usage = part.text, priced(provider.name, request.model, part.usage)
                    stopped = part.stop_reason
                    why = part.why
    return text, usage, _STOPPED.get(stopped, "") and f"{_STOPPED[stopped]} {why}".strip()


def _bill(usage: Usage) -> Spent:
    return {
        **no_spend(),
        "calls": 1,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }
