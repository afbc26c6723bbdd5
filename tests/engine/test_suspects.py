"""Suspicious lines are kept beside the diagnosis, by the search and by a model, for the program that was run."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from selfheal_tui.cli.show import _moment_json
from selfheal_tui.engine.moment.events import ReviewRequested
from selfheal_tui.engine.moment.review import approve
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.session.workbench import RunOptions, Workbench
from selfheal_tui.engine.task import recent_changes
from selfheal_tui.engine.workshop.suspects import MOST, build_suspects, still_suspect
from selfheal_tui.search.program.localise import BLIND, Suspect
from selfheal_tui.search.program.recent import RecentChange

from .driving import DIAGNOSIS, FIXED, drain, options, script, shop_task

WRONG = "shop.py", 6
"""The line with the slip."""


async def moments(workbench: Workbench, given: RunOptions) -> list[Snapshot]:
    """Heal the shop, approving everything; return every moment."""
    session_id = await workbench.create(shop_task(), given)
    async with workbench.open_session(session_id) as session:
        last = (await drain(session.resume()))[-1]
        while isinstance(last, ReviewRequested):
            last = (await drain(session.decide(last.checkpoint_id, approve())))[-1]
        return [await session.snapshot(checkpoint.id) for checkpoint in await session.timeline()]


async def test_the_search_keeps_what_it_ranked(workbench: Workbench) -> None:
    told = await moments(workbench, options("search"))
    before = next(s for s in told if s.node == "run_suite" and s.iteration == 0)
    asked = next(s for s in told if s.node == "diagnose")
    assert before.suspects == (), "not before they are found"
    assert all(0 < line["score"] <= 1 and line["why"] for line in asked.suspects)
    assert WRONG in [(line["path"], line["line"]) for line in asked.suspects]
    assert json.loads(json.dumps(_moment_json(asked, [])))["suspects"] == [dict(line) for line in asked.suspects]
    healed = told[-1]
    assert healed.outcome == "healed" and healed.suspects == (), "the lines are those of a program that is gone"


async def test_a_model_s_debugger_keeps_them_too(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent_changes, "LONGEST_S", 60.0)
    given = options(script(tmp_path / "m.yaml", {"role": "debugger", "reply": DIAGNOSIS}))
    session_id = await workbench.create(replace(shop_task(), root=str(committed_shop(tmp_path / "shop"))), given)
    async with workbench.open_session(session_id) as session:
        last = (await drain(session.resume()))[-1]
        assert isinstance(last, ReviewRequested)
        reasons = {(line["path"], line["line"]): line["why"] for line in last.snapshot.suspects}
        assert reasons[WRONG].endswith("; changed, not committed") and last.snapshot.recent == {
            WRONG: RecentChange("", "", "    return amount - discount\n", 1)
        }
        again = (await drain(session.fork(next(c.id for c in await session.timeline() if c.node == "run_suite"), {})))[
            -1
        ]
        assert isinstance(again, ReviewRequested) and again.snapshot.suspects == last.snapshot.suspects


def committed_shop(folder: Path) -> Path:
    """Make a repository in which the program has no slip."""
    folder.mkdir()
    (folder / "shop.py").write_text(FIXED, "utf-8")
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "Add"]):
        subprocess.run(["git", *words], cwd=folder, check=True, timeout=60)
    return folder


@pytest.mark.parametrize("path", ["a.py", "b.py"])
def test_only_a_file_as_it_was_has_them(path: str) -> None:
    program = {"a.py": "x = 1\n", "b.py": "y = 2\n", "c.py": "z = 3\n"}
    found = [Suspect(name, 1, 0.5, "runs in the failing case") for name in ("a.py", "b.py")]
    kept = build_suspects([*found, Suspect("c.py", 1, 0.3, BLIND)], program)
    assert [line["path"] for line in still_suspect(kept, program)] == ["a.py", "b.py"], "a guess is no knowledge"
    changed = {**program, path: "# new\n" + program[path]}
    assert [line["path"] for line in still_suspect(kept, changed)] == [n for n in ("a.py", "b.py") if n != path]
    assert still_suspect(None, program) == still_suspect(kept, {}) == ()


def test_a_long_list_is_cut_at_the_least_suspicious() -> None:
    one = Suspect("a.py", 1, 1.0, "runs in the failing case")
    found = [replace(one, line=n, score=1 / n) for n in range(1, MOST + 50)]
    kept = build_suspects(found, {"a.py": ""})
    assert [line["line"] for line in kept["lines"]] == [*range(1, MOST + 1)]
