"""A commit for each edit of a joined repair: those of several mistakes that were mended at once."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from selfheal_tui.engine.history.saved_session import SavedSession
from selfheal_tui.engine.moment import review
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import Repair, RepairPart
from selfheal_tui.engine.moment.workspace import Workspace
from selfheal_tui.engine.out.before_apply import Permit
from selfheal_tui.engine.out.each_repair import PartRepair, commit_each, each_repair
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.engine.task.task import Task
from selfheal_tui.engine.workshop.taken_steps import taken_steps
from selfheal_tui.sandbox.base import Limits
from selfheal_tui.store.writing import FileChange
from tests.warm import WarmSandbox

from .driving import DIAGNOSIS, options, script, to_end, to_repair
from .git_folder import git, repository

AGES = """def is_adult(age):
    return age > 18


def is_old(age):
    return age < 65


def both(age):
    return is_adult(age) and is_old(age)
"""
FEES = "def fee(days):\n    return days + 3\n"
TESTS = """from ages import both, is_adult, is_old
from fees import fee


def test_adult():
    assert is_adult(18) and not is_adult(17)


def test_old():
    assert is_old(65) and not is_old(64)


def test_fee():
    assert (fee(0), fee(2), fee(5)) == (0, 6, 15)
"""
FILES = {"ages.py": AGES, "fees.py": FEES, "test_all.py": TESTS}


def task(files: dict[str, str]) -> Task:
    return Task("fix", "ages", files, tuple(path for path in files if "test" not in path), ("test_all.py",))


async def parts_of(session: SavedSession, ended: Snapshot) -> list[PartRepair]:
    assert ended.outcome == "healed" and ended.iteration == 1, "one repair"
    return await each_repair(session, await session.timeline(), ended)


async def test_each_independent_edit_of_one_candidate_gets_a_commit(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = await workbench.create(task(FILES), options())
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        assert "independent edits" in asked.snapshot.candidates["1"]["summary"]
        ended = (await to_end(session.decide(asked.checkpoint_id, review.approve()))).snapshot
        repairs = await parts_of(session, ended)
    names = ["old", "adult", "fee"]
    assert [one.heals for one in repairs] == [f"Heals 1 failing case: test_all.py::test_{name}" for name in names]

    project = repository(tmp_path, monkeypatch, FILES)
    more_tests = FILES["test_all.py"] + "\n\ndef test_more():\n    pass\n"
    written = [FileChange("test_all.py", FILES["test_all.py"], more_tests)]
    commit_each(project, ended, repairs, written, {}, "", Permit())
    assert git(project, "show", "HEAD:test_all.py") == more_tests, "new tests go with the last repair"
    assert git(project, "show", "HEAD~1:test_all.py") == FILES["test_all.py"]
    subjects = git(project, "log", "--reverse", "--format=%s", "HEAD~3..").splitlines()
    assert subjects == ["Heal is_old in ages.py", "Heal is_adult in ages.py", "Heal fee in fees.py"]
    first, second, third = (
        " ".join(git(project, "show", "-s", "--format=%B", f"HEAD~{back}").split()) for back in (2, 1, 0)
    )
    old, adult = "Cause: Line 6 of ages.py compares with `<`", "Cause: Line 2 of ages.py compares with `>`"
    assert old in first and "with `>=` 1 of 3 failing cases passes" in first
    assert adult in second and old not in second and adult not in first and "Cause: " in third
    git(project, "checkout", "-q", "-f", "HEAD")
    assert {path: git(project, "show", f"HEAD:{path}") for path in ended.program} == dict(ended.program)


async def test_candidates_taken_together_get_a_commit_each(workbench: Workbench, tmp_path: Path) -> None:
    adult, old = AGES.replace("> 18", ">= 18"), AGES.replace("< 65", ">= 65")
    replies = [
        {"role": "debugger", "reply": {**DIAGNOSIS, "evidence": [{"file": "ages.py", "line": 2, "why": "age > 18"}]}},
        *(
            {
                "role": "repairer",
                "when": [words],
                "reply": {"summary": name, "files": [{"path": "ages.py", "text": new}]},
            }
            for words, name, new in (("smallest change", "Adults.", adult), ("anew", "The old.", old))
        ),
    ]
    wanted = options(script(tmp_path / "script.yaml", *replies))
    wanted.policy.update({"strategies": ["minimal", "rewrite"], "near_miss_s": 0.0})
    files = {**FILES, "fees.py": FEES.replace("+", "*")}
    session_id = await workbench.create(task(files), wanted)
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        ended = await to_end(session.decide(asked.checkpoint_id, {**review.approve(), "together": ["1", "2"]}))
        repairs = await parts_of(session, ended.snapshot)
    assert [one.heals for one in repairs] == [
        "Heals 1 failing case: test_all.py::test_old",
        "Heals 1 failing case: test_all.py::test_adult",
    ], "those at the end of a file come first, so that the lines in the causes of the others hold"
    assert repairs[0].after["ages.py"] == old and repairs[1].after["ages.py"] == adult.replace("< 65", ">= 65")


async def test_candidates_that_only_work_together_are_one_commit(workbench: Workbench, tmp_path: Path) -> None:
    adult, old = AGES.replace("> 18", ">= 18"), AGES.replace("< 65", ">= 65")
    tests = "from ages import is_adult, is_old\n\n\ndef test_both():\n    assert is_adult(18) and is_old(65)\n"
    tests += "\n\ndef test_none():\n    assert not is_adult(17)\n"
    replies = [
        {"role": "debugger", "reply": {**DIAGNOSIS, "evidence": [{"file": "ages.py", "line": 2, "why": "age > 18"}]}},
        *(
            {
                "role": "repairer",
                "when": [words],
                "reply": {"summary": name, "files": [{"path": "ages.py", "text": new}]},
            }
            for words, name, new in (("smallest change", "Adults.", adult), ("anew", "The old.", old))
        ),
    ]
    wanted = options(script(tmp_path / "script.yaml", *replies))
    wanted.policy.update({"strategies": ["minimal", "rewrite"], "near_miss_s": 0.0})
    session_id = await workbench.create(task({"ages.py": AGES, "test_all.py": tests}), wanted)
    async with workbench.open_session(session_id) as session:
        asked = await to_repair(session, session.resume())
        ended = await to_end(session.decide(asked.checkpoint_id, {**review.approve(), "together": ["1", "2"]}))
        assert await parts_of(session, ended.snapshot) == []


async def test_what_mends_nothing_of_its_own_goes_with_another_edit() -> None:
    adult, old = AGES.replace("> 18", ">= 18"), AGES.replace("< 65", ">= 65")
    both_of_them = adult.replace("< 65", ">= 65")
    ids = [f"test_all.py::test_{name}" for name in ("adult", "old")]
    files = {**FILES, "fees.py": FEES.replace("+", "*")}
    after = {"ages.py": both_of_them, "fees.py": files["fees.py"].replace("days * 3", "3 * days")}
    parts: list[RepairPart] = [
        {"summary": "Adults.", "changes": {"ages.py": adult}, "by": "m:x", "fixes": ids[:1]},
        {"summary": "Nothing.", "changes": {"fees.py": after["fees.py"]}, "by": "m:x", "fixes": []},
        {"summary": "The old.", "changes": {"ages.py": old}, "by": "m:x", "fixes": ids[1:]},
    ]
    repair: Repair = {"summary": "", "changes": after, "strategy": "", "by": "m:x", "fixes": ids, "parts": parts}
    workspace = Workspace(files, ("ages.py", "fees.py"), ("test_all.py",), ("test_all.py",), {})
    sandbox = WarmSandbox()
    deps: Any = SimpleNamespace(sandbox=sandbox, suite_limits=Limits())
    first, second = await taken_steps(deps, workspace, repair, None, failing=2)
    nothing: Repair = {**repair, "parts": parts[:1]}
    assert await taken_steps(deps, workspace, nothing, None, failing=2) == []
    await sandbox.aclose()
    assert (first["mends"], first["changes"]) == (ids[1:], {"ages.py": old})
    assert (second["mends"], second["changes"]) == (ids[:1], after)
    assert {path for path, _ in second["taken"]["lines"]} == {"ages.py", "fees.py"}
