"""`selfheal sessions decide`: answer a review, or re-answer an old one on a new branch, and run on."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfheal_tui.engine.loop.reviews.table import REVIEWS
from selfheal_tui.engine.moment.node_facts import asked_by
from selfheal_tui.engine.moment.review import NOTE_LIMIT, VERDICTS, Answer
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.timeline import Timeline
from selfheal_tui.engine.session.commenting import comment_from
from selfheal_tui.engine.task.source_files import read_named
from selfheal_tui.errors import InputError
from selfheal_tui.settings import sessions_flag
from selfheal_tui.text import one_line

from .event_stream import add_events, events_of
from .find import find_question, find_waiting, left_for_a_person
from .next_steps import keep_command
from .options import add_json, add_store_settings, add_waiting_session, whole_number
from .start import tell_shell_python
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.events import Event
    from selfheal_tui.engine.session.session import Session
    from selfheal_tui.engine.session.workbench import Workbench

_NAMED = 3


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    add_waiting_session(parser)
    parser.add_argument("verdict", choices=VERDICTS, help="your answer")
    parser.add_argument(
        "--at",
        metavar="CHECKPOINT",
        help="which question: its moment or that of its answer, or a branch that waits (default: the one that waits)",
    )
    parser.add_argument(
        "--once",
        action="store_true",
        help="refuse where the question was answered already, instead of answering it again on a new branch",
    )
    parser.add_argument(
        "--pick",
        default="",
        metavar="LABEL",
        help="with approve or edit: this candidate instead of the first; of a diagnosis by the search, this line",
    )
    parser.add_argument(
        "--candidates",
        default="",
        metavar="N,...",
        help="with approve: these candidates together, as one repair; they must change different places",
    )
    parser.add_argument(
        "--value",
        type=Path,
        metavar="FILE",
        help='with edit: your version as a JSON object, of a repair {"shop.py": "its whole new text", ...}; '
        "for a program of one file, its new .py text; of a diagnosis the fields that you change",
    )
    parser.add_argument(
        "--hunks",
        default="",
        metavar="N,...",
        help="with edit: only these hunks of the repair; the models are told which were left out",
    )
    parser.add_argument("--note", default="", metavar="TEXT", help="the reason; the next attempt gets to see it")
    parser.add_argument(
        "--comment",
        action="append",
        default=[],
        metavar="FILE:LINE:TEXT",
        help="what is to be said at a line of the proposal; -LINE: a line that it removes; may be given several times",
    )
    parser.add_argument(
        "--answer",
        default="",
        metavar="VALUE",
        help="with edit of a repair or the end: the right answer to the call it asks about, as 5, 'a' or "
        "date(2024, 1, 8); !ValueError for an exception, ? where you do not know",
    )
    parser.add_argument(
        "--rule-lines",
        type=whole_number,
        metavar="N",
        help="with approve: from now on approve repairs that mend every case, break none and change at most N lines",
    )
    parser.add_argument(
        "--avoid",
        action="append",
        default=[],
        metavar="WHAT",
        help=(
            "with reject: the search edits nothing there while the cases that this was about fail: function:NAME, "
            "line:FILE:N, or data, which stays closed; repeatable"
        ),
    )
    add_json(parser)
    add_events(parser)
    add_store_settings(parser)


def run(args: Namespace) -> int:
    """Answer and run on to the next pause or end."""
    check_answer(args.verdict, args.value, args.note, args.pick, args.answer, args.hunks)
    if args.avoid and args.verdict != "reject":
        raise InputError(f"--avoid belongs to reject, not to {args.verdict}.")
    if args.rule_lines == 0:
        raise InputError("Every repair changes a line at least: --rule-lines needs 1 or more.")
    hunks = hunk_numbers(args.hunks)
    labels = candidate_labels(args)
    comments = [comment_from(text) for text in args.comment]
    settings = load_from(args)
    session_id = find_waiting(settings, args, left_too=True)
    tell_shell_python(settings)

    async def find(_: Workbench) -> str:
        return session_id

    async def act(session: Session) -> AsyncIterator[Event]:
        timeline = await session.timeline()
        checkpoint_id = find_question(timeline, args.at) if args.at else pending_checkpoint(timeline, session_id)
        moment = timeline.checkpoints[checkpoint_id]
        if not args.at:
            await _refuse_beside_race(session, moment.branch, sessions_flag(settings))
        kind = asked_by(moment.next)
        if args.once and kind is not None and moment.pending is None:
            raise InputError("That question was answered already: nothing was decided.")
        value: dict[str, Any] | None = None
        if args.answer:
            value = {"answer": args.answer}
        elif hunks and kind == "diagnosis":
            raise InputError("--hunks is for a repair; this question is about the diagnosis.")
        elif hunks:
            value = {"hunks": hunks}
        elif args.value:
            snapshot = await session.snapshot(checkpoint_id)
            asked = _files_asked(snapshot, timeline, checkpoint_id, args.pick)
            value = load_value(args.value, asked, [path for path in snapshot.tests if path not in asked])
        answer: Answer = {
            "verdict": args.verdict,
            "value": value,
            "pick": args.pick or (labels[0] if labels else ""),
            "note": args.note.strip(),
            **({"together": labels} if len(labels) > 1 else {}),
            "rule_lines": args.rule_lines or 0,
            "comments": comments,
        }
        if args.avoid:
            answer["avoid"] = args.avoid
        if len(labels) > 1 and args.verdict == "approve":
            await _check_together(session, timeline, checkpoint_id, labels)
        return session.decide(checkpoint_id, answer)

    from .drive import drive_headless

    return drive_headless(settings, find, act, as_json=args.json, events=events_of(args))


def check_answer(verdict: str, value: Path | None, note: str, pick: str, answer: str = "", hunks: str = "") -> None:
    """Check that the parts of an answer belong together. Raises: InputError."""
    if verdict == "edit" and (value is not None) + bool(answer) + bool(hunks) != 1:
        raise InputError(
            "An edit needs your version, and one only.",
            "Give it with --value FILE, --hunks N,... of a repair, or --answer VALUE to a question.",
        )
    if verdict != "edit" and answer:
        raise InputError(f"--answer belongs to edit, not to {verdict}.")
    if verdict != "edit" and hunks:
        raise InputError(f"--hunks belongs to edit, not to {verdict}.")
    if verdict != "edit" and value is not None:
        raise InputError(f"--value belongs to edit, not to {verdict}.")
    if verdict not in ("approve", "edit") and pick:
        raise InputError(f"--pick belongs to approve or edit, not to {verdict}.")
    if len(note) > NOTE_LIMIT:
        raise InputError(f"The note is too long: {len(note):,} characters, at most {NOTE_LIMIT:,}.")


def hunk_numbers(text: str, what: str = "hunks") -> list[int]:
    """Read `1,3`. Raises: InputError."""
    words = [word.strip() for word in text.split(",")] if text else []
    if not all(word.isascii() and word.isdigit() for word in words):
        raise InputError(f"{one_line(text, 40)!r} names no {what}.", f"Give their numbers, as --{what} 1,3.")
    return [int(word) for word in words]


def candidate_labels(args: Namespace) -> list[str]:
    """Return the candidates that are taken together. Raises: InputError."""
    labels = [str(number) for number in hunk_numbers(args.candidates, "candidates")]
    if labels and args.verdict != "approve":
        raise InputError(f"--candidates belongs to approve, not to {args.verdict}.")
    if labels and args.pick:
        raise InputError("--pick names one candidate, --candidates several.", "Give one of the two.")
    return labels


def pending_checkpoint(timeline: Timeline, session_id: str) -> str:
    """Return the waiting question of the branch on which the session goes on, else the newest one that is shown.

    Where none waits it is the question at which full autonomy gave up because a person has to look.
    Raises: InputError when there is neither.
    """
    visible = [c for c in timeline if c.pending and not timeline.branches[c.branch].hidden]
    waiting = [c.id for c in sorted(visible, key=lambda c: c.branch == timeline.stands)]
    if not waiting and (left := left_for_a_person(timeline)):
        return left
    if not waiting:
        raise InputError(
            f"No decision waits in session {session_id}.",
            "To answer one again, add --at CHECKPOINT, the row of its answer in: selfheal sessions show SESSION",
        )
    return waiting[-1]


async def _refuse_beside_race(session: Session, branch: str, place: str) -> None:
    """Raise InputError where a race waits and the question is none of its lanes': the user may not mean this one."""
    race = await session.branches.race()
    lanes = await session.branches.lanes_of(race) if race is not None else {}
    if lanes and branch not in lanes:
        raise InputError(
            f"A race waits in session {session.id}: nothing was decided.",
            f"Keep a lane ({keep_command(session.id, 'LANE', place)}), or answer the question of one "
            f"with --at LANE; lanes: {', '.join(lanes)}",
        )


async def _check_together(session: Session, timeline: Timeline, checkpoint_id: str, labels: Sequence[str]) -> None:
    """Try candidates together, as the app does before it asks. Raises: InputError where they undo each other's work."""
    from selfheal_tui.engine.moment.together import joined_repair
    from selfheal_tui.engine.workshop.trial import SuiteTried

    snapshot = await session.snapshot(checkpoint_id)
    if asked_by(timeline.checkpoints[checkpoint_id].next) != "repair":
        return  # The session says what is wrong.
    joined = joined_repair({**snapshot.tests, **snapshot.program}, snapshot.candidates, labels)
    async with aclosing(session.try_suite(checkpoint_id, joined["changes"])) as events:
        tried = [event async for event in events if isinstance(event, SuiteTried)][-1]
    alone = {case for label in labels for case in snapshot.candidates[label]["fixes"]}
    lost = sorted(alone - {*tried.fixes} | {*tried.breaks})
    if lost:
        names = ", ".join(one_line(case, 80) for case in lost[:_NAMED]) + (", ..." if len(lost) > _NAMED else "")
        raise InputError(
            f"Together these candidates fail what they pass alone: {names}. Nothing was decided.",
            "Approve one of them, or give the whole new text with edit --value FILE.",
        )


def _files_asked(snapshot: Snapshot, timeline: Timeline, checkpoint_id: str, pick: str) -> tuple[str, ...]:
    """Return the paths that an edit of this question may change."""
    kind = asked_by(timeline.checkpoints[checkpoint_id].next)
    edit = REVIEWS[kind].edit if kind else None
    return tuple(edit.files(snapshot, pick)) if edit and edit.of_files else ()


def load_value(path: Path, program: tuple[str, ...], tests: Sequence[str] = ()) -> dict[str, Any]:
    """Read an edited proposal: a JSON object, or the `.py` text of the only file in `program`.

    Raises: InputError for a file that cannot be read so, or that is called like one of the `tests`; whether the edit
    is valid is checked by the engine.
    """
    text = read_named(path)
    if path.suffix == ".py":
        if len(program) != 1:
            why = f"the program has {len(program)} files" if program else "the question is not about a repair"
            shape = (
                f"Give a JSON file with the whole new texts: {_shape(program)}"
                if program
                else 'Give a JSON file with what you change, as {"cause": "..."}, or of a budget {"max_calls": 9}.'
            )
            raise InputError(f"{path.name} cannot be used as the edit: {why}.", shape)
        if path.name != Path(program[0]).name and path.name in {Path(test).name for test in tests}:
            raise InputError(
                f"{path.name} is called like a test of this session, and the edit is of {one_line(program[0], 60)}.",
                f"Give the whole new text of {one_line(program[0], 60)}.",
            )
        return {"changes": {program[0]: text}}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path.name} is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise InputError(f"{path.name} must hold a JSON object.")
    if program and value and "changes" not in value and value.keys() <= {*program}:
        return {"changes": value}
    return value


def _shape(program: tuple[str, ...]) -> str:
    """Return what an edit of several files looks like: `{"shop.py": "...", "till.py": "..."}`."""
    paths = [one_line(path, 60) for path in program[:2]]
    return json.dumps(dict.fromkeys(paths, "..."), ensure_ascii=False)
