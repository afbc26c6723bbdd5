"""`selfheal sessions apply`: write the healed files to where they came from, or into a folder; commit them."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.unsettled import doubt_words
from selfheal_tui.engine.moment.words import not_verified_words
from selfheal_tui.engine.out.applying import Writing, plan_putting_back, plan_writing, write
from selfheal_tui.errors import InputError
from selfheal_tui.money import json_text
from selfheal_tui.settings import sessions_flag
from selfheal_tui.text import one_line, outcome_word, show_controls, strip_controls
from selfheal_tui.walled import named_output

from .asking import agreed
from .find import find_branch, find_healed, find_or_newest
from .look import look_at
from .options import add_json, add_session, add_store_settings
from .result import build_doubts
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.history.saved_session import SavedSession
    from selfheal_tui.engine.out.committing import Committable


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_session(parser, optional=True, otherwise="the newest that is healed")
    parser.add_argument("--branch", metavar="B", help="which branch (default: the one that ran last)")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="write the whole program into this folder")
    parser.add_argument("--unhealed", action="store_true", help="also when not every case passes")
    parser.add_argument("--commit", action="store_true", help="also commit exactly these files with git; no hook runs")
    parser.add_argument("--message", default="", metavar="TEXT", help="with --commit: its message (default: Heal FILE)")
    parser.add_argument("--undo", action="store_true", help="put the files back as the session was given them")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_json(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Show what would be written, ask, write, and commit where that is wished."""
    _check(args)
    settings = load_from(args)
    named = bool(args.session)
    session_id = (find_or_newest if args.unhealed or args.branch else find_healed)(settings, args)

    async def read(session: SavedSession) -> tuple[Snapshot, Path | None]:
        timeline = await session.timeline()
        branch = timeline.branches[find_branch(timeline, args.branch)]
        return await session.snapshot(branch.head), await session.root()

    snapshot, root = look_at(settings, session_id, read)
    address = session_id + sessions_flag(settings)
    if not named and args.output is None and root is not None:
        _check_here(root, address)
    if args.undo:
        writing = plan_putting_back(snapshot, root)
    else:
        output = named_output(args.output) if args.output else None
        writing = plan_writing(snapshot, root, address, output=output, unhealed=args.unhealed)
    planned = _planned_commit(writing) if args.commit else None
    doubts = [] if args.undo else build_doubts(snapshot)
    if not writing.pending and planned is None:
        held = "is as it was given" if args.undo else "holds this program already"
        return _say(args, writing, [], doubts, f"{writing.folder} {held}: nothing to write.")
    print(show_controls(writing.diff), file=sys.stderr if args.json else sys.stdout, flush=True)
    # Said to who writes unasked too, and above the question where one is asked.
    for doubt in doubts:
        print(f"⚠ {strip_controls(doubt['why'])}", file=sys.stderr if args.json else sys.stdout, flush=True)
    ending = "" if args.undo else _ending(snapshot)
    if not args.yes and not _agreed(ending + _question(writing, planned, snapshot)):
        return _say(args, writing, [], doubts, "Nothing was written.")
    stays = _commit_that_stays(writing) if args.undo else ""
    written = write(writing) if writing.pending else []
    words = [f"Written: {path}" for path in written]
    if stays:
        words.append(f"The commit {stays} stays. To take it back too: git revert {stays}")
    if planned is None:
        return _say(args, writing, written, doubts, "\n".join(words))
    from selfheal_tui.engine.out.committing import commit, committed_words, default_message

    made = commit(planned, args.message or default_message(writing.wanted))
    return _say(args, writing, written, doubts, "\n".join([*words, committed_words(planned, made)]), made)


def _check(args: Namespace) -> None:
    """Raise InputError for options that do not go together."""
    if args.commit and (args.output is not None or args.undo):
        raise InputError(f"--commit does not go with {'--undo' if args.undo else '-o'}.", "Give one of them.")
    if args.undo and (args.output is not None or args.unhealed):
        raise InputError(f"--undo does not go with {'-o' if args.output else '--unhealed'}.", "Give one of them.")
    if args.message and not args.commit:
        raise InputError("--message belongs to --commit.")


def _planned_commit(writing: Writing) -> Committable:
    from selfheal_tui.engine.out.committing import plan_commit

    return plan_commit(writing.folder, writing.wanted)


def _commit_that_stays(writing: Writing) -> str:
    from selfheal_tui.engine.out.committing import commit_that_stays

    return commit_that_stays(writing.folder, writing.wanted)


def _question(writing: Writing, planned: Committable | None, snapshot: Snapshot) -> str:
    branch = one_line(snapshot.branch, 60)
    if planned is None:
        return f"Write {writing.words} (branch {branch})? [y/N] "
    written = f"Write {writing.words} and commit" if writing.pending else "Commit"
    return f"{written} {planned.words} (branch {branch} of the session)? [y/N] "


def _ending(snapshot: Snapshot) -> str:
    """Return how the run ended and what else speaks against the program, a line each; doubts were told before."""
    reason = snapshot.reason
    for doubt in doubt_words(snapshot.doubts, snapshot.unsettled):
        reason = reason.replace(doubt, "").strip()
    lines = [f"{outcome_word(snapshot.outcome)}: {one_line(reason, 400)}"] if snapshot.outcome else []
    if doubt := not_verified_words(snapshot.report):
        lines.append(f"not verified: {one_line(doubt)}")
    lines += [f"opinion: {one_line(opinion, 300)}" for opinion in snapshot.opinions]
    return "".join(f"{line}\n" for line in lines)


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise InputError("Nothing was written: nobody can be asked here.", "Say so with --yes.")
    return agreed(question)


def _check_here(root: Path, address: str) -> None:
    """Refuse to write into another project than the one one stands in, where no session was named."""
    here = Path.cwd().resolve()
    if not (here.is_relative_to(root) or root.is_relative_to(here)):
        raise InputError(
            f"The newest session is of another folder, {root}: nothing was written.",
            f"If you mean it, name it: selfheal sessions apply {address}",
        )


def _say(
    args: Namespace,
    writing: Writing,
    written: list[Path],
    doubts: list[dict[str, Any]],
    words: str,
    commit: str = "",
) -> int:
    if args.json:
        told = {"folder": str(writing.folder), "written": [str(path) for path in written], "doubts": doubts}
        print(json_text({**told, "commit": commit} if args.commit else told))
    else:
        print(strip_controls(words))
    return 0
