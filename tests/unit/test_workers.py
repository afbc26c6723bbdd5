"""Suites that run in several processes: what asks for it, their parts, and their reports joined."""

from __future__ import annotations

from dataclasses import replace

import pytest

from selfheal_tui.sandbox.base import Suite
from selfheal_tui.sandbox.workers import number_of_workers, parts_of, without_workers

FILES = {"p.py": "", "test_a.py": "", "test_b.py": "", "test_c.py": ""}
SUITE = Suite(FILES, ("test_a.py::one", "test_b.py", "test_a.py::two", "test_c.py"), ("p.py",))


@pytest.mark.parametrize(
    ("args", "addopts", "number"),
    [
        ((), "", 1),
        (("-n", "2"), "", 2),
        (("-nauto",), "", 4),
        ((), "-q -n auto --dist loadfile", 4),
        (("-n", "0"), "-n 3", 1),
        ((), "--numprocesses=3", 3),
        ((), "-n 64", 4),
        ((), "--nomigrations -k one", 1),
        (("-n", "many"), "", 1),
    ],
)
def test_the_project_or_the_user_says_in_how_many_processes(args: tuple[str, ...], addopts: str, number: int) -> None:
    settings = {"pytest.ini": f"[pytest]\naddopts = {addopts}\n"} if addopts else {}
    suite = replace(SUITE, files={**FILES, **settings}, pytest_args=args)
    assert number_of_workers(suite, 4) == number
    assert number_of_workers(replace(suite, stop_on_failure=True), 4) == 1


def test_pytest_itself_is_not_told() -> None:
    args = ["-n", "2", "-k", "one", "-n4", "--dist=loadfile", "--maxprocesses", "3", "-x"]
    assert without_workers(args) == ["-k", "one", "-x"]


def test_all_cases_of_a_file_are_in_one_part() -> None:
    assert [part.tests for part in parts_of(SUITE, 2)] == [
        ("test_a.py::one", "test_a.py::two", "test_c.py"),
        ("test_b.py",),
    ]
    assert len(parts_of(SUITE, 9)) == 3 and parts_of(SUITE, 1) == [SUITE]
    folder = replace(SUITE, tests=("tests", "test_a.py"))
    assert parts_of(folder, 2) == [folder]
