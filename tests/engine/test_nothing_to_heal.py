"""A program whose every case passes as it was given: nothing is healed, and what speaks against it is said."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from selfheal_tui.cli.next_steps import rest_of
from selfheal_tui.cli.result import result_of
from selfheal_tui.engine.moment.state import Objection
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.settings import default_settings
from selfheal_tui.ui.run.cards.panels import panel
from selfheal_tui.ui.view.model import RunModel

from .driving import options, shop_task, to_end, to_repair

FEE = "def fee(weight):\n    if weight < 5:\n        return 3\n    return 3 + 2 * (weight - 5)\n"
TESTS = "from fee import fee\n\n\ndef test_a():\n    assert fee(2) == 3\n\n\ndef test_b():\n    assert fee(8) == 9\n"


def fee_task(tests: str = TESTS) -> Task:
    return Task("fix", "fee", {"fee.py": FEE, "test_fee.py": tests}, ("fee.py",), ("test_fee.py",))


async def test_a_program_that_passes_as_given_has_nothing_to_heal_and_its_doubts(workbench: Workbench) -> None:
    session_id = await workbench.create(fee_task(), options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
        result, code = result_of(ended, ended.snapshot, session_id)
        rest = await rest_of(session, ended.snapshot, ended, default_settings({}))
        timeline = await session.timeline()
    assert (result["outcome"], code, result["changed"]) == ("nothing_to_heal", 0, [])
    (doubt,) = result["doubts"]
    assert doubt["call"].startswith("fee(") and len(doubt["values"]) > 1
    assert "one edit away" in doubt["why"] and doubt["why"] in result["reason"]
    assert result["reason"].startswith("Both cases pass without a change.")
    assert rest.again == "", "there is no folder whose tests could be mended"
    assert timeline.branches["main"].outcome == "nothing_to_heal"
    (row,) = workbench.list_sessions()
    assert row.outcome == "nothing_to_heal"
    model = RunModel(timeline=timeline, committed=ended.snapshot, outcome="nothing_to_heal")
    title, tone, content, keys = panel(model, session_id)
    assert (title, tone) == ("✓ Nothing to heal", "-healed")
    assert f"? no test says what {doubt['call']} gives:" in content.plain and "w says what is right" in content.plain
    assert [key[2] for key in keys] == ["answer", "try", "fork", "race", "model", "set", "undo"]
    unread = cast(Objection, {"unexercised": {"fee.py": [22, 21]}})
    seen = replace(ended.snapshot, objection=unread)
    for outcome in ("healed", "nothing_to_heal"):
        told = panel(replace(model, committed=seen, outcome=outcome), session_id)[2].plain
        assert "lines that no case ran: fee.py 21-22\n" in told, "as the command line says it"


async def test_no_doubt_is_looked_for_where_the_critic_is_off(workbench: Workbench) -> None:
    opts = options(autonomy="full_auto")
    session_id = await workbench.create(fee_task(), replace(opts, policy={**opts.policy, "critic": "off"}))
    async with workbench.open_session(session_id) as session:
        ended = (await to_end(session.resume())).snapshot
    assert (ended.outcome, ended.unsettled) == ("nothing_to_heal", None)


async def test_a_program_that_was_set_by_hand_is_healed(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        right = asked.snapshot.candidates["1"]["changes"]
        forked = await to_end(session.fork(asked.checkpoint_id, {"code": dict(right)}))
    assert forked.snapshot.outcome == "healed"
