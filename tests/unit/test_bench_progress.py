"""The line that a benchmark shows: rate and time left of this run, one line on a terminal."""

from __future__ import annotations

import io

from selfheal_tui.cli.bench_progress import Progress
from tests.unit.test_bench_metrics import result


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_rate_and_time_left_are_of_this_run_only() -> None:
    now = [100.0]
    stream = io.StringIO()
    progress = Progress(10, 4, 1, stream, lambda: now[0])
    assert progress.line() == "4 of 10, repaired 1 (25 %), 0 s"
    now[0] = 130.0
    progress.finished(result("a"))
    assert stream.getvalue() == "5 of 10, repaired 2 (40 %), 2.0 a minute, 2 min 30 s left: a repaired in 1.0 s\n"
    now[0] = 150.0
    assert "2 min 10 s left" in progress.line()
    now[0] = 7_000.0
    assert "2.0 a minute, 0 s left" in progress.line()


def test_a_terminal_gets_one_line_and_no_control_sequence_of_a_task() -> None:
    stream = Terminal()
    progress = Progress(2, 0, 0, stream)
    progress.finished(result("a\x1b[2J\n", repaired=False))
    progress.failed("b", "gone\r\n")
    progress.close()
    text = stream.getvalue()
    assert text.count("\n") == 1 and "\x1b[2J" not in text and "a plausible, wrong in" in text
    assert text.endswith("b could not go on: gone\n\r\x1b[K")


def test_long_times_are_said_in_hours() -> None:
    now = [0.0]
    progress = Progress(1000, 0, 0, io.StringIO(), lambda: now[0])
    now[0] = 60.0
    progress.finished(result("a"))
    assert "16 h 39 min left" in progress.line()
