"""Examples in text files (`--doctest-glob`) are cases: the program is healed by them, and the text never changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import load_task
from selfheal_tui.errors import InputError
from selfheal_tui.sandbox.base import Suite, run_through
from tests.warm import WarmSandbox

from .driving import options, to_end, to_repair

CALC = "def add(a, b):\n    return a - b\n"
TEXT = "# Calc\n\n>>> from calc import add\n>>> add(1, 2)\n3\n>>> add(5, 0)\n5\n"
GLOB = "--doctest-glob=*.md"
WAYS = {
    "settings": ({"pytest.ini": "[pytest]\naddopts = --doctest-glob='*.md'\n", "README.md": TEXT}, (), ()),
    "settings in two words": (
        {"pytest.ini": "[pytest]\naddopts = --doctest-glob docs/*.md\n", "docs/a.md": TEXT},
        (),
        (),
    ),
    "command line": ({"README.md": TEXT}, (), (GLOB,)),
    "named": ({"README.md": TEXT}, ("README.md",), ()),
    "named, of pytest's own kind": ({"docs/calc.rst": TEXT}, ("docs/calc.rst",), ()),
    "a folder": ({"docs/calc.md": TEXT}, ("docs",), (GLOB,)),
    "pytest's own pattern": ({"docs/test_calc.txt": TEXT}, (), ()),
}


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.mark.parametrize("way", WAYS)
async def test_examples_of_a_text_file_are_cases(way: str, tmp_path: Path) -> None:
    files, tests, arguments = WAYS[way]
    folder = written(tmp_path, {**files, "calc.py": CALC})
    (text,) = (name for name in files if files[name] is TEXT)
    task = load_task([folder], [folder / one for one in tests], pytest_args=arguments)
    assert task.program == ("calc.py",)
    sandbox = WarmSandbox()
    for code, outcome in ((CALC, "failed"), (CALC.replace("-", "+"), "passed")):
        suite = Suite({**task.files, "calc.py": code}, task.tests, task.program, task.pytest_args, verify=True)
        report = (await run_through(sandbox, suite)).report
        name = text.rpartition("/")[2]
        assert [(case["id"], case["outcome"]) for case in report["cases"]] == [(f"{text}::{name}", outcome)], report
    await sandbox.aclose()
    assert report["trust"] == "verified", report["not_verified"]


async def test_the_program_is_healed_by_the_examples_of_a_text_file(workbench: Workbench, tmp_path: Path) -> None:
    task = load_task([written(tmp_path, {"calc.py": CALC, "README.md": TEXT})], pytest_args=[GLOB])
    session_id = await workbench.create(task, options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        assert {path for one in asked.snapshot.candidates.values() for path in one["changes"]} == {"calc.py"}
        ended = await to_end(session.decide(asked.checkpoint_id, review.approve()))
    assert ended.snapshot.outcome == "healed" and "a + b" in ended.snapshot.program["calc.py"]
    assert ended.snapshot.tests["README.md"] == TEXT


def test_a_text_without_examples_is_no_test(tmp_path: Path) -> None:
    folder = written(tmp_path, {"calc.py": CALC, "notes.md": "Nothing."})
    with pytest.raises(InputError, match=r"notes.md holds no test: .* no examples"):
        load_task([folder], [folder / "notes.md"])


async def test_a_failing_example_is_told_with_its_line_and_both_sides(tmp_path: Path) -> None:
    folder = written(tmp_path, {"calc.py": CALC, "a.md": TEXT, "b.md": TEXT.replace("add(1, 2)", "add(1, None)")})
    task = load_task([folder], pytest_args=[GLOB])
    sandbox = WarmSandbox()
    report = (await run_through(sandbox, Suite(task.files, task.tests, task.program, task.pytest_args))).report
    await sandbox.aclose()
    given, raised = report["cases"]
    assert (given["location"], given["actual"], given["expected"]) == ("a.md:4", "-1", "3")
    assert given["message"] == "DocTestFailure: `add(1, 2)` gives -1, not 3"
    assert raised["message"].startswith("TypeError: unsupported operand") and raised["location"] == "calc.py:2"


@pytest.mark.parametrize(
    ("code", "text", "why"),
    [
        ("NAME = 'README.md'\n" + CALC, TEXT, "calc.py names README.md, which holds the examples"),
        (CALC, TEXT + ">>> open('kept.csv').read()\n''\n", "README.md uses `open()`"),
    ],
)
async def test_examples_that_the_program_may_read_verify_nothing(
    code: str, text: str, why: str, tmp_path: Path
) -> None:
    files = {"calc.py": code.replace("-", "+"), "README.md": text, "kept.csv": ""}
    task = load_task([written(tmp_path, files)], [tmp_path / "README.md"])
    sandbox = WarmSandbox()
    suite = Suite(task.files, task.tests, task.program, task.pytest_args, verify=True)
    report = (await run_through(sandbox, suite)).report
    await sandbox.aclose()
    assert report["verdict"] == "passed" and why in (report["not_verified"] or ""), report


async def test_a_program_that_reads_its_answers_from_the_text_does_not_pass(tmp_path: Path) -> None:
    spy = "import glob\n\n\ndef add(a, b):\n    text = open(glob.glob('*.md')[0]).read()\n"
    spy += "    return int(text.split(f'add({a}, {b})')[1].split()[0])\n"
    task = load_task([written(tmp_path, {"calc.py": spy, "README.md": TEXT})], [tmp_path / "README.md"])
    sandbox = WarmSandbox()
    alone = (await run_through(sandbox, Suite(task.files, task.tests, task.program, task.pytest_args))).report
    suite = Suite(task.files, task.tests, task.program, task.pytest_args, verify=True)
    apart = (await run_through(sandbox, suite)).report
    await sandbox.aclose()
    assert (alone["verdict"], alone["trust"]) == ("passed", "provisional")
    assert (apart["verdict"], apart["trust"]) == ("failed", "provisional"), apart
