"""Several faults in one program: one group of failing cases is healed while the others wait, then the next."""

from __future__ import annotations

from selfheal_tui.engine.moment.events import Noticed, RunFinished
from selfheal_tui.engine.moment.review import approve
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task

from .driving import drain, options, to_review

FILES = {
    "cart.py": "def total(prices):\n    amount = 0\n    for price in prices:\n        amount -= price\n    return amount\n",
    "names.py": "def last(names):\n    return names[len(names)]\n",
    "test_cart.py": "from cart import total\n\n\ndef test_one():\n    assert total([2]) == 2\n\n\ndef test_two():\n    assert total([2, 3]) == 5\n\n\ndef test_none():\n    assert total([]) == 0\n",
    "test_names.py": "from names import last\n\n\ndef test_last():\n    assert last([1, 2]) == 2\n    assert last([3]) == 3\n",
}
FIXED = FILES["cart.py"].replace("-=", "+=")


async def test_the_group_that_is_picked_is_healed_first_and_then_the_other(workbench: Workbench) -> None:
    task = Task("fix", "shop", FILES, ("cart.py", "names.py"), ("test_cart.py", "test_names.py"))
    session_id = await workbench.create(task, options())
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        notes, moments = [], []
        events = session.fork(asked.checkpoint_id, {"group": "2", "autonomy": "full_auto"})
        for event in await drain(events):
            notes += [event.text] if isinstance(event, Noticed) else []
            last = event
        assert isinstance(last, RunFinished)
        ended = last.snapshot
    assert (ended.outcome, ended.program["cart.py"]) == ("healed", FIXED)
    assert ended.turn is None
    assert [one.words for one in ended.healed_groups] == [
        "1 case fails in names.py last(): IndexError",
        "2 cases fail calling cart.py total(): AssertionError",
    ]
