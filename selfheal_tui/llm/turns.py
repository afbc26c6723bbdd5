"""Turns at a server that answers few requests at a time: a call that waits has not begun, so no time limit runs."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

_SLOTS: WeakValueDictionary[tuple[asyncio.AbstractEventLoop, str], asyncio.Semaphore] = WeakValueDictionary()


def slots_at(address: str, count: int) -> asyncio.Semaphore:
    """Return the slots of a server, shared by all providers of this process that ask it; first come, first served."""
    return _SLOTS.setdefault((asyncio.get_running_loop(), address), asyncio.Semaphore(count))
