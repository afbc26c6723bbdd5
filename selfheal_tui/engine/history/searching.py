"""Search a saved session: its moments, the code and the calls, each body once and each line where it came first.

    async for part in searching.search("merge"): part.hits, part.done, part.total

Rows and bodies are read a few hundred at a time, so whoever runs beside it is not held up. What was read of the states
is kept: a second search reads the bodies only.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from selfheal_tui.store.damage import UNDECODABLE
from selfheal_tui.store.searching import CallPlace, SavedCall, SavedState, SearchRows
from selfheal_tui.text import one_line

from ..moment.hits import MOST_HITS, Hit, HitKind, Hits
from ..moment.node_facts import facts_of
from ..moment.timeline import Checkpoint, Timeline
from ..moment.words import decision_line

_AROUND = 40
_BODIES = 200
_Line = tuple[str, int, str]
"""Where (path, role and model, or nothing), line number or 0, text."""


class _Body(NamedTuple):
    checkpoint_id: str
    kind: HitKind
    where: str
    ref: str
    shape: Literal["text", "files", "manifest", "diagnosis", "repair"]


@dataclass(slots=True)
class Searching:
    """Searches one open session, as often as one likes."""

    rows: SearchRows
    _bodies: list[_Body] = field(default_factory=list)
    _refs: set[str] = field(default_factory=set)
    _row: int = 0

    async def search(self, text: str, timeline: Timeline) -> AsyncGenerator[Hits, None]:
        """Yield what holds the text, in either case of letters: moments first, then bodies, then calls.

        The last part says that all is done, or that there are more than MOST_HITS. Raises: SessionError when damaged.
        """
        wanted = " ".join(text.split()).casefold()
        moments = await asyncio.to_thread(_moment_hits, timeline, wanted)
        count, total = len(moments), len(timeline.checkpoints)
        yield Hits(tuple(moments), 0, total)
        seen: set[tuple[str, str, str]] = set()
        async for done in self._read_states():
            yield Hits((), min(done, total), total)
        for start in range(0, len(self._bodies), _BODIES):
            part = self._bodies[start : start + _BODIES]
            texts = await self.rows.texts([body.ref for body in part])
            hits = await asyncio.to_thread(_body_hits, part, texts, wanted, seen)
            count += len(hits)
            yield Hits(tuple(hits), total, total)
            if count >= MOST_HITS:
                return
        after = CallPlace()
        ended_at = await asyncio.to_thread(_ends, timeline)
        while True:
            calls, last = await self.rows.calls(after)
            if last == after:
                return
            after = last
            hits = await asyncio.to_thread(_call_hits, calls, ended_at, wanted, seen)
            count += len(hits)
            yield Hits(tuple(hits), total, total)
            if count >= MOST_HITS:
                return

    async def _read_states(self) -> AsyncGenerator[int, None]:
        """Note which body each state names first; yield the row that was read last."""
        while True:
            states, last = await self.rows.states(self._row, self._named)
            if last == self._row:
                return
            self._row = last
            for bodies in states:
                fresh = [body for body in bodies if body.ref not in self._refs]
                self._refs.update(body.ref for body in fresh)
                self._bodies += fresh
                await self._unfold([body for body in fresh if body.shape == "manifest"])
            yield last

    @staticmethod
    def _named(state: SavedState) -> list[_Body]:
        return list(_bodies_of(state))

    async def _unfold(self, manifests: Sequence[_Body]) -> None:
        """Note the files as they were given."""
        for body in manifests:
            text = (await self.rows.texts([body.ref])).get(body.ref)
            for path, ref in (json.loads(text)["files"] if text else {}).items():
                if ref not in self._refs:
                    self._refs.add(ref)
                    self._bodies.append(_Body(body.checkpoint_id, "code", path, ref, "text"))


def _bodies_of(state: SavedState) -> Iterator[_Body]:
    values, at = state.values, state.checkpoint_id
    values = {**values.get("__start__", {}), **values}
    if ref := values.get("manifest_ref"):
        yield _Body(at, "code", "", ref, "manifest")
    if ref := values.get("spec_ref"):
        yield _Body(at, "code", "specification", ref, "text")
    if ref := values.get("diagnosis_ref"):
        yield _Body(at, "diagnosis", "", ref, "diagnosis")
    for label, ref in (values.get("candidates") or {}).items():
        yield _Body(at, "repair", f"candidate {label}", ref, "repair")
    for path, ref in (values.get("changes") or {}).items():
        yield _Body(at, "code", path, ref, "text")
    for _, ref in (values.get("suites") or {}).items():
        yield _Body(at, "code", "", ref, "files")


def _ends(timeline: Timeline) -> dict[tuple[str, str], str]:
    """Return (the moment that a node ran from, its branch) -> the moment at which it ended."""
    return {(at.parent_id or "", at.branch): at.id for at in reversed(list(timeline))}


def _moment_hits(timeline: Timeline, wanted: str) -> list[Hit]:
    return [hit for at in timeline if (hit := _moment_hit(at, timeline, wanted))][:MOST_HITS]


def _moment_hit(at: Checkpoint, timeline: Timeline, wanted: str) -> Hit | None:
    parts = [facts_of(at.node).row, at.gist, decision_line(at.decision) if at.decision else "", at.outcome]
    branch = timeline.branches[at.branch]
    if (parent := timeline.checkpoints.get(at.parent_id or "")) is None or parent.branch != at.branch:
        parts += [branch.name, branch.note]
    line = " · ".join(one_line(part, 400) for part in parts if part)
    return Hit(at.id, "moment", "", 0, _around(line, wanted)) if wanted in line.casefold() else None


def _body_hits(
    bodies: Sequence[_Body], texts: Mapping[str, str], wanted: str, seen: set[tuple[str, str, str]]
) -> list[Hit]:
    hits: list[Hit] = []
    for body in bodies:
        if body.shape == "manifest" or body.ref not in texts:
            continue
        try:
            lines = _lines(body, texts[body.ref])
        except UNDECODABLE:
            continue
        hits += _hits(body.checkpoint_id, body.kind, lines, wanted, seen)
    return hits


def _lines(body: _Body, text: str) -> list[_Line]:
    if body.shape == "text":
        return [(body.where, number, line) for number, line in enumerate(text.splitlines(), 1)]
    value = json.loads(text)
    if body.shape == "files":
        return [(path, n, line) for path, file in value.items() for n, line in enumerate(str(file).splitlines(), 1)]
    if body.shape == "diagnosis":
        why = [f"{one['file']}:{one['line']} {one['why']}" for one in value["evidence"]]
        return [("", 0, line) for line in (value["cause"], value["strategy"], *why)]
    changed = [
        line for line in value.get("diff", "").splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    return [(body.where, 0, line) for line in (value["summary"], *value.get("reasons", ()), *changed)]


def _call_hits(
    calls: Sequence[SavedCall], ended_at: Mapping[tuple[str, str], str], wanted: str, seen: set[tuple[str, str, str]]
) -> list[Hit]:
    hits: list[Hit] = []
    for call in calls:
        at = ended_at.get((call.asked_at, call.branch))
        where = f"{call.role}, {call.model}"
        lines: list[_Line] = [(where, 0, line) for line in (*call.prompt.splitlines(), *call.reply.splitlines())]
        if at is not None:
            hits += _hits(at, "call", lines, wanted, seen)
    return hits


def _hits(
    checkpoint_id: str, kind: HitKind, lines: Sequence[_Line], wanted: str, seen: set[tuple[str, str, str]]
) -> Iterator[Hit]:
    for where, number, line in lines:
        if wanted not in " ".join(line.split()).casefold():
            continue
        key = (kind, where, line.strip())
        if key not in seen:
            seen.add(key)
            yield Hit(checkpoint_id, kind, where, number, _around(line, wanted))


def _around(line: str, wanted: str) -> str:
    """Return the line as one safe line, cut so that the match can be seen."""
    safe = one_line(line, 10_000)
    start = max(0, safe.casefold().find(wanted) - _AROUND)
    return ("…" if start else "") + one_line(safe[start:], 200)
