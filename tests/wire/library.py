"""Ollama's models: which are installed, what they are, which are loaded where, and pulls with all that goes wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .http import Connection, HttpRequest
from .script import Script

_AT = "2025-01-01T00:00:00Z"
_DIGEST = "sha256:" + "6a" * 32
_PULL_ERRORS = {
    "missing": "pull model manifest: file does not exist",
    "disk_full": f"write /root/.ollama/models/blobs/{_DIGEST}-partial: no space left on device",
    "no_registry": 'Get "https://registry.ollama.ai/v2/": dial tcp: lookup registry.ollama.ai: no such host',
    "too_new": "pull model manifest: 412: The model you are attempting to pull requires a newer version of Ollama.",
}


class Library:
    """The models of one server."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.names = list(script.models)
        self.loaded: list[str] = []
        """Models that were asked something."""
        self.fetched: dict[str, int] = {}
        """Model -> bytes that a pull has fetched so far; the next one goes on there."""

    async def answer(self, connection: Connection, request: HttpRequest) -> bool | None:
        """Answer a request about models; return whether the connection goes on, None when it is about none."""
        match request.method, request.path:
            case "GET", "/api/tags":
                listed = [{**self._entry(name), "modified_at": _AT} for name in self.names or ["tiny"]]
                return await _json(connection, 200, {"models": listed})
            case "GET", "/api/ps":
                return await _json(connection, 200, {"models": [self._place(name) for name in self.loaded]})
            case "POST", "/api/show":
                return await self._show(connection, str(request.json().get("model")))
            case "POST", "/api/pull":
                return await self._pull(connection, str(request.json().get("model")))
        return None

    def load(self, name: str) -> None:
        """Note that a model was asked something."""
        if name not in self.loaded:
            self.loaded.append(name)

    def has(self, name: str) -> bool:
        """Tell whether a model is installed; all are where the script names none."""
        return not self.names or name in self.names or f"{name}:latest" in self.names

    def _entry(self, name: str) -> dict[str, Any]:
        details = {"parameter_size": "8.2B", "quantization_level": "Q4_K_M", "family": "toy"}
        return {"name": name, "model": name, "size": self.script.sizes.get(name, 1), "details": details}

    def _place(self, name: str) -> dict[str, Any]:
        entry = self._entry(name)
        in_vram = entry["size"] if self.script.vram is None else min(self.script.vram, entry["size"])
        return {**entry, "size_vram": in_vram, "expires_at": _AT, "context_length": 16_384}

    async def _show(self, connection: Connection, name: str) -> bool:
        if not self.has(name):
            return await _json(connection, 404, {"error": f"model '{name}' not found"})
        able = ["embedding"] if "embed" in name else ["completion", *(["thinking"] if self.script.thinks else [])]
        info = {"general.architecture": "toy", "toy.context_length": self.script.context_length}
        return await _json(connection, 200, {"model_info": info, "capabilities": able, "details": {}})

    async def _pull(self, connection: Connection, name: str) -> bool:
        """Send a pull as Ollama does: in four pieces, of which a broken one sends two."""
        pull = self.script.pulls.get(name, {"fault": "missing"})
        fault, total = pull.get("fault", ""), int(pull.get("bytes", 4000))
        await connection.begin("application/x-ndjson", chunked=True)
        await _line(connection, {"status": "pulling manifest"})
        if fault in ("missing", "too_new", "no_registry"):
            await _line(connection, {"error": _PULL_ERRORS[fault]})
            await connection.finish(chunked=True)
            return True
        layer = {"status": "pulling 6a6a6a6a6a6a", "digest": _DIGEST, "total": total}
        fetched = self.fetched.get(name, 0)
        while fetched < total:
            await _line(connection, {**layer, "completed": fetched} if fetched else layer)
            if fault and fetched >= total / 2:
                # What is wrong now is right the next time.
                pull.pop("fault")
                if fault == "stall":
                    await connection.wait_for_client()
                if fault == "reset":
                    await connection.reset()
                if fault == "disk_full":
                    await _line(connection, {"error": _PULL_ERRORS[fault]})
                await connection.finish(chunked=True)
                return True
            fetched = self.fetched[name] = fetched + total // 4
        await _line(connection, {**layer, "completed": total})
        for status in ("verifying sha256 digest", "writing manifest", "success"):
            await _line(connection, {"status": status})
        self.names.append(name)
        await connection.finish(chunked=True)
        return True


async def _line(connection: Connection, value: Mapping[str, Any]) -> None:
    await connection.send(json.dumps(value).encode() + b"\n", chunked=True)


async def _json(connection: Connection, status: int, body: Any) -> bool:
    await connection.respond(status, json.dumps(body).encode(), "application/json", {})
    return True
