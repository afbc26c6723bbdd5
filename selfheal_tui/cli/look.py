"""Opening a session for one action of a command: to look at it, beside one who drives it, or as its driver."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from .compose import build_workbench
from .find import find_session

if TYPE_CHECKING:
    from selfheal_tui.engine.session.session import Session
    from selfheal_tui.settings import Settings

T = TypeVar("T")


def look_at(settings: Settings, prefix: str, read: Callable[[Session], Awaitable[T]]) -> T:
    """Open the one session whose id starts with `prefix`, beside one who drives it; return what `read` returns."""
    return _opened(settings, prefix, read, read_only=True)


def act_on(settings: Settings, prefix: str, act: Callable[[Session], Awaitable[T]]) -> T:
    """Open the one session whose id starts with `prefix` as its only driver; return what `act` returns."""
    return _opened(settings, prefix, act, read_only=False)


def _opened(settings: Settings, prefix: str, use: Callable[[Session], Awaitable[T]], *, read_only: bool) -> T:
    session_id = find_session(settings.sessions, prefix)

    async def used() -> T:
        workbench = build_workbench(settings)
        try:
            async with workbench.open_session(session_id, read_only=read_only) as session:
                return await use(session)
        finally:
            await workbench.aclose()

    return asyncio.run(used())
