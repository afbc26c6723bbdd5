"""An editor of the Agent Client Protocol for tests: it keeps what it is told, and answers what it is asked."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from acp import RequestError, spawn_agent_process
from acp.client.connection import ClientSideConnection
from acp.helpers import text_block
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    DeniedOutcome,
    FileSystemCapabilities,
    ReadTextFileResponse,
    RequestPermissionResponse,
    WriteTextFileResponse,
)

ROOT = Path(__file__).resolve().parents[1]
PATIENCE_S = 90.0
DISMISS = "dismiss"
"""An answer that takes the question back, as an editor does when its user cancels."""


class Question(NamedTuple):
    """What the agent asked."""

    session_id: str
    title: str
    options: dict[str, str]
    """Id -> what is on the button."""
    call: Any


class Editor:
    """The client's side of the protocol."""

    def __init__(self, *answers: str, files: bool = False) -> None:
        """`answers` are ids of options, for one question after the other; then nobody answers."""
        self.updates: list[Any] = []
        self.questions: list[Question] = []
        self.written: dict[str, str] = {}
        self.buffers: dict[str, str] = {}
        """Path -> what it holds in the editor, where that is not what lies on disk."""
        self.answers = [*answers]
        self.asked = asyncio.Event()
        """Set once a question waits that nobody answers."""
        self.seen = asyncio.Event()
        """Set whenever something was told."""
        self.capabilities = ClientCapabilities(fs=FileSystemCapabilities(read_text_file=files, write_text_file=files))

    def on_connect(self, conn: Any) -> None:
        """Keep nothing of the connection."""

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.updates.append(update)
        self.seen.set()

    async def request_permission(
        self, session_id: str, tool_call: Any, options: Sequence[Any], **_: Any
    ) -> RequestPermissionResponse:
        named = {one.option_id: one.name for one in options}
        self.questions.append(Question(session_id, tool_call.title, named, tool_call))
        if not self.answers:
            self.asked.set()
            await asyncio.Event().wait()
        answer = self.answers.pop(0)
        if answer == DISMISS:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=answer))

    async def read_text_file(self, session_id: str, path: str, **_: Any) -> ReadTextFileResponse:
        return ReadTextFileResponse(content=self.buffers.get(path) or Path(path).read_text("utf-8"))

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> WriteTextFileResponse:
        if path in self.written:
            raise RequestError.internal_error({"details": "written twice"})
        self.written[path] = content
        Path(path).write_text(content, "utf-8")
        return WriteTextFileResponse()

    @property
    def said(self) -> str:
        """All that the agent said, as one text."""
        return "".join(one.content.text for one in self.updates if one.session_update == "agent_message_chunk")

    @property
    def prompted(self) -> list[str]:
        """What the agent says that the user said."""
        return [one.content.text for one in self.updates if one.session_update == "user_message_chunk"]

    @property
    def calls(self) -> dict[str, dict[str, Any]]:
        """Id of a tool call -> what it says now."""
        calls: dict[str, dict[str, Any]] = {}
        for one in self.updates:
            if one.session_update in ("tool_call", "tool_call_update"):
                told = one.model_dump(exclude_none=True, exclude={"session_update"})
                calls.setdefault(one.tool_call_id, {}).update(told)
        return calls

    @property
    def plans(self) -> list[list[tuple[str, str]]]:
        """Each plan: its entries with their status."""
        plans = [one for one in self.updates if one.session_update == "plan"]
        return [[(entry.content, entry.status) for entry in plan.entries] for plan in plans]

    async def until(self, holds: Any) -> None:
        """Wait until something holds of what was told."""
        while not holds():
            self.seen.clear()
            await asyncio.wait_for(self.seen.wait(), PATIENCE_S)


class Connected(NamedTuple):
    """A running agent, and the editor's end of the connection to it."""

    agent: ClientSideConnection
    process: asyncio.subprocess.Process


@asynccontextmanager
async def spawned(folder: Path, editor: Editor, *flags: str) -> AsyncIterator[Connected]:
    """Run `selfheal acp` in a folder as an editor does; its sessions lie beside the folder."""
    command = ["-m", "selfheal_tui", "acp", "--sessions", str(folder.parent / "sessions"), *flags]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(folder.parent / "config")}
    async with spawn_agent_process(
        editor, sys.executable, *command, cwd=folder, env=environ, use_unstable_protocol=True,
        transport_kwargs={"stderr": None, "shutdown_timeout": PATIENCE_S},
    ) as (agent, process):  # fmt: skip
        await agent.initialize(1, client_capabilities=editor.capabilities)
        yield Connected(agent, process)


async def prompted(agent: ClientSideConnection, session_id: str, text: str) -> str:
    """Send a prompt; return why its turn stopped."""
    answer = await asyncio.wait_for(agent.prompt(session_id, [text_block(text)]), PATIENCE_S)
    return answer.stop_reason
