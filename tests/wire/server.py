"""The fake server itself: it finds the entry for a request, answers in the protocol of its path, and keeps records."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from pathlib import Path
from time import time
from typing import Any, Self

from .anthropic import Anthropic, model_info
from .http import Connection, Gone, HttpRequest
from .library import Library
from .ollama import Ollama
from .openai import OpenAI
from .prompt_cache import PromptCache
from .script import Entry, Fault, Script
from .vendor import Answer, Question, Vendor

_CHATS: dict[str, Vendor] = {"/v1/messages": Anthropic(), "/api/chat": Ollama(), "/v1/chat/completions": OpenAI()}
_PAGE = b"<!DOCTYPE html>\n<html><body><h1>Blocked by the proxy</h1><p>Please sign in.</p></body></html>\n"
_QUOTA_STATUS = {"anthropic": 400, "ollama": 429, "openai": 429}
_SECRET_HEADERS = ("authorization", "x-api-key", "cookie")


@dataclass(eq=False, slots=True)
class Recorded:
    """A request that came in."""

    method: str
    path: str
    headers: Mapping[str, str]
    """As sent, names in lower case; the key is taken out."""
    body: Any
    key: str
    """What the client identified itself with; only in this process, in no record that is written."""
    vendor: str = ""
    role: str = ""
    disconnected: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the client went before it had the whole answer."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the answering has ended, however it did."""
    whole: bool = False
    """Whether a model's reply went out to its end: a vendor would have it on the bill."""

    def public(self) -> dict[str, Any]:
        """Return what may be written down."""
        return {
            "method": self.method, "path": self.path, "headers": dict(self.headers), "body": self.body,
            "has_key": bool(self.key), "vendor": self.vendor, "role": self.role,
            "disconnected": self.disconnected.is_set(),
        }  # fmt: skip


Watch = Callable[[Recorded, float], Awaitable[None]]
"""Told how much of a model's reply has gone out: 0.0 when it is asked for, 1.0 when all of it has."""


class WireServer:
    """Serves while its context is open, on loopback only."""

    def __init__(self, script: Script, port: int = 0, record: Path | None = None) -> None:
        self.script = script
        self.library = Library(script)
        self.requests: list[Recorded] = []
        self.watch: Watch | None = None
        """The reply goes on when it returns."""
        self._port = port
        self._record = record
        self._cache = PromptCache()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        await self.open_port()
        if self.script.refuses_connections:
            await self.close_port()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close_port()

    @property
    def url(self) -> str:
        """The address, without a path."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def chats(self) -> list[Recorded]:
        """The requests that asked a model."""
        return [request for request in self.requests if request.path in _CHATS]

    def environment(self, key: str = "sk-test-0123456789") -> dict[str, str]:
        """Return the variables that make each vendor's client come here."""
        key = self.script.key or key
        return {
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": key,
            "OLLAMA_HOST": self.url,
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_KEY": key,
            "QWEN_BASE_URL": f"{self.url}/v1",
            "DASHSCOPE_API_KEY": key,
        }

    async def open_port(self) -> None:
        """Listen; on the port it had, when it had one."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def close_port(self) -> None:
        """Stop listening and break off what is going on: connections are refused from now on."""
        if self._server is not None:
            self._server.close()
            await asyncio.sleep(0)  # a connection that was just accepted gets its task now
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await self._server.wait_closed()
            self._server = None

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        connection = Connection(reader, writer)
        try:
            while (request := await connection.next_request()) is not None:
                if not await self._answer(connection, request):
                    break
        except (Gone, ConnectionError, asyncio.IncompleteReadError):
            pass
        except asyncio.CancelledError:
            # The task's owner is asyncio's server, which would log it.
            pass
        finally:
            self._tasks.discard(task)
            await connection.close()

    async def _answer(self, connection: Connection, request: HttpRequest) -> bool:
        """Answer a request; return whether the connection goes on."""
        if request.path == "/_requests":
            await _json(connection, 200, [recorded.public() for recorded in self.requests])
            return True
        recorded = self._note(request)
        vendor = _CHATS.get(request.path)
        try:
            if self.script.redirect:
                onward = {"Location": self.script.redirect + request.path}
                await connection.respond(307, b"", "text/plain", onward)
                return True
            if vendor is not None and request.method == "POST":
                return await self._chat(connection, vendor, recorded)
            if (goes_on := await self.library.answer(connection, request)) is not None:
                return goes_on
            await self._small_talk(connection, request)
        except (Gone, ConnectionError):
            recorded.disconnected.set()
            raise
        finally:
            recorded.ended.set()
            self._write_down(recorded)
        return True

    async def _chat(self, connection: Connection, vendor: Vendor, recorded: Recorded) -> bool:
        question = replace(vendor.question(recorded.body), context=self.script.context_length)
        recorded.vendor, recorded.role = vendor.name, self.script.role_of(question.system)
        if self.script.key and recorded.key != self.script.key:
            return await self._refuse(connection, vendor, question, 401, recorded)
        if not self.library.has(question.model):
            return await self._refuse(connection, vendor, question, 404, recorded)
        entry = self.script.find(question.system, question.user)
        if entry is None:
            words = f"the script has no reply for the role {recorded.role!r} and this prompt"
            return await self._refuse(connection, vendor, question, 422, recorded, words)
        fault = entry.next_fault()
        if fault is not None and (status := _status(fault, vendor, question, recorded.body)):
            return await self._refuse(connection, vendor, question, status, recorded, fault.name, fault)
        if self.script.caches:
            cached = self._cache.of(vendor.name, recorded.body)
            question = replace(question, cached_tokens=cached.read, cache_write_tokens=cached.written)
        self.library.load(question.model)
        await self._tell(recorded, 0.0)
        match fault.name if fault else "":
            case "stall":
                await connection.wait_for_client()
            case "html":
                await connection.respond(int(fault.value if fault else 200), _PAGE, "text/html; charset=utf-8", {})
            case "wrong_content_type":
                await connection.respond(200, b"OK\n", "text/plain", {})
            case _ if not question.streams:
                await _json(connection, 200, vendor.whole(Answer.of(entry, question, fault), question))
                await self._sent(recorded)
            case _:
                goes_on = await _stream(
                    connection, vendor, question, entry, fault, lambda share: self._tell(recorded, share)
                )
                if goes_on:
                    await self._sent(recorded)
                return goes_on
        return True

    async def _sent(self, recorded: Recorded) -> None:
        recorded.whole = True
        await self._tell(recorded, 1.0)

    async def _tell(self, recorded: Recorded, share: float) -> None:
        if self.watch is not None:
            await self.watch(recorded, share)

    async def _refuse(
        self, connection: Connection, vendor: Vendor, question: Question, status: int, recorded: Recorded,
        name: str = "", fault: Fault | None = None,
    ) -> bool:  # fmt: skip
        headers = {}
        if fault is not None and fault.retry_after is not None:
            seconds = f"{fault.retry_after:g}"
            headers["Retry-After"] = formatdate(time() + fault.retry_after, usegmt=True) if fault.as_date else seconds
        await _json(connection, status, vendor.error(status, name, question, recorded.key), headers)
        return True

    async def _small_talk(self, connection: Connection, request: HttpRequest) -> None:
        """Answer what is asked besides chats."""
        models = list(self.script.models) or ["tiny"]
        match request.method, request.path:
            case "GET" | "HEAD", "/":
                await connection.respond(
                    200, b"" if request.method == "HEAD" else b"Ollama is running", "text/plain", {}
                )
            case "GET", "/v1/models" if "anthropic-version" in request.headers:
                listed = [self._info(m) for m in models]
                await _json(connection, 200, {"data": listed, "has_more": False, "first_id": None, "last_id": None})
            case "GET", path if path.startswith("/v1/models/") and self.script.tells_of_models:
                name = path.removeprefix("/v1/models/")
                if self.script.models and name not in models:
                    missing = {"type": "not_found_error", "message": f"model: {name}"}
                    await _json(connection, 404, {"type": "error", "error": missing})
                else:
                    await _json(connection, 200, self._info(name))
            case "GET", "/v1/models":
                ends = {m: str(day) for m, day in self.script.ends.items()}
                offered = [
                    {"id": m, "object": "model", "created": 0, "owned_by": "test", "shutdown_date": ends.get(m)}
                    for m in models
                ]
                await _json(connection, 200, {"object": "list", "data": offered})
            case "GET", "/api/version":
                await _json(connection, 200, {"version": "0.12.0"})
            case _:
                await _json(connection, 404, {"detail": "Not Found"})

    def _info(self, name: str) -> dict[str, Any]:
        return model_info(name, self.script.context_length, self.script.thinks, str(self.script.ends.get(name, "")))

    def _note(self, request: HttpRequest) -> Recorded:
        headers = {name: value for name, value in request.headers.items() if name not in _SECRET_HEADERS}
        key = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        recorded = Recorded(request.method, request.path, headers, request.json(), key)
        self.requests.append(recorded)
        return recorded

    def _write_down(self, recorded: Recorded) -> None:
        if self._record is not None:
            with self._record.open("a", encoding="utf-8") as file:
                file.write(json.dumps(recorded.public()) + "\n")


def _status(fault: Fault, vendor: Vendor, question: Question, body: Mapping[str, Any]) -> int:
    """Return the error status that a fault means for a request; 0 for none."""
    fires = {
        "status": True,
        "quota": True,
        "declined": True,
        "refuse_response_format": question.format != "text",
        "refuse_json_schema": question.format == "json_schema",
        "refuse_stream_options": "stream_options" in body,
        "refuse_effort": "reasoning_effort" in body or "effort" in (body.get("output_config") or {}),
        "refuse_thinking": "thinking" in body or "think" in body,
        "refuse_max_tokens": vendor.name == "openai" and "max_tokens" in body,
        "refuse_max_completion_tokens": "max_completion_tokens" in body,
        "max_tokens_limit": vendor.name != "ollama" and question.max_tokens > 4096,
        "context_full": vendor.name != "ollama" and question.tokens() + question.max_tokens > question.context,
        "context_shared": vendor.name != "ollama" and question.max_tokens > 3000,
    }
    if not fires.get(fault.name, False):
        return 0
    return {"status": int(fault.value), "quota": _QUOTA_STATUS[vendor.name]}.get(fault.name, 400)


async def _stream(
    connection: Connection,
    vendor: Vendor,
    question: Question,
    entry: Entry,
    fault: Fault | None,
    tell: Callable[[float], Awaitable[None]],
) -> bool:
    """Send a reply event by event, with what goes wrong in it; return whether the connection goes on."""
    name = fault.name if fault else ""
    chunked = name != "cut_at"
    content_type = vendor.content_type
    events = vendor.events(Answer.of(entry, question, fault), question, strange=name == "unknown_event_types")
    texts = [index for index, event in enumerate(events) if event.is_text]
    parts = [event.raw for event in events]
    damage = {
        "invalid_utf8": vendor.event(b"\xff\xfe\x80"),
        "bad_json_event": vendor.event(b'"oops'),
        "deep_json_event": vendor.event(b'", "x": ' + b"[" * 50_000 + b"]" * 50_000 + b', "y": "'),
        "error_event": vendor.error_event(),
    }.get(name)
    if damage is not None:
        middle = texts[len(texts) // 2] if texts else len(parts) - 1
        parts[middle:] = [damage] if name == "error_event" else [damage, *parts[middle:]]
    await connection.begin(content_type, chunked=chunked)
    left = int(fault.value) if fault and name in ("cut_at", "reset_at", "stall_at") else None
    for index, part in enumerate(parts):
        if entry.delay_s and (index in texts or events[index].is_ping):
            await asyncio.sleep(entry.delay_s)
        data = part if left is None else part[:left]
        size = 1 if name == "drip" else entry.chunk_bytes or len(data)
        for start in range(0, len(data), max(1, size)):
            await connection.send(data[start : start + size], chunked=chunked)
            if name == "drip" and fault:
                await asyncio.sleep(fault.value or 0.02)
        if left is not None and len(part) >= left:
            if name == "cut_at":
                return False
            await (connection.reset() if name == "reset_at" else connection.wait_for_client())
        left = None if left is None else left - len(part)
        await tell((index + 1) / (len(parts) + 1))
    if name == "never_ends":
        await connection.wait_for_client()
    if name == "reset_at_end":
        await connection.reset()
    await connection.finish(chunked=chunked)
    return chunked


async def _json(connection: Connection, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
    await connection.respond(status, json.dumps(body).encode(), "application/json", headers or {})
