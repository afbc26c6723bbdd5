"""Findings for code scanners and reviewers: lines of the given files, and repairs that come out right when applied."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfheal_tui.cli import main
from selfheal_tui.engine.out.export.findings import findings
from selfheal_tui.engine.out.export.rdjson import rdjson
from selfheal_tui.engine.out.export.sarif import sarif

DOCS = Path(__file__).resolve().parents[2] / "docs"
CAUSE = {"cause": "Line 2 is off by one.", "evidence": [{"file": "shop.py", "line": 2, "why": "with `<=` it passes"}]}
LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\x0c\n", "\n", "é x\n", "\u2028\n"]), max_size=7)
TEXTS = st.builds(lambda lines, end: "".join(lines) + end, LINES, st.sampled_from(["", "z"]))


def story(**changes: Any) -> dict[str, Any]:
    case = {"id": "test_shop.py::test_a", "outcome": "failed", "message": "1 != 2", "location": "test_shop.py:4"}
    plain: dict[str, Any] = {
        "session_id": "s1",
        "branch": "main",
        "head": "c1",
        "outcome": "gave_up",
        "pending": None,
        "base": {"shop.py": "one\ntwo\n"},
        "program": {"shop.py": "one\ntwo\n"},
        "report": {"verdict": "failed", "cases": [case, {**case, "outcome": "passed"}]},
        "iterations": [{"diagnoses": [{"diagnosis": CAUSE}]}],
    }
    return plain | changes


def changed(before: str, after: str) -> dict[str, Any]:
    report = {"verdict": "passed", "cases": []}
    return story(outcome="healed", base={"shop.py": before}, program={"shop.py": after}, report=report)


def at(text: str, line: int, column: int) -> int:
    """Return the offset of a place, from 1, as an editor counts."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return starts[line - 1] + column - 1


@given(TEXTS, TEXTS)
def test_fixes_of_sarif_give_the_repaired_file(before: str, after: str) -> None:
    text = before
    for result in reversed(sarif(changed(before, after))["runs"][0]["results"]):
        ((change,),) = [fix["artifactChanges"] for fix in result["fixes"]]
        (replacement,) = change["replacements"]
        region = replacement["deletedRegion"]
        start, end = (
            at(before, region["startLine"], region["startColumn"]),
            at(before, region["endLine"], region["endColumn"]),
        )
        text = text[:start] + replacement["insertedContent"]["text"] + text[end:]
    assert text == after


@given(TEXTS, TEXTS)
def test_suggestions_of_rdjson_give_the_repaired_file(before: str, after: str) -> None:
    lines = [*re.findall(r"[^\n]*\n|[^\n]+", before)]
    for one in reversed(rdjson(changed(before, after))["diagnostics"]):
        (suggestion,) = one["suggestions"]
        start, end, text = *suggestion["range"].values(), suggestion["text"]
        first = start["line"] - 1
        if start == end and "column" in start:
            lines[first:first] = [text]
        elif "column" in end:
            assert end["column"] == len(lines[end["line"] - 1].removesuffix("\n").encode()) + 1
            lines[first : end["line"]] = [text + "\n"]
        else:
            lines[first : end["line"]] = [text + "\n"] if text else []
    # Whole lines cannot say whether the last one has an end.
    assert "".join(lines).removesuffix("\n") == after.removesuffix("\n")


def test_a_repair_that_was_taken_is_a_finding_with_its_cause() -> None:
    (one,) = findings(changed("one\ntwo\n", "one\nTWO\n"))
    assert (one.rule, one.path, one.first, one.last) == ("repair", "shop.py", 2, 2)
    assert one.message == "A repair was taken, and every case passes. `two` becomes `TWO`. Line 2 is off by one."


def test_a_repair_that_waits_is_told_with_its_confidence() -> None:
    candidate = {"changes": {"shop.py": "one\nTWO\n"}, "fixes": ["a", "b"], "confidence": 0.58}
    pending = {"kind": "repair", "proposal": {"label": "1", "candidates": {"1": candidate}}}
    one, failing = findings(story(pending=pending))
    assert one.rule == "proposed-repair" and "mends 2 cases (58% sure)" in one.message
    assert (failing.rule, failing.path, failing.first) == ("failing-case", "test_shop.py", 4)
    assert failing.message == "test_shop.py::test_a: 1 != 2"


def test_without_a_repair_the_suspected_lines_are_told() -> None:
    one, _ = findings(story())
    assert (one.rule, one.path, one.first) == ("suspected-line", "shop.py", 2)
    assert one.message == "Line 2 is off by one. with `<=` it passes"


def test_a_path_is_an_address_and_a_finding_is_known_again_where_its_lines_moved() -> None:
    def first(before: str) -> dict[str, Any]:
        base, program = {"a b#.py": before + "two\n"}, {"a b#.py": before + "TWO\n"}
        found: dict[str, Any] = sarif(story(base=base, program=program, report=None))["runs"][0]["results"][0]
        return found

    one, moved = first(""), first("new\n")
    assert one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b%23.py"
    assert one["partialFingerprints"] == moved["partialFingerprints"] and one["locations"] != moved["locations"]


def test_the_problem_matcher_of_the_docs_reads_what_run_tests_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shop.py").touch()
    (tmp_path / "test_a.py").write_text("def test_a():\n    assert 5 == 6\n\ndef test_b():\n    raise KeyError('x')\n")
    monkeypatch.chdir(tmp_path)
    assert main(["run-tests", "."]) == 1
    printed = capsys.readouterr().out.splitlines()
    tasks = json.loads((DOCS / "editors.md").read_text("utf-8").partition("```json\n")[2].partition("```")[0])
    first, second = (re.compile(one["regexp"]) for one in tasks["tasks"][0]["problemMatcher"]["pattern"])
    found = [
        (*match.groups(), *message.groups())
        for line, below in pairwise(printed)
        if (match := first.match(line)) and (message := second.match(below))
    ]
    assert found == [("test_a.py", "2", "assert 5 == 6"), ("test_a.py", "5", "KeyError: 'x'")]
