"""All sessions: list, create, open, delete. LangGraph is imported when a session is driven, not before."""

from __future__ import annotations

import asyncio
import copy
import importlib
import json
import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfheal_tui.errors import SessionDamaged, SessionError
from selfheal_tui.llm.time_limits import TimeLimits
from selfheal_tui.sandbox.allowance import Allowance
from selfheal_tui.sandbox.base import Limits, Sandbox, Suite
from selfheal_tui.sandbox.consents import Consents, SessionMark, joined
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.store.bills import Bills
from selfheal_tui.store.blobs import Blobs
from selfheal_tui.store.clock import now_at
from selfheal_tui.store.damage import reading
from selfheal_tui.store.history import History
from selfheal_tui.store.ledger import Ledger
from selfheal_tui.store.left import is_as_left, note_left
from selfheal_tui.store.lessons import LessonBook
from selfheal_tui.store.lock import open_driver_lock
from selfheal_tui.store.notes import Notes
from selfheal_tui.store.programs import Programs
from selfheal_tui.store.sent import SentLog
from selfheal_tui.store.session_db import SessionDB, open_db, open_db_to_read, uncancelled
from selfheal_tui.store.sessions import DB_NAME, SessionRow, SessionStore
from selfheal_tui.store.shared_replies import SharedReplies
from selfheal_tui.store.tried import Tried

from ..dialogue.tracing import flush, set_tracing
from ..moment.state import GRAPH_VERSION, Autonomy, HealState, Manifest, RunLimits, RunPolicy, default_policy, no_spend
from ..task.task import Task
from ..workshop.costs import check_prices
from ..workshop.deps import Deps
from .checked_task import checked_task
from .hooks import HookOptions, Hooks
from .late_graph import LateGraph
from .otel import Otel, Traced

if TYPE_CHECKING:
    from ..history.watched_session import WatchedSession
    from ..loop.graph import Graph
    from .session import Session

_GIVEN = {
    *("mode", "title", "spec_ref", "manifest_ref", "changes", "limits", "models", "autonomy", "policy", "spent"),
}
"""What the state of a session holds from its start."""


def default_limits() -> RunLimits:
    """Return the limits of a run that names none."""
    return {"max_iterations": 6, "max_tokens": None, "max_cost_usd": None, "max_time_s": None, "max_calls": None}


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a new session runs."""

    autonomy: Autonomy = "review_repairs"
    models: Mapping[str, str] = field(default_factory=lambda: {"*": SEARCH})
    """Role -> `provider:model`; `*` is every role that is not named."""
    limits: RunLimits = field(default_factory=default_limits)
    policy: RunPolicy = field(default_factory=default_policy)


class Workbench:
    """The engine's front: everything that is not one session."""

    def __init__(
        self,
        home: Path,
        *,
        sandbox_name: str = "local",
        python: str = "",
        prompts_dir: Path | None = None,
        allow_unsandboxed: bool = False,
        allow_read: Sequence[str] = (),
        allow_network: bool = False,
        consents: Consents | None = None,
        suite_limits: Limits | None = None,
        verify: bool = True,
        replay_only: bool = False,
        tracing: bool = False,
        otel: Traced | None = None,
        prices: Mapping[str, str] | None = None,
        time_limits: TimeLimits | None = None,
        advisors: Mapping[str, Callable[[Mapping[str, str]], Any]] | None = None,
        hooks: HookOptions | None = None,
    ) -> None:
        """`hooks` are told what the sessions do; `otel`: runs are sent as spans to an OpenTelemetry collector.

        Raises: SettingsError where that cannot be.
        """
        self.store = SessionStore(home, GRAPH_VERSION)
        self.lessons = LessonBook(home)
        self._allow_unsandboxed = allow_unsandboxed
        self._allowed = Allowance(tuple(allow_read), allow_network)
        self._consents = consents
        self._sandbox_name = sandbox_name
        self._python = python
        self._prompts_dir = prompts_dir
        self._suite_limits = suite_limits or Limits()
        self._verify = verify
        self._replay_only = replay_only
        self._tracing = tracing
        self._otel = Otel(otel) if otel is not None else None
        self.hooks = Hooks(hooks) if hooks is not None and hooks.commands else None
        """The user's; None where there are none."""
        self.hook_troubles: list[str] = []
        """What went wrong with hooks and nobody was told, a sentence each; known once it is closed."""
        self.unsent = ""
        """What a tracer did not get, one sentence; known once it is closed."""
        self._prices = prices or {}
        self._time_limits = time_limits
        self._advisors = advisors or {}
        self._sandbox: Sandbox | None = None
        self._wider: dict[Allowance, Sandbox] = {}
        self._warming: asyncio.Task[None] | None = None

    def beside(self, home: Path) -> Workbench:
        """Return a workbench like this one over another sessions folder; whoever takes it closes it."""
        other = copy.copy(self)
        other.store, other.lessons = SessionStore(home, GRAPH_VERSION), LessonBook(home)
        other._sandbox, other._wider, other._warming = None, {}, None
        other.hooks, other.hook_troubles = self.hooks.over(home) if self.hooks else None, []
        return other

    def list_sessions(self) -> list[SessionRow]:
        """Return all sessions, newest first."""
        return self.store.rows()

    def session_ids(self) -> list[str]:
        """Return the ids of all sessions, the one written last first. Raises: InputError."""
        return self.store.ids()

    def session_rows(self, session_ids: Sequence[str]) -> list[SessionRow]:
        """Return the lines of these sessions; one that is gone by now is left out."""
        rows = []
        for session_id in session_ids:
            try:
                rows.append(self.store.row(session_id))
            except OSError:
                continue
        return rows

    @property
    def sandbox(self) -> Sandbox:
        """Return the sandbox, opened on first use. Raises: SettingsError, SandboxError."""
        if self._sandbox is None:
            self._sandbox = self._open_sandbox(self._allowed)
        return self._sandbox

    def _sandbox_with(self, allowed: Allowance) -> Sandbox:
        """Return the sandbox of a session whose tests may have this. Raises: SettingsError, SandboxError."""
        if allowed == self._allowed:
            return self.sandbox
        if allowed not in self._wider:
            self._wider[allowed] = self._open_sandbox(allowed)
        return self._wider[allowed]

    def _open_sandbox(self, allowed: Allowance) -> Sandbox:
        from selfheal_tui.sandbox.registry import open_sandbox

        return open_sandbox(
            self._sandbox_name,
            python=self._python,
            allow_unsandboxed=self._allow_unsandboxed,
            allow_read=allowed.read,
            allow_network=allowed.network,
            sessions=self.store.home,
        )

    def warm_up(self, task: Task) -> None:
        """Begin to start what the first run of a task's tests needs, in a running event loop; nothing is written.

        Where it cannot be started the run says so. Raises: SettingsError, SandboxError where no sandbox can be had.
        """
        sandbox = self.sandbox
        if task.mode == "fix" and self._warming is None:
            self._warming = asyncio.create_task(sandbox.warm_up(Suite(task.files, task.tests, task.program)))

    async def create(self, task: Task, options: RunOptions, session_id: str = "") -> str:
        """Write a new session down, ready to run; return its id. Raises: InputError, SessionError.

        A model of unknown price and a budget in dollars do not go together: nothing is written then. `session_id` is
        one that `SessionStore.new_id` returned earlier; empty for a new one.
        """
        models = {"*": SEARCH, **options.models}
        task = checked_task(task, models)
        check_prices(models, options.limits, self._prices)
        session_id, folder = self.store.create_folder(task.title, session_id)
        async with open_db(folder / DB_NAME, create=True) as db:
            initial = await _initial_state(Blobs(db), task, options, models, self._python)
            header = {"title": task.title, "created_at": now_at(), "root": task.root or ""}
            await db.set_header({**header, "initial": json.dumps(initial)})
        return session_id

    @asynccontextmanager
    async def open_session(self, session_id: str, shared: SharedReplies | None = None) -> AsyncIterator[Session]:
        """Open a session as its only driver; `shared` holds replies that sessions of the same task share.

        What is damaged anywhere can be looked at, but not gone on with: a file that is not as its last driver left it
        is checked before anything is written.
        Raises: InputError when there is none, SessionError when it is busy, damaged or from an unknown version.
        """
        folder = self.store.folder(session_id)
        with open_driver_lock(folder):
            from ..history.check import check_whole
            from ..history.removal import purge

            await asyncio.to_thread(importlib.import_module, ".session", __package__)
            from .session import Session

            went_well = False
            if not is_as_left(folder):
                await asyncio.to_thread(check_whole, folder)
            async with open_db(folder / DB_NAME) as db:
                initial = await _stored_initial(db, session_id)
                graph = LateGraph(lambda: self._make_graph(db))
                thread_id = await History(db).thread_id() or session_id
                deps = self._deps(db, session_id, self._allowed_by_user(_mark(folder, thread_id, initial)))
                deps.shared = shared
                try:
                    yield Session(
                        session_id,
                        await _title(db, initial),
                        db,
                        graph,
                        deps,
                        initial,
                        thread_id,
                        self._otel,
                        self.hooks,
                        self.store.home,
                    )
                finally:
                    await graph.aclose()
                    await deps.aclose()
                    with suppress(SessionError, sqlite3.Error):
                        went_well = not await db.get_meta("error")
                    # What cannot be removed now stays marked and is tried again when it is closed next.
                    with suppress(SessionError):
                        await asyncio.to_thread(purge, folder)
            if went_well:
                note_left(folder)

    @asynccontextmanager
    async def watch_session(self, session_id: str) -> AsyncIterator[WatchedSession]:
        """Open a session to look at it, also beside its driver; nothing can be written.

        Raises: InputError when there is none, SessionError when it is damaged or from an unknown version.
        """
        folder = self.store.folder(session_id)
        async with self._watching(session_id, folder, folder / DB_NAME) as session:
            yield session

    @asynccontextmanager
    async def look_at_rest(self, session_id: str, why: SessionError) -> AsyncIterator[WatchedSession]:
        """Open what can be read of a damaged session to look at it. Raises: `why` where no moment of it can be."""
        folder = self.store.folder(session_id)
        await self._import("..history.rest")
        from ..history.rest import open_rest

        with ExitStack() as opened:
            rest = await asyncio.to_thread(opened.enter_context, open_rest(folder))
            if rest is None:
                raise why
            async with self._watching(session_id, folder, rest.file) as session:
                session.rest = rest
                yield session

    @asynccontextmanager
    async def _watching(self, session_id: str, folder: Path, file: Path) -> AsyncIterator[WatchedSession]:
        """Open a session's `file` to read; `folder` is the session's own."""
        await self._import("..history.watched_session")
        from selfheal_tui.store.saver import open_saver

        from ..history.watched_session import WatchedSession

        async with open_db_to_read(file) as db:
            initial = await _stored_initial(db, session_id)
            await open_saver(db)  # makes LangGraph's tables where nothing has run yet
            await db.forbid_writes()
            thread_id = await History(db).thread_id() or session_id
            deps = self._deps(db, session_id, self._allowed_by_user(_mark(folder, thread_id, initial)))
            try:
                yield WatchedSession(session_id, await _title(db, initial), db, deps, initial)
            finally:
                await deps.aclose()

    async def remember_allowed(self, session_id: str, allowed: Allowance) -> None:
        """Write down on this machine what the user lets the tests of a session have, beside what was allowed before.

        Raises: InputError when there is no such session, SessionError, SettingsError where nothing can be written.
        """
        if self._consents is None:
            return
        folder = self.store.folder(session_id)
        async with open_db_to_read(folder / DB_NAME) as db:
            initial = await _stored_initial(db, session_id)
            mark = _mark(folder, await History(db).thread_id() or session_id, initial)
        await asyncio.to_thread(self._consents.add, mark, allowed)

    def _allowed_by_user(self, mark: SessionMark) -> Allowance:
        """Return what the settings allow, and what the user allowed this session before."""
        return joined(self._allowed, self._consents.of(mark)) if self._consents is not None else self._allowed

    def _deps(self, db: SessionDB, session_id: str, allowed: Allowance) -> Deps:
        return Deps(
            Blobs(db),
            Ledger(db),
            Bills(db),
            SentLog(db),
            self._sandbox_with(allowed),
            Programs(db),
            Tried(db),
            self.lessons,
            Notes(db),
            session_id,
            self._prompts_dir,
            self._suite_limits,
            verify=self._verify,
            replay_only=self._replay_only,
            prices=self._prices,
            time_limits=self._time_limits,
            advisors=self._advisors,
            allowed=allowed.names(),
        )

    async def _make_graph(self, db: SessionDB) -> Graph:
        await self._import("..loop.graph")
        from selfheal_tui.store.saver import open_saver

        from ..loop.graph import build_graph

        return build_graph(await uncancelled(open_saver(db)))

    async def _import(self, *modules: str) -> None:
        """Import modules that bring LangGraph with them, beside the event loop."""
        set_tracing(self._tracing)
        os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
        for module in ("selfheal_tui.store.saver", *modules):
            await asyncio.to_thread(importlib.import_module, module, __package__)

    async def copy_session(self, session_id: str) -> str:
        """Copy a session with all its history, also beside its driver; return the copy's id.

        Raises: InputError, SessionError.
        """
        from selfheal_tui.store.duplicate import duplicate

        return await asyncio.to_thread(duplicate, self.store, session_id)

    async def delete_session(self, session_id: str) -> None:
        """Remove a session from disk. Raises: InputError, SessionError."""
        self.store.delete(session_id)

    async def trash_session(self, session_id: str) -> None:
        """Delete a session so that it can be brought back until the workbench is closed. Raises: SessionError."""
        await asyncio.to_thread(self.store.trash.put, session_id)

    async def restore_session(self, session_id: str) -> None:
        """Bring a deleted session back. Raises: SessionError."""
        await asyncio.to_thread(self.store.trash.take_back, session_id)

    async def rename_session(self, session_id: str, title: str) -> None:
        """Give a session another title. Raises: InputError, SessionError."""
        await asyncio.to_thread(self.store.rename, session_id, title)

    async def aclose(self) -> None:
        """Stop the sandbox and empty the trash; a traced run is sent to its end, and hooks come to theirs."""
        if self._tracing:
            await asyncio.to_thread(flush)
        if self.hooks is not None:
            self.hook_troubles += await self.hooks.aclose()
        if self._otel is not None:
            self.unsent, self._otel = await asyncio.to_thread(self._otel.close), None
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.gather(self._warming, return_exceptions=True)
            self._warming = None
        if self._sandbox is not None:
            await self._sandbox.aclose()
            self._sandbox = None
        for sandbox in self._wider.values():
            await sandbox.aclose()
        self._wider.clear()
        await asyncio.to_thread(self.store.trash.empty)


async def _title(db: SessionDB, initial: HealState) -> str:
    return await db.get_meta("title") or initial["title"]


def _mark(folder: Path, thread_id: str, initial: HealState) -> SessionMark:
    return SessionMark(folder, thread_id, f"{initial['manifest_ref']} {initial['spec_ref']}")


async def _stored_initial(db: SessionDB, session_id: str) -> HealState:
    text = await db.get_meta("initial")
    if text is None:
        raise SessionError(f"Session {session_id} was never written to its end.", "Delete it and start afresh.")
    with reading(f"the start of session {session_id}"):
        initial: HealState = json.loads(text)
        version = initial["graph_version"]
    if version != GRAPH_VERSION:
        raise SessionError(
            f"Session {session_id} was written by another version of selfheal (graph {version}, here {GRAPH_VERSION}).",
            "Open it with the version that wrote it.",
        )
    if lacking := sorted(_GIVEN - initial.keys()):
        raise SessionDamaged(
            f"Session {session_id} is damaged: its start lacks {lacking[0]}.", "See: selfheal sessions check SESSION"
        )
    return initial


async def _initial_state(
    blobs: Blobs, task: Task, options: RunOptions, models: dict[str, str], python: str
) -> HealState:
    manifest: Manifest = {
        "files": {path: await blobs.put_text(text) for path, text in task.files.items()},
        "program": list(task.program),
        "tests": list(task.tests),
        "pytest_args": list(task.pytest_args),
        "root": task.root,
    }
    if python:
        manifest["python"] = os.path.abspath(python)
    if task.others_fail:
        manifest["others_fail"] = task.others_fail
    if task.seen_red:
        manifest["seen_red"] = True
    if task.collected_only_here:
        manifest["collected_only_here"] = task.collected_only_here
    from ..task.given_examples import given_examples, wrong_suite
    from ..task.recent_changes import read_recent_changes

    examples, left_out = given_examples(task)
    program = {path: task.files[path] for path in task.program if path in task.files}
    suites = {"examples": examples, "answers": wrong_suite(task, examples)}
    recent = await asyncio.to_thread(read_recent_changes, task.root, program)
    initial: HealState = {
        "graph_version": GRAPH_VERSION,
        "node": "start",
        "mode": task.mode,
        "title": task.title,
        "spec_ref": await blobs.put_text(task.spec),
        "manifest_ref": await blobs.put(manifest),
        "changes": {},
        "suites": {kind: await blobs.put(files) for kind, files in suites.items() if files},
        "thrown_out": left_out,
        "feedback": [],
        "iteration": 0,
        "attempt": 0,
        "head": "",
        "spent": no_spend(),
        "limits": options.limits,
        "models": models,
        "autonomy": options.autonomy,
        "policy": options.policy,
        "lessons": [],
        "rules": [],
        "pinned": [],
        "outcome": "",
        "reason": "",
    }
    if task.wrong:
        initial |= {"answers": [list(one) for one in task.wrong], "volunteered": len(task.wrong)}
    if recent:
        initial["recent_ref"] = await blobs.put(recent)
    return initial
