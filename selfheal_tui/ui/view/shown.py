"""What the tabs show of a snapshot: which files, which change, and whether the diagnosis still speaks of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from selfheal_tui.engine.moment.node_facts import facts_of
from selfheal_tui.engine.moment.review import ReviewKind
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import WELL_ENDED, Evidence, OtherEdit
from selfheal_tui.engine.moment.steering import edited_lines, place_labels
from selfheal_tui.engine.moment.words import decision_words
from selfheal_tui.engine.suites.failing_groups import failing_groups
from selfheal_tui.python_source import definitions, parse_or_none
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.text import and_list

from .past_answers import PastAnswer, candidate_words
from .words import marks_told, report_now

FileChange = tuple[str, str, str]
"""Path, old text, new text."""
Line = tuple[str, int]
"""Path and number."""


def is_stale(snapshot: Snapshot) -> bool:
    """Tell whether the code is another one than the diagnosis is about: what it says of lines holds no more."""
    return facts_of(snapshot.node).outdates_diagnosis or snapshot.outcome in WELL_ENDED


def asked_files(snapshot: Snapshot) -> Mapping[str, str]:
    """Return what the Code tab shows: the program, or tests that wait for their review."""
    about_tests = snapshot.node in ("write_spec_tests", "write_adversarial_tests") and snapshot.suite_files
    return snapshot.suite_files if about_tests else snapshot.program


def proposed_change(
    snapshot: Snapshot, pick: str = "", decided: PastAnswer | None = None
) -> tuple[str, list[FileChange]]:
    """Return what is compared, in words, and (path, old, new): the candidate against the code, else all so far.

    `decided` is the decision that this moment made: of an edit its text is shown, not that of the candidate.
    """
    repair = snapshot.candidates.get(pick) or next(iter(snapshot.candidates.values()), None)
    if repair is not None:
        now = {**snapshot.tests, **snapshot.program}
        changes = decided.changes if decided is not None and decided.changes is not None else repair["changes"]
        title = "The repair proposed"
        if decided is not None and "answer" not in (decided.edit or {}):
            title = _decided_words(snapshot, pick, decided)
        return f"{title}, against the code it was made for", [(p, now.get(p, ""), text) for p, text in changes.items()]
    changed = [
        (path, snapshot.base.get(path, ""), text)
        for path, text in snapshot.program.items()
        if text != snapshot.base.get(path)
    ]
    return "Everything that changed since the start" if changed else "The code is as it was given.", changed


def change_since(before: Snapshot | None, snapshot: Snapshot) -> tuple[str, list[FileChange]]:
    """Return what is compared, in words, and every file of both moments; without an earlier one nothing."""
    if before is None:
        return "Nothing has changed since the start.", []
    old, new = {**before.tests, **before.program}, {**snapshot.tests, **snapshot.program}
    files = [(path, old.get(path, ""), new.get(path, "")) for path in sorted({*old, *new})]
    return f"Changed since iteration {before.iteration} ({facts_of(before.node).done})", files


@dataclass(frozen=True, slots=True)
class Marked:
    """The lines that a moment's diagnosis is about."""

    why: Mapping[Line, str] = field(default_factory=dict)
    """Why the diagnosis names a line, the likeliest first."""
    numbers: Mapping[Line, str] = field(default_factory=dict)
    """By which key a line is picked as the cause, where there is a choice."""
    scores: Mapping[Line, float] = field(default_factory=dict)
    """How suspicious lines are, 0..1."""


def marked_lines(snapshot: Snapshot) -> Marked:
    """Return the lines to mark in the code; none once the diagnosis is old."""
    if is_stale(snapshot) or _was_rejected(snapshot):
        return Marked()
    evidence = snapshot.diagnosis["evidence"] if snapshot.diagnosis else []
    lines = [(one["file"], one["line"]) for one in evidence]
    # After the diagnosis was answered, the same keys pick a repair.
    labels = place_labels(snapshot.diagnosis) if snapshot.node == "diagnose" and len(lines) > 1 else []
    also = {
        (other["file"], other["line"]): f"{other['edit']}, with {_places_beside(other, one)}"
        for one in reversed(evidence)
        for other in one.get("also", ())
    }
    # The card tells the marks: in the code they would hide it.
    why = {line: marks_told(one["why"], one["why"]) for line, one in zip(lines, evidence, strict=True)}
    return Marked(
        {**why, **{line: words for line, words in also.items() if line not in why}},
        dict(reversed(list(zip(lines, labels, strict=False)))),
        {(line["path"], line["line"]): line["score"] for line in snapshot.suspects},
    )


def place_to_write(snapshot: Snapshot) -> Line | None:
    """Return where code written by hand most likely goes: the line of the diagnosis, else the most suspicious one."""
    marked = marked_lines(snapshot)
    scores = {line: score for line, score in marked.scores.items() if line[0] in snapshot.program}
    return next(iter(marked.why), None) or max(scores, key=lambda line: scores[line], default=None)


def _was_rejected(snapshot: Snapshot) -> bool:
    """Tell whether this moment rejected its diagnosis: the search looks for another one."""
    decision = snapshot.decision
    return decision is not None and decision["verdict"] == "reject" and facts_of(snapshot.node).asks == "diagnosis"


def failing_place(snapshot: Snapshot) -> Line | None:
    """Return where the function begins that most failing cases run, right after the suite ran; None elsewhere."""
    groups = failing_groups(snapshot) if snapshot.node == "run_suite" and not snapshot.outcome else []
    group = next((one for one in groups if one.path in snapshot.program), None)
    if group is None:
        return None
    tree = parse_or_none(snapshot.program[group.path])
    lines = [node.lineno for name, node in definitions(tree) if name == group.function] if tree else []
    return group.path, lines[0] if lines else 1


def _places_beside(other: OtherEdit, one: Evidence) -> str:
    """Name the lines that are edited with one of several: `line 8`, `lines 12, 39 and shop.py:4`."""
    lines = {*edited_lines(one)} - {(other["file"], other["line"])}
    here = [str(line) for path, line in sorted(lines) if path == other["file"]]
    there = [f"{path}:{line}" for path, line in sorted(lines) if path != other["file"]]
    return ("lines " if len(here) > 1 else "line " if here else "") + and_list([*here, *there])


def report_of(
    snapshot: Snapshot, pick: str, decided: PastAnswer | None = None
) -> tuple[SuiteReport | None, Sequence[str], Sequence[str]]:
    """Return the suite's run over the candidate, what it fixes and breaks; over the code now when there is none.

    An edit, which `decided` may hold, has not run at the moment that made it.
    """
    if decided is not None and decided.changes is not None:
        return report_now(snapshot), (), ()
    repair = snapshot.candidates.get(pick) or next(iter(snapshot.candidates.values()), None)
    if repair is not None and "report" in repair:
        return repair["report"], repair.get("fixes", ()), repair.get("breaks", ())
    return report_now(snapshot), (), ()


def _decided_words(snapshot: Snapshot, pick: str, decided: PastAnswer) -> str:
    words = f"{candidate_words(snapshot, pick)}, {decision_words(decided.decision)}"
    return words[:1].upper() + words[1:]


def proposal_to_edit(snapshot: Snapshot, pick: str) -> tuple[ReviewKind, Mapping[str, str], Mapping[str, str]]:
    """Return what the editor is opened for, the files as they are, and what is proposed to change in them."""
    repair = snapshot.candidates.get(pick)
    kind: ReviewKind = "repair" if snapshot.candidates else "code"
    files = snapshot.tests if repair and repair.get("of_test") else asked_files(snapshot)
    return kind, files, repair["changes"] if repair else {}


def is_changed(snapshot: Snapshot) -> bool:
    """Tell whether the program of a moment is another than the one that was given."""
    return any(text != snapshot.base.get(path) for path, text in snapshot.program.items())
