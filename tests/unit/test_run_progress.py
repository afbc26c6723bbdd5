"""The progress of a headless run: a search is one rewritten line at a terminal, else a line now and then."""

from __future__ import annotations

import io
from dataclasses import replace

from selfheal_tui.cli.progress import RunProgress
from selfheal_tui.engine.moment.event_words import best_so_far, tried_so_far
from selfheal_tui.engine.moment.events import CandidateRehearsed, LaneTold, SearchProgressed


class Terminal(io.StringIO):
    """A stream that a person looks at."""

    def isatty(self) -> bool:
        return True


def search(judged: int, best: str = "", mends: int = 0, elapsed_s: float = 0.0) -> SearchProgressed:
    return SearchProgressed(judged, 4000, best, mends, 4, elapsed_s, 60.0)


def test_where_no_terminal_is_a_search_tells_each_better_candidate_and_every_ten_seconds() -> None:
    stream, now_s = io.StringIO(), [0.0]
    progress = RunProgress(stream, lambda: now_s[0])
    for second in range(26):
        now_s[0] = float(second)
        best = ("line 3: `<` becomes `<=`", 2) if second >= 15 else ("", 0)
        progress.tell(search(100 * second, *best, elapsed_s=second))
    assert stream.getvalue().splitlines() == [
        "  1,000 edits tried, 10 s of 60 s",
        "  1,500 edits tried, 15 s of 60 s, best mends 2 of 4: line 3: `<` becomes `<=`",
        "  2,500 edits tried, 25 s of 60 s, best mends 2 of 4: line 3: `<` becomes `<=`",
    ]


def test_what_is_done_where_no_edit_is_tried_is_said_and_the_limit_stands() -> None:
    for given, words in (
        (replace(search(0, elapsed_s=3), stage="preparing the edits"), "preparing the edits, 3 s of 60 s"),
        (search(7376, elapsed_s=76), "7,376 edits tried in 60 s; comparing the best"),
        (SearchProgressed(0, 0, "", stage="seeing which lines the cases run: 3 of 9"), "seeing which lines"),
        (SearchProgressed(64, 4372, ""), "64 edits tried"),
    ):
        assert tried_so_far(given).startswith(words)


def test_the_same_line_is_not_told_twice() -> None:
    stream, now_s = io.StringIO(), [0.0]
    progress = RunProgress(stream, lambda: now_s[0])
    for second in range(55, 100):
        now_s[0] = float(second)
        progress.tell(search(100, elapsed_s=second))
    assert stream.getvalue().splitlines() == ["  100 edits tried in 60 s; comparing the best"]


def test_what_the_best_edit_breaks_is_counted() -> None:
    given = replace(search(64, "line 3: `x` becomes `y`", 4), breaks=1)
    assert best_so_far(given) == "best mends 4 of 4, breaks 1: line 3: `x` becomes `y`"


def test_at_a_terminal_the_line_is_rewritten_and_gone_before_the_next() -> None:
    stream = Terminal()
    progress = RunProgress(stream)
    progress.tell(search(100, "x" * 500))
    progress.tell(search(200))
    progress.tell(CandidateRehearsed("1", 2, 0))
    first, second, last = stream.getvalue().split("\r\x1b[K")[1:]
    assert first.startswith("  100 edits tried") and len(first) < 80 and second.startswith("  200 edits")
    assert last == "  repair 1: fixes 2 cases, breaks none\n"
    progress.close()
    assert stream.getvalue().endswith(last)


def test_each_lane_of_a_race_tells_its_own_search() -> None:
    stream, now_s = io.StringIO(), [0.0]
    progress = RunProgress(stream, lambda: now_s[0])
    for now_s[0] in (0.0, 5.0, 10.0):
        for lane in ("one", "two"):
            progress.tell(LaneTold(lane, search(7)))
    assert [line.split(":")[0] for line in stream.getvalue().splitlines()] == ["one", "two"]
