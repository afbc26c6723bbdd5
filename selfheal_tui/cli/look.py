"""Opening a session to look at it: what compare, export and apply share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from .compose import build_workbench
from .find import find_session

if TYPE_CHECKING:
    from selfheal_tui.engine.session import Session
    from selfheal_tui.settings import Settings

T = TypeVar("T")


def look_at(settings: Settings, prefix: str, read: Callable[[Session], Awaitable[T]]) -> T:
    """Open the one session whose id starts with `prefix`, beside one who drives it; return what `read` returns."""
    session_id = find_session(settings.sessions, prefix)

    async def looked() -> T:
        workbench = build_workbench(settings)
        try:
            async with workbench.open_session(session_id, read_only=True) as session:
                return await read(session)
        finally:
            await workbench.aclose()

    return asyncio.run(looked())
