"""Jobs side by side: one for each core, results in order, nothing left running."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from selfheal_tui import side_by_side as jobs
from selfheal_tui.side_by_side import merged, side_by_side


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "cores", lambda: 2)


async def test_two_run_at_a_time_and_their_results_come_in_order() -> None:
    running: set[int] = set()
    most = 0

    async def work(number: int) -> int:
        nonlocal most
        running.add(number)
        most = max(most, len(running))
        for _ in range(5 - number):  # the later, the sooner done
            await asyncio.sleep(0)
        running.remove(number)
        return number

    assert [result async for result in side_by_side(work, range(5))] == [0, 1, 2, 3, 4]
    assert most == 2
    assert [result async for result in side_by_side(work, ())] == []


async def test_whoever_leaves_cancels_what_runs() -> None:
    ended: list[int] = []

    async def work(number: int) -> int:
        try:
            if number:
                await asyncio.Event().wait()
            return number
        finally:
            ended.append(number)

    async with aclosing(side_by_side(work, range(9))) as results:
        async for _ in results:
            await asyncio.sleep(0)
            break
    assert ended == [0, 1]


async def test_a_job_that_fails_ends_the_others() -> None:
    ended: list[int] = []

    async def work(number: int) -> int:
        try:
            await asyncio.sleep(0)
            if number == 0:
                raise ValueError("no")
            await asyncio.Event().wait()
            return number
        finally:
            ended.append(number)

    with pytest.raises(ValueError, match="no"):
        _ = [result async for result in side_by_side(work, range(3))]
    assert ended == [0, 1]


async def counted(numbers: range, ended: list[range], fails: bool = False) -> AsyncGenerator[int, None]:
    try:
        for number in numbers:
            yield number
            await asyncio.sleep(0)
        if fails:
            raise ValueError(numbers)
    finally:
        ended.append(numbers)


async def test_several_iterators_are_told_as_they_come_and_closed_together() -> None:
    ended: list[range] = []
    both = (counted(range(3), ended), counted(range(10, 13), ended))
    assert [number async for number in merged(both)] == [0, 10, 1, 11, 2, 12]
    assert [number async for number in merged([counted(range(2), ended)])] == [0, 1]
    assert len(ended) == 3
    async with aclosing(merged(counted(range(9), ended) for _ in range(2))) as numbers:
        async for _ in numbers:
            break
    assert len(ended) == 5


async def test_the_error_of_one_iterator_ends_all() -> None:
    ended: list[range] = []
    with pytest.raises(ValueError, match="range"):
        async for _ in merged((counted(range(1), ended, fails=True), counted(range(99), ended))):
            pass
    assert len(ended) == 2
