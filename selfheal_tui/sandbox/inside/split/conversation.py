"""The judge's end of the wire: one request at a time, and the calls back that it brings, whichever thread makes it.

Whatever does not fit the protocol ends the conversation: from then on every use of the program is a `ProgramFault`. An
alarm that cuts a request short does not: the next request first has the candidate drop what it was doing. The alarm may
strike anywhere, so a request counts as cut short from its start until its answer has been read.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from . import specials
from .codec import Json, Reader, Writer, array, texts
from .echo import repeat_printed, repeat_warnings
from .importer import RemoteModule
from .inward import Inward
from .notes import Notes, ProgramFault
from .shared import Shared, Uncarried
from .wire import Malformed, TooLarge, Wire, WireClosed

_LEAVE_S = 2.0
"""How long the candidate may take to drop what it was doing."""
_CALLING = ("call", "method")
_SENDING = (["send"], ["throw"])
_TELLING = ("get", "vars", "signature", "fields", "isinstance", "issubclass")
_ASKING = ("call", "next", "touch")
_BUSY = -1
_TURN_S = 5.0
"""How long a thread waits for another one's request to end."""


class Conversation:
    """Requests and what comes back."""

    def __init__(self, fd: int, inward: Inward) -> None:
        self.notes = Notes()
        self._imported: Notes | None = self.notes
        self._wire = Wire(fd)
        self._inward = inward
        self._shared = Shared(2)
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._depth = 0
        """Requests inside one another, those of the test's own functions that the program calls."""
        self._level = 0
        """How many functions of the test the program is calling now, one inside another."""
        self._ready_at = 0
        """The level at which the candidate waits for us to speak; `_BUSY` while it does not."""
        self._abandons = 0
        self._unheard: list[BaseException] = []
        """Failures of the test's own that the program has been told and has not passed on yet."""
        self.acts = 0
        """How often the program was asked for more than to tell something."""
        self._broken = ""
        """Why the conversation is over."""

    def begin_case(self) -> None:
        """Forget what was noted; no request of an earlier case counts as running any longer.

        What the program was caught at, or decided itself, while the tests were imported goes with the first case.
        """
        imported, self._imported, self.notes = self._imported, None, Notes()
        if imported is not None:
            self.notes.doubts, self.notes.lies, self.notes.faults = imported.doubts, imported.lies, imported.faults
        if self._lock.acquire(blocking=False):
            self._depth = self._level = 0  # a second alarm may have struck while the first one's exception went by
            self._lock.release()

    def ask(self, operation: str, values: Sequence[object], words: Sequence[str]) -> Any:
        """Have an operation of `operations.py` carried out; return its result.

        Raises: ProgramFault, NotCarried, and whatever the program raises.
        """
        if os.getpid() != self._pid:
            raise self.notes.limit("uses the program from a process that it started")
        self._take_turn()
        depth, level = self._depth, self._level
        try:
            self._depth = depth + 1
            if self._ready_at != level and not depth:
                self._recover()
            self.acts += operation not in _TELLING and not (len(words) == 1 and words[0] in specials.READS)
            try:
                self._send({"op": operation, "s": [*words]}, values)
                given = self._listen()
                if type(given) is RemoteModule and operation in _CALLING:
                    self.notes.doubt("a call to the program gave a module, and a module answers to any name")
                return given
            except BaseException as error:
                if isinstance(error, StopIteration) and operation in _CALLING and words[:1] not in _SENDING:
                    self.notes.doubt("a call to the program ended in StopIteration, which ends the loop that it is in")
                self._unheard = [one for one in self._unheard if one is not error]
                raise
            finally:
                self._depth, self._level = depth, level
                if not depth:
                    self._end_call()
        finally:
            self._depth = depth
            self._lock.release()

    def _take_turn(self) -> None:
        if self._lock.acquire(blocking=False):
            return
        self.notes.doubt(
            "threads of the test used the program one after the other, so they could not get in each other's way"
        )
        if not self._lock.acquire(timeout=_TURN_S):
            raise self.notes.limit("waits in one thread for what another one does in the program")

    def _end_call(self) -> None:
        if self._unheard:
            self.notes.doubt(f"the program was told that {_told(self._unheard[0])}, and it did not pass this on")
            self._unheard.clear()
        for entry in self._shared.end_call():
            size = len(entry.parts)
            self.notes.doubt(f"a {entry.kind.tag} of {size} values was not followed any longer once it had been passed")

    # -- frames

    def _send(self, said: dict[str, Json], values: Sequence[object]) -> None:
        if self._broken:
            raise self.notes.fault(self._broken)
        if self._ready_at != self._level:
            raise self.notes.fault("an earlier call was cut short")
        writer = Writer(self._shared, self._inward)
        try:
            frame = said | writer.frame(values)
        except Uncarried as error:
            raise self.notes.limit(f"passes {error} to the program") from None
        except BaseException as error:
            if not _travels(error):
                self._ready_at = _BUSY  # the tables of the two sides may differ now
            raise
        if dead := self._inward.take_dead():
            frame["freed"] = dead
        self._ready_at = _BUSY
        try:
            self._wire.send(frame)
        except TooLarge as error:
            writer.undo()
            self._ready_at = self._level
            raise self.notes.limit(f"passes {error} to the program") from None
        except WireClosed as error:
            raise self._lost(error) from None

    def _receive(self) -> tuple[dict[str, Json], list[Any]]:
        try:
            frame = self._wire.receive()
            # Reading the values may need more of the program, a module of it: it waits for us again.
            self._level += frame.get("is") in _ASKING
            self._ready_at = self._level
            if repeat_printed(frame):
                self.notes.doubt("not all that the program printed was kept")
            reader = Reader(self._shared, self._inward)
            self._inward.exports.drop(array(frame.get("dropped", [])))
            self._inward.classes.learn(frame.get("classes", []), reader)
            return frame, reader.frame(frame)
        except (WireClosed, Malformed) as error:
            raise self._lost(error) from None
        except BaseException:
            self._ready_at = _BUSY
            raise

    def _lost(self, error: WireClosed | Malformed) -> ProgramFault:
        return self._break("has ended" if isinstance(error, WireClosed) else f"sent {error}")

    def _break(self, why: str) -> ProgramFault:
        """End the conversation for what the other process did; return the exception to raise."""
        self._broken = self._broken or f"the program's process {why}"
        return self.notes.fault(self._broken)

    def _listen(self) -> Any:
        """Return or raise what ends the request; meanwhile serve what the program asks for."""
        level = self._level
        while True:
            frame, values = self._receive()
            match frame.get("is"):
                case "done" if values:
                    self._warn(values[1:])
                    return values[0]
                case "raised" if values and isinstance(values[0], BaseException):
                    self._warn(values[1:])
                    raise values[0]
                case "fault" if type(why := frame.get("why")) is str:
                    raise self.notes.fault(f"the program gave {why}")
                case "too much" if type(why := frame.get("why")) is str:
                    raise self.notes.limit(f"asks for what cannot be brought from the program: {why}")
                case str(kind) if kind in _ASKING:
                    self._answer(kind, frame, values)
                    self._level = level
                case _:
                    raise self._break("sent no answer")

    def _warn(self, warned: list[object]) -> None:
        try:
            repeat_warnings(warned)
        except Malformed as error:
            raise self._lost(error) from None

    # -- what the program asks for

    def _answer(self, kind: str, frame: dict[str, Json], values: list[Any]) -> None:
        try:
            thing = self._inward.exports.get(frame.get("token"))
            keywords = texts(frame.get("s", []))
        except (LookupError, TypeError, Malformed):
            raise self._break("called what it was not lent") from None
        level = self._level
        try:
            result = self._use(kind, thing, values, keywords)
            self._send({"op": "answer", "s": []}, [result])
        except BaseException as error:
            if self._ready_at != level or self._broken or not _travels(error):
                self._ready_at = _BUSY
                raise
            if isinstance(error, AssertionError) or not isinstance(error, Exception | GeneratorExit):
                self._unheard.append(error)
            self._send({"op": "raise", "s": []}, [error])

    def _use(self, kind: str, thing: Any, values: list[Any], keywords: list[str]) -> object:
        if kind == "next" and isinstance(thing, Iterator):
            return next(thing)
        if kind == "touch" and isinstance(thing, Iterator):
            raise self.notes.limit("passes an iterator of which the program wants more than its next value")
        if kind != "call" or not callable(thing) or isinstance(thing, type) or len(keywords) > len(values):
            raise self._break("called what it was not lent")
        count = len(values) - len(keywords)
        return thing(*values[:count], **dict(zip(keywords, values[count:], strict=True)))

    # -- after a request that was cut short

    def _recover(self) -> None:
        """Have the candidate drop everything; what it says before it has done so is about a call that is over.

        An alarm may cut this short too: the number tells this time's answer from the one before.
        """
        self._shared.clear()
        self._abandons += 1
        left = {"is": "left", "number": self._abandons}
        deadline = time.monotonic() + _LEAVE_S
        try:
            self._wire.send({"op": "abandon", "number": self._abandons}, _LEAVE_S)
            while self._wire.receive(deadline - time.monotonic()) != left:
                if time.monotonic() > deadline:
                    raise TimeoutError
        except TimeoutError:
            raise self._break("did not come back from a call that took too long") from None
        except (WireClosed, Malformed) as error:
            raise self._lost(error) from None
        self._ready_at = 0


def _told(error: BaseException) -> str:
    return "an assertion of the test failed" if isinstance(error, AssertionError) else "the test was over"


def _travels(error: BaseException) -> bool:
    """Say whether the program may see this exception of the test go by; an alarm or a stop ends the call at once."""
    outcome = type(error).__module__ == "_pytest.outcomes" and type(error).__name__ != "Exit"
    return isinstance(error, Exception | SystemExit | GeneratorExit) or outcome
