"""Tools about sessions: start one, go on with one, look at one, answer its question where the user lets agents.

Their names, arguments and descriptions are what an agent sees.
"""

from __future__ import annotations

import asyncio
import math
import os
from typing import Annotated, Any, Literal

from mcp_types import CallToolResult
from pydantic import Field

from selfheal_tui.engine.moment.review import Answer
from selfheal_tui.engine.task.task import Task
from selfheal_tui.errors import InputError
from selfheal_tui.settings import own_file
from selfheal_tui.store.sessions import SessionRow, SessionStore
from selfheal_tui.text import one_line

from .desk import Client, Desk, Paths, Roots, Spec, Tests, client_name
from .driving import Stood, gone_on, healed
from .looking import Part, page_of, row_told, text_of
from .told import result_told
from .work import Tell

_MOST_SESSIONS = 20
SessionId = Annotated[str, Field(description="The whole session_id, as `heal` returned it.")]


class SessionTools:
    """The tools, and what resources read."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def heal(
        self,
        ctx: Client,
        roots: Roots,
        paths: Paths = (".",),
        tests: Tests = (),
        spec: Spec = "",
        wrong: Annotated[
            tuple[str, ...], Field(description="What calls should give, as 'f(3) == 5': each becomes a test.")
        ] = (),
        max_time_s: Annotated[
            float, Field(description="Stop after so many seconds; never more than the user's limit.")
        ] = 0,
    ) -> CallToolResult:
        """Start a session that heals a program: with the models, limits and autonomy of the user's settings. Returns
        its result, or the question that waits. A question is the human's to answer: pass it on with the command in
        next_for_the_human. Writes nothing into the project."""
        reach = self._desk.reach_with(roots)

        async def work(tell: Tell) -> dict[str, Any]:
            if not (math.isfinite(max_time_s) and max_time_s >= 0):
                raise InputError("max_time_s must be a number of seconds from 0.")
            settings = await self._desk.settings()

            def load() -> Task:
                return reach.task(paths, tests, spec, wrong)

            return self._desk.noted(settings, _told(await healed(self._desk.front, settings, load, max_time_s, tell)))

        return await self._desk.answered(ctx, work)

    async def resume(self, ctx: Client, roots: Roots, session: SessionId) -> CallToolResult:
        """Go on with a session that was interrupted or failed; where a question waits, returns that question."""
        reach = self._desk.reach_with(roots)

        async def work(tell: Tell) -> dict[str, Any]:
            settings = await self._desk.settings()
            row = await asyncio.to_thread(reach.row, SessionStore(settings.sessions), session)
            return _told(await gone_on(self._desk.front, settings, row.session_id, None, tell))

        return await self._desk.answered(ctx, work)

    async def session(
        self,
        ctx: Client,
        roots: Roots,
        session: Annotated[str, Field(description="A session_id; without it the newest sessions are listed.")] = "",
        part: Annotated[
            Literal["status", "report", "diff", "diagnosis", "question", "story"],
            Field(description="What to return of it; `question` is the one that waits, whole."),
        ] = "status",
        offset: Annotated[int, Field(description="From which character on, for a long part.")] = 0,
    ) -> CallToolResult:
        """Look at sessions of this project: list them, see how one stands, read a part of it. Runs nothing."""
        reach = self._desk.reach_with(roots)

        async def work(tell: Tell) -> dict[str, Any] | str:
            settings = await self._desk.settings()
            store = SessionStore(settings.sessions)
            if not session:
                rows = await asyncio.to_thread(reach.rows, store)
                more = [f"{len(rows) - _MOST_SESSIONS} older sessions"] if len(rows) > _MOST_SESSIONS else []
                return {"sessions": [row_told(row) for row in rows[:_MOST_SESSIONS]], "not_shown": more}
            row = await asyncio.to_thread(reach.row, store, session)
            if part == "status":
                return row_told(row)
            async with self._desk.front.workbench(settings) as workbench:
                text = await text_of(workbench, row.session_id, part)
            return page_of(text, offset) if text else f"The session has no {part} now."

        return await self._desk.answered(ctx, work)

    async def decide(
        self,
        ctx: Client,
        roots: Roots,
        session: SessionId,
        checkpoint_id: Annotated[str, Field(description="Which question: the checkpoint_id of the review.")],
        verdict: Literal["approve", "edit", "reject", "stop"],
        pick: Annotated[str, Field(description="With approve: the label of another candidate than the first.")] = "",
        note: Annotated[str, Field(description="The reason; a rejection needs one.")] = "",
        answer: Annotated[str, Field(description="With edit: the right value of open_call: 5, date(2024, 1, 8).")] = "",
        changes: Annotated[
            dict[str, str] | None, Field(description="With edit of a repair: path -> its whole new text.")
        ] = None,
    ) -> CallToolResult:
        """Answer a session's question in the human's place, and run on. Refused unless the user's own settings allow
        it; the refusal names the command that the human runs instead."""
        reach = self._desk.reach_with(roots)

        async def work(tell: Tell) -> dict[str, Any]:
            settings = await self._desk.settings()
            row = await asyncio.to_thread(reach.row, SessionStore(settings.sessions), session)
            if not settings.agent_decides:
                said = verdict + (f" --pick {pick}" if pick.isalnum() and verdict == "approve" else "")
                said += " --value FILE" if verdict == "edit" else " --note REASON" if verdict == "reject" else ""
                command = self._desk.front.decide_command(row.session_id, said, settings)
                raise InputError(
                    "The answer is the human's. An agent may answer only where the user has written "
                    f"`agent_decides: true` into their own settings file ({one_line(str(own_file(os.environ)))}).",
                    f"The human runs: {command}",
                )
            if (verdict == "edit") != bool(answer or changes) or (answer and changes):
                raise InputError("An edit has either `answer` or `changes`, and nothing else has them.")
            given: Answer = {
                "verdict": verdict,
                "value": {"answer": answer} if answer else {"changes": changes} if changes else None,
                "pick": pick,
                "note": note,
                "agent": client_name(ctx),
            }
            return _told(await gone_on(self._desk.front, settings, row.session_id, (checkpoint_id, given), tell))

        return await self._desk.answered(ctx, work)

    async def rows(self) -> list[SessionRow]:
        """Return the sessions within reach, newest first. Raises: SelfHealError."""
        settings = await self._desk.settings()
        return await asyncio.to_thread(self._desk.reach.rows, SessionStore(settings.sessions))

    async def part(self, session_id: str, part: Part) -> str:
        """Return a part of a session within reach. Raises: SelfHealError, InputError where there is none."""

        async def read() -> str:
            settings = await self._desk.settings()
            reach = self._desk.reach
            row = await asyncio.to_thread(reach.row, SessionStore(settings.sessions), session_id)
            async with self._desk.front.workbench(settings) as workbench:
                return await text_of(workbench, row.session_id, part)

        text = await self._desk.works.run(read)
        if not text:
            raise InputError(f"Session {session_id} has no {part} now.")
        return text


def _told(stood: Stood) -> dict[str, Any]:
    hidden: list[str] = []
    return {**result_told(stood.result, hidden), "not_shown": hidden}
