"""`selfheal fix --wrong`: a case is made of what a call should give, also where there are no tests."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from selfheal_tui.cli import main
from selfheal_tui.engine.session.workbench import Workbench


def test_what_is_wrong_becomes_a_case_unless_the_program_gives_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("area.py").write_text("def area(w, h):\n    return w - h\n")
    words = ["fix", "area.py", "--sessions", str(tmp_path / "sessions"), "--no-run", "--wrong"]
    assert main([*words, "area(3, 1) == 2"]) == 2
    assert capsys.readouterr().err == "selfheal: area(3, 1) gives 2 already. Say what is wrong.\n"
    assert not (tmp_path / "sessions").exists(), "no session is left behind"
    assert main([*words, "area(3, 1) gives 2, should be 3"]) == 0

    async def answers() -> tuple[object, object]:
        workbench = Workbench(tmp_path / "sessions")
        (session_id,) = workbench.session_ids()
        async with workbench.watch_session(session_id) as session:
            given = (await session.beginning()).snapshot
        await workbench.aclose()
        return given.answers, given.origins

    assert asyncio.run(answers()) == ((("area(3, 1)", "3"),), {"test_answers.py": "answers"})
