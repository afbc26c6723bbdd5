"""`selfheal serve` in a real browser: a repair is approved there, and the page asks nobody else for anything."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.e2e.browser import PROGRAM, Browser, open_browser
from tests.e2e.serving import PATIENCE_S, served

pytestmark = pytest.mark.skipif(not PROGRAM, reason="no Chromium is installed")


async def until_shown(browser: Browser, text: str, key: str = "") -> None:
    """Wait for a text; press `key` meanwhile, as cards are deaf at first."""
    async with asyncio.timeout(PATIENCE_S):
        while text not in browser.shown:
            if key:
                await browser.press(key)
            await browser.call("Runtime.evaluate", expression="new Promise(r => setTimeout(r, 500))", awaitPromise=True)


async def test_a_repair_is_approved_in_the_browser(tmp_path: Path) -> None:
    async with served(tmp_path) as at, open_browser(tmp_path / "profile") as browser:
        await browser.go(at.address)
        await until_shown(browser, "shop")
        await browser.press("\r")
        await until_shown(browser, "your decision")
        await until_shown(browser, "every test passes", key="a")
        await until_shown(browser, "healed", key="a")
        assert at.outcome == "healed"
        await browser.press("q")
        async with asyncio.timeout(PATIENCE_S):
            while not (await browser.call("Runtime.evaluate", expression=CLOSED))["result"]["value"]:
                pass
        server, socket = at.address, "ws" + at.address.removeprefix("http")
        assert browser.requested and all(url.startswith((server, socket, "data:")) for url in browser.requested)
        assert browser.errors == []


async def test_the_browser_is_shown_no_page_without_the_token(tmp_path: Path) -> None:
    async with served(tmp_path) as at, open_browser(tmp_path / "profile") as browser:
        await browser.go(at.address.rpartition("/")[0][:-1] + "/")
        async with asyncio.timeout(PATIENCE_S):
            text = ""
            while "token" not in text:
                found = await browser.call(
                    "Runtime.evaluate", expression="document.body ? document.body.innerText : ''"
                )
                text = found["result"]["value"]
        assert not any(url.startswith("ws") for url in browser.requested)


CLOSED = "document.body.classList.contains('-closed')"
