"""`selfheal sessions branch`: list branches; rename, note, pin, hide, keep or delete one."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from selfheal_tui.engine.moment.timeline import Branch, Timeline
from selfheal_tui.errors import InputError
from selfheal_tui.money import json_text
from selfheal_tui.settings import Settings
from selfheal_tui.store.applied import applied_branch
from selfheal_tui.text import one_line, outcome_word, plural, size_words, strip_controls

from .completers import branch_names, completes
from .find import find_session
from .look import act_on, look_at
from .next_steps import put_back_command, resume_command
from .options import add_json, add_session, add_store_settings
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.history.saved_session import SavedSession
    from selfheal_tui.engine.session.session import Session

_ACTIONS = ("list", "rename", "note", "pin", "unpin", "hide", "show", "go", "keep", "delete")
_WITH_TEXT = ("rename", "note")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_session(parser)
    parser.add_argument("change", choices=_ACTIONS, nargs="?", default="list", help="what to do (default: list)")
    branch = parser.add_argument("name", metavar="BRANCH", nargs="?", help="which branch; `list` takes none")
    completes(branch, branch_names)
    text = parser.add_argument(
        "text", metavar="TEXT", nargs="?", help="the new name, or the note; without a text the note is taken away"
    )
    completes(text, lambda **_: [])
    parser.epilog = (
        "go: the session goes on from this branch. keep: the same, and the other lanes of its race are hidden. "
        "show: bring back a branch that was hidden or undone. delete: for good; the disk space is free at once."
    )
    add_json(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Change the branch and say what was done."""
    settings = load_from(args)
    if (args.change == "list") != (args.name is None):
        raise InputError(f"`branch SESSION {args.change}` takes {'no' if args.name else 'the name of a'} branch.")
    if args.text is not None and args.change not in _WITH_TEXT:
        raise InputError(f"`branch SESSION {args.change}` takes one branch and no text.")

    async def change(session: Session) -> tuple[dict[str, Any], str]:
        result, words = await _change(session, args.change, args.name, (args.text or "").strip())
        if args.change == "go":
            words += f" {resume_command(session.id, settings)}"
        return {"branch": args.name, "change": args.change, **result}, words

    if args.change == "list":
        result, words = look_at(settings, args.session, _listed)
    else:
        result, words = act_on(settings, args.session, change)
        if args.change == "delete" and (stays := _still_written(settings, args)):
            words += f" {stays}"
    print(json_text(result) if args.json else strip_controls(words))
    return 0


async def _change(session: Session, change: str, name: str, text: str) -> tuple[dict[str, Any], str]:
    branches = session.branches
    match change:
        case "rename":
            if not text:
                raise InputError(
                    "A branch needs its new name.",
                    f"Give it: selfheal sessions branch SESSION rename {shlex.quote(name)} NEW",
                )
            await branches.rename(name, text)
            return {"name": text}, f"Branch {name} is {text} now."
        case "note":
            await branches.note(name, text)
            return {"note": text}, f"Noted on branch {name}." if text else f"Branch {name} has no note now."
        case "pin" | "unpin":
            await branches.pin(name, change == "pin")
            return {}, f"Branch {name} is {change}ned."
        case "hide" | "show":
            await branches.hide(name, change == "hide")
            return {}, f"Branch {name} is {'hidden' if change == 'hide' else 'shown'}."
        case "go":
            await branches.go(name)
            return {}, f"The session goes on, on branch {name}:"
        case "keep":
            lanes = await branches.lanes_beside(name)
            await branches.keep(name, lanes)
            return {"hidden": lanes}, f"Kept branch {name}; hidden: {', '.join(lanes) or 'none'}."
    await branches.delete(name)
    gone = await branches.purge()
    removed = f"{plural(gone.checkpoints, 'checkpoint')}, {plural(gone.bodies, 'body', 'bodies')}"
    return (
        {"checkpoints": gone.checkpoints, "bodies": gone.bodies, "freed_bytes": gone.freed_bytes},
        f"Deleted branch {name}: {removed}, {size_words(gone.freed_bytes)} freed.",
    )


def _still_written(settings: Settings, args: Namespace) -> str:
    session_id = find_session(settings.sessions, args.session)
    if applied_branch(settings.sessions / session_id) != args.name:
        return ""
    return f"What it wrote stays in your files; to put them back: {put_back_command(session_id, settings)}"


async def _listed(session: SavedSession) -> tuple[dict[str, Any], str]:
    timeline, sizes = await session.timeline(), await session.branches.sizes()
    rows = [branch_json(branch, timeline, sizes.get(branch.name, 0)) for branch in timeline.branches.values()]
    return {"stands": timeline.stands, "branches": rows}, "\n".join(_line(row, timeline.stands) for row in rows)


def branch_json(branch: Branch, timeline: Timeline, size_bytes: int) -> dict[str, Any]:
    """Return what is known of a branch."""
    head = timeline.checkpoints[branch.head]
    spent = head.spent
    return {
        "name": branch.name,
        "head": branch.head,
        "forked_from": branch.forked_from,
        "from_branch": timeline.checkpoints[branch.forked_from].branch if branch.forked_from else None,
        "outcome": branch.outcome,
        "passed": head.passed,
        "failed": head.failed,
        "spent": dict(zip(("calls", "tokens", "cost_usd", "time_s"), spent, strict=True)) if spent else None,
        "size_bytes": size_bytes,
        "note": branch.note,
        "pinned": branch.pinned,
        "hidden": branch.hidden,
    }


def _line(row: dict[str, Any], stands: str) -> str:
    total = (row["passed"] or 0) + (row["failed"] or 0)
    parts = [
        f"{'*' if row['name'] == stands else ' '} {one_line(row['name'], 32):<32} {outcome_word(row['outcome']):<10}",
        f"{row['passed']}/{total} pass" if row["passed"] is not None else "not run",
        size_words(row["size_bytes"]),
        *(
            word
            for word in ("pinned" if row["pinned"] else "", f"hidden ({row['hidden']})" if row["hidden"] else "")
            if word
        ),
        *([one_line(row["note"], 60)] if row["note"] else []),
    ]
    return "  ".join(parts)
