"""Work beside a screen ends before the widgets that it draws on."""

from __future__ import annotations

import asyncio

from tests.ui.running import running


async def test_the_work_of_a_screen_ends_before_its_widgets_go() -> None:
    found: list[bool] = []

    async def look_on() -> None:
        while True:
            await asyncio.sleep(0)
            found.append(bool(screen.query("#past-banner")))

    async with running() as run:
        screen = run.screen
        screen.start_work("look", look_on)
        await asyncio.sleep(0)
    assert found
    assert all(found)
