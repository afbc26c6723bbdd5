"""`selfheal sessions branch`: rename, note or delete a branch."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from selfheal_tui.errors import InputError
from selfheal_tui.store.sessions import SessionStore
from selfheal_tui.text import plural, strip_controls

from .options import load_from

_ACTIONS = ("rename", "note", "delete")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    parser.add_argument("session", metavar="SESSION", help="its id or the start of it")
    parser.add_argument("change", choices=_ACTIONS, help="what to do")
    parser.add_argument("name", metavar="BRANCH")
    parser.add_argument("text", metavar="TEXT", nargs="?", help="the new name, or the note (none: takes it away)")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Change the branch and say what was done."""
    from selfheal_tui.engine.branches import delete_branch, note_branch, rename_branch

    store = SessionStore(load_from(args).sessions)
    folder = store.folder(store.find(args.session))
    told: dict[str, object] = {"branch": args.name, "change": args.change}
    if args.change == "delete":
        if args.text is not None:
            raise InputError("A deletion takes one branch and no text.")
        gone = delete_branch(folder, args.name)
        told |= {"checkpoints": gone.checkpoints, "bodies": gone.bodies, "freed_bytes": gone.freed_bytes}
        taken = f"{plural(gone.checkpoints, 'checkpoint')}, {plural(gone.bodies, 'body', 'bodies')}"
        words = f"Deleted branch {args.name}: {taken}, {gone.freed_bytes / 1024:.0f} KB freed."
    elif args.change == "rename":
        if args.text is None:
            raise InputError("A branch needs its new name.", "selfheal sessions branch SESSION rename OLD NEW")
        rename_branch(folder, args.name, args.text)
        told["name"] = args.text
        words = f"Branch {args.name} is {args.text} now."
    else:
        note_branch(folder, args.name, (args.text or "").strip())
        told["note"] = (args.text or "").strip()
        words = f"Noted on branch {args.name}." if args.text else f"Branch {args.name} has no note now."
    print(json.dumps(told) if args.json else strip_controls(words))
    return 0
