"""Real bugs of real projects: whether they fail and pass here as recorded, and how many the search heals.

`PYTHONPATH=. python -m tests.benchmarks.projects` needs the shared data folder, and the package index once: each set of
requirements becomes an environment below `--work`. The default only checks; `--heal` lets `selfheal fix` heal each with
`search`, headless, for `--time` seconds, and judges the result by the fixed release's tests.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.dev_data import records

_PACE = re.compile(r"([\d,]+) edits tried, (\d+) s of")
"""What a headless run says of its search."""
SETS = ("projects_pypi", "projects_bugsinpy")


@dataclass(frozen=True, slots=True)
class Project:
    """A project before and after the fix of one bug."""

    name: str
    files: Mapping[str, str]
    fixed: Mapping[str, str]
    """Path -> text of what the fix changes."""
    failing: tuple[str, ...]
    """Node ids of the cases that the bug fails."""
    tests: tuple[str, ...]
    """Test files that judge a repair."""
    requirements: tuple[str, ...]

    def write(self, folder: Path, changes: Mapping[str, str] | None = None) -> Path:
        """Write the project, with other texts for some files, into a folder that is made anew; return it."""
        shutil.rmtree(folder, ignore_errors=True)
        for path, text in {**self.files, **(changes or {})}.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8", newline="")
        return folder


@dataclass(frozen=True, slots=True)
class Judgement:
    """How the suite of one version ended."""

    failing: frozenset[str]
    passed: int
    error: str
    seconds: float


def projects(only: str = "") -> Iterator[Project]:
    """Yield the projects of all sets whose name has `only` in it."""
    for record in (record for name in SETS for record in records(name)):
        if only in record["id"]:
            yield Project(
                str(record["id"]),
                record["files"],
                record["fixed_files"],
                tuple(record["failing_tests"]),
                tuple(str(record["hidden_tests"]).split()[4:]),
                tuple(record["requirements"]),
            )


def environment(requirements: tuple[str, ...], work: Path) -> Path:
    """Return the interpreter of an environment that has the requirements; it is made once."""
    folder = work / f"venv-{hashlib.sha256(' '.join(requirements).encode()).hexdigest()[:8]}"
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements]
        subprocess.run(command, check=True)
        (folder / "complete").touch()
    return python


def judge(folder: Path, tests: tuple[str, ...], python: Path) -> Judgement:
    """Run tests in the sandbox, by the command that a user has."""
    began = time.monotonic()
    chosen = [str(folder / test) for test in tests]
    command = ["run-tests", str(folder), *(["--tests", *chosen] if chosen else []), "--json", "--python", str(python)]
    done = subprocess.run([sys.executable, "-m", "selfheal_tui", *command], capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    if not done.stdout.strip():
        return Judgement(frozenset(), 0, done.stderr.strip()[-200:], seconds)
    report = json.loads(done.stdout)
    failing = frozenset(case["id"] for case in report["cases"] if case["outcome"] not in ("passed", "skipped"))
    return Judgement(failing, report["passed"], report["error"] or "", seconds)


def check(project: Project, python: Path, work: Path) -> str:
    """Return what differs from the record; empty when the project fails and passes as recorded."""
    before = judge(project.write(work / "buggy"), project.tests, python)
    # One set names a function where the other names its cases.
    failing = {case if case in project.failing else case.partition("[")[0] for case in before.failing}
    if before.error or failing != set(project.failing):
        return f"before: {before.error or sorted(failing ^ set(project.failing))[:3]}"
    after = judge(project.write(work / "fixed", project.fixed), project.tests, python)
    if after.error or after.failing:
        return f"after: {after.error or sorted(after.failing)[:3]}"
    return ""


def heal(project: Project, python: Path, work: Path, time_s: float) -> tuple[str, str]:
    """Heal with the search alone, and return how that ended: `right`, `wrong`, or the outcome; and its pace."""
    folder = project.write(work / "healed")
    options = ["--model", "search", "--autonomy", "full_auto", "--max-time-s", str(time_s), "--python", str(python)]
    command = ["fix", str(folder), "--json", "--sessions", str(work / "sessions"), *options]
    done = subprocess.run([sys.executable, "-m", "selfheal_tui", *command], capture_output=True, text=True, check=False)
    result: dict[str, Any] = json.loads(done.stdout) if done.stdout.strip() else {}
    pace = next((f"{int(n.replace(',', '')) / max(int(s), 1):,.0f}/s" for n, s in _PACE.findall(done.stderr)[-1:]), "-")
    if result.get("outcome") != "healed":
        return str(result.get("reason") or result.get("outcome") or done.stderr.strip()[-200:]), pace
    changed = {path: result["files"][path] for path in result["changed"] if path in result["files"]}
    after = judge(project.write(work / "judged", changed), project.tests, python)
    return "wrong" if after.error or after.failing else "right", pace


def main() -> None:
    """Check or heal every project, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only projects with this in their name")
    parser.add_argument("--heal", action="store_true")
    parser.add_argument("--time", type=float, default=120.0, help="seconds for each healing")
    parser.add_argument("--work", type=Path, default=Path("/tmp/selfheal-projects"))
    args = parser.parse_args()
    ends: list[str] = []
    for project in projects(args.only):
        python = environment(project.requirements, args.work)
        began = time.monotonic()
        pace = ""
        if args.heal:
            end, pace = heal(project, python, args.work, args.time)
        else:
            end = check(project, python, args.work) or "same"
        ends.append(end)
        print(f"{project.name:50} {time.monotonic() - began:6.1f} s  {pace:>8}  {end}", flush=True)
    counts = {end: ends.count(end) for end in ("same", "right", "wrong") if end in ends}
    print(f"{len(ends)} projects: {counts}")


if __name__ == "__main__":
    main()
