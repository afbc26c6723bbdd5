"""`selfheal sessions apply`: write the healed files to where they came from, or into a folder; commit them."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.engine.moment.doubts import build_doubts
from selfheal_tui.engine.moment.set_aside_words import set_aside_words
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.unsettled import doubts_of_snapshot
from selfheal_tui.engine.moment.words import not_verified_line
from selfheal_tui.engine.out.added_tests import offers_tests, why_no_tests
from selfheal_tui.engine.out.applying import (
    Writing,
    merged_words,
    plan_putting_back,
    plan_writing,
    unnoted_words,
    write,
)
from selfheal_tui.engine.out.before_apply import Permit, permit_for
from selfheal_tui.engine.session.hook_story import SessionPlace
from selfheal_tui.errors import HeldAlready, InputError
from selfheal_tui.money import json_text
from selfheal_tui.settings import Settings, sessions_flag
from selfheal_tui.store.applied import applied_branch, note_put_back
from selfheal_tui.text import one_line, outcome_word, show_controls, strip_controls
from selfheal_tui.walled import named_output

from .apply_again import with_flags
from .apply_commit import (
    Moment,
    Place,
    check_worktree,
    commit_told,
    fits_apart,
    make,
    make_each,
    place_of,
    plan,
    read_moment,
)
from .asking import agreed
from .compose import build_hooks
from .find import find_applied, find_to_apply
from .folding import folded
from .look import look_at
from .options import add_json, add_session, add_store_settings
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.out.committing import Committable


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_session(
        parser,
        optional=True,
        otherwise="the newest of this folder that is healed; with --undo, the one applied last in it",
    )
    branch = "which branch of the session (default: the one that ran last); any other name: commit to a new git branch"
    parser.add_argument("--branch", metavar="B", action="append", default=[], help=branch)
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="write the whole program into this folder")
    parser.add_argument("--unhealed", action="store_true", help="also when not every case passes")
    parser.add_argument("--merge", action="store_true", help="merge the repair into files that changed meanwhile")
    conflicts = "with --merge: write what conflicts too, both texts between git's marks"
    parser.add_argument("--with-conflicts", action="store_true", help=conflicts)
    tests = "also add the session's new cases (answers, counter-examples) to your test file"
    parser.add_argument("--with-tests", action="store_true", help=tests)
    parser.add_argument(
        "--commit", action="store_true", help="also commit exactly these files with git; no git hook runs"
    )
    each = "with --commit: a commit for each repair, or edit of one, where several healed the failing cases"
    parser.add_argument("--each", action="store_true", help=each)
    worktree = "commit to a new git branch, checked out in the new folder PATH (default: beside the repository)"
    parser.add_argument("--worktree", nargs="?", const="", metavar="PATH", help=worktree)
    message = "with a commit: its message (default: Heal FILE, with cause, evidence and what was verified)"
    parser.add_argument("--message", default="", metavar="TEXT", help=message)
    parser.add_argument("--undo", action="store_true", help="put the files back as the session was given them")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_json(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Show what would be written, ask, write, and commit where that is wished."""
    try:
        return _applied(args)
    except InputError as error:
        error.hint = with_flags(error.hint, args)
        raise


def _applied(args: Namespace) -> int:
    _check(args)
    settings = load_from(args)
    check_worktree(args, settings.sessions)
    session_id, moment = _read(settings, args)
    snapshot = moment.snapshot
    place = place_of(args, moment)
    address = session_id + sessions_flag(settings)
    writing = _planned(args, moment, address, place, settings.sessions / session_id)
    _check_conflicts(args, writing, place)
    try:
        planned = plan(place, writing, args.merge) if place is not None else None
    except HeldAlready as error:
        if writing.pending or (place is not None and place.branch):
            raise
        return _say(args, writing, [], str(error), {"doubts": build_doubts(snapshot), **commit_told(place)})
    if args.each and place is not None and place.branch:
        raise InputError("--each commits to the branch that is checked out.", "Leave out --branch.")
    doubts = [] if args.undo else build_doubts(snapshot)
    stays = _stays(writing) if args.undo else ""
    nothing = {"doubts": doubts, **commit_told(place), **({"stays": stays} if stays else {})}
    if not writing.pending and planned is None:
        if args.undo:
            note_put_back(settings.sessions / session_id)
        held = "is as it was given" if args.undo else "holds this program already"
        told = [f"{writing.folder} {held}: nothing to write.", *([stays] if stays else [])]
        return _say(args, writing, [], "\n".join(told), nothing)
    out = sys.stderr if args.json else sys.stdout
    print(show_controls(writing.diff_from(Path.cwd().resolve())), file=out, flush=True)
    # Said to who writes unasked too, and above the question where one is asked.
    for note in _notes(args, snapshot, writing):
        print(folded(strip_controls(note), out), file=out, flush=True)
    ending = "" if args.undo else _ending(snapshot)
    if not args.yes and not _agreed(ending + _question(writing, planned, snapshot, len(moment.repairs))):
        return _say(args, writing, [], "Nothing was written.", nothing)
    elsewhere = planned is not None and planned.new_branch
    home = settings.sessions / session_id
    permit = _permitted(args, settings, session_id, snapshot, writing, planned, moment.root)
    written = write(writing, home, snapshot.branch, permit) if writing.pending and not elsewhere else []
    if written and (unnoted := unnoted_words(writing, home, snapshot.branch, address)):
        print(strip_controls(f"selfheal: {unnoted}"), file=sys.stderr)
    words = [f"{'Put back' if args.undo else 'Written'}: {path}" for path in written]
    words += [stays] if stays else []
    if planned is None or place is None:
        return _say(args, writing, written, "\n".join(words), nothing)
    if moment.repairs:
        commits, done = make_each(planned, snapshot, writing, moment.repairs, permit)
        more: dict[str, object] = {"commits": commits}
        made = commits[-1]
    else:
        made, done = make(planned, snapshot, writing, args.message, permit)
        more = {"commits": [made]} if args.each else {}
        done += "\nA single repair: it is one commit." if args.each else ""
    more = {"doubts": doubts, **commit_told(place, planned, made), **more}
    return _say(args, writing, written, "\n".join([*words, done]), more)


def _permitted(
    args: Namespace,
    settings: Settings,
    session_id: str,
    snapshot: Snapshot,
    writing: Writing,
    planned: Committable | None,
    root: Path | None,
) -> Permit:
    """Ask the user's hook once for all that is written and committed. Raises: InputError where it refuses."""
    place = SessionPlace(session_id, snapshot.title, settings.sessions, root)
    permit = permit_for(build_hooks(settings), place, snapshot, writing, planned, puts_back=args.undo)
    if permit.trouble:
        print(strip_controls(f"selfheal: {permit.trouble}"), file=sys.stderr)
    return permit


def _check(args: Namespace) -> None:
    """Raise InputError for options that do not go together."""
    if args.undo and (args.output is not None or args.unhealed or args.with_tests):
        other = "-o" if args.output else "--unhealed" if args.unhealed else "--with-tests"
        raise InputError(f"--undo does not go with {other}.", "Give one of them.")
    if args.output is not None and (args.merge or args.with_tests):
        other = "--merge" if args.merge else "--with-tests"
        raise InputError(f"{other} does not go with -o.", "Give one of them.")
    others = {"--worktree": args.worktree is not None, "--merge": args.merge, "--with-tests": args.with_tests}
    others |= {"--message": bool(args.message)}
    if args.each and (other := next((name for name, is_given in others.items() if is_given), "")):
        raise InputError(f"--each does not go with {other}.", "Give one of them.")
    if args.each and not args.commit:
        raise InputError("--each belongs to --commit.")
    if args.with_conflicts and not args.merge:
        raise InputError("--with-conflicts belongs to --merge.")


def _read(settings: Settings, args: Namespace) -> tuple[str, Moment]:
    """Return the session's id and the moment that is applied. Raises: InputError."""
    session_id = (find_applied if args.undo else find_to_apply)(settings, args)
    applied = applied_branch(settings.sessions / session_id)
    return session_id, look_at(settings, session_id, lambda session: read_moment(session, args, applied))


def _planned(args: Namespace, moment: Moment, address: str, place: Place | None, home: Path) -> Writing:
    if args.undo:
        return plan_putting_back(moment.snapshot, moment.root, address, home, merge=args.merge, is_gone=moment.is_gone)
    return plan_writing(
        moment.snapshot,
        moment.root,
        address,
        output=named_output(args.output) if args.output else None,
        unhealed=args.unhealed,
        with_tests=args.with_tests,
        merge=args.merge,
        elsewhere=place is not None and bool(place.branch),
        healed=moment.healed,
    )


def _check_conflicts(args: Namespace, writing: Writing, place: Place | None) -> None:
    """Show what a merge could not decide, and refuse it unless the user wants it written with its marks."""
    if not writing.conflicts or (args.with_conflicts and place is None):
        return
    for conflict in writing.conflicts:
        print(f"{show_controls(conflict.path)}:\n{show_controls(conflict.text)}", end="", file=sys.stderr)
    remedy = "To write both texts with git's marks: --with-conflicts."
    if place is not None:
        in_file = "to have the conflict in your file: --merge --with-conflicts without --commit."
        apart = (
            "To commit the repair all the same on a branch of its own: --branch NEW; " if fits_apart(writing) else ""
        )
        remedy = f"{apart}{in_file}" if apart else f"{in_file[0].upper()}{in_file[1:]}"
    raise InputError(f"The merge has {writing.conflict_words}: nothing was written.", remedy)


def _stays(writing: Writing) -> str:
    from selfheal_tui.engine.out.staying import staying_words

    return staying_words(writing)


def _question(writing: Writing, planned: Committable | None, snapshot: Snapshot, commits: int) -> str:
    branch = one_line(snapshot.branch, 60)
    if planned is None:
        return f"Write {writing.words} (branch {branch})? [y/N] "
    written = f"Write {writing.words} and commit" if writing.pending and not planned.new_branch else "Commit"
    each = f" as {commits} commits" if commits else ""
    return f"{written} {planned.words}{each} (branch {branch} of the session)? [y/N] "


def _notes(args: Namespace, snapshot: Snapshot, writing: Writing) -> list[str]:
    """Return what there is to know before the yes: doubts, a merge that nothing ran over, tests to be added."""
    doubts = doubts_of_snapshot(snapshot)
    notes = [] if args.undo else [f"⚠ {doubt}" for doubt in doubts]
    if args.yes and snapshot.report is not None and not args.undo and (aside := set_aside_words(snapshot.report)):
        notes.append(f"⚠ not verified: {aside}")
    if merge := merged_words(writing):
        notes.append(f"⚠ {merge}")
    if args.with_tests and (why := why_no_tests(snapshot)):
        notes.append(f"--with-tests adds nothing: {why[0].lower()}{why[1:]}")
    if not (args.undo or args.with_tests or args.output) and (tests := offers_tests(snapshot)):
        notes.append(f"This session has {tests}: --with-tests adds what it has learnt.")
    return notes


def _ending(snapshot: Snapshot) -> str:
    """Return how the run ended and what else speaks against the program, a line each; doubts were told before."""
    reason = snapshot.reason
    for doubt in doubts_of_snapshot(snapshot):
        reason = reason.replace(doubt, "").strip()
    lines = [f"{outcome_word(snapshot.outcome)}: {one_line(reason, 1000)}"] if snapshot.outcome else []
    if doubt := not_verified_line(snapshot.report):
        lines.append(one_line(doubt))
    lines += [f"opinion: {one_line(opinion, 300)}" for opinion in snapshot.opinions]
    return "".join(f"{folded(line, sys.stdout)}\n" for line in lines)


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise InputError("Nothing was written: nobody can be asked here.", "Say so with --yes.")
    return agreed(question)


def _say(args: Namespace, writing: Writing, written: list[Path], words: str, more: Mapping[str, object]) -> int:
    """Print the words, or with --json what was written and `more`."""
    if args.json:
        merge = {"merged": True, "conflicts": sum(one.count for one in writing.conflicts)} if writing.merged else {}
        told = {"folder": str(writing.folder), "written": [str(path) for path in written]}
        print(json_text({**told, **merge, **more}))
    else:
        print(strip_controls(words))
    return 0
