"""The app over a real session, a real SDK client and a server: a model's words are on the screen while it speaks."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from selfheal_tui.engine.session.workbench import Workbench
from selfheal_tui.ui.app import SelfHealApp
from selfheal_tui.ui.kit.transcript import Transcript
from selfheal_tui.ui.run.run import RunScreen
from tests.engine.driving import DIAGNOSIS, options, shop_task
from tests.wire.rig import clean, until
from tests.wire.script import Script
from tests.wire.server import Recorded, WireServer

PATIENCE_S = 60.0


@pytest.mark.parametrize("provider", ["anthropic", "ollama", "openai"])
async def test_text_is_shown_while_the_call_runs(
    provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half, go_on = asyncio.Event(), asyncio.Event()

    async def hold(recorded: Recorded, share: float) -> None:
        if share >= 0.5:
            half.set()
            await go_on.wait()

    clean(monkeypatch)
    # The first words and the last of the reply, as they are sent.
    start, end = '"fault": "code"', '"confidence": 0.9'
    assert start in json.dumps(DIAGNOSIS, indent=1) and end in json.dumps(DIAGNOSIS, indent=1)
    async with WireServer(Script.of({"role": "debugger", "reply": DIAGNOSIS})) as server:
        server.watch = hold
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        workbench = Workbench(tmp_path / "sessions")
        session_id = await workbench.create(shop_task(), options(f"{provider}:tiny"))
        app = SelfHealApp(workbench, session_id=session_id)
        try:
            async with app.run_test(size=(140, 45)) as pilot:
                await asyncio.wait_for(half.wait(), PATIENCE_S)
                screen = app.screen
                assert isinstance(screen, RunScreen)
                log = screen.query_one(Transcript)
                await until(lambda: start in log.text, PATIENCE_S)
                assert end not in log.text
                assert screen.model.running and screen.model.question is None
                go_on.set()
                await until(lambda: screen.model.question is not None, PATIENCE_S)
                await until(lambda: end in log.text, PATIENCE_S)
                await pilot.press("q")
        finally:
            go_on.set()
            await workbench.aclose()
    assert [recorded.vendor for recorded in server.chats] == [provider]
