"""A search that used up its time gets more by the limit that the next command names."""

from __future__ import annotations

import pytest

from selfheal_tui.cli.next_steps import raised_limits
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.workshop.role_context import RoleContext

from .driving import options, shop_task, to_end

PROGRAM = """def shuffled(text):
    seen = []
    for place, letter in enumerate(text):
        if place % 2 and letter not in seen:
            seen.append(letter.upper())
        elif letter in seen:
            seen.remove(letter)
        else:
            seen.insert(place // 3, letter * place)
    return "".join(seen[1:-1]) or text[::-1]
"""
CHECKS = "".join(
    f"def test_{word}():\n    assert shuffled({word!r}) == {right!r}\n\n\n"
    for word, right in (("walrus", "qzx"), ("heron", "17"), ("gnat", "never"))
)


async def test_a_search_that_used_up_its_time_is_made_anew_with_a_higher_limit(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RoleContext, "search_time_s", 0.4)
    task = shop_task(PROGRAM, "from shop import shuffled\n\n\n" + CHECKS)
    session_id = await workbench.create(task, options(autonomy="full_auto", max_iterations=1))
    async with workbench.open_session(session_id) as session:
        first = (await to_end(session.resume())).snapshot
        assert first.outcome == "gave_up" and "its time was used up" in first.reason and first.search_s == 0.4
        assert [flag.split()[0] for flag in raised_limits(first)] == ["--max-time-s"]
        again = (await to_end(session.fork(first.checkpoint_id, {"max_iterations": 2}))).snapshot
        assert again.reason == first.reason, "no more time: what was found is taken again"
        monkeypatch.setattr(RoleContext, "search_time_s", 0.8)
        longer = (await to_end(session.fork(first.checkpoint_id, {"max_time_s": 900}))).snapshot
        assert longer.search_s == 0.8
