"""What a hook is told, as plain JSON: which session, what happened in one sentence, counts, and the commands to type.

Pure. No code stands in it, and of what people wrote the title only; `docs/hooks.md` has the fields.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from selfheal_tui.hook_settings import HOOKS
from selfheal_tui.store.clock import now_at
from selfheal_tui.text import one_line, outcome_word, plural

from ..loop.reviews.table import REVIEWS
from ..moment.budget import notice
from ..moment.review import ReviewKind
from ..moment.snapshot import Snapshot
from ..moment.timeline import Checkpoint
from ..moment.workspace import unified_diff

VERSION: Final = 1
"""Of what a hook is told. Fields may be added; taking one away or changing its meaning raises it."""


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """Where a session is, for those that are told of it."""

    session_id: str
    title: str
    sessions: Path
    """The folder of all sessions."""
    folder: Path | None
    """Where its files came from."""
    flags: str = ""
    """What commands need to find it: ` --sessions FOLDER`, else empty."""

    def command(self, words: str, rest: str = "") -> str:
        """Return a command about the session."""
        return f"selfheal {words} {shlex.quote(self.session_id)}{rest}{self.flags}"


def asked_story(place: SessionPlace, checkpoint_id: str, kind: ReviewKind, snapshot: Snapshot) -> dict[str, Any]:
    """Return what is told of a question that waits."""
    at = f" --at {shlex.quote(checkpoint_id)} --once"
    answers = {
        "approve": place.command("sessions decide", f" approve{at}"),
        "reject": place.command("sessions decide", f" reject --note REASON{at}"),
        "stop": place.command("sessions decide", f" stop{at}"),
    }
    spec = REVIEWS[kind]
    if not spec.needs_reason:
        answers["reject"] = answers["reject"].replace(" --note REASON", "")
    return {
        **_story("review_asked", place, snapshot, f"{spec.waits} for your decision{_what_for(kind, snapshot)}."),
        "checkpoint": checkpoint_id,
        "kind": kind,
        "candidates": len(snapshot.candidates),
        "next": answers["approve"],
        "answers": answers,
    }


def decided_story(place: SessionPlace, checkpoint: Checkpoint, snapshot: Snapshot) -> dict[str, Any]:
    """Return what is told of a decision that has taken effect, whoever took it."""
    facts: Mapping[str, str] = checkpoint.decision or {}
    decision = {name: str(facts.get(name, "")) for name in ("kind", "verdict", "by")}
    sentence = f"The {decision['kind']} was decided by {decision['by'] or 'human'}: {decision['verdict']}."
    return {
        **_story("decided", place, snapshot, sentence),
        "checkpoint": checkpoint.id,
        "kind": decision["kind"],
        "decision": decision,
    }


def ended_story(name: str, place: SessionPlace, snapshot: Snapshot) -> dict[str, Any]:
    """Return what is told of an end; `name` is `healed` or `ended`."""
    sentence = f"{outcome_word(snapshot.outcome)}: {one_line(snapshot.reason, 300)}"
    told = _story(name, place, snapshot, f"{sentence[0].upper()}{sentence[1:]}")
    applies = snapshot.outcome == "healed" and snapshot.base != snapshot.program
    output = "" if place.folder is not None else " -o healed"
    following = place.command("sessions apply", output) if applies else told["open"]
    return {**told, "outcome": snapshot.outcome, "reason": one_line(snapshot.reason, 600), "next": following}


def failed_story(place: SessionPlace, snapshot: Snapshot | None, why: str) -> dict[str, Any]:
    """Return what is told of a run that could not go on."""
    reason = one_line(why, 600)
    told = _story("ended", place, snapshot, f"The run could not go on: {one_line(why, 300)}")
    return {**told, "outcome": "failed", "reason": reason, "next": told["open"]}


def budget_story(place: SessionPlace, snapshot: Snapshot) -> dict[str, Any]:
    """Return what is told where most of a budget is gone."""
    words = notice(snapshot.limits, snapshot.spent)
    return {**_story("budget_near", place, snapshot, f"{words} used."), "budget": words}


def apply_story(place: SessionPlace, snapshot: Snapshot, writes: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is told before files of the user are written or committed; `writes` says which and where."""
    what = {"write": "write", "commit": "commit", "put_back": "put back"}[writes["action"]]
    sentence = f"About to {what} {plural(len(writes['files']), 'file')} in {one_line(str(writes['into']), 300)}."
    return {
        **_story("before_apply", place, snapshot, sentence),
        "outcome": snapshot.outcome,
        "reason": one_line(snapshot.reason, 600),
        "writes": dict(writes),
    }


def change_of(name: str, snapshot: Snapshot) -> str:
    """Return the change that a hook is about, as a diff: of a question the first repair, else the program's."""
    if name == "review_asked" and snapshot.candidates:
        first = next(iter(snapshot.candidates.values()))
        now = {**snapshot.tests, **snapshot.program}
        return unified_diff({path: now.get(path, "") for path in first["changes"]}, first["changes"])
    return unified_diff(snapshot.base, snapshot.program)


def _story(name: str, place: SessionPlace, snapshot: Snapshot | None, sentence: str) -> dict[str, Any]:
    """Return the fields that every hook is told; those that it has no value for are null or empty."""
    assert name in HOOKS
    report = snapshot.report if snapshot is not None else None
    resume = place.command("resume")
    return {
        "version": VERSION,
        "hook": name,
        "at": now_at(),
        "session": place.session_id,
        "sessions": str(place.sessions),
        "folder": str(place.folder) if place.folder is not None else None,
        "title": one_line(place.title, 200),
        "sentence": sentence,
        "branch": snapshot.branch if snapshot is not None else "",
        "checkpoint": snapshot.checkpoint_id if snapshot is not None else "",
        "iteration": snapshot.iteration if snapshot is not None else 0,
        "kind": None,
        "outcome": "",
        "reason": "",
        "cases": None
        if report is None
        else {"passed": report["passed"], "failed": report["failed"] + report["errors"] + report["timeouts"]},
        "candidates": 0,
        "doubts": len(snapshot.doubts) if snapshot is not None else 0,
        "decision": None,
        "budget": "",
        "writes": None,
        "spent": dict(snapshot.spent) if snapshot is not None else None,
        "next": resume,
        "answers": {},
        "open": resume,
    }


def _what_for(kind: ReviewKind, snapshot: Snapshot) -> str:
    """Say what a repair does: `; the first of 2 fixes 3 cases and breaks none`."""
    if kind != "repair" or not snapshot.candidates:
        return ""
    first = next(iter(snapshot.candidates.values()))
    count = len(snapshot.candidates)
    which = "it" if count == 1 else f"the first of {count}"
    fixes, breaks = len(first.get("fixes", [])), len(first.get("breaks", []))
    return f"; {which} fixes {plural(fixes, 'case')} and breaks {breaks or 'none'}"
