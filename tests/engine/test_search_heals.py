"""Every bundled program is healed by the search in the real sandbox, or honestly not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

import selfheal_tui
from selfheal_tui.sandbox.base import Coverage, Sandbox, Suite, SuiteFinished, SuiteReport
from selfheal_tui.sandbox.registry import open_sandbox
from selfheal_tui.search.hunt.candidates import Candidate, changes_key
from selfheal_tui.search.repair import Budget, Found, Progress, repair

DEMOS = Path(selfheal_tui.__file__).parent / "demos"
NAMES = sorted(path.parent.name for path in DEMOS.glob("*/demo.yaml"))
HEALABLE = {name: yaml.safe_load((DEMOS / name / "demo.yaml").read_text())["healable"] for name in NAMES}
QUICK = ("intervals", "lru")
"""Those that are healed in every run, the others only where everything is run."""
ROUNDS = 3
PATIENT = Budget(candidates=6000, time_s=300.0)
"""A busy machine must not change what is found."""


@dataclass(frozen=True, slots=True)
class Demo:
    """A bundled program as a suite's files."""

    files: dict[str, str]
    program: tuple[str, ...]
    tests: tuple[str, ...]


def load(name: str) -> Demo:
    files = {path.name: path.read_text(encoding="utf-8") for path in sorted((DEMOS / name).glob("*.py"))}
    tests = tuple(path for path in files if path.startswith("test_"))
    return Demo(files, tuple(path for path in files if path not in tests), tests)


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    opened = open_sandbox("local")
    yield opened
    await opened.aclose()


async def run(sandbox: Sandbox, demo: Demo, files: dict[str, str]) -> tuple[SuiteReport, Coverage]:
    last = [value async for value in sandbox.run(Suite(files, demo.tests, demo.program, coverage=True))][-1]
    assert isinstance(last, SuiteFinished)
    return last.report, last.coverage


async def search(
    sandbox: Sandbox, demo: Demo, files: dict[str, str], **options: object
) -> tuple[Found, list[Progress]]:
    report, coverage = await run(sandbox, demo, files)
    async with aclosing(
        repair(files, demo.program, demo.tests, report, sandbox, budget=PATIENT, coverage=coverage, **options)  # type: ignore[arg-type]
    ) as values:
        seen = [value async for value in values]
    found = seen.pop()
    assert isinstance(found, Found)
    return found, [value for value in seen if isinstance(value, Progress)]


async def heal(sandbox: Sandbox, demo: Demo) -> tuple[bool, list[Candidate]]:
    """Apply the first-ranked candidate until the suite passes or none is found; return the applied ones."""
    files, applied = dict(demo.files), []
    for _ in range(ROUNDS):
        found, _ = await search(sandbox, demo, files)
        if not found.candidates:
            return False, applied
        applied.append(found.candidates[0])
        files.update(found.candidates[0].changes)
        report, _ = await run(sandbox, demo, files)
        assert (report["verdict"] == "passed") == found.candidates[0].complete
        if report["verdict"] == "passed":
            return True, applied
    return False, applied


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.deep) for name in NAMES if HEALABLE[name]]
)
async def test_a_healable_program_is_healed(name: str, sandbox: Sandbox) -> None:
    healed, applied = await heal(sandbox, load(name))
    assert healed, [candidate.summary for candidate in applied]
    assert len(applied) == 1


@pytest.mark.deep
async def test_missing_logic_is_not_healed(sandbox: Sandbox) -> None:
    names = [name for name in NAMES if not HEALABLE[name]]
    assert len(names) == 1
    healed, applied = await heal(sandbox, load(names[0]))
    assert not healed
    assert not any(candidate.complete for candidate in applied)


@pytest.mark.deep
async def test_a_rejected_repair_is_not_proposed_again(sandbox: Sandbox) -> None:
    demo = load("intervals")
    found, progress = await search(sandbox, demo, demo.files)
    rejected = {changes_key(candidate.changes) for candidate in found.candidates}
    assert rejected and progress
    again, _ = await search(sandbox, demo, demo.files, exclude=rejected)
    assert rejected.isdisjoint(changes_key(candidate.changes) for candidate in again.candidates)
