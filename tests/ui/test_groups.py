"""Several groups of failing cases on the first card: they are shown, and one is picked to be healed first."""

from __future__ import annotations

import pytest

from selfheal_tui.engine.moment.snapshot import HealedProgram
from selfheal_tui.engine.moment.words import still_failing_words
from selfheal_tui.engine.out.each_repair import in_parts
from tests.ui.fakes import DIAGNOSIS, FakeSession, report
from tests.ui.running import SIZES, running


@SIZES
async def test_a_group_is_picked_and_healed_first(size: tuple[int, int]) -> None:
    session = FakeSession("s1")
    red = report(3)
    red["cases"][2]["message"] = "IndexError: list index out of range"
    session.moment_changes = {"report": red}
    async with running(session, size=size) as run:
        shown = " ".join(run.side_text().split())
        assert "2 groups of failing cases, by what they call: H heals one first, for a commit" in shown
        await run.press("H")
        assert "1 case fails in intervals.py: IndexError" in run.side_text()
        await run.press("down", "enter")
        assert session.fork_changes == [{"group": "2"}]
        snapshot = run.screen.model.shown
        assert snapshot is not None and not in_parts(snapshot, ()), "one commit is all there is"
        healed = (HealedProgram("a", {"intervals.py": "1"}), HealedProgram("b", snapshot.program))
        assert [repair.heals for repair in in_parts(snapshot, healed)] == ["Heals a", "Heals b"]


async def test_what_one_edit_mends_is_one_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DIAGNOSIS, "edits", 1)  # type: ignore[misc]
    session = FakeSession("s1")
    red = report(3)
    red["cases"][2]["message"] = "IndexError: list index out of range"
    session.moment_changes = {"report": red}
    async with running(session, size=(140, 45)) as run:
        assert "groups of failing cases" not in run.side_text() and "heal first" not in run.side_text()


async def test_one_group_has_no_key() -> None:
    session = FakeSession("s1")
    async with running(session, size=(140, 45)) as run:
        assert "heal first" not in run.side_text()
        await run.press("H")
        assert not run.screen.side.picker.is_open and not session.fork_changes


def test_the_cases_of_groups_that_wait_are_counted_at_the_end() -> None:
    red = report(1)
    failing = still_failing_words(red)
    assert still_failing_words(red, 2) == f"{failing}; 2 of other groups were not run again"
    assert still_failing_words(report(3), 1).endswith("1 of other groups was not run again")
