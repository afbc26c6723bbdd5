"""A program whose every case passes as it was given: nothing is healed, and what speaks against it is said."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from selfheal_tui.cli.next_steps import rest_of
from selfheal_tui.cli.result import result_of
from selfheal_tui.engine.moment.doubts import build_doubts
from selfheal_tui.engine.moment.state import Objection
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.errors import InputError
from selfheal_tui.settings import default_settings
from selfheal_tui.ui.run.cards.panels import panel
from selfheal_tui.ui.view.model import RunModel

from .driving import drain, options, shop_task, to_end, to_repair

FEE = '''def fee(weight):
    """Return it.

    >>> fee(20)
    30
    """
    if weight < 5:
        return 3
    return 3 + 2 * (weight - 5)
'''
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
        last = ended.snapshot
        for said in ({"call": "fee(20)", "answer": "?"}, "fee(5) should be 3"):
            last = (await to_end(session.fork(last.checkpoint_id, {"wrong": said, "critic": "off"}))).snapshot
        with pytest.raises(InputError, match="You have said already"):
            await drain(session.fork(last.checkpoint_id, {"wrong": "fee(5) should be 4"}))
    assert (last.outcome, last.branch, last.unmet, last.unsettled) == ("nothing_to_heal", "wrong-1", (), None)
    assert (last.unknown, last.answers, last.volunteered) == (("fee(20)",), (("fee(5)", "3"),), 1)
    assert last.report is not None and last.report["passed"] == 3, "what was said is a case"
    assert (result["outcome"], code, result["changed"]) == ("nothing_to_heal", 0, [])
    assert rest.call == "fee(...)", "an example names a function that there is"
    assert ended.snapshot.question is not None and ended.snapshot.question["says"] == "docstring"
    unmet, doubt = result["doubts"]
    assert (unmet["call"], unmet["values"]) == ("fee(20)", ["33", "30"])
    assert "The docstring says that fee(20) gives 30, and it gives 33." in result["reason"]
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
    assert "? the docstring does not agree on what fee(20) gives:\n  a 30  docstring\n  b 33  now" in content.plain
    assert "w says what is right" in content.plain and doubt["why"] in content.plain
    assert [key[2] for key in keys] == ["answer", "try", "fork", "model", "set", "undo"]
    unread = cast(Objection, {"unexercised": {"fee.py": [22, 21]}})
    seen = replace(ended.snapshot, objection=unread)
    for outcome in ("healed", "nothing_to_heal"):
        told = panel(replace(model, committed=seen, outcome=outcome), session_id)[2].plain
        assert "lines that no case ran: fee.py 21-22\n" in told, "as the command line says it"


async def test_an_example_is_doubted_however_many_others_there_are_and_whatever_they_do(workbench: Workbench) -> None:
    many = "\n".join(f"    >>> price({n})\n    {n}" for n in range(1, 26))
    body = 'return n if n else __import__("os")._exit(3)'
    price = f'def price(n):\n    """Make pretty output.\n\n{many}\n    """\n    {body}\n'
    ends = 'def ends():\n    """Return it.\n\n    >>> price(0)\n    0\n    """\n'
    files = {**fee_task().files, "fee.py": f"{price}\n\n{ends}\n\n{FEE}"}
    session_id = await workbench.create(replace(fee_task(), files=files), options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = (await to_end(session.resume())).snapshot
    first, second, *_ = build_doubts(ended)
    assert first["why"] == "The docstring says that fee(20) gives 30, and it gives 33."
    assert second["why"] == "1 of 27 documented examples gave no result in time: whether it holds is not known."
    assert f"{first['why']} {second['why']}" in ended.reason


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


async def test_what_a_test_sets_in_a_file_that_the_program_imports_too_is_not_verified(workbench: Workbench) -> None:
    files = {
        "fees.py": "import rates\n\n\ndef fee(weight):\n    return rates.RATE * weight\n",
        "rates.py": "RATE = 2\n",
        "test_fees.py": "import rates\nfrom fees import fee\n\n\n"
        "def test_fee():\n    rates.RATE = 3\n    assert fee(3) == 9\n",
    }
    session_id = await workbench.create(
        Task("fix", "fees", files, ("fees.py",), ("test_fees.py",)), options(autonomy="full_auto")
    )
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
    assert ended.snapshot.outcome == "nothing_to_heal", ended.snapshot.reason
    assert ended.snapshot.report is not None and "rates.py too" in str(ended.snapshot.report["not_verified"])


@pytest.mark.parametrize("where", ["", "shop/"])
async def test_a_file_beside_the_program_that_only_the_program_imports_is_there_for_it(
    workbench: Workbench, where: str
) -> None:
    """The pass is judged again with program and tests apart: what the program imports has to be on its side."""
    dot, package = ("", "") if not where else (".", "shop.")
    files = {
        f"{where}fees.py": f"from {dot}rates import RATE\n\n\ndef fee(weight):\n    return RATE * weight\n",
        f"{where}rates.py": "RATE = 2\n",
        "test_fees.py": f"from {package}fees import fee\n\n\ndef test_fee():\n    assert fee(3) == 6\n",
        **({f"{where}__init__.py": ""} if where else {}),
    }
    task = Task("fix", "fees", files, (f"{where}fees.py",), ("test_fees.py",))
    session_id = await workbench.create(task, options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
    assert ended.snapshot.outcome == "nothing_to_heal", ended.snapshot.reason
    assert ended.snapshot.report is not None and ended.snapshot.report["not_verified"] is None
