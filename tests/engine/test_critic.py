"""The critic: what the sandbox confirms becomes a case, all else is an opinion, and nothing it does ends a run."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from selfheal_tui.engine.loop.nodes.critique import critique
from selfheal_tui.engine.loop.nodes.run_suite import run_suite
from selfheal_tui.engine.moment.state import default_policy
from selfheal_tui.engine.session.workbench import RunOptions, Workbench, default_limits
from selfheal_tui.sandbox.base import CaseFinished, Limits, Sandbox, Suite, SuiteFinished

from .driving import BUGGY, DIAGNOSIS, FIXED, TESTS, options, repair_reply, script, shop_task, to_end
from .moments import open_moment

WORDS = "Sum the prices, less the discount."
ONLY_ZERO = TESTS.partition("\n\ndef test_discount")[0]
"""A suite that the buggy program passes."""
CASE = "def test_discount_is_taken_off():\n    assert total([5], 2) == 3\n"


def reply(test: str = CASE, basis: str = WORDS, **more: Any) -> dict[str, Any]:
    answer = {"verdict": "object", "summary": "The discount is added.", "basis": basis, "test": test, "untried": []}
    return {"role": "critic", "reply": answer | more}


def asking(model: str, **policy: Any) -> RunOptions:
    return RunOptions("full_auto", {"*": "search", "critic": model}, default_limits(), {**default_policy(), **policy})


async def test_a_confirmed_objection_becomes_a_case(workbench: Workbench, tmp_path: Path) -> None:
    model = script(tmp_path / "m.yaml", reply(untried=["a discount above zero"]))
    async with open_moment(workbench, shop_task(BUGGY, ONLY_ZERO), asking(model, critic="on")) as moment:
        assert moment.state["green"]
        update = await moment.after(critique)
        assert update["green"] is False and "opinions" not in update and update["spent"]["calls"] == 1
        objection = await moment.body(update["objection_ref"])
        assert objection["confirmed"] and objection["why"] == "assert 7 == 3" and objection["by"] == model
        assert objection["untried"] == ["a discount above zero"] and objection["unexercised"] == {}
        files = await moment.body(update["suites"]["critic"])
        assert list(files) == ["test_critic.py"]
        assert files["test_critic.py"].splitlines()[:3] == [
            "# Objection of iteration 0: The discount is added.",
            f'# It goes by: "{WORDS}"',
            "from shop import total",
        ]
        assert not (await moment.after(run_suite))["green"]
        report = await moment.body(moment.state["report_ref"])
        failed = [case["id"] for case in report["cases"] if case["outcome"] == "failed"]
        assert failed == ["test_critic.py::test_discount_is_taken_off"]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (reply("def test_zero():\n    assert total([5], 0) == 5\n"), "the program passes its counter-example"),
        (reply(""), "it has no counter-example"),
        (reply("def test_a():\n    assert totl([5], 2) == 3 and total\n"), "a mistake of its own: NameError"),
        (reply("def test_a():\n    assert total([5]) == 3\n"), "a mistake of its own: TypeError"),
        (reply(f"from shop import sum_all\n{CASE}"), "cannot be run: ImportError"),
        (reply("def test_a(:\n"), "does not parse"),
        (reply("def test_a(nothing):\n    assert total([5], 2) == 3\n"), "a mistake of its own"),
        (reply("from shop import total\ndef test_a():\n    while True:\n        pass\n"), "ran out of time"),
        (reply(basis="Prices are never negative."), "neither the specification nor"),
        (reply(basis="return amount + discount"), "neither the specification nor"),
        (
            reply("def test_a():\n    import os\n    n = len(os.listdir())\n    assert total([n], 0) == n\n"),
            "the program passes",
        ),
    ],
)
async def test_what_is_not_confirmed_is_an_opinion(
    workbench: Workbench, tmp_path: Path, answer: dict[str, Any], why: str
) -> None:
    task = shop_task(BUGGY, ONLY_ZERO)
    async with open_moment(workbench, task, asking(script(tmp_path / "m.yaml", answer), critic="on")) as moment:
        moment.deps.suite_limits = Limits(case_time_s=1.0)
        update = await moment.after(critique)
        assert "suites" not in update and "green" not in update
        objection = await moment.body(update["objection_ref"])
        assert objection["verdict"] == "object" and not objection["confirmed"] and why in objection["why"]
        assert update["opinions"] == [f"The discount is added ({objection['why']})."]
        await moment.after(critique)
        assert len(moment.state["opinions"]) == 1


@pytest.mark.parametrize(
    "test",
    [
        "def test_a():\n    total(None, 2)\n",
        "import pytest\nimport shop\ndef test_a():\n    with pytest.raises(ValueError):\n        shop.total([1], 1)\n",
        "import pytest\n@pytest.mark.parametrize('n', [0, 1])\ndef test_a(n):\n    assert total([5], n) == 5 - n\n",
        "class TestTotal:\n    def test_a(self):\n        assert total([5], 2) == 3\n",
    ],
)
async def test_ways_to_fail(workbench: Workbench, tmp_path: Path, test: str) -> None:
    model = script(tmp_path / "m.yaml", reply(test))
    async with open_moment(workbench, shop_task(BUGGY, ONLY_ZERO), asking(model, critic="on")) as moment:
        update = await moment.after(critique)
        assert (await moment.body(update["objection_ref"]))["confirmed"], await moment.body(update["objection_ref"])


async def test_a_counter_example_against_the_examples_is_refused(workbench: Workbench, tmp_path: Path) -> None:
    spec = "Sum the prices, less the discount.\n\n    >>> total([5], 2)\n    3\n"
    model = script(tmp_path / "m.yaml", reply(CASE.replace("== 3", "== 7"), spec))
    task = replace(shop_task(FIXED, ONLY_ZERO), spec=spec)
    async with open_moment(workbench, task, asking(model, critic="on")) as moment:
        update = await moment.after(critique)
        objection = await moment.body(update["objection_ref"])
        assert not objection["confirmed"] and "expects" in objection["why"] and "suites" not in update
        assert objection["why"] in update["opinions"][0]


async def test_a_program_that_never_ends_is_to_blame(workbench: Workbench, tmp_path: Path) -> None:
    program = BUGGY.replace("    amount = 0\n", "    amount = 0\n    while discount > 9:\n        pass\n")
    model = script(tmp_path / "m.yaml", reply("def test_a():\n    assert total([50], 10) == 40\n"))
    async with open_moment(workbench, shop_task(program, ONLY_ZERO), asking(model, critic="on")) as moment:
        moment.deps.suite_limits = Limits(case_time_s=1.0)
        assert (await moment.body((await moment.after(critique))["objection_ref"]))["confirmed"]


class Moody:
    """A sandbox in which the program is right from the third run on."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox, self._runs = sandbox, 0

    def run(self, suite: Suite) -> AsyncGenerator[CaseFinished | SuiteFinished, None]:
        self._runs += 1
        return self._sandbox.run(replace(suite, files={**suite.files, "shop.py": FIXED}) if self._runs > 2 else suite)


async def test_what_fails_only_once_is_not_confirmed(workbench: Workbench, tmp_path: Path) -> None:
    model = script(tmp_path / "m.yaml", reply())
    async with open_moment(workbench, shop_task(BUGGY, ONLY_ZERO), asking(model, critic="on")) as moment:
        moment.deps.sandbox = cast(Sandbox, Moody(moment.deps.sandbox))
        objection = await moment.body((await moment.after(critique))["objection_ref"])
        assert objection["why"] == "the program passes its counter-example, the second time"


async def test_one_confirmed_objection_per_iteration(workbench: Workbench, tmp_path: Path) -> None:
    again = "def test_other():\n    assert total([9], 2) == 7\n"
    model = script(
        tmp_path / "m.yaml", {"role": "critic", "when": "test_discount_is_taken_off", **reply(again)}, reply()
    )
    async with open_moment(workbench, shop_task(BUGGY, ONLY_ZERO), asking(model, critic="on")) as moment:
        await moment.after(critique)
        update = await moment.after(critique, green=True)
        assert "green" not in update and update["spent"]["calls"] == 0 and not moment.notices
        update = await moment.after(critique, green=True, iteration=1)
        files = await moment.body(update["suites"]["critic"])
        assert list(files) == ["test_critic.py", "test_critic_2.py"] and "test_other" in files["test_critic_2.py"]


async def test_without_a_model_the_figures_are_shown(workbench: Workbench) -> None:
    program = BUGGY.replace("    amount = 0\n", "    if discount > 9:\n        return 0\n    amount = 0\n")
    async with open_moment(workbench, shop_task(program, ONLY_ZERO), asking("search", critic="on")) as moment:
        update = await moment.after(critique)
        objection = await moment.body(update["objection_ref"])
        assert (objection["verdict"], objection["by"]) == ("approve", "search")
        assert objection["unexercised"] == {"shop.py": [4]} and objection["summary"] == "No case ran line 4 of shop.py."
        assert "green" not in update and "opinions" not in update and update["spent"]["calls"] == 0


@pytest.mark.parametrize(
    ("entry", "words", "calls"),
    [
        ({"role": "critic", "error": "overloaded"}, "overloaded", 0),
        ({"role": "critic", "reply": "no idea"}, "could not be read", 2),
    ],
)
async def test_a_critic_that_fails_is_left_out(
    workbench: Workbench, tmp_path: Path, entry: dict[str, Any], words: str, calls: int
) -> None:
    model = script(tmp_path / "m.yaml", entry)
    async with open_moment(workbench, shop_task(BUGGY, ONLY_ZERO), asking(model, critic="on")) as moment:
        update = await moment.after(critique)
        assert len(moment.notices) == 1 and words in moment.notices[0]
        assert update["spent"]["calls"] == calls and "green" not in update
        assert (await moment.body(update["objection_ref"]))["by"] == "search"


async def test_a_recorded_reply_or_none(workbench: Workbench, tmp_path: Path) -> None:
    model = script(tmp_path / "m.yaml", reply(verdict="approve", test="", basis=""))
    async with open_moment(workbench, shop_task(FIXED, TESTS), asking(model, critic="on")) as moment:
        moment.deps.replay_only = True
        update = await moment.after(critique)
        assert "new calls are forbidden" in moment.notices[0] and update["spent"]["calls"] == 0
        moment.deps.replay_only = False
        assert (await moment.after(critique))["spent"]["calls"] == 1
        moment.deps.replay_only = True
        update = await moment.after(critique)
        assert update["spent"]["replayed_calls"] == 1
        assert (await moment.body(update["objection_ref"]))["verdict"] == "approve"


async def test_without_a_budget_nobody_is_asked(workbench: Workbench, tmp_path: Path) -> None:
    model = script(tmp_path / "m.yaml", reply())
    async with open_moment(workbench, shop_task(BUGGY, ONLY_ZERO), asking(model, critic="on")) as moment:
        spent = {**moment.state["spent"], "calls": 3}
        update = await moment.after(critique, limits={**default_limits(), "max_calls": 3}, spent=spent)
        assert "was not asked" in moment.notices[0] and update["spent"]["calls"] == 0


async def test_when_the_critic_reads(workbench: Workbench) -> None:
    async with open_moment(workbench, shop_task(FIXED), asking("search")) as moment:
        for wanted, mode, iteration, reads in [
            ("off", "spec", 2, False),
            ("auto", "fix", 0, False),
            ("auto", "fix", 1, True),
            ("auto", "spec", 0, True),
            ("on", "fix", 0, True),
        ]:
            policy = {**default_policy(), "critic": wanted}
            update = await moment.after(critique, mode=mode, iteration=iteration, policy=policy)
            assert bool(update["objection_ref"]) is reads, (wanted, mode, iteration)


async def test_the_loop_mends_what_the_critic_found(workbench: Workbench, tmp_path: Path) -> None:
    model = script(
        tmp_path / "m.yaml",
        {"role": "debugger", "when": "test_discount_is_taken_off", "reply": DIAGNOSIS},
        {"role": "repairer", "reply": repair_reply(FIXED)},
        {
            "role": "critic",
            "when": "amount - discount",
            "reply": reply(verdict="approve", summary="It is right.")["reply"],
        },
        reply(),
    )
    run = options(model, "full_auto")
    policy = {**default_policy(), "critic": "on", "debug_steps": 0}
    session_id = await workbench.create(
        shop_task(BUGGY, ONLY_ZERO),
        RunOptions(run.autonomy, run.models, run.limits, policy),  # type: ignore[arg-type]
    )
    async with workbench.open_session(session_id) as session:
        ended = (await to_end(session.resume())).snapshot
    assert ended.outcome == "healed" and ended.program == {"shop.py": FIXED} and ended.iteration == 1
    assert "test_critic.py" in ended.tests and ended.report is not None and ended.report["passed"] == 2
    assert ended.objection is not None and ended.objection["summary"] == "It is right."
