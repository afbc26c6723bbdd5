"""What recording lines costs, against the same work without, in one run.

`PYTHONPATH=. python tests/benchmarks/coverage.py`
Coverage is probes on Python 3.11 and `sys.monitoring` from 3.12 on; settrace is what both replace. A watch is of one
line in one of the functions.
"""

from __future__ import annotations

import importlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from selfheal_tui.sandbox.inside.coverage import Coverage
from selfheal_tui.sandbox.inside.watch import Watcher

SAMPLE = """\
def primes(n=1500):
    found = []
    k = 2
    while len(found) < n:
        good = True
        for p in found:
            if p * p > k:
                break
            if k % p == 0:
                good = False
                break
        if good:
            found.append(k)
        k += 1
    return found


def fib(n=19):
    if n < 2:
        return n
    a = fib(n - 1)
    b = fib(n - 2)
    return a + b


def words(text="The quick brown fox jumps over the lazy dog " * 1500):
    counts = {}
    for word in text.split():
        key = word.lower()
        if key in counts:
            counts[key] += 1
        else:
            counts[key] = 1
    return sorted(counts, key=lambda word: -counts[word])


def grid(n=60):
    rows = [[(x * y) % 7 for x in range(n)] for y in range(n)]
    best = 0
    for y in range(1, n):
        for x in range(1, n):
            above, left = rows[y - 1][x], rows[y][x - 1]
            rows[y][x] += max(above, left)
            best = max(best, rows[y][x])
    return best
"""
FUNCTIONS = ("primes", "fib", "words", "grid")
ROUNDS = 9


def seconds(function: Callable[[], Any]) -> float:
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


def under_settrace(function: Callable[[], Any], filename: str) -> float:
    lines: set[tuple[str, int]] = set()

    def on_call(frame: FrameType, event: str, arg: object) -> Callable[..., Any] | None:
        return on_event if frame.f_code.co_filename == filename else None

    def on_event(frame: FrameType, event: str, arg: object) -> Callable[..., Any]:
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
        return on_event

    sys.settrace(on_call)
    try:
        return seconds(function)
    finally:
        sys.settrace(None)


def recorded(recorder: Coverage | Watcher, function: Callable[[], Any]) -> float:
    recorder.start()
    try:
        return seconds(function)
    finally:
        recorder.stop()


def main() -> None:
    """Print one row a function: seconds without, and how many times that each way takes."""
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        for name in ("plain", "covered"):
            Path(folder, f"{name}.py").write_text(SAMPLE)
        plain = importlib.import_module("plain")
        coverage = Coverage(f"{folder}/", ["covered.py"])
        covered = importlib.import_module("covered")
        watcher = Watcher(f"{folder}/", {"plain.py": {SAMPLE.splitlines().index("    return found") + 1}})
        print(f"{'':8}{'without':>10}{'coverage':>10}{'watch':>10}{'settrace':>10}")
        for name in FUNCTIONS:
            bare: Callable[[], Any] = getattr(plain, name)
            probed: Callable[[], Any] = getattr(covered, name)
            rounds = [
                (
                    seconds(bare),
                    recorded(coverage, probed),
                    recorded(watcher, bare),
                    under_settrace(bare, f"{folder}/plain.py"),
                )
                for _ in range(ROUNDS)
            ]
            without, *others = (min(times) for times in zip(*rounds, strict=True))
            print(f"{name:8}{without:9.4f}s" + "".join(f"{took / without:9.2f}x" for took in others))
        case = [seconds(lambda: (coverage.start(), coverage.stop())) for _ in range(1000)]
        print(f"start and stop of an empty case: {statistics.median(case) * 1e6:.0f} us")


if __name__ == "__main__":
    main()
