"""`selfheal sessions`: its actions, each in a file of its own."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import cast

from .parser import Command, Parser, add_actions, refuse_late

ACTIONS: dict[str, Command] = {
    "list": Command("listing", "list all sessions, the newest first"),
    "show": Command("show", "show a session's history, or one moment of it"),
    "decide": Command("decide", "answer the question that waits, and run on"),
    "fork": Command("fork", "begin a branch at a checkpoint, with something changed"),
    "race": Command("race", "fork one moment several ways, and run them side by side under one budget"),
    "note": Command("note", "write a note for the next step that asks a model"),
    "try": Command("try_", "run Python or a case beside a moment's program; the run stays where it is"),
    "compare": Command("compare", "compare two checkpoints or branches"),
    "export": Command(
        "export", "write a branch as a report, JSON or a patch; its decisions; or the session as one file"
    ),
    "import": Command("take_in", "take in a session that was exported as one file"),
    "apply": Command("apply", "write the healed files to where they came from"),
    "rename": Command("rename", "give a session another title"),
    "branch": Command("branch", "list branches; rename, note, pin, hide, keep or delete one"),
    "undo": Command("undo", "take back what you did last, or do it again (--redo)"),
    "check": Command("check", "say whether sessions are whole, how large they are, and who drives them"),
    "delete": Command("delete", "remove sessions for good"),
}


DEFAULT = "list"
"""What `selfheal sessions` alone does."""


def with_action(argv: list[str]) -> list[str]:
    """Put the default action before options that stand alone. Raises: InputError for an action that follows them."""
    if argv and (not argv[0].startswith("-") or "-h" in argv or "--help" in argv):
        return argv
    refuse_late(argv, ACTIONS, "selfheal sessions", "action")
    return [DEFAULT, *argv]


def add_arguments(parser: ArgumentParser) -> None:
    """Add the actions and their arguments."""
    parser.epilog = f"Without ACTION: {DEFAULT}."
    add_actions(cast(Parser, parser), __package__, ACTIONS, "ACTION")
