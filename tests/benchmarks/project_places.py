"""Fault localisation over real projects: at which rank the function stands that the fix changes.

`PYTHONPATH=. python -m tests.benchmarks.project_places` runs each project's judging tests once, with coverage, and
ranks all functions of the project by their most suspicious line. Functions that share a score share its mean rank.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import difflib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from selfheal_tui.engine.task.task import load_task
from selfheal_tui.sandbox.base import Suite, run_through
from selfheal_tui.sandbox.registry import open_sandbox
from selfheal_tui.search.program.localise import Suspect, localise

from .projects import Project, environment, projects

Place = tuple[str, str]
"""Path and name of a function; `<module>` for what stands outside of all."""


def functions(text: str) -> dict[int, str]:
    """Return line (1-based) -> qualified name of the innermost function around it."""
    names: dict[int, str] = {}

    def walk(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}{child.name}"
                if not isinstance(child, ast.ClassDef):
                    first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                    names.update(dict.fromkeys(range(first, (child.end_lineno or child.lineno) + 1), name))
                walk(child, f"{name}.")
            else:
                walk(child, prefix)

    walk(ast.parse(text), "")
    return names


def faulty(project: Project) -> set[Place]:
    """Return the functions that the fix changes."""
    places: set[Place] = set()
    for path, fixed in project.fixed.items():
        before = project.files.get(path, "")
        names = functions(before)
        places |= {(path, names.get(line, "<module>")) for line in faulty_lines(before, fixed)}
    return places


def faulty_lines(before: str, fixed: str) -> list[int]:
    """Return the lines (from 1) that a fix changes or takes away, and those before which it adds some."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), fixed.splitlines(), autojunk=False)
    changed = [(begin, end) for kind, begin, end, _, _ in matcher.get_opcodes() if kind != "equal"]
    return [line for begin, end in changed for line in range(begin + 1, max(end, begin + 1) + 1)]


def ranks(suspects: Sequence[Suspect], files: Mapping[str, str]) -> dict[Place, float]:
    """Return the rank of each function that has a suspicious line, from 1."""
    best: dict[Place, tuple[float, float]] = {}
    names = {path: functions(files[path]) for path in {suspect.path for suspect in suspects}}
    for suspect in suspects:
        place = suspect.path, names[suspect.path].get(suspect.line, "<module>")
        best[place] = max(best.get(place, (0.0, 0.0)), (suspect.score, suspect.dstar))
    scores = sorted(best.values(), reverse=True)
    return {place: scores.index(score) + (scores.count(score) + 1) / 2 for place, score in best.items()}


async def locate(folder: Path, tests: Sequence[str], python: Path) -> tuple[tuple[Suspect, ...], Mapping[str, str]]:
    """Run the tests with coverage; return the suspects and the program files."""
    task = load_task([folder], [str(folder / test) for test in tests], "", ())
    sandbox = open_sandbox("local", python=str(python))
    try:
        finished = await run_through(
            sandbox, Suite(task.files, task.tests, task.program, task.pytest_args, coverage=True)
        )
    finally:
        await sandbox.aclose()
    program = {path: task.files[path] for path in task.program if path in task.files}
    return localise(finished.report, finished.coverage, program), program


def main() -> None:
    """Print a line for each project, and the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only projects with this in their name")
    parser.add_argument("--work", type=Path, default=Path("/tmp/selfheal-projects"))
    args = parser.parse_args()
    best: list[float] = []
    for project in projects(args.only):
        python = environment(project.requirements, args.work)
        began = time.monotonic()
        folder = project.write(args.work / "located")
        suspects, program = asyncio.run(locate(folder, project.tests, python))
        ranked = ranks(suspects, program)
        rank = min((ranked.get(place, float("inf")) for place in faulty(project)), default=float("inf"))
        best.append(rank)
        print(f"{project.name:50} {time.monotonic() - began:6.1f} s  {rank:6.1f} of {len(ranked)}", flush=True)
    for most in (1, 3, 5, 10):
        print(f"among the first {most}: {sum(rank <= most for rank in best)} of {len(best)}")


if __name__ == "__main__":
    main()
