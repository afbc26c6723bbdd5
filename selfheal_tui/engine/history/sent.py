"""What left this machine, in words and in sums: for each model call which files, to which address, how many bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from selfheal_tui.llm.plugged import plugged
from selfheal_tui.llm.registry import split_model
from selfheal_tui.store.call_uses import Asker
from selfheal_tui.store.sent import ANSWERED, SentFile, SentRequest
from selfheal_tui.text import plural

from ..dialogue.tracing import TRACED

if TYPE_CHECKING:
    from .saved_session import SavedSession

COUNTED = "Bytes are those of the request bodies as they were sent; headers are not counted."
NOT_RECORDED = "not recorded"
_SCRIPT = "nothing (a script answered)"
_STAYS = "nothing (the model runs on this machine)"


@dataclass(frozen=True, slots=True)
class SentCall:
    """A model call, or a question that nobody answered, with the requests that left for it."""

    at: str
    """UTC, ISO 8601."""
    role: str
    model: str
    """`provider:model`."""
    branch: str
    answered: bool
    """False when every request failed, or nothing was heard of them."""
    words: str
    """What left, in one sentence: `shop.py, part of test_shop.py to http://127.0.0.1:11434, 2,310 bytes`."""
    requests: tuple[SentRequest, ...]


@dataclass(frozen=True, slots=True)
class SentTo:
    """All that went to one address."""

    address: str
    calls: int
    requests: int
    size_bytes: int
    files: tuple[SentFile, ...]


def sent_words(model: str, replayed: bool, requests: Sequence[SentRequest]) -> str:
    """Say what left this machine for a call."""
    if replayed:
        return "nothing (replayed)"
    if not requests:
        provider = split_model(model)[0]
        if provider == "scripted":
            return _SCRIPT
        said = plugged(provider)
        return _STAYS if said is not None and said.on_this_machine else NOT_RECORDED
    parts = []
    for address in dict.fromkeys(request.address for request in requests):
        to = [request for request in requests if request.address == address]
        size_bytes = sum(request.size_bytes for request in to)
        times = f" in {len(to)} requests" if len(to) > 1 else ""
        parts.append(f"{files_words(joined_files(to))} to {address}, {size_bytes:,} bytes{times}")
    return "; ".join(parts)


def files_words(files: Sequence[SentFile], most: int = 8) -> str:
    """Name files; `part of` those that are not whole."""
    if not files:
        return "no file"
    names = [file["path"] if file["whole"] else f"part of {file['path']}" for file in files[:most]]
    more = f" and {plural(len(files) - most, 'more file')}" if len(files) > most else ""
    return ", ".join(names) + more


def joined_files(requests: Iterable[SentRequest]) -> tuple[SentFile, ...]:
    """Return the files of several requests, each once; whole where one of them held it whole."""
    whole: dict[str, bool] = {}
    for request in requests:
        for file in request.files:
            whole[file["path"]] = whole.get(file["path"], False) or file["whole"]
    return tuple(SentFile(path=path, whole=all_of_it) for path, all_of_it in whole.items())


async def sent_calls(session: SavedSession) -> list[SentCall]:
    """Return every model call of a session with what left for it, oldest first. Raises: SessionError when damaged."""
    unmatched: dict[tuple[Asker, int], list[SentRequest]] = {}
    for request in await session.sent():
        unmatched.setdefault((Asker(request.asked_at, request.branch), request.number), []).append(request)
    calls: list[SentCall] = []
    askers = await session.askers()
    for asker in askers:
        for used in await session.used_calls(asker):
            of_call = tuple(unmatched.pop((asker, used.number), ()))
            words = sent_words(used.model, used.replayed, of_call)
            calls.append(SentCall(used.at, used.role, used.model, asker.branch, True, words, of_call))
    if not askers:  # an earlier selfheal did not tell which moment asked
        for call in await session.calls():
            words = sent_words(call["model"], False, ())
            calls.append(SentCall(call["at"], call["role"], call["model"], "", True, words, ()))
    return sorted([*calls, *_without_call(unmatched)], key=lambda call: call.at)


def _without_call(unmatched: Mapping[tuple[Asker, int], Sequence[SentRequest]]) -> list[SentCall]:
    groups: dict[tuple[Asker, str, str], list[SentRequest]] = {}
    for (asker, _), requests in unmatched.items():
        for request in requests:
            groups.setdefault((asker, request.role, request.model), []).append(request)
    return [
        SentCall(of[0].at, role, model, asker.branch, _answered(model, of), sent_words(model, False, of), tuple(of))
        for (asker, role, model), of in groups.items()
    ]


def _answered(model: str, requests: Sequence[SentRequest]) -> bool:
    """Tell whether requests without a call were answered: those of a deleted branch were; a trace needs no answer."""
    return model == TRACED or any(request.outcome == ANSWERED for request in requests)


def sent_to(calls: Sequence[SentCall]) -> list[SentTo]:
    """Add up what went to each address, in the order they were first used."""
    addresses = dict.fromkeys(request.address for call in calls for request in call.requests)
    totals = []
    for address in addresses:
        to = [request for call in calls for request in call.requests if request.address == address]
        of = sum(any(request.address == address for request in call.requests) for call in calls)
        size_bytes = sum(request.size_bytes for request in to)
        totals.append(SentTo(address, of, len(to), size_bytes, joined_files(to)))
    return totals
