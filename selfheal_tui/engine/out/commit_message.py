"""The message of a healed program's commit: what was wrong, by what one knows it, and what was verified. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from selfheal_tui.setting_values import SEARCH
from selfheal_tui.store.writing import FileChange
from selfheal_tui.text import CUT, filled, one_line, plural, whole_sentences

from ..moment.set_aside_words import set_aside_words
from ..moment.snapshot import Snapshot
from ..moment.state import Evidence
from ..moment.taken import Standing, standing_repairs
from ..moment.unsettled import doubts_of_snapshot
from ..moment.words import left_out_words, not_verified_line, report_line
from .export.redact import redacted

_WIDTH = 72
_MOST_EVIDENCE = 3
_LONGEST = 1000
MESSAGE_LIMIT = 4_000
"""Characters of a whole message."""


def commit_message(
    subject: str,
    snapshot: Snapshot,
    changes: Sequence[FileChange],
    environ: Mapping[str, str],
    home: str,
    *,
    heals: str = "",
    with_next: bool = False,
    doubts: Sequence[str] | None = None,
) -> str:
    """Return the whole message below a first line, without keys and the home folder's path.

    `heals` says which failing cases it heals, where others have a commit of their own; `with_next`: the suite ran
    over the program with the commits that follow. `doubts` are those that this commit tells; None: all.
    """
    # Of a file that the last commit holds already, this one tells nothing.
    held = snapshot.program.keys() - {change.path for change in changes} if changes else ()
    snapshot = replace(snapshot, base={**snapshot.base, **{path: snapshot.program[path] for path in held}})
    mended = [filled(one_line(heals, _LONGEST), _WIDTH)] if heals else []
    verified = _verified(snapshot, "together with the commits that follow, " if with_next else "")
    left_open = _open(snapshot, changes, doubts_of_snapshot(snapshot) if doubts is None else doubts)
    sections = [subject, *mended, *_causes(snapshot), verified, *left_open]
    message: str = redacted("\n\n".join(sections), environ, home)
    return _at_most(message)


def _causes(snapshot: Snapshot) -> list[str]:
    """Return a section for each repair that stands in the program, and one for its evidence."""
    sections: list[str] = []
    for one in standing_repairs(snapshot.records, snapshot.base, snapshot.program):
        # What is cut in the middle says nothing: whole sentences, or the lines themselves.
        cause = whole_sentences(one.whole_cause, _LONGEST)
        if cause:
            by = f" (diagnosis by {_person_or_model(one.by)})" if one.by else ""
            part = " Of the proposed repair only this part was taken." if one.in_part else ""
            sections.append(filled(f"Cause: {cause}{by}{part}", _WIDTH))
        evidence = [line for item in one.evidence if CUT not in (line := _evidence_line(item))]
        if (
            one.by_hand
            or not cause
            or cause != one_line(one.cause, len(one.cause) + 1)
            or len(evidence) < len(one.evidence)
        ):
            sections.append(_changed(one))
        if evidence and one.by != SEARCH:
            sections.append("\n".join(["Evidence:", *evidence[:_MOST_EVIDENCE]]))
    return sections


def _person_or_model(by: str) -> str:
    return "a person" if by == "human" else one_line(by, 80)


def _changed(one: Standing) -> str:
    """Return the lines that go and come, each on its own."""
    how = " by hand" if one.by_hand else ", a part of the proposed repair" if one.in_part else ""
    return "\n".join([f"Changed{how}:", *(f"    {row}" for row in one.rows)])


def _evidence_line(one: Evidence) -> str:
    words = f"- {one_line(one['file'])}:{one['line']}: {one_line(one['why'], _LONGEST)}"
    return filled(words, _WIDTH, "  ")


def _at_most(message: str) -> str:
    """Return the whole lines that a commit takes."""
    lines, size = [], 0
    for line in message.split("\n"):
        size += len(line) + 1
        if size > MESSAGE_LIMIT:
            break
        lines.append(line)
    return "\n".join(lines)


def _verified(snapshot: Snapshot, along: str) -> str:
    report = snapshot.report
    if report is None:
        return "Not verified: no suite ran over this program."
    how = f"{along}{report_line(report)}"
    others = f" {words}" if (words := left_out_words(report)) else ""
    others += f" Not verified: {words}." if (words := set_aside_words(report)) else ""
    if doubt := not_verified_line(report):
        why = f"{doubt[0].upper()}{one_line(doubt, MESSAGE_LIMIT)[1:].rstrip('.')}"
        return filled(f"Tests pass: {how}.{others} {why}.", _WIDTH)
    if report["verdict"] == "passed" and report["trust"] == "verified":
        return filled(
            f"Verified by selfheal: {how}; judged again with tests and program in two processes.{others}", _WIDTH
        )
    if snapshot.waiting:
        others += f" {plural(len(snapshot.waiting), 'more case')} that failed before {_were(snapshot)} not run again."
    passes = report["verdict"] == "passed" and not snapshot.waiting
    return filled(f"Tests {'pass' if passes else 'do not all pass'}: {how}.{others}", _WIDTH)


def _were(snapshot: Snapshot) -> str:
    return "was" if len(snapshot.waiting) == 1 else "were"


def _open(snapshot: Snapshot, changes: Sequence[FileChange], doubts: Sequence[str]) -> list[str]:
    added = [change.path for change in changes if change.path in snapshot.tests and change.path not in snapshot.program]
    lines = [f"New tests in {one_line(path)}: answers and counter-examples of the session." for path in added]
    lines += [f"Doubt: {words}" for doubt in doubts if (words := whole_sentences(doubt, _LONGEST))]
    return ["\n".join(filled(line, _WIDTH) for line in lines)] if lines else []
