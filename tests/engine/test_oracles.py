"""Several oracles over one program: examples, spec tests, adversarial tests; wrong tests; the user's hand on them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.events import CallFinished, Noticed, RunFailed
from selfheal_tui.engine.moment.origins import suite_of
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import load_task
from selfheal_tui.errors import InputError

from .driving import DIAGNOSIS, drain, options, script, shop_task, to_end, to_failure, to_repair, to_review
from .test_questions import fee_task

SPEC = "Write double(x): twice x.\n\n>>> double(2)\n4\n\ndouble(-1) == -2"
RIGHT, WRONG = "def double(x):\n    return 2 * x\n", "def double(x):\n    return x + 2\n"
HEAD = "import pytest\nfrom solution import double\n"


def case(name: str, body: str, argument: str = "") -> str:
    """Return one test function as text."""
    return f"\n\ndef {name}({argument}):\n    {body}\n"


GOOD = case("test_three", "assert double(3) == 6")
LIAR = case("test_two", "assert double(2) == 5")
WRONG_TEST = case("test_ten", "assert double(10) == 21")
ROWS = '\n\n@pytest.mark.parametrize("x, want", [(5, 10), (6, 13), (7, 14)])' + case(
    "test_rows", "assert double(x) == want", "x, want"
).removeprefix("\n")


def spec_script(path: Path, tests: Any, *more: dict[str, Any], code: str = RIGHT) -> str:
    """Return a model that writes these tests for SPEC, this code, and answers `more`."""
    first = tests if isinstance(tests, list) else [{"role": "spec_tester", "reply": {"tests": tests}}]
    return script(path / "m.yaml", *first, {"role": "generator", "reply": {"code": code}}, *more)


def repaired(path: str, text: str, **more: Any) -> dict[str, Any]:
    """Return a repairer's entry that rewrites one file."""
    reply = {"summary": "Set it right.", "files": [{"path": path, "text": text}]}
    return {"role": "repairer", "reply": reply, **more}


def adversary(tests: str) -> dict[str, Any]:
    """Return an adversary's entry."""
    return {"role": "adversary", "reply": {"tests": tests}}


NO_ADVERSARY = {"role": "adversary", "error": "out of order"}
NO_CRITIC = {"role": "critic", "error": "out of order"}


async def test_every_suite_judges_and_what_is_wrong_never_gets_in(workbench: Workbench, tmp_path: Path) -> None:
    attacks = (
        HEAD
        + case("test_text", "assert double('ab') == 'abab'")
        + case("test_minus_one", "assert double(-1) == 2")
        + case("test_mocked", "assert mocker", "mocker")
    )
    model = spec_script(
        tmp_path,
        HEAD + GOOD + LIAR,
        adversary(attacks),
        {"role": "debugger", "when": "(suite adversarial)", "reply": DIAGNOSIS},
        repaired("solution.py", RIGHT),
        NO_CRITIC,
        code=WRONG,
    )
    session_id = await workbench.create(load_task([], [], SPEC, []), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        events = await drain(session.resume())
    snapshot = events[-1].snapshot  # type: ignore[union-attr]
    assert (snapshot.outcome, snapshot.program) == ("healed", {"solution.py": RIGHT})
    assert snapshot.origins == {
        "test_examples.py": "examples",
        "test_solution.py": "spec",
        "test_adversarial.py": "adversarial",
    }
    assert {c["id"]: suite_of(c["id"], snapshot.origins) for c in snapshot.report["cases"]} == {
        "test_examples.py::test_double_2": "examples",
        "test_examples.py::test_double_minus_1": "examples",
        "test_solution.py::test_three": "spec",
        "test_adversarial.py::test_text": "adversarial",
    }
    out = snapshot.thrown_out
    assert len(out) == 3 and "the specification says >>> double(2) 4" in out[0]
    assert "the specification says double(-1) == -2" in out[1] and "fixture 'mocker' not found" in out[2]
    assert set(out) <= {event.text for event in events if isinstance(event, Noticed)}


async def test_an_example_behind_a_full_stop_throws_a_wrong_case_out(workbench: Workbench, tmp_path: Path) -> None:
    """Without it the right program would be rehearsed against the wrong case until the iterations are gone."""
    attacks = HEAD + case("test_five", "assert double(5) == 11") + case("test_zero", "assert double(0) == 0")
    model = spec_script(tmp_path, HEAD + GOOD, adversary(attacks), NO_CRITIC)
    spec = "Write double(x), which gives the number times two. double(5) == 10"
    session_id = await workbench.create(load_task([], [], spec, []), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
    assert (ended.snapshot.outcome, ended.snapshot.iteration) == ("healed", 0)
    assert "test_five" not in ended.snapshot.tests["test_adversarial.py"]
    assert "the specification says double(5) == 10" in " ".join(ended.snapshot.thrown_out)


async def test_every_suite_is_reviewed_and_a_reason_reaches_the_next_attempt(
    workbench: Workbench, tmp_path: Path
) -> None:
    model = spec_script(
        tmp_path,
        [
            {"role": "spec_tester", "when": "too few", "reply": {"tests": HEAD + GOOD}},
            {"role": "spec_tester", "reply": {"tests": HEAD + case("test_one", "assert double(1) == 2")}},
        ],
        {"role": "adversary", "when": "no text", "reply": {"tests": HEAD + case("test_zero", "assert double(0) == 0")}},
        adversary(HEAD + case("test_text", "assert double('a') == 'aa'")),
        NO_CRITIC,
    )
    session_id = await workbench.create(load_task([], [], SPEC, []), options(model, "review_all"))
    kinds = []
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        for answer in [review.reject("too few"), *[review.approve()] * 2, review.reject("no text"), review.approve()]:
            kinds.append((asked.kind, asked.snapshot.written if asked.kind == "tests" else ""))
            asked = await to_review(session.decide(asked.checkpoint_id, answer))
    assert kinds == [("tests", "spec"), ("tests", "spec"), ("code", ""), *[("tests", "adversarial")] * 2]
    assert asked.kind == "end"
    assert "test_three" in asked.snapshot.tests["test_solution.py"]
    assert "test_zero" in asked.snapshot.tests["test_adversarial.py"]


@pytest.mark.parametrize("reply", ["def test_a(:\n    pass", "VALUE = 3"])
async def test_without_readable_tests_the_examples_judge_alone(
    workbench: Workbench, tmp_path: Path, reply: str
) -> None:
    model = spec_script(tmp_path, reply, NO_ADVERSARY, NO_CRITIC)
    session_id = await workbench.create(load_task([], [], SPEC, []), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        events = await drain(session.resume())
    snapshot = events[-1].snapshot  # type: ignore[union-attr]
    assert (snapshot.outcome, set(snapshot.origins.values())) == ("healed", {"examples"})
    said = " ".join(event.text for event in events if isinstance(event, Noticed))
    assert "examples of the specification judge alone" in said and "No adversarial tests" in said
    assert [event.role for event in events if isinstance(event, CallFinished)].count("spec_tester") == 2


async def test_without_examples_either_the_error_stands(workbench: Workbench, tmp_path: Path) -> None:
    model = spec_script(tmp_path, "def test_a(:\n    pass")
    session_id = await workbench.create(load_task([], [], "Write double(x).", []), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        failed = await to_failure(session.resume())
    assert isinstance(failed, RunFailed) and "does not parse, line 1" in failed.error.message


async def test_attacks_that_cannot_be_collected_go_one_by_one(workbench: Workbench, tmp_path: Path) -> None:
    broken = '\n\n@pytest.mark.parametrize("x, y", [(1,)])' + case("test_rows", "pass", "x, y").removeprefix("\n")
    model = spec_script(
        tmp_path, HEAD + GOOD, adversary(HEAD + broken + case("test_ok", "assert double(0) == 0")), NO_CRITIC
    )
    session_id = await workbench.create(load_task([], [], SPEC, []), options(model, "full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
    assert ended.snapshot.outcome == "healed" and "test_ok" in ended.snapshot.tests["test_adversarial.py"]
    (why,) = ended.snapshot.thrown_out
    assert why.startswith("test_rows was thrown out, pytest cannot run it:")


async def test_users_tests_outrank_the_adversary(workbench: Workbench, tmp_path: Path) -> None:
    cases = case("test_a", "assert total([7, 2, 9], 4) == 22") + case("test_b", "assert total([], 0) == 0")
    attacks = "from shop import total\n" + cases
    model = script(tmp_path / "m.yaml", adversary(attacks), NO_CRITIC)
    given = options(model, "full_auto")
    given = type(given)(given.autonomy, given.models, given.limits, {**given.policy, "adversary": "on"})
    task = shop_task("def total(prices, discount):\n    return sum(prices) - discount\n")
    session_id = await workbench.create(task, given)
    async with workbench.open_session(session_id) as session:
        ended = await to_end(session.resume())
    assert ended.snapshot.outcome == "nothing_to_heal"
    ids = [c["id"] for c in ended.snapshot.report["cases"]]  # type: ignore[index]
    assert ids[-1] == "test_adversarial.py::test_b" and "test_adversarial.py::test_a" not in ids


async def test_wrong_generated_test_is_mended_as_a_test(workbench: Workbench, tmp_path: Path) -> None:
    at_fault = DIAGNOSIS | {"fault": "test", "cause": "Twice ten is twenty.", "evidence": []}
    model = spec_script(
        tmp_path,
        HEAD + GOOD + WRONG_TEST,
        NO_ADVERSARY,
        {"role": "debugger", "reply": at_fault},
        repaired("test_solution.py", HEAD + GOOD + WRONG_TEST.replace("21", "20"), when="a generated test is wrong"),
        NO_CRITIC,
    )
    session_id = await workbench.create(load_task([], [], SPEC, []), options(model, "review_repairs"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        asked = await to_review(session.decide(asked.checkpoint_id, review.approve()))
        repair = asked.snapshot.candidates["1"]
        assert repair.get("of_test") and "+    assert double(10) == 20" in repair["diff"]
        ended = await to_end(session.decide(asked.checkpoint_id, review.approve()))
        assert (ended.snapshot.outcome, ended.snapshot.program) == ("healed", {"solution.py": RIGHT})
        assert "== 20" in ended.snapshot.tests["test_solution.py"]
        # Pinned before: no repair may touch it.
        diagnosed = next(c.id for c in await session.timeline() if c.next == ("review_diagnosis",))
        pin = {"pin": "test_solution.py::test_ten", "autonomy": "full_auto", "max_iterations": 1}
        ended = await to_end(session.fork(diagnosed, pin))
    assert ended.snapshot.outcome == "gave_up" and "== 21" in ended.snapshot.tests["test_solution.py"]
    assert "changes the pinned case test_solution.py::test_ten" in ended.snapshot.reason


async def test_cases_are_dropped_changed_and_pinned_by_hand(workbench: Workbench, tmp_path: Path) -> None:
    model = spec_script(
        tmp_path, HEAD + GOOD + WRONG_TEST + ROWS, NO_ADVERSARY, {"role": "debugger", "reply": DIAGNOSIS}, NO_CRITIC
    )
    session_id = await workbench.create(load_task([], [], SPEC, []), options(model, "review_repairs"))
    ten, row = "test_solution.py::test_ten", "test_solution.py::test_rows[6-13]"
    async with workbench.open_session(session_id) as session:
        at = (await to_review(session.resume())).checkpoint_id
        ended = await to_end(session.fork(at, {"drop": [ten, row]}, "dropped"))
        assert (ended.snapshot.outcome, ended.snapshot.iteration) == ("healed", 0)
        ids = [c["id"] for c in ended.snapshot.report["cases"]]  # type: ignore[index]
        assert ids[-3:] == [
            "test_solution.py::test_three",
            "test_solution.py::test_rows[5-10]",
            "test_solution.py::test_rows[7-14]",
        ]
        ended = await to_end(session.fork(at, {"tests": {"test_solution.py": HEAD + GOOD}}, "changed"))
        assert ended.snapshot.outcome == "healed" and ended.snapshot.tests["test_solution.py"] == HEAD + GOOD
        asked = await to_review(session.fork(at, {"pin": ten}, "pinned"))
        assert (asked.kind, asked.snapshot.pinned) == ("diagnosis", (ten,))
        asked = await to_review(session.fork(asked.checkpoint_id, {"unpin": ten}, "unpinned"))
        assert asked.snapshot.pinned == ()
        for changes, words in [
            ({"drop": "test_solution.py::test_tem"}, "no case 'test_solution.py::test_tem'"),
            ({"drop": "solution.py::test_ten"}, "no generated test file 'solution.py'"),
            ({"drop": "test_solution.py::test_rows[9]"}, "cannot be dropped alone"),
            ({"tests": {"test_solution.py": "def ("}}, "does not parse"),
            ({"unpin": ten}, "is not pinned here"),
        ]:
            with pytest.raises(InputError, match=words.replace("[", r"\[")):
                await drain(session.fork(at, changes))
        assert (await session.timeline()).branches["main"].outcome == "waiting"


async def test_a_case_is_dropped_before_the_first_run(workbench: Workbench, tmp_path: Path) -> None:
    model = spec_script(tmp_path, HEAD + GOOD + WRONG_TEST, NO_ADVERSARY, NO_CRITIC)
    session_id = await workbench.create(load_task([], [], SPEC, []), options(model, "review_all"))
    async with workbench.open_session(session_id) as session:
        at = (await to_review(session.resume())).checkpoint_id
        asked = await to_review(session.fork(at, {"drop": "test_solution.py::test_ten"}))
        assert asked.kind == "tests" and "test_ten" not in asked.snapshot.suite_files["test_solution.py"]
        asked = await to_review(session.decide(asked.checkpoint_id, review.approve()))
        assert asked.kind == "code"
        ended = await to_end(session.fork(at, {"drop": "test_solution.py::test_ten", "autonomy": "full_auto"}))
        assert ended.snapshot.outcome == "healed"


async def test_users_own_tests_are_refused(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(), options())
    async with workbench.open_session(session_id) as session:
        at = (await to_review(session.resume())).checkpoint_id
        for changes in (
            {"drop": "test_shop.py::test_discount"},
            {"pin": "test_shop.py::test_discount"},
            {"tests": {"test_shop.py": ""}},
        ):
            with pytest.raises(InputError, match=r"test_shop.py holds your own tests: no run changes them"):
                await drain(session.fork(at, changes))


async def test_cases_that_a_model_writes_before_the_search_judge_its_repairs(
    workbench: Workbench, tmp_path: Path
) -> None:
    text = "from fee import fee\n" + case("test_eight", "assert fee(8) == 16")
    model = script(tmp_path / "m.yaml", {"role": "adversary", "reply": {"tests": text}})
    given = options()
    given = replace(given, models={"*": "search", "adversary": model}, policy={**given.policy, "adversary": "on"})
    session_id = await workbench.create(fee_task(), given)
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        nodes = [checkpoint.node for checkpoint in await session.timeline()]
    assert nodes.index("write_adversarial_tests") < nodes.index("run_suite") < nodes.index("diagnose")
    first = asked.snapshot.candidates["1"]
    assert first["by"] == "search" and first["report"]["verdict"] == "passed"
    assert any(one["id"].endswith("::test_eight") for one in first["report"]["cases"])
