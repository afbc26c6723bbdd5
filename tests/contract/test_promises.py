"""What plug-ins promise, our own suites and operators keep; and the stories that exporters are tested with are real."""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui import heal
from selfheal_tui.bench.suites.named import SUITES
from selfheal_tui.engine.out.tell import tell_story
from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.plugins.testing.contract import Given, promises
from selfheal_tui.plugins.testing.stories import HEALED
from selfheal_tui.search.operators import OPERATORS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_of_ours_keeps_what_plug_ins_promise(name: str) -> None:
    for check in promises("suite").values():
        check(Given(name, SUITES[name]))


def test_an_operator_of_ours_keeps_what_plug_ins_promise() -> None:
    for name in ("comparison", "type_method", "special_case"):
        for promise, check in promises("operator").items():
            if promise != "edits_of_odd_programs_compile":  # tests/property/test_operators.py, over all at once
                check(Given(name, OPERATORS[name]))


def test_an_exporter_is_tested_with_a_story_as_sessions_have_it(tmp_path: Path) -> None:
    tests = "from solution import add\n\ndef test_add():\n    assert add(2, 3) == 5\n"
    result = heal(code="def add(a, b):\n    return a - b\n", tests=tests, sessions=tmp_path, adversary="off")

    async def told() -> dict[str, Any]:
        workbench = Workbench(tmp_path)
        async with workbench.watch_session(result.session) as session:
            return await tell_story(session, (await session.timeline()).stands)

    story = asyncio.run(told())
    assert story.keys() == HEALED.keys()
    assert story["report"].keys() == HEALED["report"].keys()
    assert story["report"]["cases"][0].keys() == HEALED["report"]["cases"][0].keys()
    assert story["iterations"][0].keys() == HEALED["iterations"][0].keys()


def test_the_extra_has_the_libraries_that_the_bundled_plug_in_needs() -> None:
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    its = tomllib.loads((ROOT / "docs/plugins/selfheal-transformers/pyproject.toml").read_text("utf-8"))["project"]
    assert its["dependencies"][1:] == ours["transformers"]
