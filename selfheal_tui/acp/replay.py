"""The history of a session as updates: what was asked for, each step with what came of it, your decisions. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence

from acp.helpers import SessionUpdate, start_tool_call, update_agent_message_text, update_user_message_text

from selfheal_tui.engine.moment.node_facts import facts_of, was_passed_over
from selfheal_tui.engine.moment.state import Manifest
from selfheal_tui.engine.moment.timeline import Checkpoint
from selfheal_tui.engine.moment.words import decision_line
from selfheal_tui.text import one_line

from .markup import prose
from .telling import done_title, kind_of

_MOST = 400
"""Steps that are told of a long history; the newest."""


def replayed(
    manifest: Manifest, spec: str, line: Sequence[Checkpoint], new_id: Callable[[], str]
) -> Iterator[SessionUpdate]:
    """Yield what happened on a line of checkpoints, from the first one."""
    yield update_user_message_text(_begun_with(manifest, spec))
    if len(line) > _MOST:
        yield update_agent_message_text(f"{len(line) - _MOST} earlier steps are left out.\n\n")
    for checkpoint in line[-_MOST:]:
        decision = checkpoint.decision
        if decision and not was_passed_over(checkpoint.node, decision):
            words = prose(f"{decision.get('kind', 'review')}: {decision_line(decision)}")
            is_yours = decision.get("by") == "human"
            yield update_user_message_text(words) if is_yours else update_agent_message_text(f"{words}\n\n")
            continue
        facts = facts_of(checkpoint.node)
        if checkpoint.node == "start" or facts.asks or facts.brief:
            continue
        yield start_tool_call(new_id(), done_title(checkpoint), kind=kind_of(checkpoint.node), status="completed")


def _begun_with(manifest: Manifest, spec: str) -> str:
    if manifest["root"] is None and spec:
        return f"/new {prose(spec, 1000)}"
    return f"/fix {prose(shlex.join(one_line(path) for path in manifest['program'][:5]))}"
