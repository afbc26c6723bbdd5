"""The agent: what the protocol's requests mean here. Each thread is a session of selfheal, by the same id.

An expected failure is a sentence: in the thread where a prompt failed, else the message of the request's error.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from acp import PROTOCOL_VERSION, RequestError
from acp.helpers import ContentBlock, update_available_commands
from acp.interfaces import Client
from acp.schema import (
    AgentCapabilities,
    ClientCapabilities,
    CloseSessionResponse,
    ForkSessionResponse,
    Implementation,
    InitializeResponse,
    ListSessionsResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PromptCapabilities,
    PromptResponse,
    ResumeSessionResponse,
    SessionCapabilities,
    SessionCloseCapabilities,
    SessionForkCapabilities,
    SessionInfo,
    SessionListCapabilities,
    SessionMode,
    SessionModeState,
    SessionResumeCapabilities,
    SetSessionModeResponse,
)

from selfheal_tui import __version__
from selfheal_tui.engine.moment.state import GRAPH_VERSION
from selfheal_tui.errors import InputError, SelfHealError
from selfheal_tui.store.sessions import SessionStore
from selfheal_tui.text import one_line, strip_controls

from .commands import available_commands
from .desk import Desk
from .editor import Editor
from .thread import Thread

_INVALID_PARAMS, _FAILED = -32602, -32603
"""JSON-RPC 2.0, section 5.1."""
_PAGE = 50
_MODES = (
    ("review_all", "Review all", "You decide on everything: diagnoses, repairs, written tests and code, the end"),
    ("review_repairs", "Review repairs", "You decide on each diagnosis and each repair"),
    ("full_auto", "Full auto", "Nobody is asked; files are written only after a yes all the same"),
)
OpenDesk = Callable[[Path], Desk]
"""Returns what there is to know of a folder. Raises: SettingsError."""


class SelfHealAgent:
    """One connection's agent."""

    def __init__(self, open_desk: OpenDesk) -> None:
        self._open_desk = open_desk
        self._client: Client | None = None
        self._capabilities = ClientCapabilities()
        self._threads: dict[str, Thread] = {}

    def on_connect(self, conn: Client) -> None:
        """Keep the editor's side of the connection."""
        self._client = conn

    async def aclose(self) -> None:
        """Cancel every run and wait for its end."""
        await asyncio.gather(*(thread.aclose() for thread in self._threads.values()))

    async def initialize(
        self,
        protocol_version: int,
        client_capabilities: ClientCapabilities | None = None,
        client_info: Implementation | None = None,
        **_: Any,
    ) -> InitializeResponse:
        """Say what this agent can do."""
        self._capabilities = client_capabilities or ClientCapabilities()
        return InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_info=Implementation(name="selfheal", title="selfheal", version=__version__),
            agent_capabilities=AgentCapabilities(
                load_session=True,
                prompt_capabilities=PromptCapabilities(image=False, audio=False, embedded_context=False),
                session_capabilities=SessionCapabilities(
                    list=SessionListCapabilities(),
                    fork=SessionForkCapabilities(),
                    resume=SessionResumeCapabilities(),
                    close=SessionCloseCapabilities(),
                ),
            ),
            auth_methods=[],
        )

    async def new_session(self, cwd: str, **_: Any) -> NewSessionResponse:
        """Open a thread; its session is made by the first prompt that names something to heal."""
        try:
            desk = self._desk(cwd)
            session_id = SessionStore(desk.settings().sessions).new_id(desk.folder.name)
            thread = self._opened(session_id, desk)
            modes = _modes(thread)
        except SelfHealError as error:
            raise _refusal(error) from error
        self._soon(self._tell_commands, session_id)
        return NewSessionResponse(session_id=session_id, modes=modes)

    async def load_session(self, cwd: str, session_id: str, **_: Any) -> LoadSessionResponse:
        """Open a thread of a session that is there, tell its history, and ask again what waits."""
        thread = await self._reopened(cwd, session_id, with_history=True)
        return LoadSessionResponse(modes=_modes(thread))

    async def resume_session(self, session_id: str, cwd: str, **_: Any) -> ResumeSessionResponse:
        """Open a thread of a session that is there, without its history, and ask again what waits."""
        thread = await self._reopened(cwd, session_id, with_history=False)
        return ResumeSessionResponse(modes=_modes(thread))

    async def fork_session(self, session_id: str, cwd: str, **_: Any) -> ForkSessionResponse:
        """Copy a session with all its history into one of its own, and open a thread of that."""
        try:
            desk = self._desk(cwd)
            async with desk.opened() as workbench:
                copy_id = await workbench.copy_session(session_id)
            thread = self._opened(copy_id, desk)
            modes = _modes(thread)
        except SelfHealError as error:
            raise _refusal(error) from error
        self._soon(self._tell_commands, copy_id)
        return ForkSessionResponse(session_id=copy_id, modes=modes)

    async def list_sessions(self, cwd: str | None = None, cursor: str | None = None, **_: Any) -> ListSessionsResponse:
        """List the sessions of a folder, else all that came from one, a page at a time."""
        try:
            if cursor is not None and not (cursor.isascii() and cursor.isdigit()):
                raise InputError("The cursor is none that was given.", "Begin with the first page.")
            desk = self._desk(cwd or os.getcwd())
            rows = await asyncio.to_thread(SessionStore(desk.settings().sessions, GRAPH_VERSION).rows)
        except SelfHealError as error:
            raise _refusal(error) from error
        wanted = os.path.realpath(cwd) if cwd else ""
        there = [
            SessionInfo(session_id=row.session_id, cwd=row.folder, title=one_line(row.title), updated_at=row.updated_at)
            for row in rows
            if row.folder and row.outcome not in ("damaged", "other_version")
            if not wanted or row.folder == wanted
        ]
        begin = int(cursor or 0)
        more = str(begin + _PAGE) if len(there) > begin + _PAGE else None
        return ListSessionsResponse(sessions=there[begin : begin + _PAGE], next_cursor=more)

    async def set_session_mode(self, session_id: str, mode_id: str, **_: Any) -> SetSessionModeResponse:
        """Choose who decides: the session's autonomy."""
        try:
            await self._thread(session_id).choose(mode_id)
        except SelfHealError as error:
            raise _refusal(error) from error
        return SetSessionModeResponse()

    async def prompt(self, session_id: str, prompt: Sequence[ContentBlock], **_: Any) -> PromptResponse:
        """Carry a prompt out; the turn ends with the run, or with a question that is left open."""
        try:
            return PromptResponse(stop_reason=await self._thread(session_id).take(prompt))
        except SelfHealError as error:
            raise _refusal(error) from error

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Cancel what runs in a thread."""
        if thread := self._threads.get(session_id):
            thread.cancel()

    async def close_session(self, session_id: str, **_: Any) -> CloseSessionResponse:
        """Cancel what runs in a thread and forget the thread; its session stays on disk."""
        if thread := self._threads.pop(session_id, None):
            await thread.aclose()
        return CloseSessionResponse()

    async def _reopened(self, cwd: str, session_id: str, *, with_history: bool) -> Thread:
        try:
            if earlier := self._threads.pop(session_id, None):
                await earlier.aclose()
            thread = self._opened(session_id, self._desk(cwd))
            await (thread.tell_history() if with_history else thread.check())
        except SelfHealError as error:
            self._threads.pop(session_id, None)
            raise _refusal(error) from error
        self._soon(self._tell_commands, session_id)
        self._soon(thread.ask_again)
        return thread

    def _desk(self, cwd: str) -> Desk:
        folder = Path(cwd)
        if not folder.is_absolute() or not folder.is_dir():
            raise InputError(f"{one_line(cwd, 200)} is no folder.", "Give the absolute path of one that is there.")
        return self._open_desk(Path(os.path.realpath(folder)))

    def _opened(self, session_id: str, desk: Desk) -> Thread:
        if self._client is None:
            raise InputError("No editor is connected.")
        files = self._capabilities.fs
        editor = Editor(
            self._client,
            session_id,
            reads=bool(files and files.read_text_file),
            writes=bool(files and files.write_text_file),
        )
        thread = self._threads[session_id] = Thread(session_id, desk, editor)
        return thread

    def _thread(self, session_id: str) -> Thread:
        if thread := self._threads.get(session_id):
            return thread
        raise InputError(f"No thread of session {one_line(session_id, 100)!r} is open.", "Open or load it first.")

    def _soon(self, do: Callable[..., None], *args: str) -> None:
        """Do something once the answer to the present request is on its way: it names the thread to the editor."""
        asyncio.get_running_loop().call_soon(do, *args)

    def _tell_commands(self, session_id: str) -> None:
        if self._client is not None:
            telling = self._client.session_update(session_id, update_available_commands(available_commands()))
            self._told = asyncio.ensure_future(telling)


def _modes(thread: Thread) -> SessionModeState:
    modes = [SessionMode(id=name, name=title, description=words) for name, title, words in _MODES]
    return SessionModeState(current_mode_id=thread.autonomy, available_modes=modes)


def _refusal(error: SelfHealError) -> RequestError:
    code = _INVALID_PARAMS if isinstance(error, InputError) else _FAILED
    return RequestError(code, strip_controls(str(error)), {"exit_code": error.exit_code})
