"""How fast the app is, against Textual itself in the same run: `python -m tests.benchmarks.app [--soak MINUTES]`.

First paint is of real processes in a pty, in turns; the rest runs headless, where what is timed is the loop that keys
go through. Prints one line for each figure; nothing fails.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import select
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from textual.app import App, ComposeResult
from textual.content import Content
from textual.events import Key
from textual.screen import Screen
from textual.widget import Widget

from selfheal_tui.engine.moment.timeline import Checkpoint, build_timeline
from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.ui.kit.code_editor import CodeEditor
from selfheal_tui.ui.kit.cursor_view import CursorView
from selfheal_tui.ui.kit.line_view import Cell
from selfheal_tui.ui.kit.suite_table import CaseList, SuiteTable
from selfheal_tui.ui.kit.timeline_tree import TimelineTree
from selfheal_tui.ui.kit.transcript import Transcript

from .in_terminal import start_in_terminal

BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("bare and ready")
Bare().run()
"""
WORDS = "The comparison lets spans that only touch count as overlapping; both sides have to be strict. "


class Host(App[None]):
    """Holds one widget."""

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self.widget = widget
        self.painted = asyncio.Event()

    def compose(self) -> ComposeResult:
        yield self.widget

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        super()._display(screen, renderable)
        self.painted.set()


class PlainRows(CursorView):
    """Numbers as rows: what scrolling costs by itself."""

    def row(self, y: int, width: int) -> tuple[Cell, ...]:
        return (Cell(Content(f"row {y}")),)


def first_paint(samples: int) -> None:
    """Time from starting the process until its text is on the terminal."""
    with tempfile.TemporaryDirectory() as home:
        ways = {
            "bare Textual app": ([sys.executable, "-c", BARE], b"bare and ready"),
            "selfheal": ([sys.executable, "-m", "selfheal_tui", "--sessions", home], b"selfheal"),
        }
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(samples):
            for name, (command, text) in ways.items():
                taken[name].append(_until_painted(command, text))
    bare, ours = (statistics.median(values) for values in taken.values())
    best = min(taken["selfheal"]) / min(taken["bare Textual app"])
    say("first paint", f"{ours * 1e3:.0f} ms, bare {bare * 1e3:.0f} ms", f"{ours / bare:.2f} x (best {best:.2f} x)")


def _until_painted(command: list[str], text: bytes) -> float:
    began = time.perf_counter()
    pid, terminal = start_in_terminal(command)
    seen = b""
    while text not in seen and select.select([terminal], [], [], 60)[0]:
        seen += os.read(terminal, 65536)
    taken = time.perf_counter() - began
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    os.close(terminal)
    return taken


async def keys_under_load() -> None:
    """Press keys while three models speak and a suite prints; time from the key's arrival to its handler."""
    log = Transcript()
    handled: list[float] = []

    class Loaded(Host):
        def on_key(self, event: Key) -> None:
            handled.append(time.monotonic() - event.time)

    async def speak(role: int) -> None:
        for n in range(5 * 500):
            log.append(f"{role}{WORDS[n % len(WORDS)]}word ")
            if n % 25 == 0:
                await asyncio.sleep(0.05)

    async def suite() -> None:
        for n in range(50_000):
            log.write_line(f"test_case_{n}: printed line {n} of what the program says")
            if n % 250 == 0:
                await asyncio.sleep(0.02)

    app = Loaded(log)
    async with app.run_test(size=(140, 45)):
        work = [asyncio.create_task(job) for job in (speak(1), speak(2), speak(3), suite())]
        while not all(job.done() for job in work):
            app.post_message(Key("x", "x"))
            await asyncio.sleep(0.02)
        await asyncio.gather(*work)
    say("key to handler under load, p95", f"{_p95(handled) * 1e3:.1f} ms of {len(handled)} keys", "goal 50 ms")


async def typing(lines: int) -> None:
    """Open a large file and type into its middle; each key until it is painted."""
    text = "".join(f"def function_{n}(value):\n    return value + {n}  # {WORDS[:20]}\n" for n in range(lines // 2))
    editor = CodeEditor()
    app = Host(editor)
    async with app.run_test(size=(140, 45)) as pilot:
        began = time.perf_counter()
        editor.show("large.py", text)
        editor.focus()
        await pilot.pause()
        opened = time.perf_counter() - began
        editor.move_cursor((lines // 2, 10))
        await pilot.pause()
        # As the app does once a session is open (`SelfHealApp.settle`).
        gc.freeze()
        taken, worked = [], []
        for key in "forvalueinrange10totalvalue" * 2:
            began = time.process_time()
            taken.append(await _until_painted_again(app, key))
            worked.append(time.process_time() - began)
    say(
        f"typing into {lines:,} lines, p95",
        f"{_p95(taken) * 1e3:.1f} ms, CPU {_p95(worked) * 1e3:.1f} ms, opened in {opened * 1e3:.0f} ms",
        "goal 40 ms",
    )


async def scrolling() -> None:
    """Page through 10,000 rows of each list, against rows of nothing but numbers."""
    plain, tree, suite = PlainRows(), TimelineTree(), SuiteTable()
    points = [_point(n) for n in range(10_000)]
    cases = [_case(n) for n in range(10_000)]
    per_page: dict[str, float] = {}
    shows: dict[str, tuple[Widget, Callable[[], None], Callable[[], Widget]]] = {
        "plain rows": (plain, lambda: plain.reset(10_000), lambda: plain),
        "timeline": (tree, lambda: tree.show(build_timeline(points), None), lambda: tree),
        "cases": (suite, lambda: suite.show(_report(cases)), lambda: suite.query_one(CaseList)),
    }
    for name, (widget, show, focused) in shows.items():
        app = Host(widget)
        async with app.run_test(size=(140, 45)) as pilot:
            began = time.perf_counter()
            show()
            await pilot.pause()
            shown = time.perf_counter() - began
            focused().focus()
            await pilot.pause()
            per_page[name] = statistics.median([await _until_painted_again(app, "pagedown") for _ in range(60)])
            ratio = per_page[name] / per_page["plain rows"]
            page = f"{per_page[name] * 1e3:.1f} ms a page, shown in {shown * 1e3:.0f} ms"
            say(f"scrolling 10,000 rows: {name}", page, f"{ratio:.2f} x plain rows")


async def soak(minutes: float) -> None:
    """Stream as three models and a suite do, as fast as it goes, and watch the memory."""
    log = Transcript()
    samples: list[tuple[float, float]] = []
    tokens = 0
    async with Host(log).run_test(size=(140, 45)):
        began = time.monotonic()
        while (now := time.monotonic() - began) < minutes * 60:
            for n in range(200):
                log.append(f"{WORDS[n % 60 :]}\n" if n % 8 == 0 else WORDS[:7])
                tokens += 1
            log.add_case("passed" if tokens % 3 else "failed", f"test_{tokens} {WORDS}")
            await asyncio.sleep(0.01)
            if len(samples) < now / max(0.5, minutes * 60 / 120):
                gc.collect()
                samples.append((now, _resident_mb()))
    half = samples[len(samples) // 2 :]
    slope = statistics.linear_regression(*zip(*half, strict=True)).slope * 60
    hours = tokens / (3 * 500 * 3600)
    growth = half[-1][1] - half[0][1]
    say(
        f"soak, {minutes:g} minutes",
        f"{tokens:,} tokens: {hours:.2f} hours of three streams",
        f"{slope:+.3f} MB a minute",
    )
    say("  memory of the second half", f"{half[0][1]:.1f} MB to {half[-1][1]:.1f} MB", f"{growth:+.2f} MB")


async def _until_painted_again(app: Host, key: str) -> float:
    """Press a key; return the seconds until the screen has been painted with what it changed."""
    app.painted.clear()
    began = time.perf_counter()
    app.post_message(Key(key, key if len(key) == 1 else None))
    await asyncio.wait_for(app.painted.wait(), 10)
    return time.perf_counter() - began


def _point(n: int) -> Checkpoint:
    branch = f"branch-{n // 500}"
    parent = f"c{n - 1}" if n else None
    return Checkpoint(f"c{n}", parent, branch, n, "run_suite", ("diagnose",), n // 5, "", n % 7, n % 3, None, None, "")


def _case(n: int) -> CaseResult:
    return {
        "id": f"test_large.py::test_{n}",
        "outcome": "passed" if n % 3 else "failed",
        "message": "" if n % 3 else "AssertionError: assert 1 == 2",
        "expected": None,
        "actual": None,
        "location": None,
        "traceback": "",
        "duration_s": 0.001,
        "output": "",
    }


def _report(cases: list[CaseResult]) -> SuiteReport:
    failed = sum(case["outcome"] == "failed" for case in cases)
    return {
        "passed": len(cases) - failed,
        "failed": failed,
        "errors": 0,
        "timeouts": 0,
        "skipped": 0,
        "duration_s": 1.0,
        "isolation": [],
        "trust": "provisional",
        "not_verified": None,
        "truncated": False,
        "cases": cases,
        "verdict": "failed",
        "error": None,
    }


def _resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def say(what: str, found: str, ratio: str) -> None:
    """Print one line of the table."""
    print(f"{what:<34} {found:<44} {ratio}", flush=True)


def main() -> None:
    """Measure in turns, or soak."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--soak", type=float, metavar="MINUTES", help="only stream, for so long")
    parser.add_argument("--samples", type=int, default=10, metavar="N", help="first paints of each kind")
    args = parser.parse_args()
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, load {load}, {os.cpu_count()} cores, Python {sys.version.split()[0]}"
    )
    if args.soak:
        asyncio.run(soak(args.soak))
        return
    first_paint(args.samples)
    for measure in (keys_under_load(), typing(20), typing(500), typing(5_000), scrolling()):
        asyncio.run(measure)
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"load at the end {load}")


if __name__ == "__main__":
    main()
