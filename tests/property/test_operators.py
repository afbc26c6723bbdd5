"""Every edit of every family gives another program that compiles, whatever the program looks like."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import selfheal_tui
from selfheal_tui.plugins.testing.operators import check_edits
from selfheal_tui.plugins.testing.programs import ODD
from selfheal_tui.search.operators import OPERATORS
from tests.dev_data import records

DEMOS = sorted(Path(selfheal_tui.__file__).parent.glob("demos/*/*.py"))
FAMILIES = tuple(OPERATORS.values())


@pytest.mark.parametrize("text", ODD)
def test_edits_of_odd_programs_compile(text: str) -> None:
    check_edits(FAMILIES, text)


@pytest.mark.parametrize("path", DEMOS, ids=lambda path: path.name)
def test_edits_of_bundled_programs_compile(path: Path) -> None:
    check_edits(FAMILIES, path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["quixbugs", "humanevalfix", "ldb_mbpp"])
def test_edits_of_real_bugs_compile(name: str) -> None:
    for number, record in enumerate(Random(3).sample(records(name), 6)):
        try:
            compile(record["buggy_code"], "<program>", "exec", dont_inherit=True)
        except SyntaxError:
            continue
        check_edits(FAMILIES, record["buggy_code"], number)
