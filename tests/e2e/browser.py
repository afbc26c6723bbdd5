"""A headless Chromium over its debugging protocol: goes to a page, presses keys, tells what was asked and received."""

from __future__ import annotations

import asyncio
import base64
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

PROGRAM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
)
"""Empty where none is installed."""


class Browser:
    """One page."""

    def __init__(self, debugger: aiohttp.ClientWebSocketResponse) -> None:
        self._debugger = debugger
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self.requested: list[str] = []
        """Addresses that the page asked for, in order."""
        self.errors: list[str] = []
        """What the browser complained of: errors of scripts, and what a policy forbade."""
        self.shown = ""
        """All that came through the page's sockets."""

    async def go(self, address: str) -> None:
        """Open a page."""
        for domain in ("Network", "Log", "Runtime", "Page"):
            await self.call(f"{domain}.enable")
        await self.call("Page.navigate", url=address)

    async def press(self, key: str) -> None:
        """Press and release a key: a letter, or Enter as `\\r`."""
        code = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13} if key == "\r" else {"key": key}
        await self.call("Input.dispatchKeyEvent", type="keyDown", text=key, **code)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **code)

    async def call(self, method: str, **parameters: Any) -> Any:
        """Ask the browser for something; returns its result."""
        number = len(self._answers) + 1
        self._answers[number] = asyncio.get_running_loop().create_future()
        await self._debugger.send_json({"id": number, "method": method, "params": parameters})
        answer = await asyncio.wait_for(self._answers[number], 60)
        assert "result" in answer, answer
        return answer["result"]

    async def listen(self) -> None:
        """Take answers and events until the browser ends."""
        async for message in self._debugger:
            told = message.json()
            if "id" in told:
                self._answers[told["id"]].set_result(told)
                continue
            facts = told["params"]
            match told["method"]:
                case "Network.requestWillBeSent":
                    self.requested.append(facts["request"]["url"])
                case "Network.webSocketCreated":
                    self.requested.append(facts["url"])
                case "Network.webSocketFrameReceived" if facts["response"]["opcode"] == 2:
                    self.shown += base64.b64decode(facts["response"]["payloadData"]).decode()
                case "Log.entryAdded" if facts["entry"]["level"] == "error":
                    self.errors.append(facts["entry"]["text"])
                case "Runtime.exceptionThrown":
                    self.errors.append(str(facts["exceptionDetails"]))


@asynccontextmanager
async def open_browser(profile: Path) -> AsyncIterator[Browser]:
    """Start a browser with a profile of its own; ended with all its processes."""
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0"]
    process = await asyncio.create_subprocess_exec(
        *[PROGRAM, *flags, f"--user-data-dir={profile}", "--window-size=1280,800", "about:blank"],
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        line = b""
        while b"DevTools listening on" not in line:
            line = await asyncio.wait_for(process.stderr.readline(), 60)
            assert line, "the browser did not start"
        port = line.decode().split("://")[1].split("/")[0].rpartition(":")[2]
        async with aiohttp.ClientSession() as client:
            async with client.get(f"http://127.0.0.1:{port}/json") as answer:
                (page,) = [found for found in await answer.json() if found["type"] == "page"]
            async with client.ws_connect(page["webSocketDebuggerUrl"], max_msg_size=0) as debugger:
                browser = Browser(debugger)
                listening = asyncio.create_task(browser.listen())
                yield browser
                listening.cancel()
    finally:
        process.terminate()
        await process.communicate()
