"""How fast the sandbox is, against doing without one in the same run: `python -m tests.benchmarks.sandbox`.

Every figure is a ratio to a baseline measured between the samples of the same minute, because a machine's speed
drifts. Prints one line for each; nothing fails.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from selfheal_tui.sandbox.base import Suite, run_through
from selfheal_tui.sandbox.local import LocalSandbox
from tests.processes import descendants

SAMPLES = 60
FILES = {
    "prog.py": "def f(x):\n    return x + 1\n",
    "test_prog.py": "from prog import f\n"
    + "".join(f"\n\ndef test_{n}():\n    assert f({n}) == {n + 1}\n" for n in range(10)),
}
SUITE = Suite(FILES, ("test_prog.py",), ("prog.py",))
SCRIPT = FILES["prog.py"] + "".join(f"assert f({n}) == {n + 1}\n" for n in range(10))


async def main() -> None:
    """Measure everything in turns, so that all see the same machine."""
    layers = sys.argv[1] if len(sys.argv) > 1 else "auto"
    began = time.perf_counter()
    sandbox = LocalSandbox(layers)
    await run_through(sandbox, SUITE)
    print(f"cold start, first report       {time.perf_counter() - began:8.3f} s   {', '.join(sandbox.isolation)}")
    try:
        with tempfile.TemporaryDirectory() as folder:
            await _time_all(sandbox, folder)
        await _rates(sandbox)
        _memory()
    finally:
        await sandbox.aclose()


async def _time_all(sandbox: LocalSandbox, folder: str) -> None:
    for name, text in {**FILES, "script.py": SCRIPT}.items():
        Path(folder, name).write_text(text)
    python = [sys.executable, "-I"]
    plain = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ways: dict[str, Callable[[], Awaitable[None]]] = {
        "python -I -S -c pass": _command([*python, "-S", "-c", "pass"], folder),
        "python -I -c pass": _command([*python, "-c", "pass"], folder),
        "plain subprocess, ten asserts": _command([*python, "script.py"], folder),
        "plain pytest, ten asserts": _command([sys.executable, "-m", "pytest", "-q", "test_prog.py"], folder, plain),
        "pytest inside, all layers": _run(sandbox, SUITE),
        "split judge": await _split(sandbox),
    }
    taken: dict[str, list[float]] = {name: [] for name in [*ways, "warm run, all layers"]}
    for _ in range(SAMPLES):
        for name, way in ways.items():
            if name.startswith("plain pytest") and len(taken[name]) >= SAMPLES // 4:
                continue
            began = time.perf_counter()
            await way()
            taken[name].append(time.perf_counter() - began)
        taken["warm run, all layers"] += (await _judged_in_turn(sandbox, 3))[1:]
    median = {name: statistics.median(values) for name, values in taken.items()}
    bare, pytest_ = median["python -I -c pass"], median["plain pytest, ten asserts"]
    for name, values in taken.items():
        low, high = statistics.quantiles(values, n=10)[0], statistics.quantiles(values, n=10)[-1]
        spread = f"({low * 1e3:.1f} to {high * 1e3:.1f})"
        ratios = f"{median[name] / bare:6.2f} x python -I -c pass {median[name] / pytest_:6.2f} x plain pytest"
        print(f"{name:<30} {median[name] * 1e3:8.1f} ms {spread:>18} {ratios}")


def _command(words: list[str], folder: str, environment: dict[str, str] | None = None) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)  # noqa: ASYNC221

    return run


async def _judged_in_turn(sandbox: LocalSandbox, number: int) -> list[float]:
    """Return the seconds of each run, one at a time: `judge` uses as many workers as we may use cores."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    taken, began = [], time.perf_counter()
    try:
        async for judged in sandbox.judge(SUITE, ({"prog.py": f"{FILES['prog.py']}# {n}\n"} for n in range(number))):
            assert judged.all_passed
            now = time.perf_counter()
            taken.append(now - began)
            began = now
    finally:
        os.sched_setaffinity(0, cores)
    return taken


def _run(sandbox: LocalSandbox, suite: Suite) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        assert (await run_through(sandbox, suite)).report["verdict"] == "passed"

    return run


async def _split(sandbox: LocalSandbox) -> Callable[[], Awaitable[None]]:
    report = (await run_through(sandbox, SUITE)).report

    async def run() -> None:
        assert (await sandbox.verify(SUITE, report))["trust"] == "verified"

    return run


async def _rates(sandbox: LocalSandbox) -> None:
    """Take turns of a second or so: a virtual machine's clock may change by half within the run."""
    rates: dict[str, list[float]] = {"python -I": [], "one worker": [], "a worker per core": []}
    for _ in range(8):
        began = time.perf_counter()
        for _ in range(40):
            subprocess.run([sys.executable, "-I", "-c", SCRIPT], check=True)  # noqa: ASYNC221
        rates["python -I"].append(40 / (time.perf_counter() - began))
        taken = (await _judged_in_turn(sandbox, 110))[10:]
        rates["one worker"].append(len(taken) / sum(taken))
        began, number = time.perf_counter(), 150
        async for judged in sandbox.judge(SUITE, ({"prog.py": f"{FILES['prog.py']}# {n}\n"} for n in range(number))):
            assert judged.all_passed
        rates["a worker per core"].append(number / (time.perf_counter() - began))
    for words, found in rates.items():
        ratio = statistics.median(rate / plain for rate, plain in zip(found, rates["python -I"], strict=True))
        print(f"runs a second, {words:<18} {statistics.median(found):5.0f}      {ratio:5.2f} x python -I in turn")


def _memory() -> None:
    totals = {"Private_Dirty": 0, "Pss": 0}
    pids = descendants(os.getpid())
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            name, _, value = line.partition(":")
            if name in totals:
                totals[name] += int(value.split()[0])
    private, shared = (kib / 1024 for kib in totals.values())
    print(f"idle: {len(pids)} processes, {private:.1f} MB of their own, {shared:.1f} MB with their share of the rest")


if __name__ == "__main__":
    asyncio.run(main())
