"""`selfheal fix` on the failing cases of a project: what is healed, what is kept, and input that names nothing."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.cli import main

PROGRAM = """\
def capped(value, low, high):
    return max(low, min(value, low))


def twice(value):
    return value * 2
"""
CASES = """\
import pytest
from kit.prices import capped, twice


@pytest.mark.parametrize("value, result", [(5, 5), (20, 10)])
def test_capped(value, result):
    assert capped(value, 1, 10) == result


def test_low():
    assert capped(0, 1, 10) == 1


def test_wrong_itself():
    assert twice(2) == 5
"""
SETTINGS = '[tool.pytest.ini_options]\ntestpaths = ["checks"]\npython_files = "check_*.py"\npythonpath = "src"\n'
RED = ["checks/check_prices.py::test_capped[5-5]", "checks/check_prices.py::test_capped[20-10]"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    for name, text in (
        ("src/kit/__init__.py", ""),
        ("src/kit/prices.py", PROGRAM),
        ("checks/check_prices.py", CASES),
        ("pyproject.toml", SETTINGS),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SELFHEAL_SESSIONS", str(tmp_path / "sessions"))
    return folder


def run_pytest(folder: Path, *words: str) -> str:
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


def healed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """Return the result of a run without questions, which must heal."""
    assert main(["fix", *words, "--json", "--autonomy", "full_auto"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert result["changed"] == ["src/kit/prices.py"] and "min(value, high)" in result["diff"]
    return result


def test_no_path_is_this_folder(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "checks" / "check_prices.py").write_text(CASES.replace("== 5\n", "== 4\n"))
    assert healed(capsys)["report"]["passed"] == 4


def test_named_cases_are_healed_and_passing_ones_kept(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = CASES.replace("    assert twice(2) == 5", "    raise OSError('[Errno 101] Network is unreachable')")
    (project / "checks" / "check_prices.py").write_text(given)
    assert main(["fix", "checks/check_prices.py::test_capped", "--json", "--autonomy", "full_auto"]) == 0
    told = capsys.readouterr()
    assert "test_wrong_itself needs the network, which the sandbox does not have; to allow it: --allow-net" in told.err
    report = json.loads(told.out)["report"]
    assert [case["id"] for case in report["cases"]] == [*RED, "checks/check_prices.py::test_low"]


def test_a_named_case_outside_of_the_test_paths_joins_the_suite(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "more").mkdir()
    text = "from kit.prices import capped\n\n\ndef test_more():\n"
    text += "    assert [capped(7, 1, 10), capped(70, 1, 10)] == [7, 10]\n"
    (project / "more" / "test_more.py").write_text(text)
    report = healed(capsys, "more/test_more.py::test_more")["report"]
    assert {case["id"] for case in report["cases"]} == {
        "checks/check_prices.py::test_low",
        "more/test_more.py::test_more",
    }


def named(capsys: pytest.CaptureFixture[str], *words: str) -> None:
    """Check that the words name the cases of `capped`, whose healing is another test's."""
    assert main(["fix", *words, "--no-run", "--json"]) == 0
    printed = capsys.readouterr()
    assert "2 failing cases to heal, 1 passing to keep" in printed.err
    assert json.loads(printed.out)["open"].startswith("selfheal resume ")


def test_what_the_cache_or_a_junit_file_of_pytest_names_is_to_be_healed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_pytest(project, "-k", "capped", "--junit-xml=ci.xml")
    named(capsys, "--last-failed")
    named(capsys, "--from-junit", "ci.xml")


def test_what_a_run_on_standard_input_names_is_to_be_healed(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = run_pytest(project, "-rN", "-k", "capped")  # a summary is read in a terminal's story
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(printed.encode())))
    named(capsys, "-")


def test_one_group_is_healed_and_the_others_are_left_out(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = healed(capsys, "--group", "1")
    assert [case["id"] for case in result["report"]["cases"]] == [*RED, "checks/check_prices.py::test_low"]
    assert "All 3 cases pass after 1 repair. 1 other failing case was left out." in result["reason"]
    assert result["report"]["left_out"] == 1


def test_a_group_that_is_not_there_is_told_with_those_that_are(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fix", "--group", "3"]) == 2
    told = capsys.readouterr().err
    assert "1. 2 cases fail calling src/kit/prices.py capped(): AssertionError" in told
    assert "2. 1 case fails calling src/kit/prices.py twice(): AssertionError" in told
    assert "There is no group 3. There are groups 1 to 2." in told
    assert not (project.parent / "sessions").exists()


def test_the_groups_stand_in_the_first_report_and_in_the_result(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fix", "--json", "--autonomy", "review_all"]) == 3
    told = capsys.readouterr()
    result = json.loads(told.out)
    assert [group["cases"] for group in result["groups"]] == [RED, ["checks/check_prices.py::test_wrong_itself"]]
    assert {group["function"] for group in result["groups"]} == {"capped", "twice"}
    assert "  1. 2 cases fail calling src/kit/prices.py capped(): AssertionError\n  2. 1 case" in told.err


def test_cases_that_pass_now_are_nothing_to_heal(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fix", "checks/check_prices.py::test_low"]) == 0
    assert capsys.readouterr().out == "Nothing to heal: These cases pass now.\n"
    assert main(["fix", "checks/check_prices.py::test_low", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "nothing_to_heal"
    assert not (project.parent / "sessions").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["checks/check_prices.py::test_gone"], "This suite has none of these cases"),
        (["src/kit/prices.py::test_low"], "Did you mean: selfheal fix checks/check_prices.py::test_low"),
        (["--last-failed"], "There is no pytest cache"),
        (["--from-junit", "gone.xml"], "gone.xml cannot be read"),
        (["--from-junit", "pyproject.toml"], "It is no XML"),
        (["--last-failed", "x.py::y"], "named in two ways"),
        (["-"], "Standard input is empty"),
        (["src"], "No tests were found"),
    ],
)
def test_input_that_names_nothing_is_one_sentence(
    words: list[str],
    sentence: str,
    project: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert main(["fix", *words, "--headless"]) == 2
    assert sentence in capsys.readouterr().err.splitlines()[-1]
    assert not (project.parent / "sessions").exists()
