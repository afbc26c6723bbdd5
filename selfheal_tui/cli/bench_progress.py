"""What `bench` says while it runs: one line that is rewritten on a terminal, a line a task otherwise."""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
from collections.abc import Callable
from typing import TextIO

from selfheal_tui.bench.figures.metrics import TaskResult
from selfheal_tui.text import one_line, strip_controls

_CLEAR = "\r\x1b[K"


class Progress:
    """Counts finished tasks and tells rate and time left."""

    def __init__(
        self,
        total: int,
        earlier: int,
        repaired: int,
        stream: TextIO,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`earlier` of `total` tasks were finished by an earlier run, `repaired` of them well."""
        self._total = total
        self._earlier = self._done = earlier
        self._repaired = repaired
        self._stream = stream
        self._live = stream.isatty()
        self._clock = clock
        self._began_s = self._last_s = clock()
        self._about = ""

    async def keep_time(self) -> None:
        """Rewrite the line every second, on a terminal; ends when cancelled."""
        while self._live:
            self._write()
            await asyncio.sleep(1)

    def finished(self, result: TaskResult) -> None:
        """Tell of a task with its verdict."""
        self._done += 1
        self._repaired += result["repaired"]
        self._last_s = self._clock()
        word = "repaired" if result["repaired"] else "plausible, wrong" if result["plausible"] else result["outcome"]
        self._about = f": {one_line(result['id'], 60)} {word.replace('_', ' ')} in {result['time_s']:.1f} s"
        self._write()

    def failed(self, task_id: str, why: str) -> None:
        """Tell of a task that could not go on."""
        self._stream.write(_CLEAR if self._live else "")
        print(f"{one_line(task_id, 60)} could not go on: {one_line(why, 300)}", file=self._stream, flush=True)

    def close(self) -> None:
        """Leave the line free for what follows."""
        if self._live:
            self._stream.write(_CLEAR)
            self._stream.flush()

    def line(self) -> str:
        """Return the state in one line; the rate is of this run, not of an earlier one."""
        parts = [f"{self._done} of {self._total}"]
        if self._done:
            parts.append(f"repaired {self._repaired} ({100 * self._repaired / self._done:.0f} %)")
        now, seconds = self._done - self._earlier, self._last_s - self._began_s
        if now and seconds > 0:
            rate = now / seconds
            parts.append(f"{rate:.2f} a second" if rate >= 1 else f"{60 * rate:.1f} a minute")
            left_s = (self._total - self._done) / rate - (self._clock() - self._last_s)
            if self._done < self._total:
                parts.append(f"{_duration(max(left_s, 0.0))} left")
        else:
            parts.append(_duration(self._clock() - self._began_s))
        return ", ".join(parts)

    def _write(self) -> None:
        text = self.line() + self._about
        if self._live:
            width = shutil.get_terminal_size().columns
            self._stream.write(_CLEAR + one_line(text, max(width - 1, 20)))
            self._stream.flush()
        else:
            print(text, file=self._stream, flush=True)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def tell(line: str) -> None:
    """Say a line about a benchmark beside its results, which have stdout."""
    print(strip_controls(line), file=sys.stderr, flush=True)
