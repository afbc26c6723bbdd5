"""How soon a new user sees what: `python -m tests.benchmarks.first_minute [--samples N]`.

Starts `selfheal demo` in a pty and answers its questions until a repair is asked about. Each moment is read from the
bytes that reach the terminal. The baseline, in turns of the same run: a bare Textual app's first paint, and the import of
LangGraph by itself. Then what two commands cost: `selfheal --version` beside a bare Python, and the whole demo without
the app; their CPU time, all their processes counted, can be compared on a busy machine too. Prints one line for each
figure; nothing fails.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .app import BARE, _until_painted, say
from .in_terminal import ROOT, start_in_terminal

SELFHEAL = [sys.executable, "-m", "selfheal_tui"]
_MOST_S = 120.0
_STYLE = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_MOMENTS = {
    "first words on screen": re.compile(rb"files? copied|running the tests"),
    "tests started": re.compile(rb"running the tests"),
    "first case ended": re.compile(rb"running the tests: \d+ of"),
    "first question": re.compile(rb"your decision"),
    "first repair that passes": re.compile(rb"best mends \d+|fixes \d+ cases?"),
    "question about the repair": re.compile(rb"repair review|fixes \d+ of \d+"),
}


def until_asked(command: list[str]) -> dict[str, float]:
    """Run the command in a pty, approve a diagnosis; return moment -> seconds since its start."""
    began = time.perf_counter()
    pid, terminal = start_in_terminal(command)
    reached: dict[str, float] = {}
    seen, answered = b"", 0.0
    try:
        while len(reached) < len(_MOMENTS) and time.perf_counter() - began < _MOST_S:
            if select.select([terminal], [], [], 0.1)[0]:
                seen = (seen + os.read(terminal, 65536))[-200_000:]
            now, text = time.perf_counter() - began, _STYLE.sub(b"", seen)
            for name, pattern in _MOMENTS.items():
                if name not in reached and pattern.search(text):
                    reached[name] = now
            # The card hears no answer before it was painted and the keys were quiet: ask again now and then.
            if "first question" in reached and now - answered > 1.0:
                os.write(terminal, b"a")
                answered = now
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        os.close(terminal)
    return reached


def imported(module: str) -> float:
    """Return the seconds that a process takes which only imports a module."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True, cwd=ROOT)
    return time.perf_counter() - began


def cost(command: list[str]) -> tuple[float, float]:
    """Return the CPU seconds of a command and all that it started and waited for, and its seconds of the clock."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu_s, time.perf_counter() - began


def tell_commands(samples: int) -> None:
    """Say what the shortest and the longest way through the command line cost."""
    with tempfile.TemporaryDirectory() as home:
        demo = [*SELFHEAL, "demo", "--headless", "--autonomy", "full_auto", "--sessions", home]
        commands = {"python -c pass": [sys.executable, "-c", "pass"], "selfheal --version": [*SELFHEAL, "--version"]}
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in (*commands, "demo --headless")}
        for _ in range(samples):
            for name, command in (*commands.items(), ("demo --headless", demo)):
                taken[name].append(cost(command))
    bare = statistics.median(cpu_s for cpu_s, _ in taken["python -c pass"])
    for name, costs in taken.items():
        cpu_s, wall_s = (statistics.median(column) for column in zip(*costs, strict=True))
        say(
            name, f"{cpu_s * 1e3:.0f} ms CPU, {wall_s * 1e3:.0f} ms", f"{(cpu_s - bare) * 1e3:.0f} ms CPU beyond Python"
        )


def main() -> None:
    """Measure in turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=5, metavar="N")
    args = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, Python {sys.version.split()[0]}")
    taken: dict[str, list[float]] = {name: [] for name in _MOMENTS}
    paints, imports = [], []
    for _ in range(args.samples):
        paints.append(_until_painted([sys.executable, "-c", BARE], b"bare and ready"))
        imports.append(imported("selfheal_tui.engine.loop.graph"))
        with tempfile.TemporaryDirectory() as home:
            reached = until_asked([sys.executable, "-m", "selfheal_tui", "demo", "--sessions", str(Path(home))])
        for name, seconds in reached.items():
            taken[name].append(seconds)
    bare, graph = statistics.median(paints), statistics.median(imports)
    say("bare Textual app painted", f"{bare * 1e3:.0f} ms", "")
    say("LangGraph and the graph imported", f"{graph * 1e3:.0f} ms", "")
    for name, values in taken.items():
        if values:
            middle = statistics.median(values)
            say(name, f"{middle:.2f} s", f"{middle / (bare + graph):.2f} x both of these")
    tell_commands(args.samples)


if __name__ == "__main__":
    main()
