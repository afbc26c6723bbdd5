"""Programs whose tests can be passed by coincidence: none of these repairs is taken where nobody looks."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.cli.decide import pending_checkpoint
from selfheal_tui.cli.result import build_result
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.engine.workshop.role_context import RoleContext
from selfheal_tui.errors import InputError
from selfheal_tui.sandbox.base import Suite, SuiteReport, run_through
from tests.warm import WarmSandbox

from .driving import (
    ANSWERS,
    BUGGY,
    DIAGNOSIS,
    FIXED,
    drain,
    options,
    repair_reply,
    script,
    shop_task,
    to_end,
    to_repair,
    to_review,
)

DATA = Path(__file__).parent / "data" / "coincidences"
NAMES = sorted(path.name for path in DATA.iterdir() if path.is_dir())


def task(name: str) -> Task:
    files = {path.name: path.read_text("utf-8") for path in sorted((DATA / name).glob("*.py"))}
    del files["held_out.py"]
    tests = tuple(path for path in files if path.startswith("test_"))
    return Task("fix", name, files, tuple(path for path in files if path not in tests), tests)


async def held_out(name: str, program: dict[str, str]) -> SuiteReport:
    """Judge a program by tests that no search has seen."""
    files = {**program, "test_held_out.py": (DATA / name / "held_out.py").read_text("utf-8")}
    sandbox = WarmSandbox()
    try:
        return (await run_through(sandbox, Suite(files, ("test_held_out.py",), tuple(program)))).report
    finally:
        await sandbox.aclose()


@pytest.fixture
def short_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a search of a program whose tests are slow end after what it finds in 8 s, not after a minute."""
    monkeypatch.setattr(RoleContext, "search_time_s", 8.0)


@pytest.mark.deep
@pytest.mark.usefixtures("short_search")
@pytest.mark.parametrize("name", NAMES)
async def test_the_right_repair_is_shown_and_no_coincidence_is_taken_unseen(name: str, workbench: Workbench) -> None:
    session_id = await workbench.create(task(name), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        # From the diagnosis on: the search that it was made from is used again.
        diagnosed = next(c.id for c in await session.timeline() if c.node == "diagnose")
        ended = (await to_end(session.fork(diagnosed, {"autonomy": "full_auto"}))).snapshot
    candidates = asked.snapshot.candidates
    right = []
    for label, repair in candidates.items():
        program = {**asked.snapshot.program, **repair["changes"]}
        if (await held_out(name, program))["verdict"] == "passed":
            right.append(label)
    assert right, [repair["summary"] for repair in candidates.values()]
    if name == "lru":
        wrong = {label: repair for label, repair in candidates.items() if label not in right}
        assert wrong
        assert all(repair.get("marks") for repair in wrong.values())
    if ended.outcome == "healed":
        assert (await held_out(name, dict(ended.program)))["verdict"] == "passed", ended.records
    else:
        assert ended.outcome == "gave_up"
        assert ended.candidates
        assert "ready for you to decide" in ended.reason


AGES = """def is_adult(age):
    return age > 18


def is_old(age):
    return age > 65
"""
AGES_TESTS = """from ages import is_adult, is_old


def test_adult():
    assert is_adult(18) and not is_adult(17)


def test_old():
    assert is_old(65) and not is_old(64)
"""


async def test_candidates_are_taken_together(workbench: Workbench, tmp_path: Path) -> None:

    adult, old = AGES.replace("> 18", ">= 18"), AGES.replace("> 65", ">= 65")
    diagnosis = {**DIAGNOSIS, "evidence": [{"file": "ages.py", "line": 2, "why": "age > 18"}]}
    replies = [
        {"role": "debugger", "reply": diagnosis},
        *(
            {
                "role": "repairer",
                "when": [words],
                "reply": {"summary": name, "files": [{"path": "ages.py", "text": new}]},
            }
            for words, name, new in (("smallest change", "Adults.", adult), ("anew", "The old.", old))
        ),
    ]
    both = Task("fix", "ages", {"ages.py": AGES, "test_ages.py": AGES_TESTS}, ("ages.py",), ("test_ages.py",))
    wanted = options(script(tmp_path / "script.yaml", *replies))
    wanted.policy.update({"strategies": ["minimal", "rewrite"], "near_miss_s": 0.0})
    session_id = await workbench.create(both, wanted)
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        assert {repair["summary"] for repair in asked.snapshot.candidates.values()} == {"Adults.", "The old."}
        with pytest.raises(InputError, match="no candidate '7'"):
            await drain(session.decide(asked.checkpoint_id, {**review.approve(), "together": ["1", "7"]}))
        ended = await to_end(session.decide(asked.checkpoint_id, {**review.approve(), "together": ["1", "2"]}))
        assert ended.snapshot.outcome == "healed"
        assert ended.snapshot.iteration == 1
        assert ended.snapshot.program["ages.py"] == adult.replace("> 65", ">= 65")
        decided = next(c.decision for c in await session.timeline() if c.node == "review_repair")
        assert decided is not None and decided["together"] == "1, 2"
        assert any(c.gist.startswith("took 1 + 2: ") for c in await session.timeline())


async def test_what_full_autonomy_leaves_can_be_answered(workbench: Workbench, tmp_path: Path) -> None:
    special = BUGGY.replace("    return", "    if prices == [7, 2, 9]:\n        return 14\n    return")
    model = script(tmp_path / "script.yaml", ANSWERS[0], {"role": "repairer", "reply": repair_reply(special)})
    wanted = options(model, autonomy="full_auto")
    session_id = await workbench.create(shop_task(), wanted)
    async with workbench.open_session(session_id) as session:
        ended = (await to_end(session.resume())).snapshot
        assert ended.outcome == "gave_up"
        assert "a case of its own: `prices == [7, 2, 9]`" in ended.reason
        assert ended.program["shop.py"] == BUGGY
        question = pending_checkpoint(await session.timeline(), session_id)
        taken = (await to_end(session.decide(question, review.approve()))).snapshot
        assert taken.program["shop.py"] == special
        with pytest.raises(InputError, match="No decision waits"):
            pending_checkpoint(await session.timeline(), session_id)


async def test_what_full_autonomy_takes_says_its_doubts(workbench: Workbench, tmp_path: Path) -> None:
    early = FIXED.replace("    return", "    if len(prices) > 7:\n        return 0\n    return")
    model = script(tmp_path / "script.yaml", ANSWERS[0], {"role": "repairer", "reply": repair_reply(early)})
    session_id = await workbench.create(shop_task(), options(model, autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = (await to_end(session.resume())).snapshot
        assert ended.outcome == "healed"
        (doubt,) = ended.doubts
        assert doubt.startswith("Nobody looked at this repair: ")
        assert doubt.endswith("It writes a value of the tests into the program: `7`.")
        assert doubt in ended.reason
        assert {"call": "", "values": [], "why": doubt} in build_result(ended, session_id)["doubts"]


async def test_what_follows_a_part_that_a_person_took_is_taken_only_where_the_search_is_sure(
    workbench: Workbench,
) -> None:
    program = "def pick(a, b, c, d):\n    return a\n\n\ndef last(items):\n    return items[0]\n"
    tests = (
        "from geo import last, pick\n\n\ndef test_pick():\n    assert pick(1, 2, 2, 2) == 2\n\n\n"
        "def test_last():\n    assert last([1, 2]) == 2\n"
    )
    task = Task("fix", "geo", {"geo.py": program, "test_geo.py": tests}, ("geo.py",), ("test_geo.py",))
    session_id = await workbench.create(task, options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        part = program.replace("items[0]", "items[-1]")
        asked = await to_review(session.decide(asked.checkpoint_id, review.edit({"changes": {"geo.py": part}})))
        ended = (await to_end(session.fork(asked.checkpoint_id, {"autonomy": "full_auto"}))).snapshot
    assert ended.outcome == "gave_up" and ended.program["geo.py"] == part
    assert ended.reason.startswith(
        "No repair was sure enough to be taken unseen; candidate 1 is ready for you to decide"
    )
    assert ended.candidates


async def test_what_a_person_takes_has_no_such_doubts(workbench: Workbench, tmp_path: Path) -> None:
    early = FIXED.replace("    return", "    if len(prices) > 7:\n        return 0\n    return")
    model = script(tmp_path / "script.yaml", ANSWERS[0], {"role": "repairer", "reply": repair_reply(early)})
    session_id = await workbench.create(shop_task(), options(model))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        ended = (await to_end(session.decide(asked.checkpoint_id, review.approve()))).snapshot
    assert ended.outcome == "healed" and ended.doubts == ()


async def test_the_end_says_how_sure_the_search_was_of_what_a_person_took(workbench: Workbench) -> None:
    program = "def area(a, b):\n    a = a + 1\n    return a * b\n"
    tests = "from area import area\n\n\ndef test_two():\n    assert area(2, 3) == 6\n"
    files = {"area.py": program, "notes.py": "VERSION = 1\n", "test_area.py": tests}
    task = Task("fix", "area", files, ("area.py", "notes.py"), ("test_area.py",))
    session_id = await workbench.create(task, options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        first, *_ = asked.snapshot.candidates.values()
        sure = f"only {100 * first['confidence']:.0f}% sure"
        ended = (await to_end(session.decide(asked.checkpoint_id, review.approve()))).snapshot
        (doubt,) = ended.doubts
        assert doubt.startswith(f"You approved this repair of area.py: {first['summary']}. The search is {sure} of it.")
        assert doubt in ended.reason
        assert {"call": "", "values": [], "why": doubt} in build_result(ended, session_id)["doubts"]
        other = (await to_end(session.decide(asked.checkpoint_id, review.approve("2")))).snapshot
        assert "holds another repair beside it for likelier, and is " + sure in " ".join(other.doubts)
        text = first["changes"]["area.py"]
        own = {"changes": {"area.py": f"# mine\n{text}"}}
        same = (await to_end(session.decide(asked.checkpoint_id, review.edit(own)))).snapshot
        assert same.doubts == (doubt,) and same.unsettled == ended.unsettled, "a comment answers no doubt"
        for code in ({"area.py": f"# mine\n{text}"}, {"notes.py": "VERSION = 1\n# mine\n"}):
            forked = (await to_end(session.fork(ended.checkpoint_id, {"code": code, "critic": "off"}))).snapshot
            assert forked.doubts == (doubt,), "what was repaired stands as it was"
            assert forked.reason.startswith("The only case passes after 1 repair and with the code that was set.")
        mine = {"area.py": program.replace("a = a + 1", "a = int(a)")}
        forked = (await to_end(session.fork(ended.checkpoint_id, {"code": mine, "critic": "off"}))).snapshot
        assert forked.doubts == ()
        own["changes"]["area.py"] = program.replace("a = a + 1", "a = int(a)")
        assert (await to_end(session.decide(asked.checkpoint_id, review.edit(own)))).snapshot.doubts == ()


@pytest.mark.deep
async def test_a_wrong_test_is_not_followed_by_a_constant_that_nothing_explains(workbench: Workbench) -> None:
    program = "def square(n):\n    return n * n\n"
    cases = ("def test_2():\n    assert square(2) == 4\n", "def test_3():\n    assert square(3) == 10\n")
    tests = "\n\n".join(["from sq import square\n", *cases])
    wrong = Task("fix", "sq", {"sq.py": program, "test_sq.py": tests}, ("sq.py",), ("test_sq.py",))
    session_id = await workbench.create(wrong, options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = (await to_end(session.resume())).snapshot
    assert ended.outcome == "gave_up"
    assert ended.program["sq.py"] == program
    assert ended.candidates
    assert "ready for you to decide" in ended.reason


@pytest.mark.deep
async def test_a_part_that_full_autonomy_took_says_its_doubts_where_the_run_gives_up(workbench: Workbench) -> None:
    program = "def last(items):\n    return items[0]\n\n\ndef name():\n    return object()\n"
    tests = (
        "from geo import last, name\n\n\ndef test_last():\n    assert last([1, 2]) == 2\n\n\n"
        "def test_name():\n    assert name().split('x')[3].upper() == 'Q W'\n"
    )
    part = Task("fix", "geo", {"geo.py": program, "test_geo.py": tests}, ("geo.py",), ("test_geo.py",))
    session_id = await workbench.create(part, options(autonomy="full_auto"))
    async with workbench.open_session(session_id) as session:
        ended = (await to_end(session.resume())).snapshot
    assert ended.outcome == "gave_up" and ended.program["geo.py"] != program
    result = build_result(ended, session_id)
    assert "Nobody looked at this repair: line 2: " in result["doubts"][0]["why"]
    assert "Other cases still failed then" in result["doubts"][0]["why"]
