"""The model calls of a moment: what the node that ended there asked, and what it was answered. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from selfheal_tui.store.call_uses import Asker, UsedCall
from selfheal_tui.store.sent import SentRequest

from ..moment.timeline import Checkpoint
from .saved_session import SavedSession
from .sent import NOT_RECORDED, sent_words


@dataclass(frozen=True, slots=True)
class MomentCall:
    """A call of a node that ended at a checkpoint."""

    role: str
    model: str
    """`provider:model`."""
    node: str
    iteration: int
    branch: str
    checkpoint_id: str
    """Where the node ended."""
    prompt: str
    """System and user text as they were sent."""
    reply: Any
    """The validated reply, a JSON object; the text as it came (str) where it could not be read."""
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """None: the price is unknown. Of a replayed call what it had cost when it was paid; here it cost nothing."""
    time_s: float
    """Waits and retries included; 0 for a replayed one."""
    at: str
    """UTC, ISO 8601."""
    replayed: bool
    """Served from the ledger."""
    degraded: str
    """Why the reply had to be salvaged, asked for again or given up; empty when it was fine."""
    prompt_name: str
    prompt_version: int
    """0 where it is not known."""
    prompt_sha256: str
    """Of the prompt file."""
    sent: tuple[SentRequest, ...] = ()
    """Requests that left this machine for it, those that failed included."""
    sent_words: str = NOT_RECORDED
    """What left, in one sentence."""


async def calls_at(session: SavedSession, checkpoint_id: str) -> list[MomentCall]:
    """Return the calls of the node, or of the nodes side by side, that ended at this checkpoint, in their order.

    Raises: InputError for an unknown id, SessionError when damaged.
    """
    return await _calls(session, await session.checkpoint(checkpoint_id))


async def calls_until(session: SavedSession, checkpoint_id: str) -> list[MomentCall]:
    """Return the calls of all moments from the root to this one, oldest first. Raises: SessionError when damaged."""
    lineage: Sequence[Checkpoint] = (await session.timeline()).lineage(checkpoint_id)
    askers = await session.askers()
    calls: list[MomentCall] = []
    for checkpoint in lineage:
        if _asker(checkpoint) in askers:
            calls += await _calls(session, checkpoint)
    return calls


async def newest_calls(session: SavedSession, lineage: Sequence[Checkpoint]) -> list[MomentCall]:
    """Return the calls of the last iteration on this line in which any was made, newest first.

    `lineage` runs from the root to the moment looked at. Raises: SessionError when damaged.
    """
    askers = await session.askers()
    asking = [checkpoint for checkpoint in reversed(lineage) if _asker(checkpoint) in askers]
    calls: list[MomentCall] = []
    for checkpoint in asking:
        if checkpoint.iteration != asking[0].iteration:
            break
        calls += reversed(await _calls(session, checkpoint))
    return calls


def _asker(checkpoint: Checkpoint) -> Asker:
    """Return who asked: a node runs from the checkpoint before the one that it ends at."""
    return Asker(checkpoint.parent_id or "", checkpoint.branch)


async def _calls(session: SavedSession, checkpoint: Checkpoint) -> list[MomentCall]:
    asker = _asker(checkpoint)
    used_calls = await session.used_calls(asker)
    requests = await session.sent(asker) if used_calls else []
    return [
        _of_moment(checkpoint, used, tuple(request for request in requests if request.number == used.number))
        for used in used_calls
    ]


def _of_moment(checkpoint: Checkpoint, used: UsedCall, sent: tuple[SentRequest, ...]) -> MomentCall:
    name, version, sha256 = _prompt(used.written_by)
    return MomentCall(
        role=used.role,
        model=used.model,
        node=checkpoint.node,
        iteration=checkpoint.iteration,
        branch=checkpoint.branch,
        checkpoint_id=checkpoint.id,
        prompt=used.prompt,
        reply=used.reply,
        input_tokens=used.usage.input_tokens,
        output_tokens=used.usage.output_tokens,
        cost_usd=used.usage.cost_usd,
        time_s=used.time_s,
        at=used.at,
        replayed=used.replayed,
        degraded=used.degraded,
        prompt_name=name,
        prompt_version=version,
        prompt_sha256=sha256,
        sent=sent,
        sent_words=sent_words(used.model, used.replayed, sent),
    )


def _prompt(written_by: str) -> tuple[str, int, str]:
    """Split `debugger v1 3f2a9c...` into name, version and hash."""
    name, _, rest = written_by.partition(" v")
    version, _, sha256 = rest.partition(" ")
    return name, int(version) if version.isdecimal() else 0, sha256
