"""Textual's driver for a terminal, and what it lacks: a stop that nobody announced, and a terminal that is gone.

Ctrl+Z is SIGTSTP, and Textual leaves the screen before it stops. SIGSTOP cannot be caught: when SIGCONT comes the
terminal has the shell's modes, and Textual 8.2 starts a second reader of keys beside the first. The two share the keys,
and the first never ends. `tests/e2e/test_signals.py` tells when the workaround can go.
"""

from __future__ import annotations

import os
import signal
import sys
import termios
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO

from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from textual.app import App


class TerminalDriver(LinuxDriver):
    """Shows the app in a terminal; SIGHUP is raised when reading finds that the terminal is gone."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        if self._file is not None:
            self._file = _UntilGone(self._file)  # type: ignore[assignment]
        self._has_screen = False
        self._coming_back = False
        self._continue = signal.getsignal(signal.SIGCONT)
        signal.signal(signal.SIGCONT, self._on_continue)

    def start_application_mode(self) -> None:
        """Take the screen."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._has_screen = self._writer_thread is not None

    def stop_application_mode(self) -> None:
        """Give the screen back."""
        self._has_screen = False
        super().stop_application_mode()

    def run_input_thread(self) -> None:
        """Read keys until the app ends or the terminal is gone."""
        try:
            super().run_input_thread()
        except OSError:
            os.kill(os.getpid(), signal.SIGHUP)

    def _on_continue(self, number: int, frame: FrameType | None) -> None:
        """Come back once the event loop is at rest: what the signal interrupts may hold a lock that this needs."""
        if not self._coming_back and not self._loop.is_closed():
            self._coming_back = True
            self._loop.call_soon_threadsafe(self._come_back)

    def _come_back(self) -> None:
        self._coming_back = False
        # Closing a terminal continues what is stopped, and a reader of keys begun now would outlive the app.
        if self._app._exit or not os.isatty(self.fileno):
            return
        if not self._has_screen:  # as Textual left it, for ctrl+z or another program
            if callable(self._continue):
                self._continue(signal.SIGCONT, None)
            return
        _wait_for_foreground(self.fileno)
        self.suspend_application_mode()
        self.resume_application_mode()


def _wait_for_foreground(fileno: int) -> None:
    """Change nothing: a process in the background is stopped for it, until it may use the terminal again."""
    try:
        termios.tcsetattr(fileno, termios.TCSANOW, termios.tcgetattr(fileno))
    except termios.error:
        return


class _UntilGone:
    """A stream to the terminal that swallows what is written once the terminal is gone."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        try:
            self._stream.write(text)
        except OSError:
            mute()

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            mute()

    def fileno(self) -> int:
        return self._stream.fileno()

    def isatty(self) -> bool:
        return self._stream.isatty()


def mute() -> None:
    """Let stdout and stderr lead nowhere: what Python still writes there at its end would be an error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
