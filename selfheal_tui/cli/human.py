"""What a headless run says to people: progress lines and the result as text (pure; all of it made safe)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from selfheal_tui.engine.moment.events import (
    CallFinished,
    CallWaits,
    CandidateRehearsed,
    CheckpointSaved,
    Event,
    LaneTold,
    NodeStarted,
    Noticed,
    PromptShortened,
    SearchProgressed,
    StrategyEnded,
    ToolCalled,
)
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.settings import Settings, sessions_flag
from selfheal_tui.text import one_line, plural, ranges, show_controls, strip_controls, value_line

_PRINTED_ROWS = 20
"""Lines of what a run printed outside of its cases that are shown; `--json` has all that is kept."""
_NODE_WORDS = {
    "generate": "writing the code",
    "run_suite": "running the tests",
    "diagnose": "looking for the cause",
    "propose": "looking for repairs and trying them in the sandbox",
    "write_spec_tests": "writing tests from the spec",
    "write_adversarial_tests": "writing tests against the code",
    "critique": "looking for what nobody checked",
    "security_review": "reviewing security",
    "quality": "reviewing quality",
    "apply": "taking the repair over",
}


def progress_line(event: Event) -> str:
    """Return what to say about an event; empty for nothing."""
    if isinstance(event, LaneTold):
        said = progress_line(event.event).strip()
        return f"{one_line(event.branch, 40)}: {said}" if said else ""
    if isinstance(event, NodeStarted):
        words = _NODE_WORDS.get(event.node, "")
        return f"{words}..." if words else ""
    if isinstance(event, SearchProgressed):
        found = f", best: {one_line(event.best, 120)}" if event.best else ""
        return f"  {event.judged} of {event.total} candidates tried{found}"
    if isinstance(event, CallWaits):
        return f"  {event.role}: {one_line(event.why)} Asks again in {event.seconds:.0f} s."
    if isinstance(event, PromptShortened):
        return f"  {event.role}: {event.words()}"
    if isinstance(event, CandidateRehearsed):
        broken = f", breaks {event.breaks}" if event.breaks else ""
        return f"  repair {event.label}: fixes {plural(event.fixes, 'case')}{broken}"
    if isinstance(event, StrategyEnded):
        return f"  {event.strategy}: {one_line(event.why)}"
    if isinstance(event, ToolCalled):
        return f"  debugger: {event.tool} {one_line(event.arguments, 120)}"
    if isinstance(event, Noticed):
        return f"  note: {one_line(event.text)}"
    if isinstance(event, CallFinished):
        used = f"{event.usage.input_tokens:,} + {event.usage.output_tokens:,} tokens"
        replayed = " (from the ledger)" if event.replayed else ""
        degraded = f"; {one_line(event.degraded, 100)}" if event.degraded else ""
        return f"  {event.role}: {one_line(event.model, 60)}, {used}{replayed}{degraded}"
    if isinstance(event, CheckpointSaved) and event.checkpoint.node == "run_suite" and event.snapshot.report:
        return f"  {report_line(event.snapshot.report)}"
    if isinstance(event, CheckpointSaved) and event.checkpoint.decision:
        decision = event.checkpoint.decision
        return f"  {decision.get('kind', 'review')}: {decision.get('verdict', '')} by {decision.get('by', '')}"
    return ""


def outcome_words(outcome: str) -> str:
    """Say how a session or a branch stands that nobody drives: what is not over waits to be resumed."""
    return "unfinished" if outcome == "running" else outcome.replace("_", " ")


def report_line(report: SuiteReport) -> str:
    """Return a suite's outcome in one line."""
    if report["error"]:
        return f"the suite could not run: {one_line(report['error'], 300)}"
    counts = [
        plural(report["passed"], "passed", "passed"),
        *(
            f"{count} {word}"
            for count, word in (
                (report["failed"], "failed"),
                (report["errors"], "broken"),
                (report["timeouts"], "timed out"),
                (report["skipped"], "skipped"),
            )
            if count
        ),
    ]
    return ", ".join(counts)


def report_lines(report: Mapping[str, Any]) -> list[str]:
    """Return a suite's outcome with its unhappy cases, a generated one with its suite, and what was not verified."""
    lines = [f"{report_line(cast(SuiteReport, report))} in {report['duration_s']:.2f} s"]
    for case in report["cases"]:
        if case["outcome"] not in ("passed", "skipped"):
            where = f" ({case['location']})" if case["location"] else ""
            suite = f" [{case['suite']}]" if case.get("suite", "yours") != "yours" else ""
            lines.append(f"  {case['outcome']:<8}{one_line(case['id'], 100)}{suite}{where}")
            lines.append(f"          {one_line(case['message'], 160)}" if case["message"] else "")
    if printed := (report.get("output") or "").strip():
        lines += ["printed outside of the cases, as while files were imported:", *_printed(printed)]
    if report["not_verified"]:
        lines.append(f"not verified: {one_line(report['not_verified'])}")
    return [line for line in lines if line]


def _printed(text: str) -> list[str]:
    """Return the first lines of what was printed, and how many are left out."""
    rows = text.splitlines()
    more = len(rows) - _PRINTED_ROWS
    shown = [f"  {one_line(row, 160)}" for row in rows[:_PRINTED_ROWS]]
    return [*shown, f"  ... {plural(more, 'line')} more"] if more > 0 else shown


def result_text(result: Mapping[str, Any], settings: Settings) -> str:
    """Return a run's result as text."""
    session_id = result["session_id"]
    lines = [f"{result['outcome'].replace('_', ' ')}: {one_line(result['reason'], 400)}"]
    if result["report"]:
        lines += report_lines(result["report"])
    if result["review"]:
        lines += ["", *_question_lines(result["review"]), ""]
        lines.append(f"answer   selfheal sessions decide {session_id} approve{sessions_flag(settings)}")
        lines.append("         (or edit --value FILE, reject --note REASON, stop)")
        lines.append(f"or open  {resume_command(session_id, settings)}")
    elif result["outcome"] == "failed":
        lines.append(f"go on    {resume_command(session_id, settings)}")
    else:
        lines.append(f"session  {session_id}")
    if result["diff"]:
        lines += ["", "changed so far:" if result["review"] else "", show_controls(result["diff"]).rstrip("\n")]
    return strip_controls("\n".join(lines))


def _hunk_line(hunks: Sequence[Mapping[str, Any]]) -> list[str]:
    if len(hunks) < 2:
        return []
    named = ", ".join(f"{hunk['number']} ({one_line(hunk['path'], 60)}:{hunk['line']})" for hunk in hunks[:20])
    return [f"  hunks: {named}; to take some only: decide ... edit --hunks N,..."]


def _disagreement(question: Mapping[str, Any] | None) -> list[str]:
    if not question:
        return []
    call, now = value_line(question["call"]), question.get("now")
    givers = "repair" if now is None else "program"
    answers = ", ".join(
        f"{value_line(a['text'], 60)} in {plural(a['repairs'], givers)}"
        for a in question["answers"]
        if a["text"] != now
    )
    asked = f"  repairs disagree: {call} is {answers}"
    if now is not None:
        asked = f"  no test says what {call} gives: {value_line(now, 60)} now, one edit away {answers}"
    return [
        asked,
        "  say which is right: decide ... edit --answer VALUE (or !Name for an exception); it becomes a test",
    ]


def resume_command(session_id: str, settings: Settings) -> str:
    """Return the command that goes on with a session."""
    return f"selfheal resume {session_id}{sessions_flag(settings)}"


def _question_lines(review: Mapping[str, Any]) -> list[str]:
    proposal = review["proposal"]
    if review["kind"] == "diagnosis":
        evidence = [
            f"  {one_line(e['file'], 80)}:{e['line']}  {one_line(e['why'], 160)}" for e in proposal.get("evidence", [])
        ]
        return [
            f"diagnosis by {proposal.get('by', '')}: {one_line(str(proposal.get('cause', '')), 400)}",
            *evidence,
            f"  strategy: {one_line(str(proposal.get('strategy', '')), 400)}",
            *([f"  wrong if: {one_line(str(proposal['disproof']), 400)}"] if proposal.get("disproof") else []),
        ]
    if review["kind"] == "repair":
        fixes, breaks = proposal.get("fixes", []), proposal.get("breaks", [])
        more = len(review["evidence"].get("candidates", {})) - 1
        return [
            f"repair {proposal.get('label', '')} by {proposal.get('by', '')}: "
            f"{one_line(str(proposal.get('summary', '')), 400)}",
            f"  fixes {plural(len(fixes), 'case')}, breaks {len(breaks) or 'none'}"
            + (f"; {plural(more, 'other candidate')}" if more > 0 else ""),
            *("  " + line for line in show_controls(str(proposal.get("diff", ""))).splitlines()),
            *_hunk_line(proposal.get("hunks", [])),
            *_disagreement(review["evidence"].get("question")),
        ]
    if review["kind"] == "budget":
        return [
            f"budget: {one_line(str(proposal.get('reason', '')), 400)}",
            '  approve: as much again; edit, with {"max_tokens": N} in --value FILE: new limits;',
            "  reject: end with the best code so far",
        ]
    if review["kind"] == "stalled":
        return [
            f"stalled: {one_line(str(proposal.get('reason', '')), 400)}",
            "  approve: go on all the same; reject: end with the best code so far",
        ]
    if review["kind"] == "end":
        objection = proposal.get("objection") or {}
        untested = ", ".join(
            f"{path} {ranges(sorted(lines))}" for path, lines in (objection.get("unexercised") or {}).items() if lines
        )
        return [
            f"end: {one_line(str(proposal.get('reason', '')), 400)}",
            *([f"  critic: {one_line(str(objection['summary']), 400)}"] if objection else []),
            *([f"  lines that no case ran: {untested}"] if untested else []),
            *(f"  opinion: {one_line(opinion, 300)}" for opinion in proposal.get("opinions", [])),
            *_disagreement(review["evidence"].get("question")),
            "  approve: healed; reject: go on, with your reason",
        ]
    files = proposal.get("files", {})
    return [
        f"{review['kind']}: {', '.join(files)}",
        *("  " + line for text in files.values() for line in text.splitlines()),
    ]
