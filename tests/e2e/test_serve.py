"""`selfheal serve`: who gets in, what goes through, and that nothing is left when it ends."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import aiohttp
import pytest

from selfheal_tui.cli import main
from tests.e2e.serving import PATIENCE_S, Served, alive, served
from tests.processes import descendants

NAMED = {"http://bellard.org/jslinux/", "https://github.com/chjj/term.js", "http://www.w3.org/2000/svg"}
"""Addresses that the terminal's files name in comments and as names; the policy lets no page load them."""


class Page:
    """What a browser's page does: sends keys and sizes, collects what the app shows."""

    def __init__(self, connection: aiohttp.ClientWebSocketResponse) -> None:
        self.connection = connection
        self.shown = ""
        self.closed = False

    async def send(self, *message: object) -> None:
        await self.connection.send_json(message)

    async def wait_for(self, text: str, key: str = "") -> None:
        """Read until `text` is shown; press `key` again and again meanwhile (cards are deaf at first)."""
        await self._read_until(lambda: text in self.shown, key, text)

    async def wait_for_end(self, key: str) -> None:
        """Read until the app has ended."""
        await self._read_until(lambda: self.closed, key, "the end")

    async def _read_until(self, done: Callable[[], bool], key: str, what: str) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not done():
                    assert not self.closed, f"the app ended before {what}: {self.shown[-2000:]!r}"
                    try:
                        message = await asyncio.wait_for(self.connection.receive(), 0.5)
                    except TimeoutError:
                        if key:
                            await self.send("stdin", key)
                        continue
                    self.closed = message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)
                    if message.type == aiohttp.WSMsgType.BINARY:
                        self.shown += message.data.decode()
        except TimeoutError:
            pytest.fail(f"{what!r} did not come: {self.shown[-2000:]!r}")


def origin(at: Served) -> str:
    return at.address.rstrip("/").rpartition("/")[0]


async def open_page(at: Served, client: aiohttp.ClientSession) -> Page:
    connection = await client.ws_connect(at.address + "ws?width=100&height=30", origin=origin(at), heartbeat=None)
    page = Page(connection)
    await page.wait_for("shop")
    return page


async def test_a_repair_is_approved_through_the_socket(tmp_path: Path) -> None:
    async with served(tmp_path, "--theme", "nord") as at, aiohttp.ClientSession() as client:
        page = await open_page(at, client)
        await page.send("resize", {"width": 140, "height": 45})
        await page.send("stdin", "\r")
        await page.wait_for("Subtract the discount", key="")
        await page.wait_for("Healed", key="a")  # the end card's title; a row of the timeline has the word earlier
        await page.send("ping", 17)
        await page.send("focus")
        await page.wait_for_end(key="q")
        assert at.outcome == "healed", page.shown[-3000:]


async def test_what_is_no_message_of_the_page_is_left_out(tmp_path: Path) -> None:
    async with served(tmp_path) as at, aiohttp.ClientSession() as client:
        page = await open_page(at, client)
        for odd in ("{", "null", "[]", "17", '["stdin"]', '["stdin", 5]', '["resize", {"width": "x"}]', '["quit"]'):
            await page.connection.send_str(odd)
        await page.connection.send_bytes(b"\xff")
        for deep in ("[" * 5000, '{"a":' * 5000, '["ping",' + "[" * 900 + "]" * 900 + "]"):
            await page.connection.send_str(deep)
        await page.send("resize", {"width": 1e9, "height": -5})
        await page.send("resize", {"width": 100, "height": 30})
        await page.send("stdin", "\ud800?")
        await page.wait_for("Help")
        await page.send("stdin", "\x1b")
        await page.wait_for_end(key="q")


async def test_nobody_gets_in_without_the_token_or_from_another_page(tmp_path: Path) -> None:
    async with served(tmp_path) as at, aiohttp.ClientSession() as client:
        token = at.address.split("/")[3]
        assert at.address.startswith("http://127.0.0.1:") and len(token) >= 40
        wrong = f"{origin(at)}/{'x' * len(token)}/"
        refused: list[tuple[str, dict[str, str]]] = [
            (origin(at) + "/", {}),
            (origin(at) + "/ws", {}),
            (wrong, {}),
            (wrong + "static/js/textual.js", {}),
            (wrong + "ws", {"Origin": origin(at)}),
            (at.address[:-2] + "/", {}),
            (at.address, {"Host": "selfheal.example"}),
            (at.address, {"Host": "127.0.0.1.example:80"}),
            (at.address, {"Host": "x@127.0.0.1.example"}),
            (at.address, {"Host": ""}),
            (at.address, {"Origin": "http://selfheal.example"}),
            (at.address, {"Origin": "null"}),
        ]
        for address, headers in refused:
            async with client.get(address, headers=headers) as answer:
                body = await answer.text()
                assert answer.status in (400, 403), (address, headers)
                assert token not in body
        for headers in ({}, {"Origin": "http://selfheal.example"}, {"Host": "selfheal.example"}):
            with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
                await client.ws_connect(at.address + "ws", headers=headers)
        assert alive(descendants(at.process.pid)) == set(), "a refused page started an app"


async def test_the_page_and_all_it_loads_come_from_here(tmp_path: Path) -> None:
    async with served(tmp_path) as at, aiohttp.ClientSession() as client:
        for path in ("", "page.js", "page.css", "static/js/textual.js", "static/css/xterm.css"):
            async with client.get(at.address + path) as answer:
                body = await answer.text()
                policy = answer.headers["Content-Security-Policy"]
                assert answer.status == 200 and body
                assert "default-src 'none'" in policy and "http" not in policy
                assert answer.headers["Referrer-Policy"] == "no-referrer"
                assert set(re.findall(r"https?://[^\s\"'`)]+", body)) <= NAMED, path
        for path in ("static/", "static/../server.py", "static/images/background.png", "download/x", "page.py"):
            async with client.get(at.address + path) as answer:
                assert answer.status in (403, 404), path


async def test_at_all_addresses_the_printed_one_can_be_opened_here(tmp_path: Path) -> None:
    async with served(tmp_path, "--host", "0.0.0.0", "--allow-remote") as at, aiohttp.ClientSession() as client:
        assert at.address.startswith("http://127.0.0.1:")
        async with client.get(at.address) as answer:
            assert answer.status == 200


async def test_ctrl_c_ends_the_apps_and_what_they_started(tmp_path: Path) -> None:
    async with served(tmp_path) as at, aiohttp.ClientSession() as client:
        page = await open_page(at, client)
        await page.send("stdin", "\r")
        await page.wait_for("your decision")
        below = descendants(at.process.pid)
        assert alive(below)
        at.process.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(at.process.wait(), PATIENCE_S) == 0
        assert alive(below) == set()
        assert at.outcome == "waiting"


async def test_an_app_ends_when_its_server_is_killed(tmp_path: Path) -> None:
    async with served(tmp_path) as at, aiohttp.ClientSession() as client:
        page = await open_page(at, client)
        await page.send("stdin", "\r")
        await page.wait_for("your decision")
        below = descendants(at.process.pid)
        at.process.kill()
        async with asyncio.timeout(PATIENCE_S):
            while alive(below):
                await asyncio.to_thread(signal.sigtimedwait, [], 0.1)
        assert at.outcome == "waiting"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--host", "0.0.0.0"), "--allow-remote"),
        (("--host", "example.invalid"), "--allow-remote"),
        (("--port", "70000"), "70000 is no port"),
        (("--port", "x"), "--port"),
        (("--autonomy", "none"), "autonomy"),
    ],
)
def test_a_bad_address_is_refused_in_a_sentence(
    flags: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", *flags]) == 2
    captured = capsys.readouterr()
    assert said in captured.err and captured.out == ""


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        at = f"127.0.0.1:{taken.getsockname()[1]}"
        command = [sys.executable, "-m", "selfheal_tui", "serve", "--port", at.partition(":")[2]]
        ran = subprocess.run(
            [*command, "--sessions", str(tmp_path)], capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
    assert ran.returncode == 2 and at in ran.stderr and ran.stdout == ""
