"""A story as Markdown. Text of models, programs and users is hostile: none of it becomes markup. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from selfheal_tui.text import one_line, outcome_word, plural, show_controls

from ...moment.comments import comment_line
from ...moment.sureness import cause_sureness
from ...moment.words import bill_line, decider
from . import words

_MARKUP = re.compile(r"([\\`*_\[\]|<>~&@$]|:(?=//)|(?<=www)\.)")
"""What is markup within a line; `:` and `.` only where an address would become a link."""
_CELL = {"passed": "+", "failed": "F", "error": "E", "timeout": "T", "skipped": "s"}


def markdown(story: Mapping[str, Any]) -> str:
    """Return the report of a branch."""
    return "\n".join(_lines(story)).rstrip("\n") + "\n"


def inline(text: str, limit: int = 2_000) -> str:
    """Return foreign text as one line in which nothing is markup."""
    return _MARKUP.sub(r"\\\1", one_line(text, limit))


def fenced(text: str, language: str = "") -> list[str]:
    """Return foreign text as a block of code; the fence is longer than any within."""
    safe = show_controls(text).rstrip("\n")
    longest = max((len(run) for run in re.findall(r"`+", safe)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *safe.split("\n"), fence, ""]


def _lines(story: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {inline(story['title'])}"
    yield ""
    ending = inline(words.ending(story))
    yield f"**{inline(outcome_word(story['outcome']))}**{': ' * bool(ending)}{ending}"
    yield ""
    yield f"- session {inline(story['session_id'])}, branch {inline(story['branch'])}"
    yield f"- spent: {inline(bill_line(story['spent']))}"
    yield f"- models: {inline(words.models_line(story['models']))}"
    limits = words.limits_line(story["limits"])
    yield f"- decisions: {inline(story['autonomy'].replace('_', ' '))}; limits: {inline(limits)}"
    yield from (f"- {inline(rule['name'])}: up to {rule['max_lines']} changed lines" for rule in story["rules"])
    yield ""
    if story["spec"]:
        yield "## Specification"
        yield ""
        yield from fenced(story["spec"])
    yield "## What changed"
    yield ""
    yield from fenced(story["diff"], "diff") if story["diff"] else ["Nothing.", ""]
    yield "## Not tested"
    yield ""
    yield from (f"- {inline(line)}" for line in story["not_tested"] or ["Nothing is known to be left out."])
    yield ""
    yield from _matrix(story["matrix"])
    for iteration in story["iterations"]:
        yield from _iteration(iteration)
    if story["pending"]:
        yield from ["## What waits for a decision", "", f"{inline(words.pending_line(story['pending']))}", ""]
        yield from _pending(story["pending"]["kind"], story["pending"]["proposal"])
    yield from _end(story)


def _pending(kind: str, proposal: Mapping[str, Any]) -> Iterator[str]:
    """Tell the question that waits as its card does."""
    if kind == "diagnosis":
        yield from _diagnosis("Diagnosis", proposal)
    lines = words.more_lines(proposal)
    yield from [*(f"- {inline(line)}" for line in lines), ""] if lines else []
    for label, candidate in proposal.get("candidates", {}).items():
        yield from [f"Repair {inline(label)}: {inline(words.candidate_line(candidate))}", ""]
        marks = [f"- ⚠ {inline(mark['why'])}" for mark in candidate.get("marks", [])]
        yield from [*marks, ""] if marks else []
        yield from fenced(candidate["diff"], "diff") if candidate.get("diff") else []
    for path, text in proposal.get("files", {}).items():
        yield from [f"{inline(path)}:", "", *fenced(text, "python" if path.endswith(".py") else "")]


def _iteration(iteration: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {words.heading(iteration)}"
    yield ""
    yield f"Spent: {inline(bill_line(iteration['spent']))}"
    yield ""
    for run in iteration["runs"]:
        yield f"Suite: {inline(words.suite_line(run['report']))}"
        yield ""
        yield from (f"- {inline(line)}" for line in words.case_lines(run["report"]))
        yield ""
    yield from (f"- not tested: {inline(line)}" for line in iteration["not_tested"])
    yield from (f"- {inline(words.note_line(note))}" for note in iteration["notes"])
    yield ""
    for entry in iteration["diagnoses"]:
        yield from _diagnosis("Diagnosis", entry["diagnosis"])
        yield from (f"- looked: {inline(line)}" for line in words.step_lines(entry["steps"]))
        yield ""
    for decision in iteration["decisions"]:
        yield from _decision(decision)


def _diagnosis(title: str, diagnosis: Mapping[str, Any]) -> Iterator[str]:
    about = ", ".join(filter(None, (inline(diagnosis.get("fault", "")), cause_sureness(diagnosis))))
    yield f"**{title}** by {inline(diagnosis.get('by', ''))} ({about}): " + inline(diagnosis.get("cause", ""))
    yield ""
    for line in diagnosis.get("evidence", []):
        yield f"- {inline(line['file'])} line {inline(str(line['line']))}: {inline(line['why'])}"
    for name, label in words.DIAGNOSIS_WORDS.items():
        if diagnosis.get(name):
            yield f"- {label}: {inline(diagnosis[name])}"
    yield ""


def _decision(decision: Mapping[str, Any]) -> Iterator[str]:
    because = f": {inline(decision['note'])}" if decision["note"] else ""
    decided = inline(f"{words.decided(decision)} by {decider(decision['by'], 'the human')}")
    yield f"**Decision** on the {inline(decision['kind'])}: {decided}{because}"
    yield ""
    if decision["comments"]:
        yield from (f"- comment on {inline(comment_line(comment))}" for comment in decision["comments"])
        yield ""
    for label, candidate in decision["proposal"].get("candidates", {}).items():
        mark = " (the one decided on)" if label == decision["proposal"]["label"] else ""
        yield f"- repair {inline(label)}{mark}: {inline(words.candidate_line(candidate))}"
    yield ""
    if decision["edited"]:
        yield from _diagnosis("Edited diagnosis", decision["edited"])
    chosen = decision["proposal"].get("candidates", {}).get(decision["proposal"].get("label", ""), {})
    if decision["diff"]:
        yield from fenced(decision["diff"], "diff")
    elif chosen.get("diff"):
        yield "Proposed, not taken:"
        yield ""
        yield from fenced(chosen["diff"], "diff")


def _matrix(matrix: Mapping[str, Any]) -> Iterator[str]:
    if not matrix["cases"]:
        return
    yield "## Cases over the iterations"
    yield ""
    yield words.COLUMNS
    yield "`+` passed, `F` failed, `E` error, `T` timeout, `s` skipped; `!` marks a case that flipped."
    yield ""
    yield "| case | " + " | ".join(words.run_heads(matrix["iterations"])) + " |"
    yield "|---" * (len(matrix["iterations"]) + 1) + "|"
    for row in matrix["cases"]:
        cells = [
            f"{_CELL.get(outcome or '', ' ')}{'!' if flip else ''}"
            for outcome, flip in zip(row["outcomes"], row["flips"], strict=True)
        ]
        yield f"| {inline(row['id'])} | " + " | ".join(cells) + " |"
    yield ""


def _end(story: Mapping[str, Any]) -> Iterator[str]:
    if story["calls"]:
        yield from ["## Prompts", "", "| prompt file, its version and sha256 | calls |", "|---|---|"]
        yield from (f"| {inline(name)} | {count} |" for name, count in words.prompt_rows(story["calls"]))
        yield from ["", "## Calls", "", "On the way to the end of this branch, with prompt and reply.", ""]
    for number, call in enumerate(story["calls"], 1):
        yield f"### {number}. {inline(words.call_line(call))}"
        yield ""
        yield f"{inline(call['at'])}, prompt {inline(call['written_by'])}"
        yield ""
        yield inline(words.sent_line(call))
        yield ""
        yield from fenced(call["prompt"])
        yield "Reply:"
        yield ""
        yield from fenced(words.reply_text(call), "json")
    yield from ["## What was used", "", words.USED, ""]
    for branch in dict.fromkeys(row["branch"] for row in story["usage"]):
        yield f"On {inline(branch)}:" if branch else "Before branches were told apart:"
        yield ""
        yield from (f"- {inline(_usage(row))}" for row in story["usage"] if row["branch"] == branch)
        yield ""


def _usage(row: Mapping[str, Any]) -> str:
    if row["role"]:
        bill = bill_line({name: value for name, value in row.items() if name != "time_s"})
        return f"{row['role']} ({row['model']}) in {row['node']}: {bill}"
    return f"{row['node']}: {plural(row['runs'], 'run')}, {row['time_s']:.1f} s"
