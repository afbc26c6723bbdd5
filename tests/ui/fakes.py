"""A workbench and a session in memory that yield real events: the engine's contract, without an engine.

start - run_suite - diagnose - review_diagnosis - propose - review_repair - apply (healed)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from textual.pilot import Pilot
from textual.widget import Widget

from selfheal_tui.engine.history.undo import Undone
from selfheal_tui.engine.moment.events import (
    CandidateRehearsed,
    CaseFinished,
    CheckpointSaved,
    Event,
    NodeStarted,
    ReviewRequested,
    RunFailed,
    RunFinished,
    SearchProgressed,
    TokenStreamed,
)
from selfheal_tui.engine.moment.hits import Hit, Hits
from selfheal_tui.engine.moment.hunks import chosen_hunks
from selfheal_tui.engine.moment.review import Answer, Comment, ReviewKind, UnsentChoice, UnsentText
from selfheal_tui.engine.moment.snapshot import Beginning, Snapshot
from selfheal_tui.engine.moment.state import Diagnosis, Repair, SuspectLine, no_spend
from selfheal_tui.engine.moment.timeline import Checkpoint, Timeline, build_timeline
from selfheal_tui.engine.session.hooks import Hooks
from selfheal_tui.engine.workshop.trial import SuiteTried, Tried
from selfheal_tui.errors import InputError, SelfHealError, SessionError
from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.store.call_uses import Asker, UsedCall
from selfheal_tui.store.notes import Note
from selfheal_tui.store.sent import SentRequest
from selfheal_tui.store.sessions import SessionRow
from selfheal_tui.ui.kit.transcript import Transcript

CODE = '''"""Half-open intervals."""

from __future__ import annotations


def overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Tell whether two half-open intervals share a point."""
    return a[0] <= b[1] and b[0] <= a[1]


def merge(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join overlapping spans; touching ones stay apart."""
    merged: list[tuple[int, int]] = []
    for span in sorted(spans):
        if merged and overlap(merged[-1], span):
            merged[-1] = (merged[-1][0], max(merged[-1][1], span[1]))
        else:
            merged.append(span)
    return merged
'''
FIXED = CODE.replace("a[0] <= b[1] and b[0] <= a[1]", "a[0] < b[1] and b[0] < a[1]")
HALF = CODE.replace("a[0] <= b[1] and", "a[0] < b[1] and")
TESTS = "from intervals import overlap\n\n\ndef test_touching():\n    assert not overlap((0, 1), (1, 2))\n"
CASES = ("touching", "merge_touching", "inside", "apart", "empty", "same", "negative")

DIAGNOSIS: Diagnosis = {
    "fault": "code",
    "category": "boundary",
    "cause": "overlap() compares with <=, so spans that only touch count as overlapping.",
    "evidence": [
        {"file": "intervals.py", "line": 8, "why": "runs in both failing cases, and in few that pass"},
        {"file": "intervals.py", "line": 15, "why": "calls it for every pair"},
    ],
    "strategy": "Compare with < on both sides.",
    "confidence": 0.82,
    "by": "search",
}

SUSPECTS: tuple[SuspectLine, ...] = tuple(
    {"path": "intervals.py", "line": line, "score": score, "why": "runs in 2 of 2 failing cases"}
    for line, score in ((8, 1.0), (16, 0.82), (15, 0.58), (14, 0.58), (13, 0.58), (18, 0.4), (19, 0.1), (6, 0.8))
)


def report(failing: int) -> SuiteReport:
    cases: list[CaseResult] = [
        {
            "id": f"test_intervals.py::test_{name}",
            "outcome": "failed" if n < failing else "passed",
            "message": "AssertionError: assert not True" if n < failing else "",
            "expected": "False" if n < failing else None,
            "actual": "True" if n < failing else None,
            "location": "intervals.py:8" if n < failing else None,
            "traceback": "",
            "duration_s": 0.001,
            "output": "",
        }
        for n, name in enumerate(CASES)
    ]
    return {
        "passed": len(CASES) - failing,
        "failed": failing,
        "errors": 0,
        "timeouts": 0,
        "skipped": 0,
        "duration_s": 0.04,
        "isolation": ["namespaces", "landlock"],
        "trust": "provisional",
        "not_verified": "the tests ran in the same process as the code",
        "truncated": False,
        "cases": cases,
        "verdict": "failed" if failing else "passed",
        "error": None,
    }


def repair(text: str, failing: int, rank: int) -> Repair:
    ids = [case["id"] for case in report(2)["cases"]]
    return {
        "summary": "compare with < instead of <= in overlap" + (" (left side only)" if failing else ""),
        "changes": {"intervals.py": text},
        "strategy": "boundary",
        "by": "search",
        "report": report(failing),
        "fixes": ids[failing:2],
        "breaks": [],
        "rank": rank,
        "reasons": ["every test passes", "the smallest edit: 2 tokens"] if not failing else ["one test still fails"],
    }


_AT_ONCE = (
    *(("minimal", "Both comparisons "), ("rewrite", "def overlap(a, b)"), ("minimal", "have to be strict.\nThe ")),
    *(("rewrite", ":\n    return a[0] < b[1]"), ("minimal", "patch follows."), ("rewrite", " and b[0] < a[1]\n")),
)
"""What two strategies say at the same time."""
CANDIDATES = {"a": repair(FIXED, 0, 1), "b": repair(HALF, 1, 2)}


def snapshot(checkpoint_id: str, node: str, **changes: Any) -> Snapshot:
    base = Snapshot(
        checkpoint_id=checkpoint_id,
        branch="main",
        node=node,
        mode="fix",
        title="intervals",
        spec="",
        iteration=0,
        program={"intervals.py": CODE},
        base={"intervals.py": CODE},
        tests={"test_intervals.py": TESTS},
        report=None,
        diagnosis=None,
        candidates={},
        decision=None,
        feedback=(),
        records=(),
        spent=no_spend(),
        limits={"max_iterations": 6, "max_tokens": None, "max_cost_usd": None, "max_time_s": None},
        models={"*": "search"},
        autonomy="review_all",
        outcome="",
        reason="",
        pending=None,
    )
    return replace(base, **changes)


def part_of_search(**changes: Any) -> dict[str, Any]:
    """Return a rehearsed repair of the search with which another case still fails."""
    report = {"verdict": "failed", "error": None, "failed": 1, "errors": 0, "timeouts": 0, "not_verified": None}
    plain = {
        "summary": "line 8",
        "by": "search",
        "strategy": "search",
        "fixes": ["test_a"],
        "breaks": [],
        "changes": {},
    }
    return plain | {"report": report} | changes


async def settle(pilot: Pilot[Any], held: str = "") -> None:
    """Wait until the screen, its model, its texts and its short workers are at rest; those of group `held` wait."""
    seen: object = None
    for _ in range(300):
        # Every widget handles what it has; only where that changes nothing more, the idle process is waited for.
        busy = _busy(pilot, held)
        await pilot.pause(0.01 if busy else 0)
        if seen == (now := _moment(pilot)) and not busy:
            await pilot.pause()
            if now == _moment(pilot) and not _busy(pilot, held):
                return
        seen = now
    raise AssertionError("The app does not come to rest: which worker is held belongs in `held`.")


def _moment(pilot: Pilot[Any]) -> object:
    screen = pilot.app.screen
    # A widget hears of its new size after the layout, and may then look otherwise.
    looks = [(widget.size, widget.classes) for widget in screen.walk_children(Widget)]
    return screen, looks, getattr(screen, "model", None), getattr(screen, "_arming", None) and screen._arming.armed


def _busy(pilot: Pilot[Any], held: str) -> bool:
    short = {
        *("begin", "drafts", "apply", "branch", "look", "reload", "details", "list", "try", "branches", "compare"),
        *("models", "search", "offers", "folder"),
    } - {held}
    order = getattr(pilot.app, "_key_order", None)
    return (
        (order is not None and bool(order._held))
        or any(worker.group in short and not worker.is_finished for worker in pilot.app.workers)
        or any(text._arrived for text in pilot.app.screen.query(Transcript))
        # A class that was set asks for a layout on the way through the widget's own queue.
        or any(widget._layout_required for widget in pilot.app.screen.walk_children(Widget, with_self=True))
    )


class FakeBranches:
    """The size of the only branch; an undo is counted, and takes a note back where there is one."""

    def __init__(self, notes: FakeNotes) -> None:
        self._notes = notes
        self.undone = 0

    async def undo(self) -> Undone:
        if not self._notes.texts:
            self.undone += 1
            return Undone("decision", "your approval of the repair")
        self._notes.texts.pop()
        return Undone("next_note", "your note for the next step")

    async def race(self) -> None:
        return None

    async def sizes(self) -> dict[str, int]:
        return {"main": 12_345}


T = TypeVar("T")


class FakeUnsent(Generic[T]):
    """Keeps what was not sent by question, as a session's file does."""

    def __init__(self) -> None:
        self.kept: dict[str, list[T]] = {}

    async def load(self, checkpoint_id: str) -> list[T]:
        return self.kept.get(checkpoint_id, [])

    async def save(self, checkpoint_id: str, unsent: Sequence[T]) -> None:
        self.kept[checkpoint_id] = list(unsent)


class FakeNotes:
    """Keeps notes that nobody reads."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def add(self, text: str) -> None:
        if text == "refuse me":
            raise InputError("The note is too long.", "Shorten it.")
        self.texts.append(text)

    async def waiting(self) -> list[Note]:
        return [Note(str(number), text, "") for number, text in enumerate(self.texts)]

    async def can_take_back(self) -> bool:
        return bool(self.texts)


class FakeSession:
    """Plays one healing; remembers what it was asked in `decisions` and `forks`."""

    def __init__(self, session_id: str, *, error: SelfHealError | None = None, stall: asyncio.Event | None = None):
        self.id = session_id
        self.title = "intervals"
        self.error = error
        self.stall = stall
        self.allowed: tuple[str, ...] = ()
        """Waited for before the first question: a run that takes its time."""
        self.decisions: list[tuple[str, Answer]] = []
        self.forks: list[tuple[str, str]] = []
        self.fork_changes: list[dict[str, Any]] = []
        self.calls: dict[str, list[UsedCall]] = {}
        self.requests: list[SentRequest] = []
        """Checkpoint that a node ran from -> the calls it made."""
        self.resumed = 0
        self.held_search: asyncio.Event | None = None
        """Set: the repair step searches, has a best one, and goes on once `take_best` or this says so."""
        self.taken = 0
        self.tried: list[dict[str, str]] = []
        """Files that the suite was tried with."""
        self.tried_texts: list[tuple[str, dict[str, str], str]] = []
        self.notes = FakeNotes()
        self.comments = FakeUnsent[Comment]()
        self.texts = FakeUnsent[UnsentText]()
        self.choices = FakeUnsent[UnsentChoice]()
        self.tries = FakeUnsent[Tried]()
        self.root_folder: Path | None = Path("/home/me/intervals")
        self.branches = FakeBranches(self.notes)
        self.moment_changes: dict[str, Any] = {}
        """What every moment has otherwise."""
        self.diagnosis = DIAGNOSIS
        """What the diagnosis review is about."""
        self.candidates = CANDIDATES
        """What the repair review is about."""
        self.edits: dict[int, dict[str, Any] | None] = {}
        """Number of the moment that a decision made -> the edit."""
        self._checkpoints: list[Checkpoint] = []
        self._snapshots: dict[str, Snapshot] = {}

    async def raced(self) -> None:
        return None

    async def had_allowed(self) -> tuple[str, ...]:
        return ()

    @property
    def began_with(self) -> dict[str, str]:
        return {}

    async def python(self) -> str:
        return ""

    async def manifest(self) -> Any:
        root = await self.root()
        return {
            "files": {},
            "program": ["cart.py"],
            "tests": [],
            "pytest_args": [],
            "root": str(root) if root else None,
        }

    async def root(self) -> Path | None:
        return self.root_folder

    async def timeline(self) -> Timeline:
        return build_timeline(self._checkpoints)

    async def beginning(self) -> Beginning:
        return Beginning(snapshot("", "start"), 2)

    async def snapshot(self, checkpoint_id: str) -> Snapshot:
        return self._snapshots[checkpoint_id]

    async def edit_of(self, moment: Snapshot) -> Any:
        return self.edits.get(int(moment.checkpoint_id.removeprefix("c")))

    async def checkpoint(self, checkpoint_id: str) -> Checkpoint:
        return next(c for c in self._checkpoints if c.id == checkpoint_id)

    async def used_calls(self, asker: Asker) -> list[UsedCall]:
        return self.calls.get(asker.checkpoint_id, [])

    async def sent(self, asker: Asker | None = None) -> list[SentRequest]:
        return [one for one in self.requests if asker is None or (one.asked_at, one.branch) == asker]

    async def askers(self) -> set[Asker]:
        return {Asker(c.parent_id or "", c.branch) for c in self._checkpoints if c.parent_id in self.calls}

    def take_best(self) -> bool:
        self.taken += 1
        assert self.held_search is not None
        self.held_search.set()
        return True

    async def search(self, text: str) -> AsyncGenerator[Hits, None]:
        hits = (
            Hit("c2", "code", "intervals.py", 8, "return a[0] <= b[1]"),
            Hit("c3", "diagnosis", "", 0, "[red]overlap\x1b[0m compares with <="),
        )
        yield Hits((), 0, 3)
        yield Hits(tuple(hit for hit in hits if text in hit.text), 3, 3)

    async def head(self) -> str | None:
        return self._checkpoints[-1].id if self._checkpoints else None

    async def resume(self) -> AsyncGenerator[Event, None]:
        self.resumed += 1
        if self.error is not None:
            error, self.error = self.error, None
            yield RunFailed(error)
            return
        if not self._checkpoints:
            yield self._save("start", ("run_suite",))
            yield NodeStarted("run_suite")
            for case in report(2)["cases"]:
                yield CaseFinished(case)
            if self.stall is not None:
                await self.stall.wait()
            yield self._save("run_suite", ("diagnose",), report=report(2))
            yield NodeStarted("diagnose")
            yield TokenStreamed("debugger", "looking at [red]<=[/red]\n")
            yield self._save("diagnose", ("review_diagnosis",), diagnosis=self.diagnosis, suspects=SUSPECTS)
        yield self._ask("diagnosis")

    async def ask_again(self) -> AsyncGenerator[Event, None]:
        """Resume where it stands: the waiting question once more, as after it was left."""
        newest = self._checkpoints[-1]
        assert newest.pending is not None
        yield self._ask(newest.pending)

    async def decide(self, checkpoint_id: str, answer: Answer) -> AsyncGenerator[Event, None]:
        if answer.get("note") == "refuse me":
            raise InputError("The edit cannot be used.", "Mend it.")
        self.decisions.append((checkpoint_id, answer))
        for unsent in (self.texts, self.choices, self.tries):
            unsent.kept.pop(checkpoint_id, None)
        asked = next(c for c in self._checkpoints if c.id == checkpoint_id)
        old = asked.pending is None
        branch = "branch-2" if old else asked.branch
        kind: ReviewKind = "diagnosis" if asked.next == ("review_diagnosis",) else "repair"
        decision = {"kind": kind, "verdict": answer["verdict"], "note": answer.get("note", ""), "by": "human"}
        decision |= {"pick": answer.get("pick", ""), "value_ref": "edit" if answer["verdict"] == "edit" else ""}
        self.edits[len(self._checkpoints) + 1] = self._body(answer)
        at = {"parent": checkpoint_id, "branch": branch}
        self._pend(checkpoint_id, None)
        if answer["verdict"] == "stop":
            saved = self._save(
                f"review_{kind}", (), decision=decision, outcome="stopped", reason="You stopped it.", **at
            )
            yield saved
            yield RunFinished(saved.snapshot)
        elif kind == "diagnosis" and answer["verdict"] == "reject":
            yield self._save("review_diagnosis", ("diagnose",), decision=decision, **at)
            yield self._save("diagnose", ("review_diagnosis",), diagnosis={**DIAGNOSIS, "cause": "second thoughts"})
            yield self._ask("diagnosis")
        elif kind == "diagnosis":
            yield self._save("review_diagnosis", ("propose",), decision=decision, **at)
            yield NodeStarted("propose")
            for by, text in _AT_ONCE:
                yield TokenStreamed("repairer", text, by)
            if self.held_search is not None:
                yield SearchProgressed(64, 4372, "line 8: `<=` becomes `<`")
                await self.held_search.wait()
                yield CandidateRehearsed("search 1", 2, 0)
            yield self._save("rank", ("review_repair",), candidates=self.candidates)
            yield self._ask("repair")
        elif answer["verdict"] == "reject":
            yield self._save("review_repair", ("propose",), decision=decision, candidates={}, **at)
            yield self._save("rank", ("review_repair",), candidates={"a": CANDIDATES["b"]})
            yield self._ask("repair")
        else:
            yield self._save("review_repair", ("apply",), decision=decision, **at)
            saved = self._save(
                "run_suite",
                (),
                candidates={},
                program={"intervals.py": FIXED},
                report=report(0),
                suspects=(),
                iteration=1,
                outcome="healed",
                reason="Every test passes.",
            )
            yield saved
            yield RunFinished(saved.snapshot)

    def _body(self, answer: Answer) -> dict[str, Any] | None:
        """Return an edit as it is kept: a choice of hunks with the text that it makes."""
        value = dict(answer.get("value") or {}) or None
        if value is None or "hunks" not in value:
            return value
        repair = self.candidates[answer.get("pick") or next(iter(self.candidates))]
        changes, declined = chosen_hunks({"intervals.py": CODE}, repair["changes"], value["hunks"])
        return {"changes": changes, "declined": declined}

    async def stop(self, best: str = "") -> AsyncGenerator[Event, None]:
        last = self._checkpoints[-1]
        saved = self._save(last.node, (), outcome="stopped", reason=f"Stopped by the user. {best}")
        yield saved
        yield RunFinished(saved.snapshot)

    async def fork(
        self, checkpoint_id: str, changes: Mapping[str, Any], label: str = "", run: bool = True
    ) -> AsyncGenerator[Event, None]:
        if "nothing" in changes:
            raise InputError("There is no setting 'nothing'.", "See: selfheal config")
        self.forks.append((checkpoint_id, label))
        self.fork_changes.append(dict(changes))
        yield self._save("diagnose", ("review_diagnosis",), parent=checkpoint_id, branch=label or "branch-2")
        yield self._ask("diagnosis")

    async def try_suite(
        self, checkpoint_id: str, changes: Mapping[str, str]
    ) -> AsyncGenerator[CaseFinished | SuiteTried, None]:
        self.tried.append(dict(changes))
        text = changes.get("intervals.py", CODE)
        failing = (" <= b[1]" in text) + (" <= a[1]" in text)
        told = report(failing)
        for case in told["cases"]:
            yield CaseFinished(case)
        ids = [case["id"] for case in told["cases"]]
        yield SuiteTried(told, tuple(ids[failing:2]), ())

    async def try_text(
        self, checkpoint_id: str, text: str, changes: Mapping[str, str] | None = None, of: str = "the code"
    ) -> Tried:
        self.tried_texts.append((text, dict(changes or {}), of))
        raises = "raise" in text
        return {
            "text": text,
            "kind": "code",
            "cases": [],
            "of": of,
            "outcome": "failed" if raises else "passed",
            "value": None if raises else f"[red]{len(self.tried_texts)}[/red]",
            "output": "printed\n" if "print" in text else "",
            "error": "ValueError: no" if raises else "",
            "traceback": "selfheal_try.py:1: in <module>" if raises else "",
            "duration_s": 0.004,
        }

    def _save(
        self,
        node: str,
        following: tuple[str, ...],
        *,
        parent: str | None = None,
        branch: str = "",
        decision: dict[str, str] | None = None,
        **changes: Any,
    ) -> CheckpointSaved:
        last = self._checkpoints[-1] if self._checkpoints else None
        parent_id = parent or (last.id if last else None)
        name = branch or (last.branch if last else "main")
        checkpoint_id = f"c{len(self._checkpoints) + 1}"
        before = self._snapshots[parent_id] if parent_id else snapshot(checkpoint_id, node)
        full = {"value_ref": "", "pick": "", **decision} if decision else None
        changes.setdefault("decision", full)
        changes = {**self.moment_changes, **changes}
        now = replace(before, checkpoint_id=checkpoint_id, node=node, branch=name, pending=None, **changes)
        counted = now.report
        saved = Checkpoint(
            id=checkpoint_id,
            parent_id=parent_id,
            branch=name,
            step=len(self._checkpoints),
            node=node,
            next=following,
            iteration=now.iteration,
            created_at="2026-01-01T00:00:00Z",
            passed=counted["passed"] if counted else None,
            failed=counted["failed"] if counted else None,
            decision=decision,
            pending=None,
            outcome=now.outcome,
        )
        self._checkpoints.append(saved)
        self._snapshots[checkpoint_id] = now
        return CheckpointSaved(saved, now)

    def _ask(self, kind: ReviewKind) -> ReviewRequested:
        last = self._checkpoints[-1]
        self._pend(last.id, kind)
        return ReviewRequested(last.id, last.branch, kind, self._snapshots[last.id])

    def _pend(self, checkpoint_id: str, kind: ReviewKind | None) -> None:
        self._checkpoints = [replace(c, pending=kind) if c.id == checkpoint_id else c for c in self._checkpoints]
        self._snapshots[checkpoint_id] = replace(self._snapshots[checkpoint_id], pending=kind)


class FakeWorkbench:
    """Holds fake sessions; `busy` is refused, everything else opens."""

    def __init__(self, session: FakeSession | None = None, rows: list[SessionRow] | None = None) -> None:
        self.session = session or FakeSession("s1")
        self.rows = rows or []
        self.deleted: list[str] = []
        self.renamed: list[tuple[str, str]] = []
        self.open = False
        self.hooks: Hooks | None = None

    def list_sessions(self) -> list[SessionRow]:
        return [row for row in self.rows if row.session_id not in self.deleted]

    @asynccontextmanager
    async def open_session(self, session_id: str) -> AsyncIterator[FakeSession]:
        if session_id == "busy":
            raise SessionError("The session is open in process 4711.", "Close it there.")
        self.open = True
        try:
            yield self.session
        finally:
            self.open = False

    def session_ids(self) -> list[str]:
        return [row.session_id for row in self.list_sessions()]

    def session_rows(self, session_ids: Sequence[str]) -> list[SessionRow]:
        return [row for row in self.list_sessions() if row.session_id in set(session_ids)]

    async def trash_session(self, session_id: str) -> None:
        if session_id == "busy":
            raise SessionError("The session is open in process 4711.", "Close it there.")
        self.deleted.append(session_id)

    async def restore_session(self, session_id: str) -> None:
        self.deleted.remove(session_id)

    async def rename_session(self, session_id: str, title: str) -> None:
        if session_id == "busy":
            raise SessionError("The session is open in process 4711.", "Close it there.")
        self.renamed.append((session_id, title))
        self.rows = [replace(row, title=title) if row.session_id == session_id else row for row in self.rows]


def row(
    session_id: str,
    outcome: str,
    title: str = "intervals",
    waiting_for: str = "",
    *,
    updated_at: str = "2026-01-01T00:00:00Z",
    driver: str = "",
) -> SessionRow:
    return SessionRow(
        session_id=session_id,
        title=title,
        created_at="2026-01-01T00:00:00Z",
        updated_at=updated_at,
        driver=driver,
        outcome=outcome,
        reason="",
        iteration=1,
        branches=1,
        size_bytes=120_000,
        waiting_for=waiting_for,
    )


def two_hunks() -> FakeSession:
    """Return a session whose first repair has two hunks: the module's docstring, and the repair."""
    session = FakeSession("s1")
    session.candidates = {
        "a": repair(FIXED.replace("Half-open intervals.", "Intervals."), 0, 1),
        "b": CANDIDATES["b"],
    }
    return session


def point(id: str, parent: str | None, node: str, branch: str = "main", **facts: Any) -> Checkpoint:
    values: dict[str, Any] = {
        "iteration": 0,
        "next": (),
        "created_at": "",
        "passed": None,
        "failed": None,
        "decision": None,
        "pending": None,
        "outcome": "",
        **facts,
    }
    return Checkpoint(id, parent, branch, 0, node, **values)


def branched_timeline() -> Timeline:
    """Return a timeline with a second branch, whose text is hostile."""
    note = {"kind": "repair", "verdict": "reject", "note": "[red]\x1b[31mno", "by": "human"}
    return build_timeline(
        [
            point("a", None, "start", next=("run_suite",)),
            point("b", "a", "run_suite", passed=3, failed=4, next=("diagnose",)),
            point("c", "b", "diagnose", next=("propose", "review_repair")),
            point("d", "c", "propose", next=("rank",)),
            point("e", "d", "rank", pending="repair", next=("review_repair",)),
            point("x", "c", "review_repair", "[red]side", decision=note),
        ]
    )
