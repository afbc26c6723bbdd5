"""Several faults in one program: one group of failing cases is healed while the others wait, then the next."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from selfheal_tui.engine.moment.events import ReviewRequested
from selfheal_tui.engine.moment.review import approve
from selfheal_tui.engine.out.before_apply import Permit
from selfheal_tui.engine.out.commit_message import commit_message
from selfheal_tui.engine.out.each_repair import commit_each, each_repair
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.errors import InputError
from selfheal_tui.ui.run.cards.repair_text import repair_content

from .driving import DIAGNOSIS, drain, options, script, to_end, to_repair, to_review
from .git_folder import git, repository

PRICES = """def price(text):
    return int(text.split("$")[2])


def total(texts):
    return -sum(price(text) for text in texts)
"""
NAMES = "def shout(name):\n    return name.lower()\n"
READS = PRICES.replace("[2]", "[1]")
ADDS, SHOUTS = READS.replace("-sum", "sum"), NAMES.replace("lower", "upper")
TESTS = """from names import shout
from prices import price, total


def test_price():
    assert price("$5") == 5


def test_total():
    assert total(["$5", "$6"]) == 11


def test_shout():
    assert shout("ann") == "ANN"
"""
FILES = {"prices.py": PRICES, "names.py": NAMES, "test_all.py": TESTS}
GROUPS = [
    "2 cases fail in prices.py price(): IndexError",
    "1 case fails calling prices.py total(): AssertionError",
    "1 case fails calling names.py shout(): AssertionError",
]


def turn(asked: ReviewRequested) -> tuple[str, list[str], list[str]]:
    """Return the group whose turn it is, the cases that ran, and the notes of the report."""
    snapshot = asked.snapshot
    assert snapshot.turn is not None and snapshot.report is not None
    ran = [case["id"].removeprefix("test_all.py::test_") for case in snapshot.report["cases"]]
    return snapshot.turn["words"], ran, snapshot.report.get("notes", [])


async def shop_session(workbench: Workbench, tmp_path: Path) -> str:
    evidence = [{"file": "prices.py", "line": 1, "why": "here"}]
    model = script(tmp_path / "script.yaml", {"role": "debugger", "reply": {**DIAGNOSIS, "evidence": evidence}})
    task = Task("fix", "shop", FILES, ("prices.py", "names.py"), ("test_all.py",))
    return await workbench.create(task, options(model))


async def test_groups_are_healed_in_turn_and_each_gets_a_commit(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault that another one hid is a group of its own, once that one is gone."""
    session_id = await shop_session(workbench, tmp_path)
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        with pytest.raises(InputError, match="no group 3"):
            await drain(session.fork(asked.checkpoint_id, {"group": "3"}))
        asked = await to_review(session.fork(asked.checkpoint_id, {"group": "1", "critic": "off"}))
        waits = ["1 failing case of other groups waits."]
        assert turn(asked) == (GROUPS[0], ["price", "total"], waits)
        asked = await to_review(session.fork(asked.checkpoint_id, {"code": {"prices.py": READS}}))
        assert turn(asked) == (GROUPS[1], ["price", "total"], waits)
        asked = await to_review(session.fork(asked.checkpoint_id, {"code": {"prices.py": ADDS}}))
        assert turn(asked) == (GROUPS[2], ["price", "total", "shout"], [])
        ended = (await to_end(session.fork(asked.checkpoint_id, {"code": {"names.py": SHOUTS}}))).snapshot
        timeline = await session.timeline()
        repairs = await each_repair(session, timeline, ended)
        by_iteration = await each_repair(session, timeline, replace(ended, healed_groups=()))
    assert (ended.outcome, ended.turn) == ("healed", None)
    names = [f"Heals 1 failing case: test_all.py::test_{name}" for name in ("price", "total", "shout")]
    assert [one.heals for one in by_iteration] == names, "where no group was picked"
    assert [one.heals for one in repairs] == names
    assert [one.changes for one in by_iteration] == [one.changes for one in repairs]

    assert ended.report is not None
    doubtful = replace(ended, report={**ended.report, "not_verified": "It ran in one process."})
    message = " ".join(commit_message("Heal", doubtful, (), {}, "").split())
    own_word = "Tests pass: 3 passed. Not verified: It ran in one process."
    assert own_word in message and "Verified by" not in message
    in_part = replace(ended, report={**ended.report, "left_out": 2})
    assert "2 other failing cases were left out." in " ".join(commit_message("Heal", in_part, (), {}, "").split())

    project = repository(tmp_path, monkeypatch, FILES)
    commit_each(project, ended, repairs, (), {}, "", Permit())
    assert git(project, "log", "--reverse", "--format=%s", "--name-only", "HEAD~3..").split() == [
        *("Heal", "price", "in", "prices.py", "prices.py"),
        *("Heal", "total", "in", "prices.py", "prices.py"),
        *("Heal", "shout", "in", "names.py", "names.py"),
    ]
    assert git(project, "show", "HEAD~2:prices.py") == READS
    assert names[1] in " ".join(git(project, "show", "-s", "--format=%B", "HEAD~1").split())


async def test_what_the_human_said_before_waits_with_its_group(workbench: Workbench, tmp_path: Path) -> None:
    session_id = await shop_session(workbench, tmp_path)
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        told = {"wrong": ["shout('bob') should be 'BOB'", "total([]) should be 0"]}
        asked = await to_review(session.fork(asked.checkpoint_id, told))
        assert asked.snapshot.report is not None and asked.snapshot.report["failed"] == 4
        asked = await to_review(session.fork(asked.checkpoint_id, {"group": "1", "critic": "off"}))
        _, ran, notes = turn(asked)
        assert notes == ["2 failing cases of other groups wait."]
        assert len(ran) == 3 and not any("shout" in name or "bob" in name for name in ran), "total([]) is 0 already"
        asked = await to_review(session.fork(asked.checkpoint_id, {"code": {"prices.py": ADDS}}))
        words, ran, notes = turn(asked)
        assert words == "2 cases fail calling names.py shout(): AssertionError" and len(ran) == 5 and notes == []
        ended = (await to_end(session.fork(asked.checkpoint_id, {"code": {"names.py": SHOUTS}}))).snapshot
        assert ended.outcome == "healed" and ended.report is not None and ended.report["passed"] == 5


async def test_a_doubt_stands_in_the_commit_of_its_repair(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    area, total = (
        "def area(a, b):\n    a = a + 1\n    return a * b\n",
        "def total(prices):\n    return sum(prices[1:])\n",
    )
    tests = (
        "from area import area\nfrom total import total\n\n\ndef test_area():\n    assert area(2, 3) == 6\n\n\n"
        "def test_total():\n    assert total([4, 5]) == 9\n    assert total([7]) == 7\n    assert total([]) == 0\n"
    )
    files = {"area.py": area, "total.py": total, "test_all.py": tests}
    task = Task("fix", "shop", files, ("area.py", "total.py"), ("test_all.py",))
    session_id = await workbench.create(task, options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        asked = await to_repair(session, session.fork(asked.checkpoint_id, {"group": "1", "critic": "off"}))
        asked = await to_repair(session, session.decide(asked.checkpoint_id, approve()))
        ended = (await to_end(session.decide(asked.checkpoint_id, approve()))).snapshot
        repairs = await each_repair(session, await session.timeline(), ended)
    paths = [change.path for one in repairs for change in one.changes]
    assert ended.outcome == "healed" and len(paths) == 2
    assert [doubt.partition(": ")[0] for doubt in ended.doubts] == [
        f"You approved this repair of {path}" for path in paths
    ]
    project = repository(tmp_path, monkeypatch, files)
    commit_each(project, ended, repairs, (), {}, "", Permit())
    for back, path in enumerate(reversed(paths)):
        message = " ".join(git(project, "show", "-s", "--format=%B", f"HEAD~{back}").split())
        assert message.count("You approved") == 1 and f"Doubt: You approved this repair of {path}: " in message


async def test_a_case_of_another_group_that_a_repair_mends_too_is_named_with_it(
    workbench: Workbench, tmp_path: Path
) -> None:
    """Its group waited and is none any more: no other commit would tell of it."""
    worth = (
        "from prices import price\n\n\ndef worth(text):\n"
        "    try:\n        return price(text)\n    except IndexError:\n        return 0\n"
    )
    files = {
        "prices.py": PRICES.replace("-sum", "sum"),
        "names.py": f"{worth}\n\n{NAMES}",
        "test_all.py": TESTS.replace("shout\n", "shout, worth\n", 1)
        + "\n\ndef test_worth():\n    assert worth('$7') == 7\n",
    }
    evidence = [{"file": "prices.py", "line": 1, "why": "here"}]
    model = script(tmp_path / "script.yaml", {"role": "debugger", "reply": {**DIAGNOSIS, "evidence": evidence}})
    task = Task("fix", "shop", files, ("prices.py", "names.py"), ("test_all.py",))
    session_id = await workbench.create(task, options(model))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        asked = await to_review(session.fork(asked.checkpoint_id, {"group": "1", "critic": "off"}))
        assert turn(asked)[2] == ["2 failing cases of other groups wait."]
        asked = await to_review(
            session.fork(asked.checkpoint_id, {"code": {"prices.py": READS.replace("-sum", "sum")}})
        )
        assert turn(asked)[0] == GROUPS[2]
        names = {"names.py": f"{worth}\n\n{SHOUTS}"}
        ended = (await to_end(session.fork(asked.checkpoint_id, {"code": names}))).snapshot
        repairs = await each_repair(session, await session.timeline(), ended)
    assert [one.heals.replace("test_all.py::test_", "") for one in repairs] == [
        "Heals 3 failing cases: price, total, worth",
        "Heals 1 failing case: shout",
    ]


WAITS = """def wait(base, attempt):
    return base * 2 ** attempt


def plan(base, number):
    return [wait(base, attempt) for attempt in range(1, number + 1)]
"""
WAIT_TESTS = """from waits import plan, wait


def test_wait():
    assert wait(1, 1) == 1


def test_plan():
    assert plan(2, 3) == [2, 4, 8]
"""


async def test_of_what_heals_a_group_that_comes_first_which_mends_cases_that_wait(workbench: Workbench) -> None:
    task = Task("fix", "waits", {"waits.py": WAITS, "test_waits.py": WAIT_TESTS}, ("waits.py",), ("test_waits.py",))
    session_id = await workbench.create(task, options("search"))
    async with workbench.open_session(session_id) as session:
        asked = await to_review(session.resume())
        for group in ("1", "2"):
            asked = await to_review(session.fork(asked.checkpoint_id, {"group": group}))
            assert asked.snapshot.turn is not None
            if "wait()" in asked.snapshot.turn["words"]:
                break
        repair = await to_repair(session, session.decide(asked.checkpoint_id, approve()))
        repairs = [*repair.snapshot.candidates.values()]
        mended = [one["mends_waiting"] for one in repairs if one["report"]["verdict"] == "passed"]
        assert mended and all(one == ["test_waits.py::test_plan"] for one in mended), "many more heal the group alone"
        assert "attempt - 1" in repairs[0]["diff"]
        promise = str(repair_content(repairs[0], waiting=1))
        assert "✓ every test passes, 1 of other groups too\n" in promise
        several = str(repair_content(repairs[0], waiting=3))
        assert "✓ every test of this group passes, and 1 of 3 of the others\n" in several
        assert "every test passes but 1 of other groups, which waits" in str(
            repair_content({**repairs[0], "mends_waiting": []}, waiting=1)
        )
