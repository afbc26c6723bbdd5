"""`selfheal sessions show`: a session's history, one moment of it, or what left this machine."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from selfheal_tui.engine.loop.reviews.table import waits_line
from selfheal_tui.engine.moment.comments import comment_line
from selfheal_tui.engine.moment.node_facts import START, facts_of, was_passed_over
from selfheal_tui.engine.moment.origins import with_suites
from selfheal_tui.engine.moment.words import bill_line, decision_line, tried_words
from selfheal_tui.errors import InputError, SessionError
from selfheal_tui.money import json_text
from selfheal_tui.sandbox.allowance import allowed_words
from selfheal_tui.settings import sessions_flag
from selfheal_tui.store.sessions import SessionRow, SessionStore
from selfheal_tui.text import one_line, outcome_word, plural, price_words, show_controls, strip_controls, with_session

from .find import find_moment, find_or_newest, short_ids
from .folding import folded
from .look import look_at
from .options import add_json, add_session, add_store_settings
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.history.calls import MomentCall
    from selfheal_tui.engine.history.saved_session import SavedSession
    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.engine.moment.timeline import Checkpoint, Timeline
    from selfheal_tui.settings import Settings
    from selfheal_tui.store.usage import UsageRow


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_session(parser, optional=True)
    parser.add_argument("--at", metavar="CHECKPOINT", help="a moment or a branch: show the state there")
    parser.add_argument(
        "--sent", action="store_true", help="what left this machine: files, addresses and bytes of each model call"
    )
    add_json(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Show."""
    settings = load_from(args)
    session_id = find_or_newest(settings, args)
    row = SessionStore(settings.sessions).row(session_id)
    if args.sent:
        return _show_sent(args, settings, row)

    allowed: list[str] = []
    allowed_now: list[str] = []
    race: list[str] = []

    async def read(session: SavedSession) -> tuple[Timeline, list[UsageRow], tuple[Snapshot, list[MomentCall]] | None]:
        from selfheal_tui.engine.history.calls import calls_at

        allowed_now.extend(session.allowed)
        with suppress(SessionError):  # what is damaged there is told where it is shown
            allowed.extend(await session.had_allowed())
        timeline, usage = await session.timeline(), await session.usage()
        if not args.at:
            if not args.json and (raced := await session.raced()) is not None:
                from .race import race_text

                race.append(race_text(session_id, raced, "", sessions_flag(settings)))
            return timeline, usage, None
        checkpoint_id = find_moment(timeline, args.at)
        return timeline, usage, (await session.snapshot(checkpoint_id), await calls_at(session, checkpoint_id))

    try:
        timeline, usage, moment = look_at(settings, session_id, read)
    except SessionError as error:
        if (timeline_left := _as_far(settings, session_id)) is None:
            raise
        error.shown = True
        if args.at:
            _show_moment_left(args, settings, session_id, find_moment(timeline_left, args.at), timeline_left)
            error.message += " Shown is what can be read of this moment."
            raise
        history = folded(_history_text(row, timeline_left, []), sys.stdout)
        print(json_text(build_show(row, timeline_left, [])) if args.json else history)
        error.message += f" Shown is what can be read: {plural(len(timeline_left.checkpoints), 'moment')}."
        raise
    if moment is not None:
        print(json_text(_moment_json(*moment)) if args.json else _moment_text(*moment, session_id))
    elif args.json:
        print(json_text({**build_show(row, timeline, usage), "allowed": allowed, "allowed_now": allowed_now}))
    else:
        # What waits for a choice first: the history may be long.
        words = [f"A race waits for your choice:\n{one}\n" for one in race]
        print(folded("\n".join([*words, _history_text(row, timeline, usage, allowed, allowed_now)]), sys.stdout))
    return 0


def _show_moment_left(
    args: Namespace, settings: Settings, session_id: str, checkpoint_id: str, timeline: Timeline
) -> None:
    """Print a moment of a damaged session, or where its bodies are lost its line of the tree."""
    from selfheal_tui.engine.history.as_far import moment_as_far

    checkpoint = timeline.checkpoints[checkpoint_id]
    snapshot = moment_as_far(SessionStore(settings.sessions).folder(session_id), checkpoint)
    if snapshot is not None:
        print(json_text(_moment_json(snapshot, [])) if args.json else _moment_text(snapshot, [], session_id))
    elif args.json:
        print(json_text(_checkpoint_json(checkpoint)))
    else:
        print(strip_controls(_moment(checkpoint, short_ids(timeline)[checkpoint_id])).strip())


def _as_far(settings: Settings, session_id: str) -> Timeline | None:
    """Return the tree as far as it can be read."""
    from selfheal_tui.engine.history.as_far import timeline_as_far

    return timeline_as_far(SessionStore(settings.sessions).folder(session_id))


def _show_sent(args: Namespace, settings: Settings, row: SessionRow) -> int:
    from selfheal_tui.engine.history.sent import sent_calls

    from .sent import build_sent, sent_text

    if args.at:
        raise InputError("--sent tells of the whole session, --at of one moment.", "Give one of them.")
    calls = look_at(settings, row.session_id, sent_calls)
    print(json_text(build_sent(row, calls)) if args.json else sent_text(row, calls))
    return 0


def build_show(row: SessionRow, timeline: Timeline, usage: Sequence[UsageRow]) -> dict[str, Any]:
    """Build the JSON of `sessions show`."""
    return {
        "session": asdict(row),
        "branches": [asdict(branch) for branch in timeline.branches.values()],
        "checkpoints": [_checkpoint_json(checkpoint) for checkpoint in timeline],
        "usage": list(usage),
    }


def _checkpoint_json(checkpoint: Checkpoint) -> dict[str, Any]:
    return {
        "checkpoint_id": checkpoint.id,
        "parent_id": checkpoint.parent_id,
        "branch": checkpoint.branch,
        "step": checkpoint.step,
        "node": checkpoint.node,
        "iteration": checkpoint.iteration,
        "created_at": checkpoint.created_at,
        "passed": checkpoint.passed,
        "failed": checkpoint.failed,
        "decision": dict(checkpoint.decision) if checkpoint.decision else None,
        "pending": checkpoint.pending is not None,
        "gist": checkpoint.gist,
        "note_read": checkpoint.heard,
    }


def _history_text(
    row: SessionRow,
    timeline: Timeline,
    usage: Sequence[UsageRow],
    allowed: Sequence[str] = (),
    allowed_now: Sequence[str] = (),
) -> str:
    ids = short_ids(timeline)
    lines = [
        f"{row.session_id}  {one_line(row.title)}",
        f"{outcome_word(row.outcome)}  {one_line(with_session(row.reason, row.session_id), 1000)}".rstrip(),
    ]
    lines += [f"the tests could {allowed_words(allowed)}"] if allowed else []
    lines += [f"the tests can {allowed_words(allowed_now)} when it goes on"] if allowed_now else []
    for line in timeline.branches.values():
        start = f", from {ids[line.forked_from]}" if line.forked_from else ""
        hidden = f", hidden ({line.hidden})" if line.hidden else ""
        lines += ["", f"{one_line(line.name, 60)}: {outcome_word(line.outcome)}{start}{hidden}"]
        lines += [f"  {one_line(line.note)}"] if line.note else []
        lines += [
            _moment(c, ids[c.id]) for c in timeline if c.branch == line.name and not _is_second_start(c, timeline)
        ]
    any_undone = any(branch.hidden == "undone" for branch in timeline.branches.values())
    for name in dict.fromkeys(row["branch"] for row in usage):
        where = f"on {one_line(name, 60)}" if name else "before branches were told apart"
        undone = "; what was undone is counted too" if name and any_undone else ""
        lines += ["", f"used {where}{undone}:", *(_usage_line(row) for row in usage if row["branch"] == name)]
    return strip_controls("\n".join(lines))


def _is_second_start(checkpoint: Checkpoint, timeline: Timeline) -> bool:
    """Tell whether a checkpoint only says again what its parent says: a session begins with what it was given."""
    parent = timeline.checkpoints.get(checkpoint.parent_id or "")
    return parent is not None and checkpoint.node == parent.node == START


def _moment(checkpoint: Checkpoint, short_id: str) -> str:
    parts = [f"  {short_id}  {checkpoint.node:<17}"]
    if checkpoint.node == "run_suite" and checkpoint.passed is not None:
        parts.append(f"{checkpoint.passed} passed, {checkpoint.failed} not")
    if checkpoint.decision and not was_passed_over(checkpoint.node, checkpoint.decision):
        parts.append(one_line(decision_line(checkpoint.decision), 120))
    if checkpoint.gist:
        parts.append(f"({one_line(checkpoint.gist)})" if checkpoint.node == "run_suite" else one_line(checkpoint.gist))
    if checkpoint.heard:
        parts.append(f"note read: {one_line(checkpoint.heard, 120)}")
    if checkpoint.pending:
        parts.append(f"<- {waits_line(checkpoint.pending)}")
    return " ".join(parts).rstrip()


def _usage_line(row: UsageRow) -> str:
    if not row["role"]:
        return f"  {row['node']:<24}{plural(row['runs'], 'run'):>8}  {row['time_s']:7.1f} s"
    tokens = row["input_tokens"] + row["output_tokens"]
    cost = price_words(None if row["unpriced_calls"] else row["cost_usd"], 2)
    parts = [
        f"    {row['role']} {one_line(row['model'], 40)}: {plural(row['calls'], 'call')}, {tokens:,} tokens, {cost}"
    ]
    parts += [f"{row[name]} {word}" for name, word in _TROUBLE.items() if row[name]]  # type: ignore[literal-required]
    return ", ".join(parts)


_TROUBLE = {"replayed_calls": "replayed", "retries": "retries", "degraded": "degraded"}


def _moment_text(snapshot: Snapshot, calls: Sequence[MomentCall], session_id: str) -> str:
    from selfheal_tui.engine.moment.workspace import unified_diff

    from .human import disagreement_lines, doubt_lines, report_lines

    lines = [f"after {snapshot.node} on {snapshot.branch}, {tried_words(snapshot)}"]
    if snapshot.outcome:
        reason = with_session(snapshot.reason, session_id)
        lines.append(f"{outcome_word(snapshot.outcome)}: {reason}")
    decision = snapshot.decision if facts_of(snapshot.node).asks else None
    if decision and not was_passed_over(snapshot.node, decision):
        lines.append(decision_line(decision))
        lines += [f"  on {comment_line(comment)}" for comment in decision.get("comments", ())]
    if report := with_suites(snapshot.report, snapshot.origins):
        lines += ["", *report_lines(report)]
    if snapshot.diagnosis:
        lines += ["", f"diagnosis by {snapshot.diagnosis['by']}: {snapshot.diagnosis['cause']}"]
    for number, step in enumerate(snapshot.debug_steps, 1):
        arguments = ", ".join(str(value) for value in step["arguments"].values() if value)
        lines.append(f"  {number}. {step['tool']} {one_line(arguments, 60)} -> {one_line(step['observation'], 100)}")
    lines += ["", *map(_call_line, calls)] if calls else []
    for label, words in _candidates(snapshot).items():
        repair = snapshot.candidates[label]
        changes = repair["changes"]
        before = {path: text for path, text in {**snapshot.tests, **snapshot.program}.items() if path in changes}
        lines += ["", f"repair {label}: {words}", *doubt_lines(repair, snapshot.candidates.values())]
        lines.append(show_controls(unified_diff(before, changes)).rstrip("\n"))
    lines += ["", *disagreement_lines(snapshot.question, snapshot.candidates.values())] if snapshot.question else []
    lines += ["", "changed so far:"] if snapshot.candidates else [""]
    lines += [show_controls(unified_diff(snapshot.base, snapshot.program)) or "The program is as it was given."]
    return strip_controls("\n".join(lines))


def _candidates(snapshot: Snapshot) -> dict[str, str]:
    """Return each candidate of a moment in one line, by label."""
    from selfheal_tui.engine.moment.candidate_words import candidate_lines

    lines = candidate_lines([*snapshot.candidates.values()], snapshot.program, snapshot.tests, snapshot.recent)
    return {label: line.text for label, line in zip(snapshot.candidates, lines, strict=True)}


def _call_line(call: MomentCall) -> str:
    usage = {name: getattr(call, name) for name in ("input_tokens", "output_tokens", "cost_usd")}
    how = "replayed, paid once" if call.replayed else f"{call.time_s:.1f} s"
    trouble = f", {one_line(call.degraded, 100)}" if call.degraded else ""
    prompt = f"prompt v{call.prompt_version} {call.prompt_sha256[:8]}"
    sent = f"\n  sent: {one_line(call.sent_words, 400)}"
    return f"call {call.role} ({one_line(call.model, 60)}): {bill_line(usage)}, {how}, {prompt}{trouble}{sent}"


def _moment_json(snapshot: Snapshot, calls: Sequence[MomentCall]) -> dict[str, Any]:
    report = with_suites(snapshot.report, snapshot.origins)
    return {**_plain(asdict(snapshot)), "report": report, "calls": [asdict(call) for call in calls]}


def _plain(value: Any) -> Any:
    """Turn mappings and tuples into what JSON has; a line is named as `m.py:2`."""
    if hasattr(value, "items"):
        return {key if isinstance(key, str) else ":".join(map(str, key)): _plain(v) for key, v in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
