"""The table of a matrix: costs alone and as paid, comparisons with the first cell, Holm's correction."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.bench.matrix.report import build_matrix, matrix_markdown
from selfheal_tui.bench.saved.finished import read_run
from selfheal_tui.llm.base import Usage
from tests.finished_runs import result, write_run

_MORE = {
    "bug_type": "x", "author": "y", "outcome": "healed", "reason": "", "unchanged": False, "confidence": None,
    "hidden": None, "plus": None, "has_plus": False, "candidates": 0, "iterations": 1,
}  # fmt: skip


def test_table_of_a_matrix(tmp_path: Path) -> None:
    repaired = {"base": 0, "eight": 8, "nine": 9, "none": 0}
    runs = {
        name: read_run(write_run(tmp_path / name, [result(f"t{n}", n < count, **_MORE) for n in range(9)]))
        for name, count in repaired.items()
    }
    bills = {"base": (18, Usage(1, 1, 4.5)), "eight": (2, Usage(1, 1, 0.5))}
    header = {"suite": "own|<b>", "cells": [*repaired, "never"], "planned": 5}
    found = build_matrix(header, runs, dict.fromkeys(repaired, 9), bills, {"none": "gone\x1b[31m"})
    assert not found["complete"] and [row["complete"] for row in found["cells"]] == [True, True, True, False]
    assert found["calls"] == {"alone": 72, "paid": 20} and found["cost_usd"] == {"alone": 18.0, "paid": 5.0}
    tests = [row["against_first"]["test"] for row in found["cells"][1:]]
    assert [test["p"] for test in tests] == [2 / 2**8, 2 / 2**9, 1.0]
    # The smallest p times 3, the next times 2, and never below the one before.
    assert [test["p_holm"] for test in tests] == [2 * 2 / 2**8, 3 * 2 / 2**9, 1.0]
    text = matrix_markdown(found)
    assert "# own\\|&lt;b>: 4 cells" in text and "**Not finished**: 3 of 5 cells." in text
    assert "| nine | 9 of 9 (100.0 %; 70.1 to 100.0 %) | 18 | $4.5000 | $0.0000 |" in text
    assert "none could not go on: gone" in text and "\x1b" not in text
    assert "20 calls paid ($5.0000); each cell alone would have made 72 in all ($18.0000)" in text


@pytest.mark.parametrize("price", [None, 0.5])
def test_a_price_that_nobody_knows_stays_unknown(price: float | None, tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path / "one", [result("t", True, cost_usd=price, **_MORE)]))
    found = build_matrix(
        {"suite": "s", "cells": ["one"], "planned": 1}, {"one": run}, {"one": 1}, {"one": (2, Usage(1, 1, price))}, {}
    )
    assert found["complete"] and found["cost_usd"] == {"alone": price, "paid": price}
    assert ("unknown" in matrix_markdown(found)) == (price is None)
