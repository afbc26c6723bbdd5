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
_NOT_OF_MODELS = {
    "yours": "This is one of your own tests: no run changes them.",
    "examples": "This is an example of the specification: it stands as it was given.",
    "answers": "This is what you said that a call should give: u takes that step of yours back.",
}
"""Suite -> why its cases are not changed one by one."""


def suite_of(case_id: str, origins: Mapping[str, str]) -> str:
    """Return the suite of a case (or of the file that could not be collected); `origins` is path -> suite."""
    return origins.get(case_id.partition("::")[0], "yours")


def is_changeable(case_id: str, origins: Mapping[str, str]) -> bool:
    """Tell whether a case can be dropped, pinned and edited: a model wrote it for the run."""
    return suite_of(case_id, origins) not in _NOT_OF_MODELS


def why_not_changeable(case_id: str, origins: Mapping[str, str]) -> str:
    """Say why a case cannot be dropped, pinned or edited; empty where it can."""
    why = _NOT_OF_MODELS.get(suite_of(case_id, origins))
    return f"{why} Only tests that a model wrote are dropped, pinned or edited." if why else ""


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
