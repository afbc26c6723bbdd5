"""Functions of other packages: advisors and metrics that an entry point names, as they are found, asked and told."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

import pytest

from selfheal_tui.bench.metrics import TaskResult
from selfheal_tui.bench.own_metrics import load_metrics, measure, metric_lines, over_metrics
from selfheal_tui.engine.loop.own_advisors import advice_by, own_names
from selfheal_tui.engine.loop.policy_fields import policy_value
from selfheal_tui.errors import SettingsError
from selfheal_tui.extensions import ADVISORS, installed

POINTS = """[selfheal_tui.advisors]
open_marks = own_package_x:open_marks
gone = own_package_x:gone
[selfheal_tui.metrics]
lines = own_package_x:lines
fails = own_package_x:fails
text = own_package_x:text
none = own_package_x:none
"""
MODULE = """
def open_marks(program):
    return {"summary": "2 marks", "items": [{"file": "a.py", "line": 1, "why": "FIXME\\x1b[0m"}]}
def lines(result, program): return sum(len(text.splitlines()) for text in program.values())
def fails(result, program): raise ValueError("no")
def text(result, program): return "many"
def none(result, program): return None
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_package_x.py").write_text(MODULE)
    (tmp_path / "own_package_x-1.0.dist-info").mkdir()
    (tmp_path / "own_package_x-1.0.dist-info" / "entry_points.txt").write_text(POINTS)
    (tmp_path / "own_package_x-1.0.dist-info" / "METADATA").write_text("Name: own-package-x\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "own_package_x", raising=False)


async def test_an_installed_advisor_is_known_by_its_name(package: None) -> None:
    assert policy_value("advisors", "quality,open_marks") == ["quality", "open_marks"]
    assert own_names(["quality", "open_marks"]) == ["open_marks"]
    with pytest.raises(SettingsError, match="Did you mean 'open_marks'"):
        policy_value("advisors", "open_mark")
    advice = await advice_by("open_marks", None, {"a.py": "x"})
    assert advice == {"by": "open_marks", "summary": "2 marks", "items": [{"file": "a.py", "line": 1, "why": "FIXME"}]}
    assert "cannot be imported" in (await advice_by("gone", None, {}))["summary"]


def test_a_package_in_the_folder_one_stands_in_is_not_looked_for(
    package: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [*installed(ADVISORS)] == ["gone", "open_marks"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    assert [*installed(ADVISORS)] == [] and load_metrics() == {}


async def test_whatever_an_advisor_returns_is_told_and_ends_no_run() -> None:
    def fails(program: Any) -> None:
        raise RuntimeError("no")

    said = {
        "It is not installed here.": None,
        "It failed: RuntimeError: no": fails,
        "Nothing to say.": lambda program: None,
        "Fine.": lambda program: "Fine.",
    }
    for words, function in said.items():
        assert (await advice_by("mine", cast(Any, function), {}))["summary"] == words
    for wrong in (3, {}, {"summary": "x", "items": [{"file": "a"}]}, {"summary": "x", "items": 3}, []):
        summary = (await advice_by("mine", lambda program, wrong=wrong: wrong, {}))["summary"]  # type: ignore[misc]
        assert summary.startswith("It returned no advice"), wrong


def test_metrics_are_measured_told_and_cost_no_task(package: None) -> None:
    metrics, results = load_metrics(), [cast(TaskResult, {"id": str(n)}) for n in range(2)]
    assert list(metrics) == ["fails", "lines", "none", "text"]
    for number, result in enumerate(results, 1):
        measure(metrics, result, {"a.py": "x\n" * number})
    assert results[0]["metrics"] == {"lines": 1.0}
    assert results[0]["not_measured"] == {
        "fails": "ValueError: no",
        "text": "It returned 'many', not a number.",
    }
    figures = over_metrics(results)
    assert figures["lines"] == {"tasks": 2, "mean": 1.5, "low": 1.0, "high": 2.0, "failed": 0, "why": ""}
    assert (figures["fails"]["failed"], figures["fails"]["mean"]) == (2, None) and "none" not in figures
    lines = metric_lines(figures, lambda text: text)
    assert "| lines | 2 | 1.5 | 1 | 2 |" in lines and "- fails failed for 2 tasks: ValueError: no" in lines
    assert over_metrics([]) == {} and metric_lines({}, str) == []
