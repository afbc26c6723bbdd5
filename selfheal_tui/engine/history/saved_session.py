"""A session as it is on disk: its moments, its bills, and trying things beside a moment. Saves nothing.

`Session` adds what drives it, `WatchedSession` what follows one that another process drives.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from selfheal_tui.errors import InputError, SelfHealError, SessionError
from selfheal_tui.sandbox.allowance import allowed_of, is_covered
from selfheal_tui.sandbox.base import CaseFinished, SuiteReport
from selfheal_tui.store.acts import Act
from selfheal_tui.store.call_uses import Asker, CallUses, UsedCall
from selfheal_tui.store.history import MAIN, History, StoredCheckpoint, checkpoint_facts
from selfheal_tui.store.ledger import RecordedCall
from selfheal_tui.store.marks import CHOICES, COMMENTS, STANDS, TEXTS, TRIES
from selfheal_tui.store.searching import SearchRows
from selfheal_tui.store.sent import SentRequest
from selfheal_tui.store.session_db import SessionDB
from selfheal_tui.store.usage import UsageLog, UsageRow

from ..moment.events import CheckpointSaved, RaceFinished
from ..moment.hits import Hits
from ..moment.limits import race_limits
from ..moment.node_facts import asked_by
from ..moment.review import Comment, UnsentChoice, UnsentText
from ..moment.snapshot import Beginning, Snapshot
from ..moment.state import HealState, Manifest
from ..moment.timeline import TAKEN_BACK, Checkpoint, Timeline, build_timeline, uncollected
from ..moment.workspace import Workspace, load_workspace
from ..workshop.deps import Deps
from ..workshop.trial import SuiteTried, Tried, try_suite, try_text
from .branches import Branches
from .marks import load_marks
from .note_book import NoteBook
from .searching import Searching
from .snapshots import load_snapshot
from .standings import lane_result, race_result
from .unsent import Unsent


class SavedSession:
    """What can be looked at, also while another process drives the session."""

    def __init__(self, session_id: str, title: str, db: SessionDB, deps: Deps, initial: HealState) -> None:
        self.id = session_id
        self.title = title
        self._db = db
        self._deps = deps
        self._initial = initial
        self._usage = UsageLog(db)
        self._call_uses = CallUses(db)
        self._history = History(db)
        self.branches = Branches(db, self._mind_lessons)
        self._searching = Searching(SearchRows(db))
        self.notes = NoteBook(db)
        self.comments = Unsent[Comment](db, COMMENTS, "your comments")
        self.texts = Unsent[UnsentText](db, TEXTS, "your texts")
        self.choices = Unsent[UnsentChoice](db, CHOICES, "your choices")
        self.tries = Unsent[Tried](db, TRIES, "what you tried")
        self._looked: dict[Any, tuple[tuple[Any, ...], Checkpoint]] = {}
        """Checkpoint id -> the row that it was read from, and what it says."""

    async def timeline(self) -> Timeline:
        """Return the tree of all checkpoints."""
        rows = await self._history.rows()
        marks, stands = await load_marks(self._db), await self._db.get_meta(STANDS) or ""
        with uncollected():
            return build_timeline(self._checkpoints(rows), marks, stands)

    async def _mind_lessons(self) -> None:
        """Offer other sessions what this one learnt only while a branch that was healed stands."""
        lessons = self._deps.lessons
        if not lessons.path.is_file():
            return
        branches = (await self.timeline()).branches.values()
        gone = not any(branch.outcome == "healed" and branch.hidden not in TAKEN_BACK for branch in branches)
        with suppress(SessionError):  # a book that cannot be used is told of where it is read
            await asyncio.to_thread(lessons.take_back, self.id, gone)

    async def beginning(self) -> Beginning:
        """Return the session as it was created. Raises: SessionError when it is damaged."""
        checkpoint = checkpoint_of({"checkpoint_id": "", "parent_id": None, "asking": False})
        manifest = await self._deps.blobs.get(self._initial["manifest_ref"])
        return Beginning(await load_snapshot(self._deps.blobs, self._initial, checkpoint), len(manifest["files"]))

    async def search(self, text: str) -> AsyncGenerator[Hits, None]:
        """Yield, part by part, the moments, code and calls that hold a text. Raises: SessionError when damaged."""
        async with aclosing(self._searching.search(text, await self.timeline())) as parts:
            async for part in parts:
                yield part

    async def usage(self) -> list[UsageRow]:
        """Return what each node and role has used, branch by branch."""
        return await self._usage.rows()

    async def calls(self) -> list[RecordedCall]:
        """Return every recorded model call, over all branches, in the order they were made."""
        return await self._deps.ledger.all()

    async def askers(self) -> set[Asker]:
        """Return the moments that made calls."""
        return await self._call_uses.askers()

    async def used_calls(self, asker: Asker) -> list[UsedCall]:
        """Return what a moment asked; `calls.py` says which asker belongs to which checkpoint."""
        return await self._call_uses.of(asker)

    async def sent(self, asker: Asker | None = None) -> list[SentRequest]:
        """Return every request that left this machine, or those of one moment. Raises: SessionError when damaged."""
        return await self._deps.sent.all() if asker is None else await self._deps.sent.of(asker)

    async def root(self) -> Path | None:
        """Return the folder the files came from; None for a demo or a spec. Raises: SessionError when damaged."""
        root = (await self.manifest())["root"]
        return Path(root) if root else None

    async def python(self) -> str:
        """Return the path of the interpreter that ran the tests at first; empty for selfheal's own."""
        return (await self.manifest()).get("python", "")

    @property
    def began_with(self) -> dict[str, str]:
        """The plug-ins that were enabled when it was made, as `RunPolicy.plugins` has them."""
        return dict(self._initial["policy"].get("plugins", {}))

    async def manifest(self) -> Manifest:
        """Return what the session was created from. Raises: SessionError when damaged."""
        return cast(Manifest, await self._deps.blobs.get(self._initial["manifest_ref"]))

    async def head(self, branch: str = "") -> str | None:
        """Return the newest checkpoint's id of a branch, else of the one where the session stands; None before it."""
        return await self._history.head(branch or await self.branches.stands())

    @property
    def allowed(self) -> tuple[str, ...]:
        """What tests may have beyond the sandbox now."""
        return self._deps.allowed

    async def had_allowed(self) -> tuple[str, ...]:
        """Return what tests had beyond the sandbox where the session stands, as its file says. Raises: SessionError."""
        head = await self.head()
        report = (await self.snapshot(head)).report if head else None
        return allowed_of(report["isolation"]) if report else ()

    async def allowed_since(self) -> list[str]:
        """Return the cases that were set aside, and that what tests may have now lets run."""
        head = await self.head()
        aside = (await self.snapshot(head)).aside if head else None
        lacks = aside.get("lacks", {}) if aside else {}
        return [case for case, name in lacks.items() if is_covered(name, self.allowed)]

    async def checkpoint(self, checkpoint_id: str) -> Checkpoint:
        """Return the facts of one moment. Raises: InputError for an unknown id."""
        facts = await self._history.facts(checkpoint_id)
        if facts is None:
            raise self._unknown(checkpoint_id)
        return checkpoint_of(facts)

    async def snapshot(self, checkpoint_id: str) -> Snapshot:
        """Return one moment with its bodies. Raises: InputError for an unknown id, SessionError when damaged."""
        return (await self.saved(checkpoint_id)).snapshot

    async def saved(self, checkpoint_id: str) -> CheckpointSaved:
        """Return what tells of a moment. Raises: as `snapshot`."""
        event = await self._saved(checkpoint_id)
        if event is None:
            raise self._unknown(checkpoint_id)
        return event

    async def try_suite(
        self, checkpoint_id: str, changes: Mapping[str, str]
    ) -> AsyncGenerator[CaseFinished | SuiteTried, None]:
        """Run the suite of a moment with `changes` (path -> text) laid over its files; the run stays where it is.

        Nothing is saved; closing the iterator kills what runs. Raises: InputError, SessionError, SandboxError.
        """
        workspace, report = await self._program(checkpoint_id)
        tried = try_suite(self._deps.sandbox, workspace, self._deps.suite_limits, report, changes)
        async with aclosing(tried) as events:
            async for event in events:
                yield event

    async def try_text(
        self, checkpoint_id: str, text: str, changes: Mapping[str, str] | None = None, of: str = "the code"
    ) -> Tried:
        """Run a case by its name, or Python, beside a moment's program with `changes` laid over; the run stays.

        `of` says in words what it is tried on. Raises: InputError, SessionError, SandboxError.
        """
        workspace, report = await self._program(checkpoint_id)
        case_ids = [case["id"] for case in report["cases"]] if report else []
        limits = self._deps.suite_limits
        return await try_text(self._deps.sandbox, workspace, limits, case_ids, text, changes or {}, of)

    async def edit_of(self, moment: Snapshot) -> Any:
        """Return what the human made of the proposal that was decided on at a moment; None without an edit."""
        decision = moment.decision
        if decision is None or decision["verdict"] != "edit" or not decision["value_ref"]:
            return None
        return await self._deps.blobs.get(decision["value_ref"])

    async def raced(self) -> RaceFinished | None:
        """Return how the newest race ended; None unless it is what the session did last, and every lane is at rest."""
        race = await self.branches.race()
        if race is None:
            return None
        lanes = await self.branches.lanes_of(race)
        heads = [await self.head(branch) for branch in lanes]
        moments = [await self.checkpoint(head) for head in heads if head]
        if len(moments) < len(lanes) or any(at.next and not at.pending for at in moments):
            return None
        return await self.compared(race, {})

    async def compared(self, race: Act, failures: Mapping[str, SelfHealError]) -> RaceFinished:
        """Return how the lanes of a race stand, the best first; `failures` are those that could not go on."""
        start = await self.snapshot(race.details["at"])
        lanes = []
        for branch, changes in (await self.branches.lanes_of(race)).items():
            newest = await self.saved(await self.head(branch) or "")
            lanes.append(lane_result(start, branch, changes, newest, failures.get(branch)))
        return race_result(start, lanes, race_limits(race.details["budget"]))

    async def _saved(self, checkpoint_id: str) -> CheckpointSaved | None:
        stored = await self._history.checkpoint(checkpoint_id)
        if stored is None:
            return None
        checkpoint = checkpoint_of(stored.facts)
        return CheckpointSaved(checkpoint, await load_snapshot(self._deps.blobs, self._state(stored), checkpoint))

    async def _refreshed(self, saved: CheckpointSaved) -> CheckpointSaved:
        """Read again what changes after a checkpoint is saved: whether a question waits there, and the branch's name.

        Its bodies stay as they are.
        """
        checkpoint = await self.checkpoint(saved.checkpoint.id)
        snapshot = replace(saved.snapshot, branch=checkpoint.branch, pending=checkpoint.pending)
        return CheckpointSaved(checkpoint, snapshot)

    async def _state_at(self, checkpoint_id: str) -> HealState:
        stored = await self._history.checkpoint(checkpoint_id)
        if stored is None:
            raise self._unknown(checkpoint_id)
        return self._state(stored)

    def _state(self, stored: StoredCheckpoint) -> HealState:
        """Return a checkpoint's state; the session's first one where the graph has none yet."""
        state = stored.state()
        return cast(HealState, state) if state.get("manifest_ref") else self._initial

    def _unknown(self, checkpoint_id: str) -> InputError:
        return InputError(
            f"Session {self.id} has no checkpoint {checkpoint_id!r}.", f"See: selfheal sessions show {self.id}"
        )

    async def _program(self, checkpoint_id: str) -> tuple[Workspace, SuiteReport | None]:
        state, blobs = await self._state_at(checkpoint_id), self._deps.blobs
        ref = state.get("report_ref", "")
        return await load_workspace(blobs, state), cast(SuiteReport, await blobs.get(ref)) if ref else None

    def _checkpoints(self, rows: list[tuple[Any, ...]]) -> list[Checkpoint]:
        """Return the rows' checkpoints; of a long history few rows are new since the last look."""
        new = [row for row in rows if row[0] not in self._looked or self._looked[row[0]][0] != row]
        for row, facts in zip(new, checkpoint_facts(new), strict=True):
            self._looked[row[0]] = row, checkpoint_of(facts)
        return [self._looked[row[0]][1] for row in rows]


def checkpoint_of(facts: Mapping[str, Any]) -> Checkpoint:
    """Return a moment from its facts."""
    upcoming = tuple(facts["next"].split(",")) if facts.get("next") else ()
    decided = None
    if "decision_verdict" in facts:
        decided = {k: str(facts.get(f"decision_{k}", "")) for k in ("kind", "verdict", "note", "by")}
        more = ("together", "edited", "answered", "agent")
        decided |= {k: str(facts[f"decision_{k}"]) for k in more if facts.get(f"decision_{k}")}
        if comments := facts.get("decision_comments"):
            decided["comments"] = str(comments)
    return Checkpoint(
        id=str(facts["checkpoint_id"]),
        parent_id=facts["parent_id"],
        branch=str(facts.get("branch", MAIN)),
        step=int(facts.get("step", 0)),
        node=str(facts.get("node", "start")),
        next=upcoming,
        iteration=int(facts.get("iteration", 0)),
        created_at=str(facts.get("created_at", "")),
        passed=facts.get("passed"),
        failed=facts.get("failed"),
        decision=decided,
        pending=asked_by(upcoming) if facts["asking"] else None,
        outcome=str(facts.get("outcome", "")),
        heard=str(facts.get("heard", "")),
        spent=_spent(facts.get("spent")),
        gist=str(facts.get("gist", "")),
    )


def _spent(noted: Any) -> tuple[int, int, float | None, float] | None:
    if not isinstance(noted, list) or len(noted) != 4:
        return None
    calls, tokens, cost, time_s = noted
    return int(calls), int(tokens), None if cost is None else float(cost), float(time_s)
