"""A coroutine for a caller who is not async: results, errors, Ctrl-C, with and without a running loop."""

from __future__ import annotations

import asyncio
import signal
import threading
from typing import Any

import pytest

from selfheal_tui.api.beside import Call, run_to_end


async def _waiting(call: Call) -> None:
    asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGINT)
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError as error:
        error.add_note("how to go on")
        raise


def test_ctrl_c_cancels_the_work_and_keeps_what_it_said() -> None:
    with pytest.raises(KeyboardInterrupt) as stopped:
        run_to_end(_waiting)
    assert stopped.value.__notes__ == ["how to go on"]


async def test_beside_a_running_loop_functions_run_here_and_errors_come_back() -> None:
    here: list[threading.Thread] = []
    ended: list[str] = []

    def double(value: int) -> int:
        here.append(threading.current_thread())
        return 2 * value

    async def triple(value: int) -> int:
        return 3 * value

    async def work(call: Call) -> Any:
        return await call(double, 2), await call(triple, 2), threading.current_thread()

    two, three, thread = run_to_end(work)
    assert (two, three) == (4, 6) and here == [threading.current_thread()] and thread is not here[0]

    async def fails(call: Call) -> None:
        await call(lambda value: 1 // value, 0)

    with pytest.raises(ZeroDivisionError):
        run_to_end(fails)

    async def stopped(call: Call) -> None:
        try:
            await call(_interrupt, 0)
        finally:
            ended.append("closed")

    with pytest.raises(KeyboardInterrupt):
        run_to_end(stopped)
    assert ended == ["closed"], "the work has ended before the caller goes on"
    assert not [one for one in threading.enumerate() if one.name == "selfheal"]


def _interrupt(value: int) -> None:
    raise KeyboardInterrupt
