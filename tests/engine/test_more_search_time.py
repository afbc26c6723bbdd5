"""A search that used up its time gets more by the limit that the next command names."""

from __future__ import annotations

import pytest

from selfheal_tui.cli.next_steps import raised_limits
from selfheal_tui.engine.dialogue.roles import repairer
from selfheal_tui.engine.moment.events import Event, SearchProgressed
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.workshop.role_context import RoleContext

from .driving import HARD_PROGRAM, HARD_TESTS, drain, options, shop_task, to_end, to_repair

HALF = "def half(number):\n    return number // 3\n\n\ndef name():\n    return open('name.txt').read()\n"
HALF_TESTS = """from shop import half, name


def test_half():
    assert half(12) == 6 and half(4) == 2


def test_name():
    assert name() == "a file that is not there"
"""


def searched(events: list[Event]) -> list[SearchProgressed]:
    return [event for event in events if isinstance(event, SearchProgressed)]


async def test_a_search_that_used_up_its_time_is_made_anew_with_a_higher_limit(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RoleContext, "search_time_s", 0.02)
    task = shop_task(HARD_PROGRAM, HARD_TESTS)
    session_id = await workbench.create(task, options(autonomy="full_auto", max_iterations=1))
    async with workbench.open_session(session_id) as session:
        first = (await to_end(session.resume())).snapshot
        assert first.outcome == "gave_up" and "its time was used up" in first.reason and first.search_s == 0.02
        assert [flag.split()[0] for flag in raised_limits(first)] == ["--max-time-s"]
        again = await drain(session.fork(first.checkpoint_id, {"max_iterations": 2}))
        assert not searched(again), "no more time: what was found is taken again"
        monkeypatch.setattr(RoleContext, "search_time_s", 0.04)
        longer = await drain(session.fork(first.checkpoint_id, {"max_time_s": 900}))
        assert {event.time_s for event in searched(longer) if event.time_s} == {0.04}


async def test_candidates_that_a_search_found_before_its_time_was_used_up_say_so(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repairer, "used_up_s", lambda kept: 60.0)
    session_id = await workbench.create(shop_task(HALF, HALF_TESTS), options("search"))
    async with workbench.open_session(session_id) as session:
        asked = (await to_repair(session, session.resume())).snapshot
        assert asked.candidates and all(one["search_s"] == 60.0 for one in asked.candidates.values())
        assert [flag.split()[0] for flag in raised_limits(asked)] == ["--max-time-s"]
