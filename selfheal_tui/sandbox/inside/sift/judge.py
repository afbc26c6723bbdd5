"""Judge candidates one after the other: which cases pass, failing ones first, most candidates after a few cases.

Sends `ready` before the first, and frames `sifted`: the candidates judged since the last one, each 0 when no wanted
case passed, else two bit masks over the cases, those that passed and those that ran, and whether that is sure: where
the tests hold something of the program as it was, a case that fails may pass. `renew` asks for a fresh process for the
rest.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ..report import Reporter
from .cases import Cases
from .changes import unpacked
from .fuel import Exhausted
from .shelf import Shelf, TimeOver

_COLD_S = 0.5
"""More for the first candidate: what failing cases import then (`difflib`, for unittest) is there for the others."""
_GATHER_S = 0.005
"""How long results are gathered: each frame wakes the host."""
_TRIED = 4
"""Passing cases that are run before the first candidate, where only a part of the program is imported anew."""


class Judge:
    """Judges the candidates of one order."""

    def __init__(self, reporter: Reporter, job: Mapping[str, Any], shelf: Shelf) -> None:
        self._reporter = reporter
        self._shelf = shelf
        self._cases: Cases
        self._files: Mapping[str, str] = job["files"]
        self._variants: Sequence[Mapping[str, Any]] = job["variants"]
        """What each changes, packed."""
        self._seconds: float = job["variant_time_s"]
        self._patience: int = job["patience"]
        self._first: Sequence[Sequence[int]] = job["first"]
        """For each candidate the wanted cases, by position, that are run before the others; empty for their order."""
        self._wanted: Sequence[str] = job["failing"]
        self._kept: Sequence[str] = job["passing"]
        self._gather_s = 0.0 if job["careful"] else _GATHER_S
        self._found: list[Any] = []

    def before_collection(self) -> None:
        """Let the suite import the program as it is."""
        self._shelf.put({})

    def run(self, cases: Cases) -> None:
        """Judge all, or as many as one process should."""
        self._cases = cases
        if not _are_known(self._wanted, self._kept, cases.ids):
            self._reporter.send("unfit")
            return
        signal.signal(signal.SIGALRM, self._shelf.on_alarm)
        self._cases.prepare([*self._wanted, *self._kept])
        self._cases.choose_reload(self._variants, self._kept[:_TRIED], self._wanted)
        self._reporter.send("ready")
        sent_at = time.monotonic()
        for number, changes in enumerate(self._variants):
            variant = unpacked(self._files, changes)
            try:
                first = self._first[number] if self._first else ()
                self._found.append(self._judge(variant, self._seconds + (0.0 if number else _COLD_S), first))
                fit = self._shelf.clear(changes)
            except MemoryError:
                self._found.append(0)
                fit = False
            now = time.monotonic()
            if now - sent_at >= self._gather_s or not fit:
                self._send()
                sent_at = now
            if not fit:
                self._reporter.send("renew")
                return
        self._send()

    def _send(self) -> None:
        if self._found:
            self._reporter.send("sifted", found=self._found)
            self._found = []

    def _judge(self, variant: Mapping[str, str], seconds: float, first: Sequence[int]) -> Any:
        try:
            self._shelf.put(variant)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return 0
        passed = ran = 0
        is_sure = True
        bit = 1
        whole = (1 << len(self._wanted)) - 1
        self._shelf.start_clock(seconds)
        try:
            self._cases.load()
            is_sure = self._cases.is_sure
            order = range(len(self._wanted))
            for number, at in enumerate(sorted(order, key=lambda at: at not in first) if first else order):
                if number >= self._patience and not passed:
                    break
                bit = 1 << at
                ran |= bit
                passed |= bit if self._passes(self._wanted[at]) else 0
            if passed:
                bit = whole + 1
                for case in self._kept:
                    ran |= bit
                    passed |= bit if self._passes(case) else 0
                    if not passed & bit and passed & whole != whole:
                        break
                    bit <<= 1
        except MemoryError:
            raise
        except TimeOver:  # whether the case would have passed is not known
            ran &= ~bit
        except BaseException:  # foreign code: what had passed still counts as a hint
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if not is_sure and passed != (1 << len(self._wanted) + len(self._kept)) - 1:
            return [passed, ran, False]
        return [passed, ran, True] if passed & whole else 0

    def _passes(self, case: str) -> bool:
        self._shelf.tank.fill()
        try:
            self._cases.call(case)
        except (MemoryError, TimeOver, Exhausted):
            raise
        except BaseException:  # foreign code; `DID NOT RAISE` is no Exception, and says nothing of the other cases
            return False
        return True


def _are_known(wanted: Sequence[str], kept: Sequence[str], ids: Sequence[str]) -> bool:
    """Tell whether the cases can be run: those of a test file that was not collected fail, where others are there."""
    known, files = set(ids), {case.partition("::")[0] for case in ids}
    missing = [case for case in wanted if case not in known]
    return (
        set(kept) <= known
        and len(missing) < len(wanted)
        and not any(case.partition("::")[0] in files for case in missing)
    )
