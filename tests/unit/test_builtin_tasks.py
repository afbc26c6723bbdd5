"""Our own tasks: texts, tests and programs agree. In the sandbox, one warm run after the other."""

from __future__ import annotations

import ast
import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import aclosing

import pytest

from selfheal_tui.bench.suites.cases import build_task, build_verdict, obstacle, program_path
from selfheal_tui.bench.suites.records import UNKNOWN, BenchRecord
from selfheal_tui.bench.suites.suite import load_suite
from selfheal_tui.bench.suites.task_folders import BUILTIN
from selfheal_tui.sandbox.base import Suite, SuiteReport, run_through
from tests.warm import WarmSandbox

CATEGORIES = {
    "interval merging",
    "data normalisation",
    "log processing",
    "data transformation",
    "boundary conditions",
    "text processing",
    "parsing",
    "dates",
    "graphs",
    "state machines",
    "concurrency",
    "numerics",
}
RECORDS = load_suite("builtin", can_write=True).records
HIDDEN_FROM_SIGHT = {
    folder.parent.name for folder in BUILTIN.glob("*/task.yaml") if "\nshown: false\n" in folder.read_text("utf-8")
}
"""Tasks whose visible tests do not show the mistake, as their texts say."""


def tasks(*, sample: bool = False) -> list[BenchRecord]:
    """Return all tasks, or one of each second category."""
    return list({record.category: record for record in RECORDS}.values())[::2] if sample else list(RECORDS)


def visible(record: BenchRecord, program: str) -> Suite:
    """Return the suite that the loop sees, over a program."""
    task, path = build_task(record, "visible"), program_path(record)
    return Suite({**task.files, path: program}, task.tests, (path,))


def held_out(record: BenchRecord, program: str) -> Suite:
    """Return the suite that judges a program."""
    return build_verdict(record, {program_path(record): program}, "hidden")


async def reports(suites: list[Suite]) -> list[SuiteReport]:
    """Run suites one after the other in one sandbox."""
    async with aclosing(WarmSandbox()) as sandbox:
        return [(await run_through(sandbox, suite)).report for suite in suites]


def failing(report: SuiteReport) -> list[str]:
    """Return the cases that did not pass, with why."""
    return [f"{case['id']}: {case['message']}" for case in report["cases"] if case["outcome"] != "passed"]


def judged(
    records: list[BenchRecord],
) -> Iterator[tuple[BenchRecord, SuiteReport, SuiteReport, SuiteReport, SuiteReport | None]]:
    """Yield each task with reports: reference by both suites, mutant by the held-out one, start by the visible one."""
    suites = []
    for record in records:
        mutant = (BUILTIN / record.id / "mutant.py").read_text("utf-8")
        suites += [
            visible(record, record.reference_code),
            held_out(record, record.reference_code),
            held_out(record, mutant),
        ]
        suites += [visible(record, record.buggy_code)] if record.buggy_code else []
    found = iter(asyncio.run(reports(suites)))
    for record in records:
        yield record, next(found), next(found), next(found), next(found) if record.buggy_code else None


def check(records: list[BenchRecord]) -> None:
    for record, shown, hidden, mutant, start in judged(records):
        assert not failing(shown) and shown["verdict"] == "passed", record.id
        assert not failing(hidden) and hidden["verdict"] == "passed", record.id
        assert hidden["trust"] == "verified", (record.id, hidden["not_verified"])
        assert len(hidden["cases"]) >= 8, record.id
        assert mutant["verdict"] == "failed", record.id
        assert 2 * mutant["passed"] <= len(mutant["cases"]), (record.id, mutant["passed"], len(mutant["cases"]))
        if start is not None:
            assert bool(failing(start)) is (record.id not in HIDDEN_FROM_SIGHT), record.id


def test_references_pass_mutants_fail_and_mistakes_show_in_a_sample() -> None:
    check(tasks(sample=True))


@pytest.mark.deep
def test_references_pass_mutants_fail_and_mistakes_show_in_every_task() -> None:
    check(tasks())


@pytest.mark.deep
def test_mistakes_that_are_not_shown_are_found_by_the_held_out_tests() -> None:
    unseen = [record for record in RECORDS if record.id in HIDDEN_FROM_SIGHT]
    found = asyncio.run(reports([held_out(record, record.buggy_code) for record in unseen]))
    assert unseen and all(report["verdict"] == "failed" for report in found)


def test_there_are_tasks_of_every_category_to_mend_and_to_write() -> None:
    count = Counter(record.category for record in RECORDS)
    assert len(RECORDS) >= 30 and set(count) == CATEGORIES and min(count.values()) >= 2
    to_write = [record for record in RECORDS if not record.buggy_code]
    assert 0.25 <= len(to_write) / len(RECORDS) <= 0.4
    assert len(HIDDEN_FROM_SIGHT) <= 3


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.id)
def test_the_texts_of_a_task_agree_with_its_code(record: BenchRecord) -> None:
    assert not obstacle(record, "visible", can_write=True)
    public = [
        node.name
        for node in ast.parse(record.reference_code).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    ]
    imported = {
        alias.name
        for text in (record.visible_tests, record.hidden_tests)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and node.module == record.id
        for alias in node.names
    }
    assert imported and imported <= set(public), record.id
    assert all(f"`{name}" in record.prompt or f"`class {name}" in record.prompt for name in imported), record.prompt
    assert record.buggy_code != record.reference_code and record.bug_type != UNKNOWN and record.category
    assert record.prompt.count("`") % 2 == 0
    loop = "".join(build_task(record, "visible").files.values())
    assert record.hidden_tests not in loop and record.reference_code not in loop
