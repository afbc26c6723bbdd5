"""Taking the best so far: the searches that run end, and what they have is tried and asked about as ever."""

from __future__ import annotations

from contextlib import aclosing

from selfheal_tui.engine.moment.events import NodeStarted, ReviewRequested, RunFinished, SearchProgressed
from selfheal_tui.engine.moment.review import approve
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.workshop.searches import Searches

from .driving import options, shop_task


def test_only_the_searches_that_run_are_ended() -> None:
    searches = Searches()
    assert not searches.take_best()
    with searches.one_more() as first, searches.one_more() as second:
        assert not first() and not second()
        assert searches.take_best()
        assert first() and second()
        with searches.one_more() as later:
            assert not later()
    assert not searches.take_best()
    with searches.one_more() as next_one:
        assert not next_one()


async def test_the_best_so_far_is_rehearsed_and_asked_about(workbench: Workbench) -> None:
    async with workbench.open_session(await workbench.create(shop_task(), options())) as session:
        assert not session.take_best()
        events, last, ended = session.resume(), None, 0
        while not (isinstance(last, ReviewRequested) and last.kind == "repair"):
            async for last in events:
                if isinstance(last, SearchProgressed) and last.best and not ended:
                    ended += session.take_best()
            assert isinstance(last, ReviewRequested)
            if last.kind == "diagnosis":
                events = session.decide(last.checkpoint_id, approve())
        assert ended == 1
        assert last.snapshot.candidates["1"]["fixes"] == ["test_shop.py::test_discount"]
        assert not session.take_best()


async def test_a_run_that_is_stopped_while_it_searches_ends_there_and_undo_goes_back(workbench: Workbench) -> None:
    async with workbench.open_session(await workbench.create(shop_task(), options())) as session:
        async with aclosing(session.resume()) as events:
            async for event in events:
                if isinstance(event, NodeStarted) and event.node == "diagnose":
                    break
        before = await session.head()
        *_, last = [event async for event in session.stop("line 6: `+` becomes `-`")]
        assert isinstance(last, RunFinished) and last.snapshot.outcome == "stopped"
        assert last.snapshot.reason == (
            "Stopped by the user while it was looking for the cause. Best edit so far: line 6: `+` becomes `-`."
        )
        assert last.snapshot.report is not None and (await session.timeline()).branches.keys() == {"main"}
        *_, again = [event async for event in session.resume()]
        assert isinstance(again, RunFinished), "it stays stopped"
        assert (await session.branches.undo()).words == "your stop of the run" and await session.head() == before
        *_, asked = [event async for event in session.resume()]
        assert isinstance(asked, ReviewRequested) and asked.kind == "diagnosis"
        *_, ended = [event async for event in session.stop()]
        assert isinstance(ended, RunFinished) and ended.snapshot.reason == "Stopped by the user at the diagnosis."
