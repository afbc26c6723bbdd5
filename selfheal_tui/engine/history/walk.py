"""From each moment of a session to every body it names: the walk that `check` and a branch's deletion go by.

Reads LangGraph's rows, but never through its saver: that one writes when it opens. What cannot be read is noted as
damage, and the walk goes on.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypedDict

from selfheal_tui.errors import SessionError
from selfheal_tui.store import rows_as_far
from selfheal_tui.store.damage import UNDECODABLE
from selfheal_tui.store.history import checkpoint_facts
from selfheal_tui.store.integrity import body_of
from selfheal_tui.store.packing import unpack

from .refs import Kind, Named, body_refs, decision_refs, question_refs, state_refs

_SHORT_ID = 13
_PLACES = 5
_WAITING = "at:"
"""Prefix of a checkpoint's id where a body is named by a node's result or an answer, not by the checkpoint itself."""


class Damage(TypedDict):
    """One thing that is damaged."""

    what: str
    """What it is and what is wrong with it, one sentence."""
    where: list[str]
    """Moments that lack it, the first few; empty when no moment is concerned."""
    moments: int
    """How many moments lack it."""


@dataclass(slots=True)
class Walk:
    """Which moment or body names which body; each body is read once."""

    connection: sqlite3.Connection
    states: dict[str, str] = field(default_factory=dict)
    """ref -> what is wrong with it; empty when it is whole."""
    words: dict[str, str] = field(default_factory=dict)
    namers: dict[str, set[str]] = field(default_factory=dict)
    """ref -> refs of the bodies and names of the moments that name it."""
    walked: set[tuple[str, Kind]] = field(default_factory=set)

    def take(self, moment: str, named: Iterable[Named]) -> None:
        """Walk all that a moment names."""
        todo = [(moment, one) for one in named]
        while todo:
            namer, one = todo.pop()
            self.namers.setdefault(one.ref, set()).add(namer)
            self.words.setdefault(one.ref, one.words)
            if (one.ref, one.kind) in self.walked:
                continue
            self.walked.add((one.ref, one.kind))
            raw, wrong = body_of(self.connection, one.ref)
            self.states[one.ref] = wrong
            if raw is not None and one.kind != "leaf":
                todo += [(one.ref, below) for below in body_refs(one.kind, json.loads(raw))]

    def missed_by(self, ref: str) -> set[str]:
        """Return the moments that need a body."""
        all_namers: set[str] = set()
        todo = [ref]
        while todo:
            for namer in self.namers.get(todo.pop(), ()):
                if namer not in all_namers:
                    all_namers.add(namer)
                    todo.append(namer)
        return all_namers - self.namers.keys()


def walk_moments(
    connection: sqlite3.Connection, walk: Walk, damage: list[Damage]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Walk the checkpoints; return their facts, oldest first, and the ids of those that cannot be read."""
    rows, wrong = rows_as_far.checkpoints(connection)
    results, results_wrong = rows_as_far.writes(connection)
    if not any((rows, wrong, results, results_wrong)):
        return [], []
    from selfheal_tui.store.saver import timeline_facts
    from selfheal_tui.store.serde import StateSerde

    serde = StateSerde()
    if wrong:
        damage.append(new_damage(f"After {len(rows)} checkpoints the others cannot be read: {wrong}."))
    facts: list[dict[str, Any]] = []
    unreadable: list[str] = []
    ids = {row[0] for row in rows}
    for checkpoint_id, parent_id, metadata, kind, body in rows:
        try:
            fact = checkpoint_facts([(checkpoint_id, parent_id, metadata, False)])[0]
        except SessionError:
            fact = {"checkpoint_id": checkpoint_id, "parent_id": parent_id}
            damage.append(new_damage(f"The facts of checkpoint {checkpoint_id} cannot be read.", [place(fact)]))
        facts.append(fact)
        if parent_id is not None and parent_id not in ids and not wrong:
            damage.append(new_damage(f"The moment before checkpoint {checkpoint_id} is missing.", [place(fact)]))
        try:
            with _quiet():
                saved = serde.loads_typed((kind, body))
            walk.take(checkpoint_id, _values_refs(saved["channel_values"]))
            # An earlier version may have told less; what is told must be what the state says.
            wrong_facts = [name for name, value in timeline_facts(saved).items() if fact.get(name, value) != value]
            if wrong_facts:
                sentence = f"The tree shows another {wrong_facts[0]} of a moment than its state does."
                damage.append(new_damage(sentence, [place(fact)]))
        except UNDECODABLE as error:
            unreadable.append(checkpoint_id)
            damage.append(new_damage(f"The state of a moment cannot be read ({type(error).__name__}).", [place(fact)]))
    if results_wrong:
        damage.append(new_damage(f"Results of nodes cannot be read: {results_wrong}."))
    _walk_results(results, serde, walk, damage)
    return facts, unreadable


def _walk_results(results: rows_as_far.Rows, serde: Any, walk: Walk, damage: list[Damage]) -> None:
    for checkpoint_id, channel, kind, value in results:
        try:
            with _quiet():
                body = serde.loads_typed((kind, value))
            if channel == "__interrupt__":
                for one in body if isinstance(body, list | tuple) else [body]:
                    walk.take(_WAITING + checkpoint_id, question_refs(getattr(one, "value", {})))
            else:
                walk.take(_WAITING + checkpoint_id, state_refs({channel: body}))
        except UNDECODABLE as error:
            sentence = f"A node's result ({channel}) at checkpoint {checkpoint_id[:_SHORT_ID]} cannot be read"
            damage.append(new_damage(f"{sentence} ({type(error).__name__})."))


def walk_others(connection: sqlite3.Connection, walk: Walk, damage: list[Damage]) -> None:
    """Walk the decisions and the programs that were run; read the recorded calls."""
    decisions, no_decision = rows_as_far.decisions(connection)
    programs, no_program = rows_as_far.programs(connection)
    for asked_at, value in decisions:
        try:
            walk.take(_WAITING + asked_at, decision_refs(json.loads(value)))
        except (ValueError, AttributeError):
            damage.append(new_damage(f"A decision at checkpoint {asked_at[:_SHORT_ID]} cannot be read."))
    for ref, iteration, branch in programs:
        walk.take("", [Named(f"the report of a program run at iteration {iteration} on {branch}", ref)])
    calls, no_call = rows_as_far.calls(connection)
    for role, model, prompt, reply, usage in calls:
        try:
            _text(prompt), json.loads(_text(reply)), json.loads(usage)
        except UNDECODABLE:
            damage.append(new_damage(f"A reply of {model} to the {role} cannot be read."))
    for name, why in (("decisions", no_decision), ("programs", no_program), ("replies", no_call)):
        if why:
            damage.append(new_damage(f"Some {name} cannot be read: {why}."))


def _text(body: str | bytes) -> str:
    """Return a packed text; store 3 wrote texts as they are."""
    return body if isinstance(body, str) else unpack(body)


def _values_refs(values: Mapping[str, Any]) -> Iterator[Named]:
    yield from state_refs(values)
    if start := values.get("__start__"):
        yield from state_refs(start)
    for send in values.get("__pregel_tasks") or []:
        yield from state_refs(send.arg)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the serialiser's log: altered bytes are reported as damage."""
    logger = logging.getLogger("langgraph.checkpoint.serde.jsonplus")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def place(fact: Mapping[str, Any]) -> str:
    """Say which moment it is, by its facts."""
    where = f"iteration {fact.get('iteration', '?')} on {fact.get('branch', 'main')}, after {fact.get('node', '?')}"
    return f"{where} (checkpoint {str(fact['checkpoint_id'])[:_SHORT_ID]})"


def waiting_place(moment: str) -> str:
    """Say what names a body when no moment does."""
    if not moment.startswith(_WAITING):
        return moment or "what was run or looked at before"
    return f"a result or answer to checkpoint {moment.removeprefix(_WAITING)[:_SHORT_ID]} that no moment shows"


def new_damage(sentence: str, places: Iterable[str] = ()) -> Damage:
    """Return a damage; `places` are the moments that lack what is damaged."""
    where = list(places)
    return {"what": sentence, "where": where[:_PLACES], "moments": len(where)}
