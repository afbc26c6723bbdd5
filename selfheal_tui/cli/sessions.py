"""`selfheal sessions`: list, show and delete; the other actions are in their own files."""

from __future__ import annotations

import asyncio
import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from selfheal_tui.engine.loop.reviews.table import waits_line
from selfheal_tui.engine.moment.comments import comment_line
from selfheal_tui.engine.moment.node_facts import facts_of
from selfheal_tui.engine.moment.origins import with_suites
from selfheal_tui.engine.moment.timeline import Checkpoint, Timeline
from selfheal_tui.engine.moment.words import bill_line, decision_line
from selfheal_tui.errors import InputError
from selfheal_tui.store.sessions import SessionRow, SessionStore
from selfheal_tui.text import one_line, outcome_word, plural, price_words, show_controls, size_words, strip_controls

from . import apply, branch, check, compare, decide, export, fork, note, race, rename, take_in, try_, undo
from .compose import build_workbench
from .find import find_checkpoint, find_session, short_ids
from .look import look_at
from .options import STORE_SETTINGS, add_settings
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.history.calls import MomentCall
    from selfheal_tui.engine.history.saved_session import SavedSession
    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.settings import Settings
    from selfheal_tui.store.usage import UsageRow


_ACTIONS: dict[str, tuple[Any, str]] = {
    "decide": (decide, "answer the question that waits, and run on"),
    "fork": (fork, "branch off at a checkpoint with something changed"),
    "race": (race, "fork a moment several ways and run them side by side under one budget"),
    "note": (note, "write a note for the next step that asks a model"),
    "try": (try_, "run Python or a case beside a moment's program; the run stays where it is"),
    "compare": (compare, "two checkpoints or branches side by side"),
    "import": (take_in, "a session that was exported as one file"),
    "export": (export, "a branch as a report, JSON or a patch; decisions as JSONL; the session as one file"),
    "apply": (apply, "write the healed files to where they came from"),
    "rename": (rename, "give a session another title"),
    "branch": (branch, "list branches; rename, note, pin, hide, keep or delete one"),
    "undo": (undo, "take back what you did last, or do it again (--redo)"),
    "check": (check, "integrity, sizes, orphans, who drives it"),
}
"""Actions in files of their own; each offers `add_arguments(parser)`."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the actions and their arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    listing = actions.add_parser("list", help="all sessions, newest first", allow_abbrev=False)
    listing.set_defaults(run=_run_list)
    show = actions.add_parser("show", help="a session's history, or one moment of it", allow_abbrev=False)
    show.add_argument("session", metavar="SESSION", help="its id or the start of it")
    show.add_argument("--at", metavar="CHECKPOINT", help="show the state there")
    show.add_argument(
        "--sent", action="store_true", help="what left this machine: files, addresses and bytes of each model call"
    )
    show.set_defaults(run=_run_show)
    delete = actions.add_parser("delete", help="remove sessions for good", allow_abbrev=False)
    delete.add_argument("session", metavar="SESSION", nargs="+", help="ids or the starts of them")
    delete.set_defaults(run=_run_delete)
    with_json = [listing, show, delete]
    for name, (module, summary) in _ACTIONS.items():
        action = actions.add_parser(name, help=summary, allow_abbrev=False)
        module.add_arguments(action)
        if module is export:
            add_settings(action, STORE_SETTINGS)
        else:
            with_json.append(action)
    for action in with_json:
        action.add_argument("--json", action="store_true", help="print JSON and nothing else")
        add_settings(action, STORE_SETTINGS)


def _run_list(args: Namespace) -> int:
    settings = load_from(args)
    rows = build_workbench(settings).list_sessions()
    if args.json:
        print(json.dumps([asdict(row) for row in rows]))
        return 0
    if not rows:
        print(f"No sessions in {settings.sessions} yet; start one with: selfheal demo")
    width = max((len(row.session_id) for row in rows), default=0)
    for row in rows:
        state = f"{row.outcome} ({row.waiting_for})" if row.waiting_for else outcome_word(row.outcome)
        counts = f"{plural(row.iteration, 'iteration'):<14}{plural(row.branches, 'branch', 'branches'):<12}"
        print(
            f"{row.session_id:<{width}}  {state:<20}{counts}{size_words(row.size_bytes):>10}  {one_line(row.title, 60)}"
        )
    return 0


def _run_show(args: Namespace) -> int:
    settings = load_from(args)
    session_id = find_session(settings.sessions, args.session)
    row = SessionStore(settings.sessions).row(session_id)
    if args.sent:
        return _show_sent(args, settings, row)

    async def read(session: SavedSession) -> tuple[Timeline, list[UsageRow], tuple[Snapshot, list[MomentCall]] | None]:
        from selfheal_tui.engine.history.calls import calls_at

        timeline, usage = await session.timeline(), await session.usage()
        if not args.at:
            return timeline, usage, None
        checkpoint_id = find_checkpoint(timeline, args.at)
        return timeline, usage, (await session.snapshot(checkpoint_id), await calls_at(session, checkpoint_id))

    timeline, usage, moment = look_at(settings, session_id, read)
    if moment is not None:
        print(json.dumps(_moment_json(*moment)) if args.json else _moment_text(*moment))
    elif args.json:
        print(json.dumps(build_show(row, timeline, usage)))
    else:
        print(_history_text(row, timeline, usage))
    return 0


def _show_sent(args: Namespace, settings: Settings, row: SessionRow) -> int:
    from selfheal_tui.engine.history.sent import sent_calls

    from .sent import build_sent, sent_text

    if args.at:
        raise InputError("--sent tells of the whole session, --at of one moment.", "Give one of them.")
    calls = look_at(settings, row.session_id, sent_calls)
    print(json.dumps(build_sent(row, calls)) if args.json else sent_text(row, calls))
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
        "note_read": checkpoint.heard,
    }


def _history_text(row: SessionRow, timeline: Timeline, usage: Sequence[UsageRow]) -> str:
    ids = short_ids(timeline)
    lines = [
        f"{row.session_id}  {one_line(row.title)}",
        f"{outcome_word(row.outcome)}  {one_line(row.reason, 400)}".rstrip(),
    ]
    for line in timeline.branches.values():
        start = f", from {ids[line.forked_from]}" if line.forked_from else ""
        lines += ["", f"{one_line(line.name, 60)}: {outcome_word(line.outcome)}{start}"]
        lines += [f"  {one_line(line.note)}"] if line.note else []
        lines += [_moment(c, ids[c.id]) for c in timeline if c.branch == line.name]
    for name in dict.fromkeys(row["branch"] for row in usage):
        where = f"on {one_line(name, 60)}" if name else "before branches were told apart"
        lines += ["", f"used {where}:", *(_usage_line(row) for row in usage if row["branch"] == name)]
    return strip_controls("\n".join(lines))


def _moment(checkpoint: Checkpoint, short_id: str) -> str:
    parts = [f"  {short_id}  {checkpoint.node:<17}"]
    if checkpoint.node == "run_suite" and checkpoint.passed is not None:
        parts.append(f"{checkpoint.passed} passed, {checkpoint.failed} not")
    if checkpoint.decision:
        parts.append(one_line(decision_line(checkpoint.decision), 120))
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


def _moment_text(snapshot: Snapshot, calls: Sequence[MomentCall]) -> str:
    from selfheal_tui.engine.moment.workspace import unified_diff

    from .human import report_lines

    lines = [f"after {snapshot.node} on {snapshot.branch}, {plural(snapshot.iteration, 'repair')} tried"]
    if snapshot.outcome:
        lines.append(f"{outcome_word(snapshot.outcome)}: {snapshot.reason}")
    if (decision := snapshot.decision) and facts_of(snapshot.node).asks:
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
    lines += ["", *(f"repair {label}: {repair['summary']}" for label, repair in snapshot.candidates.items())]
    lines += [show_controls(unified_diff(snapshot.base, snapshot.program)) or "The program is as it was given."]
    return strip_controls("\n".join(lines))


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
    """Turn mappings and tuples into what JSON has."""
    if hasattr(value, "items"):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _run_delete(args: Namespace) -> int:
    settings = load_from(args)
    ids = list(dict.fromkeys(find_session(settings.sessions, prefix) for prefix in args.session))
    asyncio.run(_delete(settings, ids))
    if args.json:
        print(json.dumps({"deleted": ids}))
    else:
        print(f"Deleted {', '.join(ids)}.")
    return 0


async def _delete(settings: Settings, ids: list[str]) -> None:
    workbench = build_workbench(settings)
    try:
        for session_id in ids:
            await workbench.delete_session(session_id)
    finally:
        await workbench.aclose()
