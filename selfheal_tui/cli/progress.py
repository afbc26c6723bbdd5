"""What a headless run tells on stderr while it works; how far a search is, is one line that is rewritten.

Where no terminal shows it, the search has a line of its own for each better candidate, and every ten seconds.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from typing import TextIO

from selfheal_tui.engine.moment.events import Event, LaneTold, SearchProgressed
from selfheal_tui.text import one_line

from .folding import folded
from .human import progress_line

_CLEAR = "\r\x1b[K"
_INTERVAL_S = 10.0


class RunProgress:
    """Tells the events of a run."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic, *, rewrites: bool = True) -> None:
        """`rewrites`: a terminal may have a line that takes the place of the one before."""
        self._stream = stream
        self._is_terminal = rewrites and stream.isatty()
        self._clock = clock
        self._is_written = False
        """A line stands there that the next one takes the place of."""
        self._searches: dict[str, tuple[str, float]] = {}
        """Of each lane's search (empty name: there are no lanes): the best that was told, and when."""
        self._last = ""
        """The line that was told last of a search."""

    def tell(self, event: Event) -> None:
        """Say what happened, where that has words."""
        lane, inner = (event.branch, event.event) if isinstance(event, LaneTold) else ("", event)
        if isinstance(inner, SearchProgressed):
            self._tell_search(lane, inner, progress_line(event))
            return
        if line := progress_line(event):
            self._searches.pop(lane, None)
            self.say(line)

    def say(self, line: str) -> None:
        """Print a line that stays."""
        self.close()
        print(folded(line, self._stream), file=self._stream, flush=True)

    def close(self) -> None:
        """Leave the line free for what follows."""
        if self._is_written:
            self._is_written = False
            self._stream.write(_CLEAR)
            self._stream.flush()

    def _tell_search(self, lane: str, search: SearchProgressed, line: str) -> None:
        if self._is_terminal:
            width = max(shutil.get_terminal_size().columns - 1, 20)
            self._stream.write(_CLEAR + "  " + one_line(line, width - 2))
            self._stream.flush()
            self._is_written = True
            return
        now_s = self._clock()
        best, told_s = self._searches.setdefault(lane, ("", now_s))
        # Once no more edits are tried, nothing in the line changes for a while.
        if (search.best != best or now_s - told_s >= _INTERVAL_S) and line != self._last:
            self._searches[lane] = (search.best, now_s)
            self._last = line
            self.say(line)
