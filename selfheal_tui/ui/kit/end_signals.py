"""The signals that end the app from outside: it closes its session in order and gives the terminal back."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Awaitable, Callable

_ENDING = (signal.SIGTERM, signal.SIGHUP)
_PATIENCE_S = 15.0
"""Then the app leaves all the same: what a session has saved is whole however it ends."""


class EndSignals:
    """Waits for SIGTERM (`kill`) and SIGHUP (the terminal was closed); the second signal does not wait."""

    def __init__(
        self,
        close: Callable[[], Awaitable[None]],
        leave: Callable[[int], None],
        end_at_last: Callable[[int], object] | None = None,
    ) -> None:
        """`close` closes what is open; `leave` ends the app with an exit code.

        `end_at_last` ends the process where even leaving hangs, as with a terminal that is gone; from a thread.
        """
        self._close, self._leave, self._end_at_last = close, leave, end_at_last
        self._closing: asyncio.Task[None] | None = None

    def attend(self) -> None:
        """Wait for them from now on, in the running loop; one that is ignored, as under `nohup`, stays so."""
        for number in _ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                asyncio.get_running_loop().add_signal_handler(number, self._on_signal, 128 + number)

    def _on_signal(self, code: int) -> None:
        if self._closing is None:
            if self._end_at_last is not None:
                last = threading.Timer(2 * _PATIENCE_S, self._end_at_last, (code,))
                last.daemon = True
                last.start()
            self._closing = asyncio.create_task(self._end(code))
        else:
            self._leave(code)

    async def _end(self, code: int) -> None:
        closing = asyncio.ensure_future(self._close())
        await asyncio.wait({closing}, timeout=_PATIENCE_S)
        self._leave(code)
        if closing.done():
            closing.result()
