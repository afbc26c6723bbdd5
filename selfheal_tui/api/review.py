"""The question that `decide` gets, as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from selfheal_tui.cli.result import build_review
from selfheal_tui.engine.loop.reviews.table import waits_line
from selfheal_tui.engine.moment.review import ReviewKind
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import Diagnosis, Question
from selfheal_tui.engine.moment.workspace import unified_diff
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.text import one_line, plural, show_controls, strip_controls


@dataclass(frozen=True, slots=True, repr=False)
class Candidate:
    """A proposed repair; all tests have run over the program with it."""

    label: str
    """What `approve(pick=...)` names: `1` is the one that ranks first."""
    summary: str
    """What it does, in a sentence; text of a model or of the search."""
    changes: Mapping[str, str]
    """Path -> whole new text of the files that it changes."""
    diff: str
    """The same as a unified diff."""
    fixes: tuple[str, ...]
    """Ids of cases that fail now and pass with it."""
    breaks: tuple[str, ...]
    """Ids of cases that pass now and do not with it."""
    report: SuiteReport | None
    """The run of the tests over the program with it."""
    confidence: float | None
    """0 to 1: how likely it is right beyond these tests; None where nobody can say."""
    by: str
    """The model that proposed it, or `search`."""
    reasons: tuple[str, ...]
    """Why it ranks where it does."""

    def __repr__(self) -> str:
        return f"<Candidate {self.label}: {one_line(strip_controls(self.summary))}>"

    def __str__(self) -> str:
        """Return what it does, in a line for a terminal."""
        breaks = f", breaks {len(self.breaks)}" if self.breaks else ""
        words = f"{self.label}. {self.summary} (heals {plural(len(self.fixes), 'case')}{breaks})"
        return one_line(strip_controls(words), 400)


@dataclass(frozen=True, slots=True, repr=False)
class Review:
    """A question to you; nothing runs while it waits."""

    kind: ReviewKind
    """What it is about: diagnosis, repair, code, tests, budget, stalled or end."""
    question: str
    """In a sentence."""
    proposal: Mapping[str, Any]
    """What is proposed, in the form of `--json`: fields of the diagnosis, of the first repair, of the budget ..."""
    candidates: tuple[Candidate, ...]
    """Of a repair: all candidates, the best first; empty for other kinds."""
    diagnosis: Diagnosis | None
    """Why the tests fail, as far as that is known."""
    open_call: Question | None
    """A call on which the candidates disagree; `edit({"answer": ...})` says what is right."""
    report: SuiteReport | None
    """The newest run of the tests."""
    files: Mapping[str, str]
    """Program path -> text now."""
    evidence: Mapping[str, Any]
    """What else there is to decide on, in the form of `--json`."""
    iteration: int
    """Repairs that were tried so far."""
    session: str
    checkpoint: str
    """Id of the moment at which it is asked; it can be answered again later."""

    @property
    def diff(self) -> str:
        """The change that is proposed: of the first candidate, empty where none is."""
        return self.candidates[0].diff if self.candidates else ""

    def __repr__(self) -> str:
        return f"<Review {self.kind}: {self.question}>"

    def __str__(self) -> str:
        """Return the question for a terminal: what is proposed, what it does to the cases, and the diff."""
        diff = show_controls(self.diff).rstrip("\n")
        return "\n".join([*self.lines(), *([diff] if diff else [])])

    def _repr_html_(self) -> str:
        from .shown import review_html

        return review_html(self)

    def lines(self) -> list[str]:
        """Return what is asked and proposed, each in a line; of a diagnosis also the lines of evidence."""
        lines = [self.question]
        if self.kind == "diagnosis" and self.diagnosis is not None:
            lines.append(one_line(strip_controls(self.diagnosis["cause"]), 2000))
            lines += [
                one_line(strip_controls(f"{one['file']}:{one['line']}: {one['why']}"), 400)
                for one in self.diagnosis["evidence"]
            ]
        return [*lines, *map(str, self.candidates)]


def build_question(snapshot: Snapshot, kind: ReviewKind, session_id: str) -> Review:
    """Build the question that waits at a moment."""
    told = build_review(snapshot, kind)
    return Review(
        kind=kind,
        question=waits_line(kind),
        proposal=told["proposal"],
        candidates=_candidates(snapshot) if kind == "repair" else (),
        diagnosis=snapshot.diagnosis,
        open_call=snapshot.question,
        report=snapshot.report,
        files=dict(snapshot.program),
        evidence=told["evidence"],
        iteration=snapshot.iteration,
        session=session_id,
        checkpoint=snapshot.checkpoint_id,
    )


def _candidates(snapshot: Snapshot) -> tuple[Candidate, ...]:
    now = {**snapshot.tests, **snapshot.program}
    return tuple(
        Candidate(
            label=label,
            summary=one["summary"],
            changes=dict(one["changes"]),
            diff=one.get("diff") or unified_diff(now, {**now, **one["changes"]}),
            fixes=tuple(one.get("fixes", ())),
            breaks=tuple(one.get("breaks", ())),
            report=one.get("report"),
            confidence=one.get("confidence"),
            by=one["by"],
            reasons=tuple(one.get("reasons", ())),
        )
        for label, one in snapshot.candidates.items()
    )
