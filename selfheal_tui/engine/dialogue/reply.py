"""Ask a model once and get a valid object back: ledger -> fit -> stream -> parse -> validate -> one repair round.

The reply is on disk before anything uses it. A reply that cannot be read is a failed attempt (ReplyInvalid).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from selfheal_tui.errors import ProviderError, ReplyInvalid
from selfheal_tui.llm import retry
from selfheal_tui.llm.base import (
    Completion,
    Departure,
    Notice,
    Provider,
    Request,
    TellsContext,
    TextDelta,
    ThoughtDelta,
    Usage,
    Waiting,
)
from selfheal_tui.llm.faults import ContextTooLong, ProviderFault
from selfheal_tui.llm.registry import split_model
from selfheal_tui.store.call_uses import CallNotes
from selfheal_tui.store.ledger import Draft, PaidReply, request_key
from selfheal_tui.store.sent import SentFile
from selfheal_tui.text import one_line

from ..moment.events import (
    CallBegun,
    CallFinished,
    CallWaits,
    Noticed,
    PromptShortened,
    ThoughtStreamed,
    TokenStreamed,
)
from ..moment.state import Spent, add_spent, no_spend, spend_of
from ..workshop.prompt_room import Room, Shrinkable
from ..workshop.purse import UsedUp
from ..workshop.role_context import RoleContext
from ..workshop.sent_files import files_sent
from .prompt_request import PromptRequest
from .prompts import Prompt, load_prompt
from .reading import Reading, read_reply
from .tracing import TRACED, span, traced_to

_MOST_REFUSALS = 3
"""A prompt refused so often as too long is not shortened again."""


Check = Callable[[Mapping[str, Any]], list[str]]


def _no_problems(_: Mapping[str, Any]) -> list[str]:
    return []


async def ask_model(
    context: RoleContext,
    role: str,
    values: Mapping[str, str | Shrinkable],
    salt: str,
    gives_way: Sequence[str] = (),
    *,
    acting: bool = False,
    form: str = "",
    check: Check = _no_problems,
) -> tuple[dict[str, Any], Spent]:
    """Ask the role's model; return an object that fits the role's schema, and what it cost.

    `gives_way` names the values that are shortened, in this order, when the prompt does not fit the model's context.
    `acting` asks for one of the role's actions, where its prompt offers any; the role's answer is taken as well.
    `form` asks for one of the formats that its prompt offers; the others are taken as well. `check` returns what makes
    an object useless although it fits; the model is told, once.

    A reply that was cut at its longest is asked for once more with twice the room; what the model declines to answer
    is not asked again.

    Raises: InvalidReply after the repair round, with what was paid as its `spent`; OutOfBudget; ProviderError;
    SettingsError.
    """
    deps, emit, model = context.deps, context.emit, context.model(role)
    prompt = load_prompt(role, deps.prompts_dir)
    if acting and prompt.actions:
        prompt = prompt.actions
    prompt = prompt.formats.get(form, prompt)
    prompt_request = PromptRequest(prompt, model, values, gives_way, salt, effort=context.effort(role))
    provider = deps.provider(model)
    whole = prompt_request.fitted(Room()).request
    key = request_key(provider.name, whole)
    async with deps.turn(key):
        notes = CallNotes(context.asker, model, prompt.label)
        if paid := await deps.ledger.find(key):
            await deps.ledger.note(notes.replayed(paid.key))
            emit(CallFinished(role, model, paid.usage, True, paid.degraded))
            return paid.value, await _spent(context, replayed=1)
        if deps.replay_only:
            raise ReplayOnly(
                f"There is no recorded reply for this call of the {role}, and new calls are forbidden.",
                "Resume without --replay-only to ask the model.",
            )
        draft = await deps.ledger.find_draft(key)
        if draft is not None and draft.hopeless:
            emit(CallFinished(role, model, draft.usage, True, one_line("unreadable: " + draft.hopeless)))
            raise await _given_up(context, role, draft, 1 if _is_declined(draft) else 2)
        request, first = (whole, draft) if draft else await _ask(context, provider, prompt_request, notes)
        last, reading = first, _read(first.text, prompt, check)
        degraded = reading.degraded
        if _is_declined(first):
            unread = notes.unread(request, first.text, one_line(first.cut), first.usage)
            number = await deps.ledger.give_up(key, replace(first, hopeless=first.cut), unread)
            emit(CallFinished(role, model, first.usage, False, one_line(first.cut)))
            raise await _given_up(context, role, replace(first, given_up=number), 0)
        if reading.value is None:
            problems = _problems(first, reading)
            degraded = one_line("asked twice: " + problems[0])
            if draft is None:
                unread = notes.unread(request, first.text, one_line("unreadable: " + problems[0]), first.usage)
                await deps.ledger.record_draft(key, first, unread)
            emit(CallFinished(role, model, first.usage, draft is not None, degraded))
            again = replace(
                prompt_request, last_reply=first.text, problems=tuple(problems), wider=first.cut.startswith(_CUT)
            )
            request_again, last = await _ask(context, provider, again, notes)
            reading = _read(last.text, prompt, check)
        if reading.value is None:
            problem = one_line(_problems(last, reading)[0])
            why = one_line("unreadable: " + problem)
            unread = notes.unread(request_again, last.text, why, last.usage)
            last = replace(last, hopeless=problem)
            last = replace(last, given_up=await deps.ledger.give_up(key, last, unread))
            emit(CallFinished(role, model, last.usage, False, why))
            raise await _given_up(context, role, last, int(bool(draft)))
        total = last.usage if last is first else first.usage + last.usage
        reply = PaidReply(reading.value, total, degraded)
        bill, sent = None if last is draft else last.usage, request_key(provider.name, request)
        noted = notes.paid(sent, bill) if bill else notes.replayed(sent)
        await deps.ledger.record(key, provider.name, request, reply, prompt.label, bill, noted)
        emit(CallFinished(role, model, last.usage, False, degraded))
        return reading.value, await _spent(context, int(bool(draft)))


class ReplayOnly(ProviderError):
    """A call would have been new, and the user allows none."""


class InvalidReply(ReplyInvalid):
    """A reply that could not be read, with what it cost all the same."""

    def __init__(
        self, message: str, spent: Spent, *, declined: bool = False, hint: str = "The attempt counts as failed."
    ) -> None:
        super().__init__(message, hint)
        self.spent = spent
        self.declined = declined
        """The model does not want to answer: it would say the same again."""


class OutOfBudget(InvalidReply):
    """A call that was not made, because a budget is used up."""

    def __init__(self, role: str, why: str, spent: Spent) -> None:
        super().__init__(f"The {role} was not asked. {why}", spent, hint="")
        self.why = why


_CUT = "the reply was cut at"
DECLINED = "the model declined to answer"
"""Begins what is wrong with a reply that is a refusal."""


async def _ask(
    context: RoleContext, provider: Provider, prompt_request: PromptRequest, notes: CallNotes
) -> tuple[Request, Draft]:
    """Send the prompt in a form that fits the model's context; return the request and the reply as it came.

    A limit not known before is learnt from the refusal. Raises: ContextTooLong when nothing more can be left out,
    OutOfBudget.
    """
    try:
        return await _ask_fitting(context, provider, prompt_request, notes)
    except UsedUp as used_up:
        raise OutOfBudget(prompt_request.prompt.role, str(used_up), await _spent(context, replayed=0)) from None
    except ContextTooLong:
        # When the run is resumed, the model may have been started anew with a longer context.
        context.deps.rooms.pop(prompt_request.model, None)
        raise


async def _ask_fitting(
    context: RoleContext, provider: Provider, prompt_request: PromptRequest, notes: CallNotes
) -> tuple[Request, Draft]:
    deps = context.deps
    room = deps.rooms.get(prompt_request.model) or Room(await _own_context(provider, prompt_request))
    refusals, refused = 0, None
    while True:
        fitted = prompt_request.fitted(room)
        if fitted.request == refused:
            deps.rooms[prompt_request.model] = room = room.denser()
            continue
        if fitted.left_out and room.context:
            context.emit(PromptShortened(fitted.request.role, room.context, fitted.left_out))
        try:
            return fitted.request, await _stream(context, provider, fitted.request, notes)
        except ContextTooLong as fault:
            learnt, refusals = room.refused(fault.limit_tokens), refusals + 1
            if learnt is None or refusals == _MOST_REFUSALS:
                raise
            deps.rooms[prompt_request.model] = room = learnt
            refused = fitted.request


async def _own_context(provider: Provider, prompt_request: PromptRequest) -> int | None:
    if not isinstance(provider, TellsContext):
        return None
    return await provider.context_tokens(split_model(prompt_request.model)[1])


async def _stream(context: RoleContext, provider: Provider, request: Request, notes: CallNotes) -> Draft:
    """Return the whole reply, once the budget has room for the call. Raises: UsedUp, ProviderFault."""
    deps, checkpoint_id = context.deps, context.asker.checkpoint_id
    most = deps.most_of(provider, request)

    def tell_wait() -> None:
        context.emit(Noticed(f"The {request.role} waits: the budget has no room for a further call beside the others."))

    async with deps.purse.reserved(context.state, checkpoint_id, deps.bills, most, tell_wait) as reservation:
        context.waits_s.append(reservation.waited_s)
        try:
            draft = await _streamed(context, provider, request, notes)
        except ProviderFault as fault:
            await deps.sent.note_failed(notes.unanswered)
            if fault.usage != Usage():
                reservation.usage = deps.priced(provider, request.model, fault.usage)
                await deps.ledger.record_loss(reservation.usage)
            raise
        reservation.usage = draft.usage
        return draft


async def _streamed(context: RoleContext, provider: Provider, request: Request, notes: CallNotes) -> Draft:
    """Return the whole reply; emit retries as they happen. Each request is written down before it leaves this machine.

    Raises: ProviderFault, with what the failed call cost.
    """
    deps, emit, draft = context.deps, context.emit, Draft("", Usage())
    files: list[SentFile] | None = None
    if traced := traced_to():
        files = await _files(context, request)
        # LangSmith's client sends the prompt in a form of its own: what is counted is the least that leaves.
        size_bytes = len(request.user.encode("utf-8", "replace"))
        await deps.sent.note(context.asker, request.role, TRACED, traced, size_bytes, files)
    emit(CallBegun(request.role))
    name = f"{provider.name}:{request.model}"
    async with (
        span(request.role, name, request.user) as traced_reply,
        aclosing(_parts(context, provider, request)) as parts,  # type: ignore[type-var]
    ):
        async for part in parts:
            match part:
                case Departure():
                    files = await _files(context, request) if files is None else files
                    sent = await deps.sent.note(context.asker, request.role, name, part.address, part.size_bytes, files)
                    notes.sent(sent)
                    # Until now it may have waited for its turn.
                    emit(CallBegun(request.role))
                case ThoughtDelta():
                    emit(ThoughtStreamed(request.role, part.text))
                case TextDelta():
                    emit(TokenStreamed(request.role, part.text))
                case Notice():
                    emit(Noticed(part.text))
                case Waiting():
                    emit(CallWaits(request.role, part.seconds, part.attempt, part.why, name))
                case Completion():
                    traced_reply.append(part.text)
                    usage = deps.priced(provider, request.model, part.usage)
                    if deps.shared:
                        await deps.shared.keep(provider.name, request, replace(part, usage=usage))
                    draft = Draft(part.text, usage, _stop_words(part))
    return draft


async def _parts(context: RoleContext, provider: Provider, request: Request) -> AsyncIterator[Any]:
    """Stream a reply that another session of this task has paid for, else the provider's.

    It counts as if it were paid here: a session does and costs the same, whoever asked first.
    """
    shared = context.deps.shared
    if shared and (completion := await shared.find(provider.name, request)):
        yield completion
        return
    async with aclosing(retry.stream(provider, request)) as parts:  # type: ignore[type-var]
        async for part in parts:
            yield part


async def _files(context: RoleContext, request: Request) -> list[SentFile]:
    return await asyncio.to_thread(files_sent, f"{request.system}\n{request.user}", context.workspace)


def _read(text: str, prompt: Prompt, check: Check) -> Reading:
    """Read a reply of the prompt's schema, else of another one that it accepts; then check what it says."""
    first = read_reply(text, prompt.schema)
    readings = (reading for schema in prompt.or_schemas if (reading := read_reply(text, schema)).value is not None)
    reading = first if first.value is not None else next(readings, first)
    problems = check(reading.value) if reading.value is not None else []
    return Reading(None, problems, "") if problems else reading


def _problems(draft: Draft, reading: Reading) -> list[str]:
    return [draft.cut, *reading.problems] if draft.cut else reading.problems


async def _spent(context: RoleContext, replayed: int) -> Spent:
    """Return what the asking node has to count: its own calls, and those not counted before a crash or failure.

    The time that it waited for others' calls is taken off, as they count it themselves.
    """
    spent: Spent = {**no_spend(), "replayed_calls": replayed, "time_s": -sum(context.waits_s)}
    context.waits_s.clear()
    for number, usage in await context.deps.bills.take():
        spent = add_spent(spent, {**spend_of(usage), "bills": [number]})
    return spent


def _stop_words(completion: Completion) -> str:
    """Say what is wrong with a reply that did not come to its own end; empty for one that did."""
    match completion.stop_reason:
        case "length":
            return f"{_CUT} its longest, {completion.usage.output_tokens:,} tokens with the thinking"
        case "refusal":
            return f"{DECLINED}: {completion.why}" if completion.why else DECLINED
    return ""


def _is_declined(draft: Draft) -> bool:
    return draft.cut.startswith(DECLINED)


async def _given_up(context: RoleContext, role: str, draft: Draft, replayed: int) -> InvalidReply:
    """Return the error for a reply that was given up, with what its node has to count."""
    spent = add_spent(await _spent(context, replayed), {**no_spend(), "bills": [draft.given_up]})
    if _is_declined(draft):
        why = draft.cut.removeprefix(DECLINED).strip(": ").rstrip(".")
        return InvalidReply(f"The {role}'s model declined to answer{': ' * bool(why)}{why}.", spent, declined=True)
    return InvalidReply(f"The {role}'s reply could not be read: {draft.hopeless}.", spent)
