"""Every hostile program in every tier, as root and as somebody else: nothing outside changes, no verdict is forged.

The programs are in `hostile/`; `arena.py` runs them and looks. One arena per tier and user runs them all, and its
results are kept for the tests that follow; the two groups keep it to two arenas at a time under xdist.

    SELFHEAL_TABLE=1 pytest -n 0 tests/security/test_contained.py -k table     prints tier x program
    SELFHEAL_STUDY=1 pytest -n 0 tests/security/test_contained.py -k study     the study's programs as either user
    SELFHEAL_BITES=1 pytest -n 0 tests/security/test_contained.py -k bites     runs the programs without any layer
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ARENA = HERE / "arena.py"
CORPUS = sorted((HERE / "hostile").glob("*.py"))
STUDY = sorted(Path("/work/shared/prototypes/sandbox/hostile").glob("*.py"))
"""The programs of the study that the design rests on, where it is at hand; ours cover the same ground."""
RULES = {"contained", "bounded", "not-passed", "clean-output", "passes"}
THE_END = "(the end)"
"""What the arena calls the moment after the sandbox was closed."""
ARENA_S = 900.0

TIERS = ("namespaces", "landlock")
USERS = ("root", "other") if hasattr(os, "getuid") and os.getuid() == 0 else ("other",)
COMBINATIONS = [
    pytest.param(tier, user, id=f"{tier}-{user}", marks=pytest.mark.xdist_group(f"arena-{number % 2}"))
    for number, (user, tier) in enumerate((user, tier) for user in USERS for tier in TIERS)
]
STUDIED = COMBINATIONS if "SELFHEAL_STUDY" in os.environ else COMBINATIONS[: len(TIERS)]
"""Every tier, as the user who can do most; ours run as the other one too."""
UNBITTEN = {"descriptors_left_open", THE_END}
"""Held back even without layers: the server hands on no descriptors."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the arena looks through /proc")


@cache
def results(tier: str, user: str, programs: Sequence[Path]) -> dict[str, dict[str, Any]]:
    """Run an arena once; skip where the tier or the user is not to be had."""
    done = subprocess.run(
        [sys.executable, ARENA, "--layers", tier, "--user", user, *programs],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=ARENA_S,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    found = {line["program"]: line for line in lines if "program" in line}
    ending = lines[-1] if lines else {"exit": done.returncode, "error": done.stderr[-500:]}
    if ending.get("exit") in (3, 4):
        found["skip"] = {"why": ending["error"]}
    elif "exit" in ending:
        found["broken"] = {"why": ending["error"]}
    return found


def result_of(tier: str, user: str, program: str, programs: Sequence[Path] = tuple(CORPUS)) -> dict[str, Any]:
    """Return what one program did."""
    found = results(tier, user, programs)
    if "skip" in found:
        pytest.skip(found["skip"]["why"])
    assert program in found, f"the arena did not come to {program}: {found.get('broken', {}).get('why')}"
    if "skipped" in found[program]:
        pytest.skip(found[program]["skipped"])
    return found[program]


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_a_program_says_what_it_does(path: Path) -> None:
    rule, *header = path.read_text("utf-8").splitlines()[:4]
    assert set(rule.removeprefix("# rule: ").split(", ")) <= RULES
    assert any(line.startswith("# does: ") and line.endswith(".") for line in header)
    assert any(isinstance(node, ast.FunctionDef) and node.name == "f" for node in ast.parse(path.read_text()).body)


@pytest.mark.parametrize("program", [*(path.stem for path in CORPUS), THE_END])
@pytest.mark.parametrize(("tier", "user"), COMBINATIONS)
def test_a_program_is_contained(tier: str, user: str, program: str) -> None:
    result = result_of(tier, user, program)
    assert not result["violations"], f"{program}, {tier}, {user}:\n" + "\n".join(result["violations"])


@pytest.mark.skipif(not STUDY, reason="the study's programs are not on this machine")
@pytest.mark.parametrize(("tier", "user"), STUDIED)
def test_the_programs_of_the_study_are_contained(tier: str, user: str) -> None:
    programs = tuple(STUDY)
    result_of(tier, user, THE_END, programs)
    found = results(tier, user, programs)
    missing = {path.stem for path in STUDY} - set(found)
    violations = [f"{name}: {violation}" for name, one in found.items() for violation in one["violations"]]
    assert not missing
    assert not violations, "\n".join([f"{tier}, {user}:", *violations])


@pytest.mark.skipif("SELFHEAL_TABLE" not in os.environ, reason="printed on demand")
@pytest.mark.xdist_group("arena-0")
def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Print tier x program: a point for contained, the kinds of violation otherwise."""
    columns = {f"{tier}-{user}": results(tier, user, tuple(CORPUS)) for user in USERS for tier in TIERS}
    with capsys.disabled():
        print("\n" + " " * 30 + "".join(f"{name:24}" for name in columns))
        for program in [*(path.stem for path in CORPUS), THE_END]:
            print(f"{program:30}" + "".join(f"{_cell(found, program):24}" for found in columns.values()))
        for name, found in columns.items():
            seconds = sum(one.get("seconds", 0.0) for one in found.values())
            contained = sum(one.get("violations") == [] and "skipped" not in one for one in found.values())
            print(f"{name}: {contained}/{len(CORPUS) + 1} contained, {seconds:.0f} s in the programs")


def _cell(found: dict[str, dict[str, Any]], program: str) -> str:
    if program not in found:
        return "unavailable" if "skip" in found else "not reached"
    if "skipped" in found[program]:
        return "not run"
    kinds = dict.fromkeys(violation.partition(":")[0] for violation in found[program]["violations"])
    return ", ".join(kinds)[:23] or "."


@pytest.mark.skipif("SELFHEAL_BITES" not in os.environ, reason="runs hostile programs without protection, on demand")
@pytest.mark.skipif(USERS == ("other",), reason="only root can surround the arena with a world of its own")
@pytest.mark.xdist_group("arena-0")
def test_the_corpus_bites() -> None:
    """A program that does no harm where nothing holds it back proves nothing where something does."""
    harmless: set[str] | None = None
    for user in USERS:
        found = results("none", user, tuple(CORPUS))
        assert "broken" not in found
        calm = {name for name, one in found.items() if one["rules"] == ["contained"] and not one["violations"]}
        harmless = calm if harmless is None else harmless & calm
    assert harmless is not None
    assert harmless <= UNBITTEN
