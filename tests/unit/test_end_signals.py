"""The signals that end the app: it leaves also where closing does not come to an end."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from selfheal_tui.ui.kit import end_signals
from selfheal_tui.ui.kit.end_signals import EndSignals


async def left_with(close: asyncio.Future[None], number: int) -> int:
    """Return the exit code with which the app is left after a signal."""
    left: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def closed() -> None:
        await close

    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # `nohup pytest` ignores it, and so would the app
    EndSignals(closed, left.set_result).attend()
    try:
        os.kill(os.getpid(), number)
        return await left
    finally:
        asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)
        asyncio.get_running_loop().remove_signal_handler(signal.SIGHUP)
        signal.signal(signal.SIGHUP, before)


async def test_it_leaves_once_all_is_closed() -> None:
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    done.set_result(None)
    assert await left_with(done, signal.SIGTERM) == 143


async def test_it_leaves_though_closing_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(end_signals, "_PATIENCE_S", 0.01)
    assert await left_with(asyncio.get_running_loop().create_future(), signal.SIGHUP) == 129


async def test_where_even_leaving_hangs_the_process_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(end_signals, "_PATIENCE_S", 0.01)
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    loop = asyncio.get_running_loop()

    async def never() -> None:
        await asyncio.Event().wait()

    signals = EndSignals(never, lambda code: None, lambda code: loop.call_soon_threadsafe(ended.set_result, code))
    signals._on_signal(129)
    assert await ended == 129
