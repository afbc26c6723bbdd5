"""The words that every readable report of a story shares; plain text, made safe by the format that uses it. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from selfheal_tui.text import plural

from ...loop.reviews.table import waits_line
from ...moment.node_facts import facts_of
from ...moment.opinion import opinion_sentence
from ...moment.words import VERDICTS, bill_line, failing_cases, ran_before_words, report_line

DIAGNOSIS_WORDS = {"strategy": "strategy", "disproof": "wrong if"}
"""Field of a diagnosis -> how a report names it, after cause and evidence."""
USED = "Steps that were taken back later are counted too: what they used is used."


def heading(iteration: Mapping[str, Any]) -> str:
    """Name an iteration."""
    number = iteration["iteration"]
    return "Iteration 0: the program as given" if not number else f"Iteration {number}"


def decided(decision: Mapping[str, Any]) -> str:
    """Say what was done with the proposal: `approved`, `edited (the cause)`; a fork is no verdict."""
    edited = f" ({decision['edited_words']})" if decision["edited_words"] else ""
    return VERDICTS.get(decision["verdict"], str(decision["verdict"])) + edited


COLUMNS = "A column is a run of the tests, by its iteration; 0 is the program before any repair."
"""What the heads of a matrix mean."""


def suite_line(report: Mapping[str, Any]) -> str:
    """Return a suite's outcome in one line, with how long it took and how far it is to be trusted."""
    words = report_line(report)
    return words if report["error"] else f"{words} in {report['duration_s']:.2f} s{_trust_words(report)}"


def _trust_words(report: Mapping[str, Any]) -> str:
    """Say how far a pass is to be trusted; empty where none is claimed."""
    if report["trust"] == "verified":
        return ", verified"
    return "" if failing_cases(report) else ", in one process with the program"


def run_heads(iterations: Sequence[int]) -> list[str]:
    """Return the heads of a matrix, a run of the suite each: `0`, `0, run 2`, `1`."""
    heads = []
    for at, number in enumerate(iterations):
        run = iterations[: at + 1].count(number)
        heads.append(f"{number}, run {run}" if run > 1 else str(number))
    return heads


def case_lines(report: Mapping[str, Any]) -> list[str]:
    """Return a line for each case that did not pass."""
    return [
        f"{case['outcome']} {case['id']}"
        + (f" [{case['suite']}]" if case.get("suite", "yours") != "yours" else "")
        + (f": {case['message']}" if case["message"] else "")
        for case in failing_cases(report)
    ]


def candidate_line(repair: Mapping[str, Any]) -> str:
    """Say what a candidate is and does."""
    how = ", ".join(dict.fromkeys([repair["by"], repair["strategy"]]))
    parts = [f"{repair['summary']} ({how})"]
    if "fixes" in repair and not repair.get("reasons"):
        parts.append(f"fixes {plural(len(repair['fixes']), 'case')}, breaks {len(repair.get('breaks', [])) or 'none'}")
    if repair.get("same_as"):
        parts.append(ran_before_words(repair["same_as"]))
    return "; ".join([*parts, *repair.get("reasons", [])])


def pending_line(pending: Mapping[str, Any]) -> str:
    """Say what waits, and why where the question has a reason: `A repair waits for your decision.`."""
    reason = str(pending["proposal"].get("reason", ""))
    return f"{waits_line(pending['kind'])} {reason}".strip()


def more_lines(proposal: Mapping[str, Any]) -> list[str]:
    """Return what else belongs to a question: what the critic and other models say, and where repairs disagree."""
    lines = [str(objection["summary"])] if (objection := proposal.get("objection")) else []
    lines += map(str, proposal.get("opinions", []))
    if question := proposal.get("question"):
        answers = ", ".join(f"{answer['text']} ({answer['repairs']})" for answer in question["answers"])
        lines.append(f"No case says what {question['call']} gives: {answers}.")
        lines += [opinion_sentence(opinion)] if (opinion := question.get("opinion")) else []
    return lines


def limits_line(limits: Mapping[str, Any]) -> str:
    """Say the limits that are set."""
    return ", ".join(f"{name} {value}" for name, value in limits.items() if value is not None)


def reply_text(call: Mapping[str, Any]) -> str:
    """Return a call's reply as JSON to read."""
    return json.dumps(call["reply"], indent=1, ensure_ascii=False)


def note_line(note: Mapping[str, Any]) -> str:
    """Say what the human wrote while the run worked, and which step read it."""
    return f"note of the human, read before {facts_of(note['read_by']).doing}: {note['text']}"


def step_lines(steps: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each look the debugger took."""
    return [f"{step['tool']} {json.dumps(step['arguments'], ensure_ascii=False)}: {step['thought']}" for step in steps]


def ending(story: Mapping[str, Any]) -> str:
    """Say how a branch stands."""
    if story["pending"]:
        return waits_line(story["pending"]["kind"], "a decision")
    return str(story["reason"])


def models_line(models: Mapping[str, str]) -> str:
    """Say which role asks which model."""
    named = [f"{role} {model}" for role, model in models.items() if role != "*"]
    rest = [f"{models['*']} for {'the others' if named else 'every role'}"] if "*" in models else []
    return ", ".join([*named, *rest])


def prompt_rows(calls: Sequence[Mapping[str, Any]]) -> list[tuple[str, int]]:
    """Return each prompt file that asked (name, version and sha256), and how often."""
    counts: dict[str, int] = {}
    for call in calls:
        counts[call["written_by"]] = counts.get(call["written_by"], 0) + 1
    return sorted(counts.items())


def call_line(call: Mapping[str, Any]) -> str:
    """Say who was asked and what it cost."""
    cost = "served again from the ledger" if call["replayed"] else f"{bill_line(call['usage'])}, {call['time_s']:.1f} s"
    trouble = f"; {call['degraded']}" if call["degraded"] else ""
    return f"{call['role']}, {call['model']}: {cost}{trouble}"


def sent_line(call: Mapping[str, Any]) -> str:
    """Say what left the machine for a call."""
    return f"sent: {call['sent']}"
