"""Opening a session for one action of a command: to look at it, beside one who drives it, or as its driver."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, TypeVar

from .compose import build_workbench, close_workbench
from .find import find_session

if TYPE_CHECKING:
    from selfheal_tui.engine.history.saved_session import SavedSession
    from selfheal_tui.engine.history.watched_session import WatchedSession
    from selfheal_tui.engine.session.session import Session
    from selfheal_tui.engine.session.workbench import Workbench
    from selfheal_tui.errors import SessionError
    from selfheal_tui.settings import Settings

S = TypeVar("S")
T = TypeVar("T")


def look_at(settings: Settings, prefix: str, read: Callable[[SavedSession], Awaitable[T]]) -> T:
    """Open the one session whose id starts with `prefix`, beside one who drives it; return what `read` returns."""
    return _opened(settings, prefix, lambda workbench, name: workbench.watch_session(name), read)


def look_at_rest(
    settings: Settings, session_id: str, why: SessionError, read: Callable[[WatchedSession], Awaitable[T]]
) -> T:
    """Open what can be read of a damaged session; return what `read` returns. Raises: `why` where nothing can be."""
    return _opened(settings, session_id, lambda workbench, name: workbench.look_at_rest(name, why), read)


def act_on(settings: Settings, prefix: str, act: Callable[[Session], Awaitable[T]]) -> T:
    """Open the one session whose id starts with `prefix` as its only driver; return what `act` returns."""
    return _opened(settings, prefix, lambda workbench, name: workbench.open_session(name), act)


def _opened(
    settings: Settings,
    prefix: str,
    open_as: Callable[[Workbench, str], AbstractAsyncContextManager[S]],
    use: Callable[[S], Awaitable[T]],
) -> T:
    session_id = find_session(settings.sessions, prefix)

    async def used() -> T:
        workbench = build_workbench(settings)
        try:
            async with open_as(workbench, session_id) as session:
                return await use(session)
        finally:
            await close_workbench(workbench)

    return asyncio.run(used())
