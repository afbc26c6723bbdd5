"""`selfheal watch`: run a project's suite after each change, quiet while it is green; `h` heals what is red."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import termios
import time
import tty
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from pathlib import Path

from selfheal_tui.engine.moment.words import failing_cases, report_line
from selfheal_tui.engine.task.task import Task, load_task
from selfheal_tui.engine.task.watching import Ran, Unusable, read_stamps, watched_runs
from selfheal_tui.errors import InputError, SelfHealError
from selfheal_tui.sandbox.base import Suite, SuiteReport, run_through
from selfheal_tui.settings import Settings
from selfheal_tui.text import one_line, plural, strip_controls

from .allowing import tell_allowed
from .app import has_terminal
from .compose import build_sandbox, suite_limits_of
from .folding import folded
from .options import RUN_SETTINGS, add_settings
from .start import start_session, tell_left_out
from .suite_once import with_limits_told
from .trusting import load_from

HEAL, QUIT = "h", "q"
_MOST_SHOWN = 5
_PAUSE_S = 1.0
"""Between two looks at the files."""
_SHARE = 20
"""A pause is at least so many times as long as a look at the files takes."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path("."), metavar="FOLDER", help="a project (default: this folder)"
    )
    parser.epilog = "What follows `--` is passed to pytest. At a terminal: h heals what fails, q quits."
    parser.set_defaults(takes_pytest_args=True, pytest_args=(), headless=False, json=False)
    add_settings(parser, RUN_SETTINGS)


def run(args: Namespace) -> int:
    """Watch until `q` (0) or Ctrl+C (130). Raises: InputError when there is no suite, SandboxError."""
    settings = load_from(args)
    if args.folder.is_file():
        raise InputError(f"{args.folder} is no folder.", "Name the project's folder.")

    def load(_: Settings = settings) -> Task:
        return load_task([args.folder], (), "", args.pytest_args)

    tell_left_out(load())
    tell_allowed(settings)
    has_keys = has_terminal()
    _say(f"watching {args.folder.resolve()}{': h heals what fails, q quits' if has_keys else ''}")
    while asyncio.run(_pressed(args.folder, load, settings, has_keys)) == HEAL:
        try:
            start_session(args, load)
        except SelfHealError as error:
            _say(str(error))
        _say("watching again")
    return 0


async def _pressed(folder: Path, load: Callable[[], Task], settings: Settings, has_keys: bool) -> str:
    """Tell of runs until a key is pressed that means something now; return it."""
    sandbox = build_sandbox(settings)
    seen: set[str] = set()

    async def run_suite(task: Task) -> SuiteReport:
        seen.update(task.files)
        limits = suite_limits_of(settings)
        suite = Suite(task.files, task.tests, task.program, task.pytest_args, limits)
        return with_limits_told((await run_through(sandbox, suite)).report, task, limits, seen)

    async def pause() -> None:
        begun_s = time.monotonic()
        await asyncio.to_thread(read_stamps, folder)
        await asyncio.sleep(max(_PAUSE_S, _SHARE * (time.monotonic() - begun_s)))

    teller = _Teller(has_keys)
    try:
        with _single_keys(has_keys) as keys:
            watching = asyncio.create_task(_tell_all(watched_runs(folder, load, run_suite, pause), teller))
            try:
                while True:
                    key = asyncio.ensure_future(keys.get())
                    await asyncio.wait({watching, key}, return_when=asyncio.FIRST_COMPLETED)
                    if watching.done():
                        key.cancel()
                        await watching
                    elif key.result() == QUIT or (key.result() == HEAL and teller.is_red):
                        return key.result()
            finally:
                watching.cancel()
                await asyncio.wait({watching})
    finally:
        await sandbox.aclose()


async def _tell_all(runs: AsyncGenerator[Ran | Unusable, None], teller: _Teller) -> None:
    async with aclosing(runs):
        async for seen in runs:
            teller.tell(seen)


class _Teller:
    """Says what a run showed, and nothing while it stays green."""

    def __init__(self, has_keys: bool) -> None:
        self.is_red = False
        self._has_keys = has_keys
        self._last = ""

    def tell(self, seen: Ran | Unusable) -> None:
        """Say it."""
        lines = seen_lines(seen)
        is_green = isinstance(seen, Ran) and seen.report["verdict"] == "passed"
        self.is_red = isinstance(seen, Ran) and not is_green
        if is_green and self._last == "green":
            return
        self._last = "green" if is_green else "red"
        keys = ["  h heal   q quit"] if self.is_red and self._has_keys else []
        text = strip_controls("\n".join([f"{time.strftime('%H:%M:%S')}  {lines[0]}", *lines[1:], *keys]))
        print(folded(text, sys.stdout), flush=True)


def seen_lines(seen: Ran | Unusable) -> list[str]:
    """Return what to say of a run: its outcome, then its first failing cases."""
    if isinstance(seen, Unusable):
        return [one_line(seen.why, 300)]
    report = seen.report
    failing = failing_cases(report)
    lines = [report_line(report) + ("" if report["error"] else f" in {report['duration_s']:.1f} s")]
    lines += [f"  {one_line(report['error'], 160)}"] if report["error"] and not failing else []
    for case in failing[:_MOST_SHOWN]:
        lines.append(f"  {case['outcome']:<8}{one_line(case['id'], 100)}")
        lines += [f"          {one_line(case['message'], 120)}"] if case["message"] else []
    more = len(failing) - _MOST_SHOWN
    lines += [f"  and {plural(more, 'other')}"] if more > 0 else []
    return [*lines, *(f"  note: {one_line(note, 300)}" for note in report.get("notes", []))]


@contextmanager
def _single_keys(has_keys: bool) -> Iterator[asyncio.Queue[str]]:
    """Yield the keys that are pressed, each at once and not echoed; none without a terminal."""
    keys: asyncio.Queue[str] = asyncio.Queue()
    if not has_keys:
        yield keys
        return
    before = termios.tcgetattr(0)
    loop = asyncio.get_running_loop()

    def read() -> None:
        text = os.read(0, 64).decode(errors="replace")
        for key in text.lower() or QUIT:  # nothing to read: the terminal is gone
            keys.put_nowait(key)

    tty.setcbreak(0)
    loop.add_signal_handler(signal.SIGCONT, tty.setcbreak, 0)  # a shell has set its own modes meanwhile
    loop.add_reader(0, read)
    try:
        yield keys
    finally:
        loop.remove_reader(0)
        loop.remove_signal_handler(signal.SIGCONT)
        with suppress(termios.error):
            termios.tcsetattr(0, termios.TCSADRAIN, before)


def _say(words: str) -> None:
    print(folded(strip_controls(f"selfheal: {words}"), sys.stderr), file=sys.stderr, flush=True)
