"""Small tables of a session's file: who counts a bill, and which run of a program counts."""

from __future__ import annotations

from pathlib import Path

from selfheal_tui.llm.base import Usage
from selfheal_tui.store.bills import Bills, new_bill, settle
from selfheal_tui.store.programs import KnownProgram, Programs
from selfheal_tui.store.session_db import open_db

A, B, NOBODYS = Usage(1, 1), Usage(2, 2), Usage(3, 3)


async def test_a_lane_counts_its_own_bills_and_a_run_alone_counts_all(tmp_path: Path) -> None:
    async with open_db(tmp_path / "x.db", create=True) as db:
        await db.write_all([new_bill(A, "a"), new_bill(B, "b"), new_bill(NOBODYS)])
        assert [usage for _, usage in await Bills(db, "a").take()] == [A]
        alone = Bills(db)
        taken = await alone.take()
        assert [usage for _, usage in taken] == [A, B, NOBODYS]
        assert await alone.take() == [], "a bill is handed out once"
        alone.put_back()
        await db.write_all(settle(number for number, usage in taken if usage != B))
        assert [usage for _, usage in await alone.take()] == [B]


async def test_of_a_programs_runs_the_first_one_counts(tmp_path: Path) -> None:
    async with open_db(tmp_path / "x.db", create=True) as db:
        await Programs(db).add("key", "first report", 1)
        await Programs(db, "branch-2").add("key", "second report", 4)
        assert await Programs(db, "branch-2").find("key") == KnownProgram("first report", "iteration 1 on main")
        assert await Programs(db).find("other") is None
