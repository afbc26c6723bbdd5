"""Finding what the user means: a session by a prefix of its id, a checkpoint by a prefix of its."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from pathlib import Path

from selfheal_tui.engine.moment.node_facts import asked_by, facts_of
from selfheal_tui.engine.moment.timeline import Timeline, has_run
from selfheal_tui.errors import InputError
from selfheal_tui.settings import Settings, sessions_flag
from selfheal_tui.store.applied import PUT_BACK, applied_branch, is_near, last_applied
from selfheal_tui.store.sessions import SessionRow, SessionStore
from selfheal_tui.text import one_line

SHORT_ID = 13
"""Characters of a checkpoint id that are shown at least: its time part, to 0.4 ms (RFC 9562, UUIDv6)."""

_MOST_NAMED = 5
_UNREADABLE = ("damaged", "other_version")


def find_session(home: Path, prefix: str | None) -> str:
    """Return the one session whose id starts with `prefix`; the newest for None. Raises: InputError."""
    return SessionStore(home).find(prefix)


def find_or_newest(settings: Settings, args: Namespace) -> str:
    """Return the session that was named, else the newest, and say on stderr which that is. Raises: InputError."""
    session_id = find_session(settings.sessions, args.session)
    if args.session:
        return session_id
    row = SessionStore(settings.sessions).row(session_id)
    return _taken(args, session_id, f"the newest{_elsewhere(row)}")


def find_here(settings: Settings, args: Namespace) -> str:
    """Return the session that was named, else the newest of this folder or one in it, and say which.

    Where there is none, the newest of a folder above, whose tests or package a program in this one brought along; then
    the newest of no folder, as a demo. Raises: InputError.
    """
    if args.session:
        return find_session(settings.sessions, args.session)
    rows = SessionStore(settings.sessions).rows()
    if not rows:
        return find_session(settings.sessions, None)
    here = Path.cwd().resolve()
    from_folders = [row for row in rows if row.folder]
    near = [row for row in from_folders if Path(row.folder).is_relative_to(here)]
    near = near or [row for row in from_folders if is_near(Path(row.folder), here)]
    if near:
        return _taken(args, near[0].session_id, _near_words(near[0], here))
    if folderless := [row for row in rows if not row.folder]:
        return _taken(args, folderless[0].session_id, "the newest, of no folder")
    raise _of_another(args, rows[0], f"There is no session of {here}.")


def _near_words(row: SessionRow, here: Path) -> str:
    if Path(row.folder) == here:
        return "the newest of this folder"
    way = "above" if here.is_relative_to(row.folder) else "below"
    return f"the newest of the folder {one_line(row.folder, 200)}, {way} this one"


def find_waiting(settings: Settings, args: Namespace, *, left_too: bool = False) -> str:
    """Return the session that was named, else the newest of this folder that waits for a decision, and say which.

    `left_too`: also one that full autonomy has ended at a repair or question that it left for a person.
    Raises: InputError.
    """
    if args.session is not None:
        return find_session(settings.sessions, args.session)
    rows = SessionStore(settings.sessions).rows()
    # A lane is chosen, not decided: `sessions branch SESSION keep LANE`.
    waiting = [row for row in rows if row.waiting_for not in ("", "race") or (left_too and row.left_for_you)]
    if not waiting:
        raise InputError(
            f"No session in {settings.sessions} waits for a decision.",
            f"Name the one that is meant, of: selfheal sessions list{sessions_flag(settings)}",
        )
    here = Path.cwd().resolve()
    own = [row for row in waiting if row.folder and Path(row.folder) == here]
    if own:
        return _taken(args, own[0].session_id, "the newest of this folder that waits for a decision")
    raise _of_another(args, waiting[0], f"There is no session of {here} that waits for a decision.")


def _of_another(args: Namespace, row: SessionRow, without: str) -> InputError:
    """Return the refusal where there are only sessions of other folders; the newest, `row`, is named."""
    whose = f"the folder {one_line(row.folder, 200)}" if row.folder else "no folder"
    return InputError(
        f"{without} Session {row.session_id} is of {whose}.",
        f"If it is meant: {_with_session(args, row.session_id)}",
    )


def _with_session(args: Namespace, session_id: str) -> str:
    """Return the command line as it was given, with the session named."""
    at = 2 if args.words[0] == "sessions" else 1
    return shlex.join(["selfheal", *args.words[:at], session_id, *args.words[at:]])


def find_to_apply(settings: Settings, args: Namespace) -> str:
    """Return the session that was named, else the newest of this folder that is healed, and say which.

    With --unhealed it need not be healed, and with -o, which names a folder, it may be of any. Raises: InputError.
    """
    if args.session:
        return find_session(settings.sessions, args.session)
    here = Path.cwd().resolve()
    of_any = args.output is not None
    rows = [
        row
        for row in SessionStore(settings.sessions).rows()
        if (of_any or (row.folder and is_near(Path(row.folder), here)))
        and (row.healed_branches or (args.unhealed and row.outcome not in _UNREADABLE))
    ]
    which = f"{'' if of_any else ' of this folder'}{'' if args.unhealed else ' that is healed'}"
    if not rows:
        place = "" if of_any else f" of {here}"
        raise InputError(
            f"There is no {'' if args.unhealed else 'healed '}session{place}: nothing was written.",
            f"Name the one that is meant, of: selfheal sessions list{sessions_flag(settings)}",
        )
    own = rows if of_any else [row for row in rows if Path(row.folder) == here]
    if own:
        return _taken(args, own[0].session_id, f"the newest{which}")
    folder = one_line(rows[0].folder, 200)
    way = "above" if here.is_relative_to(rows[0].folder) else "below"
    if args.yes and way == "below":
        raise InputError(
            f"There is no session{which}: nothing was written. "
            f"Session {rows[0].session_id} is of the folder {folder}, below this one.",
            f"If it is meant: {_with_session(args, rows[0].session_id)}",
        )
    return _taken(args, rows[0].session_id, f"of the folder {folder}, {way} this one, which has none itself")


def find_applied(settings: Settings, args: Namespace) -> str:
    """Return the session that was named, else the one applied last in this folder, and say which. Raises: InputError.

    The branch that was applied is meant where none was named.
    """
    if args.session:
        session_id = find_session(settings.sessions, args.session)
        branch = applied_branch(settings.sessions / session_id)
        args.branch = args.branch or ([branch] if branch else [])
        return session_id
    applied = last_applied(settings.sessions, Path.cwd().resolve())
    if applied is None and (back := last_applied(settings.sessions, Path.cwd().resolve(), PUT_BACK)):
        raise InputError(
            f"Session {back.session_id} was applied in this folder, and was put back already: nothing was written.",
            f"Apply it again: selfheal sessions apply {back.session_id}{sessions_flag(settings)}",
        )
    if applied is None:
        raise InputError(
            f"No session in {settings.sessions} was applied in this folder: there is nothing to put back.",
            f"Name the one that is meant: selfheal sessions apply SESSION --undo{sessions_flag(settings)}",
        )
    args.branch = args.branch or [applied.branch]
    is_own = Path(applied.folder) == Path.cwd().resolve()
    where = "in this folder" if is_own else f"in the folder {one_line(applied.folder, 200)}"
    return _taken(args, applied.session_id, f"the one applied last {where}")


def _elsewhere(row: SessionRow) -> str:
    """Name a session's folder where it is not this one: `, of the folder /home/me/shop`; empty for none."""
    is_here = not row.folder or Path(row.folder) == Path.cwd().resolve()
    return "" if is_here else f", of the folder {one_line(row.folder, 200)}"


def _taken(args: Namespace, session_id: str, why: str) -> str:
    print(f"selfheal: session {session_id} ({why})", file=sys.stderr)
    args.session = session_id
    return session_id


def find_checkpoint(timeline: Timeline, prefix: str) -> str:
    """Return the one checkpoint whose id starts with `prefix`. Raises: InputError."""
    if prefix in timeline.checkpoints:
        return prefix
    matches = [c.id for c in timeline if prefix and c.id.startswith(prefix)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        short, more = short_ids(timeline), len(matches) - _MOST_NAMED
        named = ", ".join(short[one] for one in matches[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        raise InputError(
            f"{len(matches)} checkpoints match {prefix!r} in this session: {named}.",
            "Give more of the one that is meant.",
        )
    raise InputError(f"There is no checkpoint {prefix!r} in this session.", "See: selfheal sessions show SESSION")


def find_moment(timeline: Timeline, name: str) -> str:
    """Return the head of the branch of this name, else the checkpoint whose id starts so. Raises: InputError."""
    branch = timeline.branches.get(name)
    if branch is None and not any(c.id.startswith(name) for c in timeline):
        raise InputError(
            f"There is no branch and no checkpoint {name!r} in this session.",
            f"Branches: {', '.join(timeline.branches) or 'none yet'}.",
        )
    return branch.head if branch else find_checkpoint(timeline, name)


def find_question(timeline: Timeline, name: str) -> str:
    """Return the moment that asks which is named; the row of an answer means its question. Raises: InputError."""
    at = timeline.checkpoints[find_moment(timeline, name)]
    while asked_by(at.next) is None and facts_of(at.node).asks and at.parent_id:
        at = timeline.checkpoints[at.parent_id]
    return at.id


def left_for_a_person(timeline: Timeline) -> str:
    """Return the question that full autonomy did not answer on the branch that stands; empty when there is none."""
    ended = [c for c in timeline if c.branch == timeline.stands and c.decision]
    last = ended[-1].decision if ended else None
    if last is None or (last["verdict"], last["by"]) != ("stop", "policy"):
        return ""
    return ended[-1].parent_id or ""


def find_branch(timeline: Timeline, name: str | None) -> str:
    """Return the branch of this name; for None the one on which the session goes on. Raises: InputError.

    Where that is a fork that never ran, the branch that ran last is meant.
    """
    if name is not None and name in timeline.branches:
        return name
    if name is not None or not timeline.stands:
        there = (
            f"There are: {', '.join(timeline.branches)}." if timeline.branches else "Start it: selfheal resume SESSION"
        )
        raise InputError(f"There is no branch {name!r}." if name else "The session has not run yet.", there)
    ran = [c.branch for c in timeline if not timeline.branches[c.branch].hidden and has_run(timeline, c.branch)]
    return timeline.stands if not ran or has_run(timeline, timeline.stands) else ran[-1]


def short_ids(timeline: Timeline) -> dict[str, str]:
    """Return checkpoint id -> the shortest prefix, from SHORT_ID characters, that names it alone."""
    ids = list(timeline.checkpoints)
    length = SHORT_ID
    while len({i[:length] for i in ids}) < len(ids):
        length += 1
    return {i: i[:length] for i in ids}
