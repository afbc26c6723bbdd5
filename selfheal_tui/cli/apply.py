"""`selfheal sessions apply`: write the healed files to where they came from, or into a folder."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.workspace import unified_diff
from selfheal_tui.errors import InputError
from selfheal_tui.money import json_text
from selfheal_tui.store.writing import FileChange, changes_of, pending_changes, write_changes
from selfheal_tui.text import one_line, plural, show_controls, strip_controls
from selfheal_tui.walled import named_output

from .find import find_branch, find_healed, find_or_newest
from .look import look_at
from .options import add_json, add_session, add_store_settings
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.history.saved_session import SavedSession


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_session(parser, optional=True, otherwise="the newest that is healed")
    parser.add_argument("--branch", metavar="B", help="which branch (default: the one that ran last)")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="write the whole program into this folder")
    parser.add_argument("--unhealed", action="store_true", help="also when not every case passes")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_json(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Show what would be written, ask, write."""
    settings = load_from(args)
    session_id = (find_or_newest if args.unhealed or args.branch else find_healed)(settings, args)

    async def read(session: SavedSession) -> tuple[Snapshot, Path | None]:
        timeline = await session.timeline()
        branch = timeline.branches[find_branch(timeline, args.branch)]
        return await session.snapshot(branch.head), await session.root()

    snapshot, root = look_at(settings, session_id, read)
    if snapshot.outcome != "healed" and not args.unhealed:
        state = snapshot.outcome.replace("_", " ") or "it has not ended"
        raise InputError(
            f"Branch {snapshot.branch} is not healed ({state}): nothing was written.",
            "To write it all the same: --unhealed.",
        )
    if args.output is None and root is None:
        raise InputError(
            "This session's files came from no folder: nothing was written.",
            "Give one with -o DIR, or: selfheal sessions export SESSION --format patch",
        )
    folder = Path(os.path.realpath(named_output(args.output))) if args.output else Path(root or ".")
    wished = wanted(snapshot, folder, whole=args.output is not None)
    # A folder that is not there yet is made once the user agreed.
    changes = pending_changes(folder, wished) if args.output is None or os.path.lexists(folder) else wished
    if not changes:
        return _say(args, folder, [], f"{folder} holds this program already: nothing to write.")
    diff = unified_diff(
        {c.path: c.before for c in changes if c.before is not None}, {change.path: change.after for change in changes}
    )
    print(show_controls(diff), file=sys.stderr if args.json else sys.stdout, flush=True)
    target = f"{plural(len(changes), 'file')} in {folder}"
    if not args.yes and not _agreed(f"Write {target} (branch {one_line(snapshot.branch, 60)})? [y/N] "):
        return _say(args, folder, [], "Nothing was written.")
    if args.output is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder} cannot be made: {error.strerror}.") from error
    written = write_changes(folder, changes)
    return _say(args, folder, written, "\n".join(f"Written: {path}" for path in written))


def wanted(snapshot: Snapshot, folder: Path, *, whole: bool) -> list[FileChange]:
    """Return what is to be written; `whole`: every program file, those that the folder lacks included."""
    if not whole:
        return [change for change in changes_of(snapshot.base, snapshot.program) if change.before is not None]
    there = {path for path in snapshot.program if os.path.lexists(folder / path)}
    return [
        FileChange(path, snapshot.base.get(path) if path in there else None, text)
        for path, text in sorted(snapshot.program.items())
    ]


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise InputError("Nothing was written: nobody can be asked here.", "Say so with --yes.")
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _say(args: Namespace, folder: Path, written: list[Path], words: str) -> int:
    if args.json:
        print(json_text({"folder": str(folder), "written": [str(path) for path in written]}))
    else:
        print(strip_controls(words))
    return 0
