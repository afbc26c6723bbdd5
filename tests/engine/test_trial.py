"""Trying without moving the run: what comes of it, and that nothing of it is left behind."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from selfheal_tui.engine.moment.events import ReviewRequested
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.engine.workshop.trial import SuiteTried, Tried, frames_above, tried_words
from selfheal_tui.errors import InputError
from selfheal_tui.sandbox.base import CaseFinished

from .driving import BUGGY, FIXED, drain, options, shop_task, to_repair

CASE = "test_shop.py::test_discount"


async def test_a_suite_is_tried_over_other_files_and_the_run_stays(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        before = [
            list(await session.timeline()),
            await session.usage(),
            await session._db.rows("select * from program"),
        ]
        events = [event async for event in session.try_suite(asked.checkpoint_id, {"shop.py": FIXED})]
        assert [event.case["outcome"] for event in events if isinstance(event, CaseFinished)] == ["passed", "passed"]
        assert isinstance(events[-1], SuiteTried)
        assert (events[-1].fixes, events[-1].breaks) == ((CASE,), ())
        worse = BUGGY.replace("amount += price", "amount -= price")
        *_, last = [event async for event in session.try_suite(asked.checkpoint_id, {"shop.py": worse})]
        assert isinstance(last, SuiteTried) and last.breaks == ("test_shop.py::test_no_discount",)
        *_, last = [event async for event in session.try_suite(asked.checkpoint_id, {"shop.py": "def total(:\n"})]
        assert isinstance(last, SuiteTried) and last.report["verdict"] == "error"
        after = [
            list(await session.timeline()),
            await session.usage(),
            await session._db.rows("select * from program"),
        ]
        assert after == before
        assert (await to_repair(session, session.resume())).checkpoint_id == asked.checkpoint_id


@pytest.mark.deep
async def test_a_suite_that_is_tried_can_be_cut_off(workbench: Workbench) -> None:
    slow = BUGGY.replace("    amount = 0\n", "    amount = 0\n    while True: pass\n")
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        async with aclosing(session.try_suite(asked.checkpoint_id, {"shop.py": FIXED})) as events:
            assert isinstance(await anext(events), CaseFinished)
        async with aclosing(session.try_suite(asked.checkpoint_id, {"shop.py": slow})) as events:
            assert isinstance(await anext(events), CaseFinished)
        assert isinstance((await session.try_text(asked.checkpoint_id, "total([1], 0)"))["value"], str)


async def _try(workbench: Workbench, *texts: str, changes: dict[str, str] | None = None) -> list[Tried]:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        return [await session.try_text(asked.checkpoint_id, text, changes) for text in texts]


async def test_an_expression_has_a_value_and_needs_no_import(workbench: Workbench) -> None:
    texts = (
        "total([5], 2)",
        "shop.total([5], 2)",
        "x = 3\nprint('a', end='')\nprint('b')\n[total([x], n) for n in (1, 2)]",
    )
    one, two, three = await _try(workbench, *texts)
    assert (one["value"], one["output"], one["error"], one["outcome"]) == ("7", "", "", "passed")
    assert two["value"] == "7"
    assert (three["value"], three["output"]) == ("[4, 5]", "ab\n")
    assert tried_words(three).endswith("on the code is [4, 5], printing ab")
    (fixed,) = await _try(workbench, "total([5], 2)", changes={"shop.py": FIXED})
    assert fixed["value"] == "3"


async def test_what_goes_wrong_is_told_at_its_line(workbench: Workbench) -> None:
    raised, wrong, none, ended, long, path = await _try(
        workbench,
        "\n\ntotal(None, 1)",
        "total([1], 0) ==",
        "x = total([1], 0)",
        "raise SystemExit(3)",
        "'y' * 9000",
        "import pathlib\n__name__, pathlib.Path(__file__).name",
    )
    assert raised["outcome"] == "failed" and raised["error"].startswith("TypeError: ")
    assert "selfheal_try.py:3" in raised["traceback"] and "test_selfheal_try" not in raised["traceback"]
    assert wrong["error"].startswith("SyntaxError") and wrong["value"] is None
    assert (none["value"], none["error"]) == (None, "") and tried_words(none).endswith("ends without an exception")
    assert ended["outcome"] != "passed" and ended["error"] and ended["value"] is None
    assert long["value"] is not None and long["value"].endswith("(cut)") and len(long["value"]) < 4100
    assert path["value"] == "('__main__', 'selfheal_try.py')"


async def test_a_case_is_run_by_its_name(workbench: Workbench) -> None:
    failed, passed = await _try(workbench, "test_discount", "test_shop.py::test_no_discount")
    assert (failed["kind"], failed["text"], failed["outcome"], failed["value"]) == ("case", CASE, "failed", None)
    assert failed["error"] == "assert 22 == 14"
    assert passed["outcome"] == "passed"
    assert tried_words(passed) == "test_shop.py::test_no_discount on the code passed"


@pytest.mark.parametrize("text", ["", " \n", "x" * 20_001])
async def test_nothing_and_too_much_are_refused(workbench: Workbench, text: str) -> None:
    with pytest.raises(InputError):
        await _try(workbench, text)


async def test_hostile_output_is_made_safe(workbench: Workbench) -> None:
    (tried,) = await _try(workbench, "print('\\x1b]0;owned\\x07')\n'\\x9b31m'")
    assert "\x1b" not in tried["output"] and "\x07" not in tried["output"]
    assert tried["value"] == r"'\x9b31m'"


async def test_the_files_in_the_session_stay_as_they_are(workbench: Workbench, tmp_path: Path) -> None:
    code = "import pathlib\npathlib.Path('shop.py').write_text('x')\ntotal([1], 0)"
    assert [tried["value"] for tried in await _try(workbench, code, "total([1], 0)")] == ["1", "1"]


async def test_the_names_that_the_program_imports_are_there_and_no_frame_of_ours_is(workbench: Workbench) -> None:
    program = (
        "import math as m\nfrom decimal import Decimal\nif m.pi < 0:\n    NEVER = 1\n"
        "for SIZE in (1, 2):\n    pass\n\n\n"
        "def broken():\n    return Decimal('no number')\n\n\n" + BUGGY
    )
    texts = ("Decimal('1.5') + SIZE", "m.floor(2.5)", "NEVER", "broken()", "1 +")
    one, two, never, raised, syntax = await _try(workbench, *texts, changes={"shop.py": program})
    assert (one["value"], two["value"]) == ("Decimal('3.5')", "2")
    assert never["error"].startswith("NameError")
    for tried in (never, raised, syntax):
        assert tried["error"] and "selfheal_imports" not in tried["traceback"] and "test_selfheal" not in str(tried)
    assert "shop.py:10 in broken" in raised["traceback"] and "selfheal_try.py:1" in raised["traceback"]
    assert "eval(compile" not in raised["traceback"]
    (at_import,) = await _try(workbench, "total([1], 0)", changes={"shop.py": f"{BUGGY}\nraise ValueError('early')\n"})
    assert "early" in at_import["error"] and "selfheal_imports" not in str(at_import)
    assert "shop.py" in at_import["traceback"]


async def test_what_the_tests_import_needs_no_import_either(workbench: Workbench) -> None:
    task = shop_task()
    tests = "import datetime as dt\nfrom decimal import Decimal as total\n" + task.files["test_shop.py"]
    tests += "\n\ndef day(n):\n    return dt.date(2024, 1, n)\n"
    session_id = await workbench.create(replace(task, files={**task.files, "test_shop.py": tests}), options())
    async with workbench.open_session(session_id) as session:
        asked = (await drain(session.resume()))[-1]
        assert isinstance(asked, ReviewRequested)
        one = await session.try_text(asked.checkpoint_id, "dt.date(2024, 1, 5)")
        two = await session.try_text(asked.checkpoint_id, "total([5], 0)")
        three = await session.try_text(asked.checkpoint_id, "day(3)")
    assert three["value"] == "datetime.date(2024, 1, 3)", "what a test file defines too"
    assert (one["value"], two["value"]) == ("datetime.date(2024, 1, 5)", "5"), "a name of the program wins"


async def test_the_test_functions_of_a_text_are_run(workbench: Workbench) -> None:
    two = "import pytest\n\ndef test_good():\n    assert total([5], 0) == 5\n\n"
    two += "@pytest.mark.parametrize('n', [1])\ndef test_bad(n):\n    print('in')\n    assert total([n], 0) == 7\n"
    both, future, called, none = await _try(
        workbench,
        two,
        "from __future__ import annotations\ndef test_x(): assert total([1], 0) == 1",
        "def test_x(): assert total([1], 0) == 7\ntest_x()",
        "def test_x(missing): pass",
    )
    outcomes = [(case["name"], case["outcome"]) for case in both["cases"]]
    assert outcomes == [("test_good", "passed"), ("test_bad[1]", "failed")]
    assert both["outcome"] == "failed" and "7" in both["error"] and both["output"] == "in\n"
    assert "selfheal_try.py:9 in test_bad" in both["traceback"]
    assert (future["outcome"], future["error"], tried_words(future).endswith("on the code passed")) == (
        "passed",
        "",
        True,
    )
    assert called["error"].startswith("AssertionError") and called["cases"] == []
    assert none["outcome"] == "error" and "missing" in none["error"]


async def test_a_name_of_the_program_wins_over_its_module(workbench: Workbench) -> None:
    changes = {"shop.py": f"{BUGGY}\n\ndef shop():\n    return 3\n"}
    one, raised = await _try(workbench, "shop()", "total(None, 1)", changes=changes)
    assert one["value"] == "3"
    assert raised["error"] not in frames_above(raised) and "shop.py" in frames_above(raised)


async def test_a_helper_of_the_tests_has_what_it_uses_of_the_program(workbench: Workbench) -> None:
    program = (
        "class Order:\n    def __init__(self, n):\n        self.n = n\n\n\ndef fee(order):\n    return order.n + 1\n"
    )
    tests = "from shop import Order, fee\n\n\ndef order(n):\n    return Order(n)\n\n\n"
    tests += "def test_fee():\n    assert fee(order(2)) == 2\n"
    task = Task("fix", "fee", {"shop.py": program, "test_shop.py": tests}, ("shop.py",), ("test_shop.py",))
    session_id = await workbench.create(task, options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        assert (await session.try_text(asked.checkpoint_id, "fee(order(2))"))["value"] == "3"
