"""Writing with the suite beside the text: it runs as the user pauses, and is cut off by the next key."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from selfheal_tui.engine.moment.events import CaseFinished
from selfheal_tui.errors import InputError, SandboxError
from selfheal_tui.ui.kit.code_editor import CodeEditor
from selfheal_tui.ui.kit.outside import edit_outside, editor_command
from selfheal_tui.ui.kit.suite_table import CaseList
from selfheal_tui.ui.run.cards.side import Side
from selfheal_tui.ui.run.tabs.beside import Beside
from selfheal_tui.ui.run.tabs.try_cases import TryCases
from tests.ui.fakes import CODE, FIXED, FakeSession, report, settle
from tests.ui.running import SIZES, Run, running


def heading(run: Run) -> str:
    return str(run.screen.query_one("#try-heading", Static).render())


def outcomes(run: Run) -> list[str]:
    return [case["outcome"] for case in run.screen.query_one(TryCases).query_one(CaseList).cases]


async def paused(run: Run) -> None:
    """Wait until the pause is over and what it started has ended."""
    for _ in range(200):
        await run.settle()
        if not any(word in heading(run) for word in ("pause", "running")):
            return
        await asyncio.sleep(0)
    raise AssertionError(heading(run))


@SIZES
async def test_the_cases_follow_the_text(size: tuple[int, int]) -> None:
    async with running(size=size) as run:
        await run.press("a", "e")
        await paused(run)
        assert heading(run).startswith("✓ all pass") and "▲ 2 fixed" in heading(run)
        run.screen.query_one(CodeEditor).load_text(CODE)
        await paused(run)
        assert heading(run).startswith("✗ 2 not passing") and outcomes(run)[:3] == ["failed", "failed", "passed"]
        assert run.session.tried == [{"intervals.py": FIXED}, {}]
        cases = run.screen.query_one(TryCases).region
        editor = run.screen.query_one(CodeEditor).region
        assert cases.height >= 4 and cases.width >= 30
        assert (cases.x > editor.x) == (size[0] > 100), "beside where it is wide, else below"
        assert not run.screen.query_one(Side).region.area
        await run.press("escape")
        assert run.screen.query_one(Side).region.area and run.session.decisions[1:] == []


async def test_a_text_that_does_not_parse_is_told_at_its_line_and_not_run() -> None:
    async with running() as run:
        await run.press("a", "e")
        await paused(run)
        editor = run.screen.query_one(CodeEditor)
        editor.load_text("x = 1\ny = (\n")
        await paused(run)
        assert len(run.session.tried) == 1
        assert "line 2" in heading(run) and "never closed" in heading(run)
        assert str(editor.get_line(1)).startswith("y = (   ✗ '(' was never closed")
        assert editor.text == "x = 1\ny = (\n"
        editor.load_text("x = 1\n")
        await paused(run)
        assert "✗" not in str(editor.get_line(1)) and len(run.session.tried) == 2


async def test_the_next_key_cuts_the_run_off() -> None:
    cut: list[str] = []

    class Endless(FakeSession):
        async def try_suite(self, checkpoint_id: str, changes: Mapping[str, str]) -> AsyncGenerator[Any, None]:
            if "# go" in changes["intervals.py"]:
                async for event in super().try_suite(checkpoint_id, changes):
                    yield event
                return
            try:
                yield CaseFinished(report(0)["cases"][0])
                await asyncio.Event().wait()
            finally:
                cut.append(changes["intervals.py"])

    async with running(Endless("s1")) as run:
        await run.press("a")
        await run.pilot.press("e")
        for _ in range(200):
            await settle(run.pilot, held="try")
            if "so far" in heading(run):
                break
        assert "running the tests: 1 so far" in heading(run) and cut == [], "nobody knows yet how many there are"
        run.screen.query_one(CodeEditor).load_text(FIXED + "# go\n")
        await paused(run)
        assert cut == [FIXED] and heading(run).startswith("✓ all pass")


async def test_a_sandbox_that_cannot_run_is_said() -> None:
    class Broken(FakeSession):
        async def try_suite(self, checkpoint_id: str, changes: Mapping[str, str]) -> AsyncGenerator[Any, None]:
            raise SandboxError("No [b]sandbox[/b] here.", "Ask selfheal doctor.")
            yield

    async with running(Broken("s1")) as run:
        await run.press("a", "e")
        await paused(run)
        assert "No [b]sandbox[/b] here." in heading(run)


async def test_an_editor_of_ones_own_is_refused_politely_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running() as run:
        await run.press("a", "e")
        problem = run.screen.query_one("#edit-problem", Static)
        monkeypatch.setenv("EDITOR", "true")
        await run.press("ctrl+e")
        assert "No other editor can be opened here" in str(problem.render())
        monkeypatch.setenv("VISUAL", "'")
        await run.press("ctrl+e")
        assert "cannot be read" in str(problem.render())
        monkeypatch.delenv("VISUAL")
        monkeypatch.delenv("EDITOR")
        await run.press("ctrl+e")
        assert "Set VISUAL or EDITOR" in str(problem.render())
        assert run.screen.query_one(CodeEditor).text == FIXED


async def test_what_the_own_editor_leaves_can_be_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Suspended:
        def __enter__(self) -> None: ...

        def __exit__(self, *_: object) -> None: ...

    async with running() as run:
        await run.press("a", "e")
        monkeypatch.setattr(type(run.app), "suspend", lambda _: Suspended())
        script = "import sys; p = sys.argv[1]; t = open(p).read(); open(p, 'w').write(t + '# mine\\n')"
        monkeypatch.setenv("VISUAL", f'{sys.executable} -c "{script}"')
        await run.press("ctrl+e")
        editor = run.screen.query_one(CodeEditor)
        assert editor.text == FIXED + "# mine\n" and run.session.decisions[1:] == []
        await run.press("ctrl+z")
        assert editor.text == FIXED


def test_an_own_editor_gets_the_file_by_its_name_and_leaves_nothing_behind(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    script = tmp_path / "editor.py"
    script.write_text(
        f"import sys\nopen({str(seen)!r}, 'w').write(sys.argv[1])\nopen(sys.argv[1], 'w').write('new\\n')\n"
    )
    assert edit_outside([sys.executable, str(script)], "pkg/shop.py", "old\n") == "new\n"
    assert seen.read_text().endswith("/shop.py") and not Path(seen.read_text()).exists()


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("raise SystemExit(3)", "ended with 3"),
        ("import sys; open(sys.argv[1], 'wb').write(b'\\xff')", "UTF-8"),
        ("import sys, os; os.unlink(sys.argv[1])", "cannot be read"),
    ],
)
def test_an_own_editor_that_fails_costs_nothing(code: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        edit_outside([sys.executable, "-c", code], "shop.py", "old\n")
    with pytest.raises(InputError, match="cannot be started"):
        edit_outside(["/nowhere/editor"], "shop.py", "old\n")


def test_visual_comes_before_editor() -> None:
    assert editor_command({"VISUAL": "code --wait", "EDITOR": "vi"}) == ["code", "--wait"]
    assert editor_command({"VISUAL": " ", "EDITOR": "vi"}) == ["vi"]


async def test_the_editor_has_all_the_room() -> None:
    async with running(size=(200, 60)) as run:
        beside = run.screen.query_one(Beside)
        assert beside.region.area
        await run.press("a", "e")
        assert not beside.region.area
        await run.press("escape")
        assert beside.region.area
