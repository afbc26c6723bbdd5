"""The editor at the other end, as one thread sees it: what it is told, asked, and what it reads and writes for us."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from acp import RequestError
from acp.helpers import SessionUpdate, ToolCallContentVariant, start_tool_call, update_agent_message_text
from acp.interfaces import Client
from acp.schema import AllowedOutcome, PermissionOption, ToolCallLocation, ToolCallUpdate, ToolKind

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line


class Editor:
    """One thread's side of the connection. Each method raises ConnectionError once the editor is gone."""

    def __init__(self, client: Client, session_id: str, *, reads: bool, writes: bool) -> None:
        self._client, self._session_id = client, session_id
        self.reads = reads
        """Whether it tells what a file holds in it, unsaved changes included."""
        self.writes = writes
        """Whether it writes files for us."""

    async def update(self, *updates: SessionUpdate) -> None:
        """Tell it updates, in this order."""
        for update in updates:
            await self._client.session_update(self._session_id, update)

    async def say(self, markdown: str) -> None:
        """Say a paragraph; foreign text in it was made safe (`markup.py`)."""
        await self.update(update_agent_message_text(f"{markdown}\n\n"))

    async def ask(
        self,
        call_id: str,
        title: str,
        options: Sequence[PermissionOption],
        *,
        kind: ToolKind = "other",
        content: list[ToolCallContentVariant] | None = None,
        locations: list[ToolCallLocation] | None = None,
    ) -> str:
        """Show a tool call and ask; return the id of the option that was chosen.

        Raises: CancelledError where the editor takes the question back, InputError where it cannot ask.
        """
        start = start_tool_call(call_id, title, kind=kind, status="pending", content=content, locations=locations)
        await self.update(start)
        call = ToolCallUpdate(
            tool_call_id=call_id, title=title, kind=kind, status="pending", content=content, locations=locations
        )
        try:
            response = await self._client.request_permission(self._session_id, call, list(options))
        except RequestError as error:
            raise InputError(
                f"The editor could not ask you: {one_line(str(error), 200)}.", "Answer with /approve, /reject or /stop."
            ) from error
        if not isinstance(response.outcome, AllowedOutcome):
            raise asyncio.CancelledError
        return response.outcome.option_id

    async def read(self, path: Path) -> str:
        """Return what a file holds in the editor. Raises: RequestError."""
        return (await self._client.read_text_file(self._session_id, str(path))).content

    async def write(self, path: Path, text: str) -> None:
        """Have a file written. Raises: RequestError."""
        await self._client.write_text_file(self._session_id, str(path), text)
