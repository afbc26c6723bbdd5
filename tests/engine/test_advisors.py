"""Advisory nodes: each says what it found when it is asked, and nothing else; one more is one file and one line."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.engine.loop import graph
from selfheal_tui.engine.loop.advisors import ADVISORS, load_advisors
from selfheal_tui.engine.loop.nodes import security_review
from selfheal_tui.engine.loop.nodes.quality import figures, measured
from selfheal_tui.engine.loop.policy_fields import policy_value
from selfheal_tui.engine.moment.state import default_policy
from selfheal_tui.engine.session.workbench import RunOptions, Workbench, default_limits
from selfheal_tui.errors import SettingsError
from selfheal_tui.settings import setting_help

from .driving import FIXED, TESTS, shop_task, to_end
from .moments import open_moment

ROOT = Path(__file__).resolve().parents[2]
RISKY = "import subprocess\n\n\ndef run(c):\n    return subprocess.call(c, shell=True)  # nosec\n"


def asking(*advisors: str) -> RunOptions:
    policy: Any = {**default_policy(), "advisors": list(advisors)}
    return RunOptions("full_auto", {"*": "search"}, default_limits(), policy)


def test_registry_graph_and_settings_agree() -> None:
    assert set(ADVISORS) <= {node.__name__ for node in graph.NODES}
    assert list(load_advisors()) == list(ADVISORS) == policy_value("advisors", ",".join(ADVISORS))
    named = setting_help()["advisors"].partition(": ")[2].rstrip(".").split(", ")
    assert named and set(named) <= set(ADVISORS)
    assert default_policy()["advisors"] == []
    with pytest.raises(SettingsError, match="Did you mean 'security_review'"):
        policy_value("advisors", "securty_review")


@pytest.mark.parametrize("name", ADVISORS)
async def test_an_advisor_speaks_only_when_asked(workbench: Workbench, name: str) -> None:
    async with open_moment(workbench, shop_task(FIXED), asking()) as moment:
        assert await moment.after(load_advisors()[name]) == {}
        policy = {**default_policy(), "advisors": [name]}
        update = await moment.after(load_advisors()[name], policy=policy)
        assert set(update) <= {"advice", "spent"} and list(update["advice"]) == [name]
        advice = await moment.body(update["advice"][name])
        assert advice["by"] == name and advice["summary"].endswith(".")
        assert all(set(item) == {"file", "line", "why"} and item["file"] == "shop.py" for item in advice["items"])


async def test_advice_reaches_the_end(workbench: Workbench) -> None:
    session_id = await workbench.create(shop_task(FIXED, TESTS), asking(*ADVISORS))
    async with workbench.open_session(session_id) as session:
        ended = (await to_end(session.resume())).snapshot
    assert ended.outcome == "nothing_to_heal" and list(ended.advice) == list(ADVISORS)
    assert "1 function; the most complex is total (2)" in ended.advice["quality"]["summary"]


async def test_bandit_reads_a_copy_and_runs_nothing(tmp_path: Path) -> None:
    pytest.importorskip("bandit")
    trap = f"open({str(tmp_path / 'ran')!r}, 'w').close()\n"
    program = {"pkg/risky.py": RISKY, "yaml.py": trap, "bandit.py": trap, "bad.py": "def f(:\n", "notes.txt": "x"}
    advice = await security_review.reviewed(program)
    assert not (tmp_path / "ran").exists()
    assert advice["summary"].startswith("bandit found ") and ": 1 high, " in advice["summary"]
    assert advice["summary"].endswith(" It could not read 1 file.")
    assert advice["items"][0]["file"] == "pkg/risky.py" and advice["items"][0]["line"] == 5
    assert advice["items"][0]["why"].startswith("high: ") and "(B602)" in advice["items"][0]["why"]
    assert (await security_review.reviewed({"a.py": "X = 1\n"}))["summary"] == "bandit found nothing."


async def test_without_bandit_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    advice = await security_review.reviewed({"a.py": RISKY})
    assert "pip install 'selfheal-tui[security]'" in advice["summary"] and advice["items"] == []


async def test_a_bandit_that_breaks_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(security_review, "_COMMAND", ("-c", "import sys; sys.exit('no plugin')"))
    assert (await security_review.reviewed({"a.py": RISKY}))["summary"] == "bandit could not look: no plugin."
    monkeypatch.setattr(security_review, "_COMMAND", ("-c", "import time; time.sleep(60)"))
    monkeypatch.setattr(security_review, "_TIME_S", 0.2)
    assert "TimeoutError" in (await security_review.reviewed({"a.py": RISKY}))["summary"]


def test_figures_count_decisions_of_the_function_alone() -> None:
    text = '''class Basket:
    def add(self, a, b):
        """Add."""
        if a and b or not a:
            return [x for x in a if x]
        elif b:
            pass
        match a:
            case 1 | 2:
                pass
            case _ if b:
                pass
            case _:
                pass

        def inner():
            for _ in a:
                assert _
        return inner

    def _hidden(self):
        return lambda: 1 if self else 2


async def plain(): ...
'''
    found = {one.name: one for one in figures(text)}
    assert {name: one.complexity for name, one in found.items()} == {
        "Basket.add": 9,
        "Basket.add.inner": 3,
        "Basket._hidden": 2,
        "plain": 1,
    }
    assert [name for name, one in found.items() if not one.documented] == ["plain"]
    assert (found["Basket.add"].line, found["Basket.add"].lines) == (2, 18)
    assert figures("def f(:") == []


def test_what_is_worth_a_look_comes_worst_first() -> None:
    tangled = "def tangled(a):\n" + "".join(f"    if a == {n}:\n        return {n}\n" for n in range(12))
    long = 'def long():\n    """Long."""\n' + "    x = 1\n" * 60
    advice = measured({"a.py": long, "b.py": tangled, "c.txt": "def f(): ..."})
    assert [item["why"] for item in advice["items"]] == [
        "tangled: complexity 13, above 10; no docstring",
        "long: 62 lines, above 50",
    ]
    assert advice["summary"] == (
        "2 functions; the most complex is tangled (13), the longest long (62 lines); 2 worth a look."
    )
    assert measured({"a.py": "X = 1\n"})["summary"] == "The program has no functions."


_WITH_ONE_MORE = """
import asyncio, sys
from pathlib import Path
from selfheal_tui.engine.loop import advisors, nodes
nodes.__path__.append(sys.argv[1])
advisors.ADVISORS += ("open_marks",)
from selfheal_tui.engine.loop.policy_fields import build_policy
from selfheal_tui.engine.session.workbench import RunOptions, Workbench, default_limits
from tests.engine.driving import FIXED, shop_task, to_end

async def main():
    bench = Workbench(Path(sys.argv[1]) / "sessions")
    run = RunOptions("full_auto", {"*": "search"}, default_limits(), build_policy({"advisors": "open_marks, quality"}))
    session_id = await bench.create(shop_task(FIXED + "# FIXME: tax\\n"), run)
    async with bench.open_session(session_id) as session:
        ended = (await to_end(session.resume())).snapshot
    await bench.aclose()
    print(list(ended.advice), ended.advice["open_marks"]["summary"], ended.advice["open_marks"]["items"][0]["line"])

asyncio.run(main())
"""


@pytest.mark.deep
def test_the_documented_node_is_one_file_and_one_line(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "advisory-node.md").read_text("utf-8")
    (source,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    (tmp_path / "open_marks.py").write_text(source, "utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", _WITH_ONE_MORE, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert ran.stdout.strip() == "['quality', 'open_marks'] 1 open mark. 7", ran.stderr
