"""The candidate's process: it holds the program and answers the judge, one request inside another, until the wire ends.

A request is `{"op": ..., "v": [values], "s": [words]}`, a reply `{"is": "done" | "raised" | "too much" | "fault"}`.
What the judge lent may be used while a request runs: then `{"is": "call" | "next" | "touch"}` goes out, and requests
come in until the judge sends `{"op": "answer"}` or `{"op": "raise"}`. `{"op": "abandon"}` ends every request at once.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import select
import signal
import threading
import time
from types import FrameType
from typing import Any, Literal

from . import operations
from .codec import Reader, Writer
from .echo import Echo
from .outward import Handles, Outward
from .shared import Shared, Uncarried
from .stand_ins import StandIns
from .wire import TooLarge, Wire, WireClosed

_WATCH_S = 0.2
_SIGNAL = signal.SIGUSR2
Request = dict[str, Any]
Outcome = tuple[Literal["done", "raised", "fault"], object]


class Abandoned(BaseException):
    """The judge has given up the call that runs."""


def serve(fd: int) -> None:
    """Answer the judge at this socket until it closes its end; the program's modules are imported when it asks.

    The current folder holds the program and is on `sys.path`. What the program prints goes to the judge.
    """
    candidate = Candidate(Wire(fd))
    candidate.install()
    with contextlib.suppress(WireClosed):
        candidate.converse()


class Candidate:
    """One end of the conversation.

    Requests and what the program asks of the judge nest as calls do, whichever thread makes them: the last of
    `_levels` is the conversation that may speak, `_listening` that its thread waits for the judge.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._pid = os.getpid()
        self._shared = Shared(1)
        self._handles = Handles()
        self._stand_ins = StandIns(self._ask)
        self._outward = Outward(self._handles, self._stand_ins, os.getcwd())
        self._echo = Echo()
        self._turn = threading.Condition()
        self._levels: list[object] = []
        self._listening = False
        self._listener = 0
        self._main = threading.get_ident()
        self._running = False
        """The main thread is in the program's code, where an exception may strike it."""
        self._abandoned = 0
        """Number of the judge's word that everything is given up, until everything has ended."""

    def install(self) -> None:
        """Take over the streams, and watch for requests that the judge gives up."""
        self._echo.install()
        if threading.current_thread() is threading.main_thread():
            signal.signal(_SIGNAL, self._interrupt)
            # A raw thread, as a program may count those of `threading`.
            _thread.start_new_thread(self._watch, ())

    # -- conversations

    def converse(self, question: Request | None = None, values: list[object] | None = None) -> tuple[str, Any]:
        """Ask the judge a question, serve its requests until it answers; return `answer` or `raise`, and the value.

        Without a question serve until the wire ends. Raises: WireClosed, Abandoned, Uncarried, TooLarge.
        """
        level = object()
        self._take_turn()
        self._levels.append(level)
        running = self._run(False)
        try:
            if question is not None:
                self._send(question | self._echo.take(), values or [])
            while True:
                request = self._wire.receive()
                if request["op"] == "abandon":
                    self._abandon(level, request["number"])
                    continue
                given = self._read(request)
                if request["op"] in ("answer", "raise"):
                    return request["op"], given
                self._hand_over()
                outcome = self._serve(request, given)
                del given
                self._take_turn(level)
                if self._abandoned:
                    self._abandon(level, self._abandoned)
                elif outcome is not None:
                    self._reply(*outcome)
                del outcome
        finally:
            self._levels.remove(level)
            self._hand_over()
            self._run(running)

    def _take_turn(self, level: object = None) -> None:
        """Wait until nobody listens to the judge and this conversation, unless it is new, is the innermost."""
        with self._turn:
            self._turn.wait_for(lambda: not self._listening and (level is None or self._levels[-1] is level))
            self._listening = True
            self._listener = _thread.get_ident()

    def _hand_over(self) -> None:
        with self._turn:
            self._listening = False
            self._turn.notify_all()

    def _read(self, request: Request) -> list[Any] | Exception:
        """Return the values of a request, or why they cannot be had; both sides agree on containers afterwards."""
        self._handles.free(request.get("freed", []))
        try:
            return Reader(self._shared, self._outward).frame(request)
        except Exception as error:  # a name may lead anywhere, and the program hashes its own objects
            return error

    def _serve(self, request: Request, given: list[Any] | Exception) -> Outcome | None:
        """Carry out a request; None when it was given up."""
        if isinstance(given, Exception):
            return "fault", f"no answer: {given}"
        try:
            self._run(True)
            try:
                return "done", operations.BY_NAME[request["op"]](given, request["s"])
            except (Abandoned, WireClosed):
                raise
            except BaseException as error:
                return "raised", error
            finally:
                self._mind_forks()
                self._run(False)
        except Abandoned:
            return None

    def _reply(self, kind: str, value: object) -> None:
        said = {"is": kind, **self._echo.take()}
        try:
            if kind == "fault":
                raise Uncarried(value)
            self._send(said, [value, *self._echo.take_warnings()])
        except WireClosed:
            raise
        except Abandoned:
            return
        except Exception as error:  # what the program gives may be anything, its classes too
            known = isinstance(error, Uncarried | TooLarge)
            why = str(error) if known else f"what cannot be looked at: {type(error).__name__}"
            kind = "too much" if known else "fault"
            self._wire.send({**said, "is": kind, "why": why, "v": [], "forget": self._shared.take_orphans()})
        if isinstance(value, BaseException):
            BaseException.with_traceback(value, None)  # its frames would keep every argument alive

    def _send(self, said: dict[str, Any], values: list[object]) -> None:
        """Raises: Uncarried, TooLarge, or whatever the program's values raise."""
        writer = Writer(self._shared, self._outward)
        self._run(True)
        try:
            frame = said | writer.frame(values)
        except BaseException:
            self._outward.drop()
            raise
        finally:
            self._run(False)
        frame |= {"classes": self._outward.portraits, "dropped": self._stand_ins.take_dropped()}
        try:
            self._wire.send({name: value for name, value in frame.items() if value or name == "v"})
        except TooLarge:
            writer.undo()
            self._outward.drop()
            raise
        self._outward.keep()

    def _ask(self, kind: str, token: int, values: list[object], words: list[str]) -> Any:
        """Ask the judge for what it lent; see `stand_ins.Ask`."""
        self._mind_forks()
        if self._abandoned:
            raise Abandoned
        if self._listening and self._listener == _thread.get_ident():
            raise RuntimeError("the program may not use what the test lent while its answer is being written")
        said, given = self.converse({"is": kind, "token": token, "s": words}, values)
        if isinstance(given, Exception):
            raise given
        if said == "raise":
            raise given[0]
        return given[0]

    def _mind_forks(self) -> None:
        if os.getpid() != self._pid:
            os._exit(0)  # a child of the program has come back to us: the wire is not its own

    # -- requests that the judge gives up

    def _abandon(self, level: object, number: int) -> None:
        """End every conversation but the first, which tells the judge."""
        if self._levels[0] is not level:
            self._abandoned = number
            raise Abandoned
        self._abandoned = 0
        self._shared.clear()
        self._outward.forget_portraits()
        self._echo.take()
        self._wire.send({"is": "left", "number": number})

    def _run(self, running: bool) -> bool:
        """Say whether the main thread is about to run the program's code; return what was said before."""
        before = self._running
        if _thread.get_ident() == self._main:
            self._running = running
        return before

    def _interrupt(self, _: int, __: FrameType | None) -> None:
        # Looked at again: the call that was given up may have ended before the signal came, and another one runs.
        if self._is_given_up():
            raise Abandoned

    def _watch(self) -> None:
        """Interrupt the program when it is given up."""
        while True:
            _sleep(_WATCH_S)
            if self._is_given_up():
                signal.pthread_kill(self._main, _SIGNAL)

    def _is_given_up(self) -> bool:
        """Say whether the program runs and the judge speaks out of turn: it does so only to give up."""
        poll = select.poll()  # one of its own: two threads may not wait by the same one
        poll.register(self._wire.fd, select.POLLIN)
        return bool(self._running and (self._abandoned or (not self._listening and poll.poll(0))))


_sleep = time.sleep
