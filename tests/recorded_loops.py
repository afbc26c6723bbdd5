"""A few recorded repair loops in the form that `selfheal bench replay` reads, written for its tests."""

from __future__ import annotations

from typing import Any

from tests.bench_data import record

WRONG = "def total(a, b):\n    return a - b\n"
AGAIN = "def total(a, b):\n    # the same, said otherwise\n    return a  -  b\n"
OTHER = "def total(a, b):\n    return a * b\n"
RIGHT = "def total(a, b):\n    return a + b\n"
FAIL, PASS = "assert_fail", "pass"


def step(code: str | None, visible: str, hidden: str | None = None) -> dict[str, Any]:
    """Return a step; without code the program is that of the step before."""
    row = {"visible": visible, "hidden": visible if hidden is None else hidden}
    return row if code is None else {**row, "code": code}


def loop(name: str, *steps: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return the record of a loop over `total`."""
    own = record(
        "total",
        buggy_code=WRONG,
        visible_tests="assert total(2, 3) == 5\nassert total(0, 0) == 0",
        hidden_tests="def check(candidate):\n    assert candidate(2, 3) == 5\n    assert candidate(-1, 1) == 0\n",
    )
    return {**own, "id": name, "trace": {"steps": list(steps)}, **changes}


def loops() -> list[dict[str, Any]]:
    """Return three loops: one healed after a repetition, one that failed repeating itself, one recorded wrongly."""
    return [
        loop("healed", step(WRONG, FAIL), step(None, FAIL), step(RIGHT, PASS)),
        loop("stuck", step(WRONG, FAIL), step(AGAIN, FAIL), step(WRONG, FAIL), step(OTHER, FAIL), step(None, FAIL)),
        loop("doubtful", step(WRONG, FAIL), step(RIGHT, PASS, FAIL)),
    ]
