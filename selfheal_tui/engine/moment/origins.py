"""Which suite a case comes from: the user's own tests, the examples of the spec, or tests that a model wrote. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from selfheal_tui.sandbox.base import SuiteReport

MEANINGS: dict[str, str] = {
    "yours": "the user's own, right by definition",
    "examples": "the specification's own examples, right by definition",
    "answers": "what the human said that calls should give, right by definition",
    "spec": "written by a model from the specification, before the code",
    "adversarial": "written by a model that read the code, to break it",
    "critic": "written by a model that objected to a passing program",
}
"""Suite -> what its cases are."""


def suite_of(case_id: str, origins: Mapping[str, str]) -> str:
    """Return the suite of a case (or of the file that could not be collected); `origins` is path -> suite."""
    return origins.get(case_id.partition("::")[0], "yours")


def with_suites(report: SuiteReport | None, origins: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the report with the suite of each case; `origins` is path -> suite of generated test files."""
    if report is None:
        return None
    cases = [{**case, "suite": suite_of(case["id"], origins)} for case in report["cases"]]
    return {**report, "cases": cases}


def suites_text(case_ids: Iterable[str], origins: Mapping[str, str]) -> str:
    """Return a line for each suite among these cases that says what its cases are; empty without generated tests."""
    if not origins:
        return ""
    named = {suite_of(case_id, origins) for case_id in case_ids}
    return "\n".join(f"Suite {name}: {meaning}." for name, meaning in MEANINGS.items() if name in named)
