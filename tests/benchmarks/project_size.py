"""A library with thousands of tests: from `selfheal fix` to the question about the diagnosis, beside plain pytest.

`PYTHONPATH=. python -m tests.benchmarks.project_size` writes a library of 40 modules with one fault and 3,000 cases in
60 files (`--cases 10000`: some other number, in as many files of 50), always the same one for a `--seed`. It is
frozen, run and localised with a scripted debugger; the goal is 1.3 times plain pytest and 5 s, of wall time and of CPU
time. Both take turns, so that a busy machine is unfair to both. `--phases` prints when each line of progress came.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

MODULES, FUNCTIONS, CASES_A_FILE = 40, 12, 50
TIMES, MORE_S = 1.3, 5.0
_OPERATORS = ("+", "-", "*")


@dataclass(frozen=True, slots=True)
class Spent:
    """What a command took."""

    wall_s: float
    cpu_s: float
    output: str


def write_library(folder: Path, cases: int, seed: int) -> None:
    """Write a library whose cases check every function of its modules; the one in the middle is faulty."""
    draw = random.Random(seed)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "big").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "pyproject.toml").write_text('[tool.pytest.ini_options]\ntestpaths = ["tests"]\npythonpath = ["."]\n')
    (folder / "big" / "__init__.py").write_text('"""A library."""\n')
    sources = {f"m{number:02}": _module(number, draw) for number in range(MODULES)}
    names: dict[str, object] = {}
    for module, source in sources.items():
        # Each module uses functions of the one before it, which it imports.
        own = dict(names)
        exec(source.replace("from big.", "from ").partition("\n\n\n")[2], own)
        names |= {name: value for name, value in own.items() if name.startswith(module)}
    faulty = f"m{MODULES // 2:02}"
    good, bad = (
        "    kept = [value for value in values if value >= low]\n",
        "    kept = [value for value in values if value > low]\n",
    )
    for module, source in sources.items():
        text = source.replace(good, bad, 1) if module == faulty else source
        (folder / "big" / f"{module}.py").write_text(text)
    for number in range(-(-cases // CASES_A_FILE)):
        size = min(CASES_A_FILE, cases - number * CASES_A_FILE)
        (folder / "tests" / f"test_part_{number:03}.py").write_text(_tests(number, size, names, draw))


def _module(number: int, draw: random.Random) -> str:
    name = f"m{number:02}"
    before = f"m{number - 1:02}"
    lines = [f'"""Part {number} of a library."""', ""]
    lines += (
        [f"from big.{before} import " + ", ".join(f"{before}_f{n:02}" for n in range(FUNCTIONS)), ""] if number else []
    )
    for index in range(FUNCTIONS):
        first, second = draw.choice(_OPERATORS), draw.choice(_OPERATORS)
        lines += [
            "",
            f"def {name}_f{index:02}(values, low):",
            f'    """Return what part {index} of module {number} makes of the values from `low` on."""',
            "    kept = [value for value in values if value >= low]",
            "    total = 0",
            "    for place, value in enumerate(kept):",
            f"        total = total {first} value {second} {draw.randint(2, 9)}",
            f"        if place > {draw.randint(20, 60)}:",
            "            break",
            f"    if total > {10 ** draw.randint(3, 6)}:",
            f"        total %= {draw.randint(1000, 9999)}",
            *([f"    total += {before}_f{index:02}(kept[:3], low)"] if number % 8 else []),
            "    return total",
            "",
        ]
    return "\n".join(lines)


def _tests(number: int, size: int, names: dict[str, object], draw: random.Random) -> str:
    module = f"m{number % MODULES:02}"
    lines = [
        "import pytest",
        "",
        f"from big.{module} import " + ", ".join(f"{module}_f{n:02}" for n in range(FUNCTIONS)),
        "",
    ]
    lines += ["", "@pytest.fixture", "def values():", f"    return list(range({draw.randint(150, 300)})) * 3", ""]
    width = int(lines[-2].partition("range(")[2].partition(")")[0])
    for case in range(size):
        function, low = f"{module}_f{case % FUNCTIONS:02}", draw.randint(0, width)
        answer = names[function](list(range(width)) * 3, low)  # type: ignore[operator]
        lines += [
            "",
            f"def test_{case:02}_{function}(values):",
            f"    assert {function}(values, {low}) == {answer}",
            "",
        ]
    return "\n".join(lines)


def timed(command: Sequence[str], folder: Path, phases: bool = False) -> Spent:
    """Run a command to its end; its output is that on stdout."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    with (
        tempfile.TemporaryFile("w+") as output,
        subprocess.Popen(
            command, cwd=folder, stdout=output, stderr=subprocess.PIPE, text=True, env=environment
        ) as process,
    ):
        assert process.stderr is not None
        for line in process.stderr:
            if phases:
                print(f"  {time.monotonic() - began:6.1f} s  {line.rstrip()[:100]}")
        process.wait()
        output.seek(0)
        text = output.read()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(time.monotonic() - began, used, text)


def script(file: Path) -> str:
    """Write what the debugger says; return the model's name."""
    reply = {
        "thought": "", "evidence": [], "cause": "A bound is wrong.", "fault": "code", "category": "boundary",
        "strategy": "Mend it.", "disproof": "", "confidence": 0.9,
    }  # fmt: skip
    file.write_text(yaml.safe_dump({"replies": [{"role": "debugger", "reply": reply}]}))
    return f"scripted:{file}"


def main() -> None:
    """Print a line for each round, and the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--phases", action="store_true")
    parser.add_argument("--work", type=Path, default=Path("/tmp/selfheal-size"))
    args = parser.parse_args()
    folder, sessions = args.work / "library", args.work / "sessions"
    write_library(folder, args.cases, args.seed)
    model = script(args.work / "script.yaml")
    heal = ["fix", str(folder), "--json", "--model", model, "--sessions", str(sessions)]
    pairs: list[tuple[Spent, Spent]] = []
    for _ in range(args.rounds):
        plain = timed([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], folder)
        ours = timed([sys.executable, "-m", "selfheal_tui", *heal], folder, args.phases)
        result = json.loads(ours.output)
        report = result["report"]
        assert len(report["cases"]) == args.cases and result["review"]["kind"] == "diagnosis", result["reason"]
        pairs.append((plain, ours))
        print(
            f"plain pytest {plain.wall_s:5.1f} s, CPU {plain.cpu_s:5.1f} s: {plain.output.splitlines()[-1]}; "
            f"selfheal {ours.wall_s:5.1f} s, CPU {ours.cpu_s:5.1f} s: {report['failed']} failed, {report['passed']} passed",
            flush=True,
        )
    for name in ("wall_s", "cpu_s"):
        plain_s, ours_s = (statistics.median(getattr(pair[side], name) for pair in pairs) for side in (0, 1))
        most = TIMES * plain_s + MORE_S
        print(
            f"{name}: {plain_s:.1f} and {ours_s:.1f}; the goal is {most:.1f}: {'met' if ours_s <= most else 'missed'}"
        )


if __name__ == "__main__":
    main()
