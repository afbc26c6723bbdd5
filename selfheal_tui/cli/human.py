"""What a headless run says to people: progress lines and the result as text (pure; all of it made safe)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, cast

from selfheal_tui.engine.loop.reviews.table import REVIEWS
from selfheal_tui.engine.moment.beside_tests import beside_tests
from selfheal_tui.engine.moment.doubts import outcome_with_doubts
from selfheal_tui.engine.moment.event_words import event_words
from selfheal_tui.engine.moment.events import (
    CaseFinished,
    CheckpointSaved,
    DriverSeen,
    Event,
    LaneTold,
    NodeStarted,
    Noticed,
    RaceFinished,
    ReviewRequested,
    RunFailed,
    RunFinished,
)
from selfheal_tui.engine.moment.not_run import idle_words
from selfheal_tui.engine.moment.opinion import opinion_words
from selfheal_tui.engine.moment.state import Question, Repair, RivalAnswer
from selfheal_tui.engine.moment.steering import place_labels
from selfheal_tui.engine.moment.sureness import cause_sureness, sure_note, unsure_line
from selfheal_tui.engine.moment.words import (
    decision_words,
    failing_cases,
    not_verified_line,
    report_line,
)
from selfheal_tui.engine.suites.failing_groups import failing_lines, group_lines
from selfheal_tui.settings import Settings
from selfheal_tui.steps import call_rows
from selfheal_tui.store.history import MAIN
from selfheal_tui.text import one_line, plural, show_controls, strip_controls

from .folding import Code, fold
from .next_steps import FROM_A_FOLDER, Rest, decide_command, next_lines

Decide = Callable[[str], str]
"""Returns the command that gives an answer."""
_REASON = 1000
"""Characters of a reason or a doubt: every place of a repair is named in it."""
_WHOLE = 4_000
"""Characters of what is asked about: who decides reads all of it."""
_ANSWERS = 3
"""Answers to a question that are told; `--json` has all."""
_ADVICE = 10
"""Places that an advisor names, told one by one."""
_PRINTED_ROWS = 20
"""Lines of what a run printed outside of its cases that are shown; `--json` has all that is kept."""


def progress_line(event: Event) -> str:
    """Return what to say about an event; empty for nothing."""
    match event:
        case LaneTold():
            line = _fork_line(event.event) or progress_line(event.event).strip()
            return f"{one_line(event.branch, 40)}: {line}" if line else ""
        case NodeStarted():
            words = event_words(event)
            return f"{words}..." if words else ""
        case CheckpointSaved():
            if event.checkpoint.node == "run_suite" and event.snapshot.report:
                lines = failing_lines(event.snapshot, event.snapshot.report) if not event.snapshot.iteration else []
                return "\n".join(f"  {line}" for line in (report_line(event.snapshot.report), *lines))
            decision = event.checkpoint.decision or {}
            ends = (decision.get("verdict"), decision.get("by")) == ("stop", "policy")  # the result has the reason
            words = decision_words(decision) if ends else event_words(event)
            return f"  {decision.get('kind', 'review')}: {words}" if words else ""
        case CaseFinished() | DriverSeen() | ReviewRequested() | RunFinished() | RunFailed() | RaceFinished():
            return ""
        case Noticed():
            return f"  note: {event_words(event)}"
    words = event_words(event)
    return f"  {words}" if words else ""


def _fork_line(event: Event) -> str:
    """Say what a lane does differently, `look first at shop.py:8`; nobody answers on a lane while it runs."""
    if not isinstance(event, CheckpointSaved) or (event.checkpoint.decision or {}).get("by") != "human":
        return ""
    return one_line(event.checkpoint.gist)


def report_lines(report: Mapping[str, Any]) -> list[str]:
    """Return a suite's outcome with its unhappy cases, a generated one with its suite, and what was not verified."""
    lines = [report_line(report) + ("" if report["error"] else f" in {report['duration_s']:.2f} s")]
    for case in failing_cases(report):
        where = f" ({case['location']})" if case["location"] else ""
        suite = f" [{case['suite']}]" if case.get("suite", "yours") != "yours" else ""
        lines.append(f"  {case['outcome']:<8}{one_line(case['id'], _REASON)}{suite}{where}")
        lines.append(f"          {one_line(case['message'], _REASON)}" if case["message"] else "")
    lines += [f"note: {one_line(note, _REASON)}" for note in report.get("notes", [])]
    if printed := (report.get("output") or "").strip():
        lines += ["printed outside of the cases, as while files were imported:", *_printed(printed)]
    if doubt := not_verified_line(report):
        lines.append(one_line(doubt))
    return [line for line in lines if line]


def _printed(text: str) -> list[str]:
    """Return the first lines of what was printed, and how many are left out."""
    rows = text.splitlines()
    more = len(rows) - _PRINTED_ROWS
    lines = [f"  {one_line(row, 160)}" for row in rows[:_PRINTED_ROWS]]
    return [*lines, f"  ... {plural(more, 'line')} more"] if more > 0 else lines


def result_text(result: Mapping[str, Any], settings: Settings, rest: Rest = FROM_A_FOLDER, width: int = 0) -> str:
    """Return a run's result as text, with the commands that go on from it; `width` columns, or 0 for any."""
    if rest.lanes:
        lines = [fold(line, width) for line in [*rest.lanes, *next_lines(result, settings, rest)]]
        return strip_controls("\n".join(lines))
    ended = outcome_with_doubts(result["outcome"], result.get("doubts", []))
    lines = [f"{ended}: {one_line(result['reason'], _REASON)}"]
    lines += [f"on branch {one_line(result['branch'], 60)}"] if result["branch"] not in ("", MAIN) else []
    if result["report"]:
        lines += report_lines(result["report"])
        lines += _group_part([str(group["in_one_line"]) for group in result["groups"]])
    lines += [f"⚠ {one_line(one['why'], _REASON)}" for one in result.get("doubts", []) if _is_new(one, result)]
    for name, advice in result.get("advice", {}).items():
        lines.append(f"{one_line(name.replace('_', ' '), 60)}: {one_line(advice['summary'], _REASON)}")
        lines += [
            f"  {one_line(one['file'])}:{one['line']} {one_line(one['why'])}" for one in advice["items"][:_ADVICE]
        ]
        if (more := len(advice["items"]) - _ADVICE) > 0:
            lines.append(f"  and {more} more: --json has all")
    if result["outcome"] != "nothing_to_heal":  # its doubts say so
        lines += _not_run(result.get("not_run", {}), result["changed"])
    if result["review"]:
        lines += ["", *question_lines(result["review"], _decide(result, settings), result["changed"]), ""]
    lines = [fold(line, width) for line in [*lines, *next_lines(result, settings, rest)]]
    if result["diff"]:
        lines += ["", *(["changed so far:"] if result["review"] else []), show_controls(result["diff"]).rstrip("\n")]
    return strip_controls("\n".join(lines))


def _decide(result: Mapping[str, Any], settings: Settings) -> Decide:
    return lambda answer: decide_command(result["session_id"], answer, settings)


def _group_part(words: Sequence[str]) -> list[str]:
    lines = [f"  {line}" for line in group_lines(words)]
    one_by_one = "fix --group N heals one of them, for a commit of its own"
    return [f"{plural(len(words), 'group')} of failing cases ({one_by_one}):", *lines] if lines else []


def _not_run(lines_by_path: Mapping[str, Sequence[int]], changed: Sequence[str]) -> list[str]:
    """Return a line about what no case ran in the files that were changed; none where there is nothing."""
    few = idle_words(lines_by_path, changed)
    return [f"lines that no case ran: {few}"] if few else []


def _is_new(doubt: Mapping[str, Any], result: Mapping[str, Any]) -> bool:
    """Tell whether the first line has not said this doubt."""
    return str(doubt["why"]) not in str(result["reason"])[:_REASON]


def _hunk_lines(hunks: Sequence[Mapping[str, Any]], decide: Decide) -> list[str]:
    if len(hunks) < 2:
        return []
    named = ", ".join(f"{hunk['number']} ({one_line(hunk['path'], 60)}:{hunk['line']})" for hunk in hunks[:20])
    return [f"  hunks: {named}; for some of them only:", f"    {decide('edit --hunks N,...')}"]


def _disagreement(evidence: Mapping[str, Any], decide: Decide) -> list[str]:
    question = evidence.get("question")
    if not question:
        return []
    return [
        *disagreement_lines(question, evidence.get("candidates", {}).values()),
        "  say which is right, with !Name for an exception (it becomes a test), or ? where you do not know:",
        f"    {decide('edit --answer VALUE')}",
    ]


def disagreement_lines(question: Mapping[str, Any], listed: Iterable[Mapping[str, Any]] = ()) -> list[str]:
    """Say on which call repairs, or programs one edit away, disagree, and what they give.

    `listed` are the repairs that stand above it, in the order of their numbers.
    """
    from selfheal_tui.engine.moment.givers import giver_words, givers_listed
    from selfheal_tui.engine.moment.unsettled import answer_words

    def gives(answer: str) -> str:
        return answer_words(answer, question["call"])

    now = question.get("now")
    numbers = givers_listed(cast(Question, question), cast(Iterable[Repair], listed))
    *steps, call = call_rows(question["call"])
    others = sorted((a for a in question["answers"] if a["text"] != now), key=lambda a: -a["repairs"])

    def givers(one: RivalAnswer) -> str:
        if now is not None:
            return f"in {plural(one['repairs'], 'program')}"
        return f"({giver_words(one, numbers.get(one['text']))})"

    answers = ", ".join(f"{gives(a['text'])} {givers(a)}" for a in others[:_ANSWERS])
    if (more := len(others) - _ANSWERS) > 0:
        answers += f" and {plural(more, 'other')}"
    sentence = f"  repairs disagree: {call} {answers}"
    if now is not None:
        sentence = f"  no test says what {call} gives: it {gives(now)} now, one edit away {answers}"
        if says := question.get("says"):
            sentence = f"  the {says} says that {call} {gives(others[0]['text'])}, and now it {gives(now)}"
    return [
        *(f"  {'after' if not number else '     '} {step}" for number, step in enumerate(steps)),
        sentence,
        *([f"  {opinion_words(opinion)}; it decides nothing"] if (opinion := question.get("opinion")) else []),
    ]


def doubt_lines(repair: Mapping[str, Any], listed: Collection[Repair] = ()) -> list[str]:
    """Say what speaks against a repair, a line for each doubt; `listed` are the repairs among which it stands."""
    unsure = unsure_line(repair, listed)
    return [
        *(f"  ⚠ {one_line(str(mark['why']), 300)}" for mark in repair.get("marks", [])),
        *([f"  ? {unsure}"] if unsure else []),
        *(f"  ≠ no test asks: {line}" for line in beside_tests(repair)),
    ]


def question_lines(review: Mapping[str, Any], decide: Decide, changed: Sequence[str]) -> list[str]:
    """Say what is asked, and what the verdicts mean there."""
    kind, proposal = review["kind"], review["proposal"]
    lines = _ABOUT.get(kind, _about)(kind, proposal, review["evidence"], decide)
    if kind == "end":
        lines += [f"  {line}" for line in _not_run((proposal.get("objection") or {}).get("unexercised") or {}, changed)]
    return [*lines, *(f"  {choice}" for choice in REVIEWS[kind].choices)]


def _about(kind: str, proposal: Mapping[str, Any], evidence: Mapping[str, Any], decide: Decide) -> list[str]:
    """Say the reason, or show the files, of a question that has no words of its own."""
    files = proposal.get("files", {})
    return [
        f"{kind}: {one_line(str(proposal['reason']), _WHOLE) if 'reason' in proposal else ', '.join(files)}",
        *(Code(f"  {line}") for text in files.values() for line in text.splitlines()),
    ]


def _about_diagnosis(kind: str, proposal: Mapping[str, Any], evidence: Mapping[str, Any], decide: Decide) -> list[str]:
    return [
        f"diagnosis by {proposal.get('by', '')}{_sure(proposal)}: {one_line(str(proposal.get('cause', '')), _WHOLE)}",
        *(
            f"  {number}  {one_line(e['file'], 80)}:{e['line']}  {one_line(e['why'], 160)}"
            for number, e in enumerate(proposal.get("evidence", []), 1)
        ),
        f"  strategy: {one_line(str(proposal.get('strategy', '')), _WHOLE)}",
        *([f"  wrong if: {one_line(str(proposal['disproof']), _WHOLE)}"] if proposal.get("disproof") else []),
        *(_steering(decide, len(places)) if (places := place_labels(cast(Any, proposal))) else []),
    ]


def _sure(proposal: Mapping[str, Any]) -> str:
    sure = cause_sureness(proposal) if isinstance(proposal.get("confidence"), int | float) else ""
    return f", {sure}" if sure else ""


def _about_repair(kind: str, proposal: Mapping[str, Any], evidence: Mapping[str, Any], decide: Decide) -> list[str]:
    fixes, breaks = proposal.get("fixes", []), proposal.get("breaks", [])
    candidates = evidence.get("candidates", {})
    sure = f", {note}" if (note := sure_note(proposal)) else ""
    return [
        f"repair {proposal.get('label', '')} by {proposal.get('by', '')}{sure}: "
        f"{one_line(str(proposal.get('summary', '')), _WHOLE)}",
        f"  fixes {plural(len(fixes), 'case')}, breaks {len(breaks) or 'none'}"
        + (f"; {plural(len(candidates), 'candidate')}:" if len(candidates) > 1 else ""),
        *_candidate_lines(candidates, str(proposal.get("label", 1)), decide),
        *doubt_lines(proposal),
        *(Code("  " + line) for line in show_controls(str(proposal.get("diff", ""))).splitlines()),
        *_hunk_lines(proposal.get("hunks", []), decide),
        *_disagreement(evidence, decide),
    ]


def _candidate_lines(candidates: Mapping[str, Mapping[str, Any]], shown: str, decide: Decide) -> list[str]:
    """Return a line for each candidate where there are several; `shown` is the label of the one that is told."""
    if len(candidates) < 2:
        return []
    lines = [f"  {label}  {one_line(str(one.get('in_one_line', '')), 300)}" for label, one in candidates.items()]
    pick = decide("approve --pick N")
    return [*lines, f"  the diff of each: see look below; another than {shown}:", f"    {pick}"]


def _about_end(kind: str, proposal: Mapping[str, Any], evidence: Mapping[str, Any], decide: Decide) -> list[str]:
    objection = proposal.get("objection") or {}
    return [
        *_about(kind, proposal, evidence, decide),
        *([f"  critic: {one_line(str(objection['summary']), _WHOLE)}"] if objection else []),
        *(f"  opinion: {one_line(opinion, 300)}" for opinion in proposal.get("opinions", [])),
        *_disagreement(evidence, decide),
    ]


def _steering(decide: Decide, places: int) -> list[str]:
    several = ["  another line:", f"    {decide('approve --pick N')}"] if places > 1 else []
    return [
        *several,
        "  to keep the search away from function:NAME, line:FILE:N or data:",
        f"    {decide('reject --avoid WHAT')}",
    ]


_ABOUT = {"diagnosis": _about_diagnosis, "repair": _about_repair, "end": _about_end}
"""Kinds of question that say more than a reason or files."""
