"""The server: a page, the terminal's script from textual-serve, and a socket that starts an app for each page.

It asks no other host for anything, and neither may the page: see `guard`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from aiohttp import WSMsgType, web

from selfheal_tui.errors import InputError

from .child import Child
from .guard import add_headers, build_guard

_PAGE = {"": "page.html", "page.js": "page.js", "page.css": "page.css"}
_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".ttf": "font/ttf"}
_TERMINAL = (
    "js/textual.js",
    "css/xterm.css",
    "fonts/RobotoMono-VariableFont_wght.ttf",
    "fonts/RobotoMono-Italic-VariableFont_wght.ttf",
)
"""Files of textual-serve that the page uses; no others are served."""
_MOST_APPS = 8
"""Pages open at once; each is a process."""
_COULD_NOT_START = b"\r\n  The app could not be started; the terminal of `selfheal serve` says why.\r\n"


class Server:
    """Serves the app to browsers that know the token."""

    def __init__(self, command: Sequence[str], token: str) -> None:
        """`command` starts the app in a child process."""
        self._command = command
        self._token = token
        self._runner: web.AppRunner | None = None
        self._sockets: set[web.WebSocketResponse] = set()

    async def start(self, host: str, port: int) -> int:
        """Listen at a port, or at a free one for port 0; return the port. Raises: InputError when it is not free."""
        app = web.Application(middlewares=[build_guard(self._token, host)])
        app.on_response_prepare.append(add_headers)
        app.add_routes(
            [
                *(web.get(f"/{{token}}/{path}", self._page) for path in _PAGE),
                web.get("/{token}/static/{path:.+}", self._static),
                web.get("/{token}/ws", self._socket),
            ]
        )
        app.on_shutdown.append(self._close_sockets)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, host, port).start()
        except OSError as error:
            await self.close()
            raise InputError(f"Nothing can listen at {host}:{port}: {error.strerror}.", "Try --port 0.") from error
        bound_port: int = self._runner.addresses[0][1]
        return bound_port

    async def close(self) -> None:
        """End every app in order, then the server."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _page(self, request: web.Request) -> web.Response:
        return _file("selfheal_tui.web", _PAGE[request.path.rpartition("/")[2]])

    async def _static(self, request: web.Request) -> web.Response:
        path = request.match_info["path"]
        if path not in _TERMINAL:
            raise web.HTTPNotFound
        return _file("textual_serve", f"static/{path}")

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        if len(self._sockets) >= _MOST_APPS:
            return web.Response(status=503, text=f"{_MOST_APPS} pages are open already; close one.\n")
        socket = web.WebSocketResponse(heartbeat=15)
        self._sockets.add(socket)
        try:
            await socket.prepare(request)
            child = await Child.start(
                self._command, _size(request.query, "width", 80), _size(request.query, "height", 24)
            )
            shows = asyncio.create_task(_show(child, socket))
            try:
                await _listen(child, socket)
            finally:
                shows.cancel()
                await asyncio.gather(shows, return_exceptions=True)
                await child.close()
        finally:
            self._sockets.discard(socket)
        return socket

    async def _close_sockets(self, _: web.Application) -> None:
        await asyncio.gather(*(socket.close(code=1001) for socket in set(self._sockets)))


async def _show(child: Child, socket: web.WebSocketResponse) -> None:
    """Pass what the app writes to the page; close the socket when the app ends."""
    started = False
    try:
        async for data in child.output():
            started = True
            await socket.send_bytes(data)
        if not started:
            await socket.send_bytes(_COULD_NOT_START)
    except ConnectionError:  # the page is gone; `_listen` sees it too
        return
    await socket.close()


async def _listen(child: Child, socket: web.WebSocketResponse) -> None:
    """Pass keys and sizes on to the app; ignore anything else, as our page never sends it."""
    async for message in socket:
        if message.type != WSMsgType.TEXT:
            continue
        try:
            kind, *facts = json.loads(message.data)
        except (ValueError, TypeError, RecursionError):
            continue
        match kind, facts:
            case "stdin", [str(text), *_]:
                await child.type(text)
            case "resize", [dict(size), *_]:
                await child.tell("resize", width=_size(size, "width", 80), height=_size(size, "height", 24))
            case "focus" | "blur", _:
                await child.tell(kind)
            case "ping", [str() | int() | float() as sent, *_]:
                await socket.send_json(["pong", sent])


def _size(text: Any, name: str, default: int) -> int:
    try:
        return min(max(int(text[name]), 1), 1000)
    except (KeyError, TypeError, ValueError, OverflowError):
        return default


def _file(package: str, path: str) -> web.Response:
    content_type = _TYPES[path[path.rindex(".") :]]
    charset = "utf-8" if content_type.startswith("text/") else None
    return web.Response(body=files(package).joinpath(path).read_bytes(), content_type=content_type, charset=charset)
