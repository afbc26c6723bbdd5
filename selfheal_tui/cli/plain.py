"""Plain mode (`--plain`): the run as lines and the questions as numbered choices, answered by typing a line.

For a screen reader, a braille line, or a terminal that can do no more. It drives the same `Session` as the app.
"""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from selfheal_tui.engine.loop.reviews.table import REVIEWS
from selfheal_tui.engine.moment.events import (
    CheckpointSaved,
    Event,
    LaneResult,
    RaceFinished,
    ReviewRequested,
    RunFailed,
)
from selfheal_tui.engine.moment.review import Answer, stop
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.errors import SelfHealError
from selfheal_tui.settings import Settings, sessions_flag
from selfheal_tui.store.applied import applied_branch
from selfheal_tui.text import one_line, outcome_word, plural, show_controls, with_session

from . import CANCELLED
from .allowing import remember_allowed, tell_allowed, tell_remembered
from .compose import build_workbench, close_workbench
from .folding import Code, width_of
from .human import question_lines, report_lines, result_text
from .next_steps import rest_of, resume_command
from .plain_answers import answer_of, shown_candidate
from .plain_talk import Talk
from .plain_words import Choice, at_question, at_rest, in_plain_words, numbered, understood
from .progress import RunProgress
from .race import exit_code
from .result import HEALED, UNHEALED, build_review, result_of
from .trusting import Standing, left_out_words

if TYPE_CHECKING:
    from selfheal_tui.engine.session.session import Session
    from selfheal_tui.engine.session.workbench import Workbench

Find = Callable[["Workbench"], Awaitable[str]]


def run_plain(standing: Standing, begin: Callable[[Settings], Find]) -> int:
    """Ask about the folder, find a session, drive it with a person's answers; return the exit code.

    `begin` is told the settings that hold after the answer, outside of any event loop.
    """
    talk = Talk()
    if standing.asks:
        asyncio.run(_ask_trust(talk, standing))
    settings = standing.told()
    find = begin(settings)
    tell_allowed(settings)
    try:
        return asyncio.run(_run(talk, settings, find))
    except KeyboardInterrupt:
        return CANCELLED


async def _ask_trust(talk: Talk, standing: Standing) -> None:
    brings = [one for one in standing.settings().left_out if not (one.why or one.meanwhile)]
    talk.say(
        f"Question: do you trust what this folder brings? {standing.folder}",
        f"It would change {plural(len(brings), 'thing')} that you have not set this way:",
        *(f"  {left_out_words(one)}" for one in brings),
        "Say yes only if you know who wrote these files.",
    )
    answer = await talk.line("Type trust, or anything else to go on without:")
    if (answer or "").lower() == "trust":
        standing.accept()


async def _run(talk: Talk, settings: Settings, find: Find) -> int:
    workbench = build_workbench(settings)
    try:
        session_id = await find(workbench)
        await remember_allowed(workbench, session_id, settings)
        async with workbench.open_session(session_id) as session:
            await tell_remembered(session, settings)
            return await Conversation(talk, settings, workbench, session).run()
    finally:
        await close_workbench(workbench)


class Conversation:
    """One session, driven by what is typed."""

    def __init__(self, talk: Talk, settings: Settings, workbench: Workbench, session: Session) -> None:
        self._talk, self._settings, self._workbench, self._session = talk, settings, workbench, session
        self._last: Event | None = None
        self._newest: Snapshot | None = None
        self._pick = ""
        """The candidate that was looked at last."""
        self._code = UNHEALED

    async def run(self) -> int:
        """Run, show, ask, and so on until the user leaves; return the exit code."""
        self._talk.say(f"Session {self._session.id}: {one_line(self._session.title, 200)}. Ctrl-C pauses the run.")
        events: AsyncIterator[Event] | None = self._session.resume()
        while events is not None:
            await self._drive(events)
            await self._show()
            events = await self._ask()
        if self._code != HEALED:
            self._talk.say(f"To go on: {resume_command(self._session.id, self._settings)} --plain")
        return self._code

    async def _drive(self, events: AsyncIterator[Event]) -> None:
        """Tell the events of a run; Ctrl-C pauses it. A refusal is said, and the question waits as before."""
        self._last, self._pick = None, ""
        task = asyncio.ensure_future(self._follow(events))
        loop = asyncio.get_running_loop()
        before = signal.getsignal(signal.SIGINT)
        loop.add_signal_handler(signal.SIGINT, task.cancel)
        try:
            await task
        except asyncio.CancelledError:
            if not task.cancelled():
                raise
            self._last = None
            self._talk.say("", "Paused: what was saved stays.")
        except SelfHealError as error:
            self._talk.say(f"Not done: {self._named(error)}")
            self._last = await self._waiting()
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, before)

    async def _follow(self, events: AsyncIterator[Event]) -> None:
        progress = RunProgress(sys.stdout, rewrites=False)
        async with aclosing(cast("AsyncGenerator[Event, None]", events)) as run:
            async for event in run:
                self._last = event
                if isinstance(event, CheckpointSaved):
                    self._newest = event.snapshot
                progress.tell(event)

    async def _waiting(self) -> Event | None:
        """Return the question that waits where the session stands, told again."""
        async with aclosing(self._session.resume()) as again:
            last = await anext(again, None)
        return last if isinstance(last, ReviewRequested) else None

    async def _show(self) -> None:
        """Say where the run has come to rest."""
        if self._newest is None and (head := await self._session.head()):
            self._newest = await self._session.snapshot(head)
        result, self._code = result_of(self._last, self._newest, self._session.id)
        if isinstance(self._last, RaceFinished):
            self._code = exit_code(self._last)
            self._talk.say("", "A race waits for your choice.", *(_lane_words(lane) for lane in self._last.by_key))
            self._talk.say(f"To answer a lane: selfheal sessions decide {self._address} approve --at LANE")
        elif isinstance(self._last, ReviewRequested):
            self._newest = self._last.snapshot
            self._talk.say("", f"Question: {self._title(self._last)}")
            self._show_review(result["review"], result["changed"])
        elif self._last is not None:
            result["reason"] = with_session(result["reason"], self._address)
            rest = await rest_of(self._session, self._newest, self._last, self._settings)
            self._talk.say_code(["", *result_text(result, self._settings, rest, width_of(sys.stdout)).splitlines()])
        else:
            self._code = CANCELLED

    def _title(self, asked: ReviewRequested) -> str:
        words = REVIEWS[asked.kind].waits
        count = len(REVIEWS[asked.kind].labels(asked.snapshot))
        return f"{words} for your decision{f', the first of {count}' if count > 1 else ''}."

    def _show_review(self, review: Mapping[str, Any], changed: list[str]) -> None:
        for line in question_lines(review, str, changed):
            if isinstance(line, Code):
                self._talk.say_code([show_controls(line)])
            else:
                self._talk.say(in_plain_words(line))

    async def _ask(self) -> AsyncIterator[Event] | None:
        """Ask until something is to be done; None where the user leaves."""
        asked = self._last if isinstance(self._last, ReviewRequested) else None
        choices = self._choices(asked, has_folder=await self._session.root() is not None)
        self._talk.say("", "What now? Type a number or a word; help lists them again.", *numbered(choices))
        while True:
            try:
                line = await self._talk.line("Your answer:")
            except asyncio.CancelledError:
                return None
            if line is None:
                return None
            if line.lower() in ("", "help", "?"):
                self._talk.say(*numbered(choices))
                continue
            try:
                choice, rest = understood(line, choices)
                if choice.asks and not rest:
                    rest = await self._talk.line(choice.asks) or ""
                    if not rest:
                        self._talk.say("Nothing was done.")
                        continue
                if choice.word == "quit":
                    return None
                if (events := await self._do(choice, rest, asked)) is not None:
                    return events
            except SelfHealError as error:
                self._talk.say(f"Not done: {self._named(error)}")

    def _choices(self, asked: ReviewRequested | None, *, has_folder: bool) -> list[Choice]:
        snapshot = self._newest
        if asked is not None:
            asks_call = bool(asked.snapshot.question) and REVIEWS[asked.kind].may_answer
            return at_question(asked.kind, REVIEWS[asked.kind].labels(asked.snapshot), asks_call)
        changed = snapshot is not None and snapshot.base != snapshot.program
        can_write = has_folder and changed and snapshot is not None and bool(snapshot.outcome)
        return at_rest(paused=self._last is None, failed=isinstance(self._last, RunFailed), can_write=can_write)

    async def _do(self, choice: Choice, rest: str, asked: ReviewRequested | None) -> AsyncIterator[Event] | None:
        """Do what was chosen; return the run that follows, None where none does. Raises: SelfHealError."""
        session = self._session
        match choice.word:
            case "diff" | "code" | "tests":
                self._look(choice.word)
            case "show" if asked is not None:
                review = build_review(asked.snapshot, asked.kind)
                self._show_review(shown_candidate(asked, review, self._pick) if self._pick else review, [])
            case "note":
                await session.notes.add(rest)
                self._talk.say("Noted for the next step; undo takes it back.")
            case "undo" | "redo":
                if choice.word == "undo" and applied_branch(self._settings.sessions / session.id):
                    self._talk.say(f"Your files keep what was written. {self._put_back_words}")
                done = await (session.branches.undo() if choice.word == "undo" else session.branches.redo())
                self._talk.say(f"{'Undid' if choice.word == 'undo' else 'Did again'} {done.words}.")
                self._newest = None
                return session.resume() if done.kind != "note" else None
            case "go on":
                return session.resume()
            case "write":
                await self._write()
            case "candidate" if asked is not None:
                review = build_review(asked.snapshot, asked.kind)
                shown = shown_candidate(asked, review, rest)
                self._pick = rest
                self._show_review(shown, [])
            case "stop":
                if not await self._agreed("This ends the run, unhealed."):
                    return None
                return session.decide(asked.checkpoint_id, stop()) if asked is not None else session.stop()
            case _ if asked is not None:
                answer: Answer = await asyncio.to_thread(answer_of, choice.word, rest, asked, self._pick)
                return session.decide(asked.checkpoint_id, answer)
        return None

    def _look(self, what: str) -> None:
        snapshot = self._newest
        if snapshot is None:
            self._talk.say("Nothing is saved yet.")
        elif what == "tests":
            report = snapshot.report
            cases = report["cases"] if report else []
            self._talk.say(*(report_lines(report) if report else ["The tests have not run yet."]))
            self._talk.say(*(f"{case['outcome']}: {one_line(case['id'], 200)}" for case in cases))
        elif what == "code":
            for path, text in sorted(snapshot.program.items()):
                self._talk.say(f"{one_line(path)}:")
                self._talk.say_code(show_controls(text).splitlines())
        else:
            from selfheal_tui.engine.moment.workspace import unified_diff

            diff = unified_diff(snapshot.base, snapshot.program)
            self._talk.say_code(show_controls(diff).splitlines() or ["Nothing is changed so far."])

    async def _write(self) -> None:
        """Show what would be written, ask, ask the user's hook, and write. Raises: SelfHealError."""
        from selfheal_tui.engine.moment.state import WELL_ENDED
        from selfheal_tui.engine.out.applying import plan_writing, write
        from selfheal_tui.engine.out.before_apply import permit_for
        from selfheal_tui.engine.session.hook_story import SessionPlace

        snapshot, root = self._newest, await self._session.root()
        assert snapshot is not None, "offered where a moment is shown"
        unhealed = snapshot.outcome not in WELL_ENDED
        writing = await asyncio.to_thread(lambda: plan_writing(snapshot, root, self._address, unhealed=unhealed))
        if not writing.pending:
            self._talk.say(f"{writing.folder} holds this program already: nothing to write.")
            return
        self._talk.say_code(show_controls(writing.diff).splitlines())
        doubts = "Not every case passes. " if unhealed else ""
        if not await self._agreed(f"{doubts}This writes {writing.words}."):
            return
        place = SessionPlace(self._session.id, snapshot.title, self._settings.sessions, root)
        permit = await asyncio.to_thread(permit_for, self._workbench.hooks, place, snapshot, writing)
        if permit.trouble:
            self._talk.say(permit.trouble)
        folder: Path = self._settings.sessions / self._session.id
        written = await asyncio.to_thread(write, writing, folder, snapshot.branch, permit)
        self._talk.say(*(f"Written: {path}" for path in written))
        self._talk.say(self._put_back_words)

    async def _agreed(self, what: str) -> bool:
        agreed = (await self._talk.line(f"{what} Type yes to do it:") or "").lower() in ("y", "yes")
        if not agreed:
            self._talk.say("Nothing was done.")
        return agreed

    @property
    def _put_back_words(self) -> str:
        return f"To put back what was there: selfheal sessions apply {self._address} --undo"

    @property
    def _address(self) -> str:
        return shlex.quote(self._session.id) + sessions_flag(self._settings)

    def _named(self, error: SelfHealError) -> str:
        return with_session(str(error), self._address)


def _lane_words(lane: LaneResult) -> str:
    stands = f"waits: {lane.asks}" if lane.asks else outcome_word(lane.outcome)
    return f"  {one_line(lane.branch, 60)}: {stands}; {one_line(lane.has or lane.reason, 200)}"
