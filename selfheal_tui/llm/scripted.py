"""A provider that answers from a YAML file: for tests, and to show the model path without a model.

    replies:
      - role: debugger            # required
        when: [ZeroDivisionError] # texts that the prompt must hold, all of them; optional
        reply: {cause: ...}       # an object (sent as JSON) or the raw text, malformed if you like
        delay_s: 0.05             # before each piece; optional
        usage: {input_tokens: 10, output_tokens: 20, cost_usd: 0.001}   # optional
      - role: repairer
        error: "overloaded"       # a provider failure instead of a reply

The first entry whose role and texts fit answers: keyed by role and content, never by call order, so a replay
gets the same answers.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from selfheal_tui.errors import ProviderError, SettingsError

from .base import Completion, Request, TextDelta, Usage
from .time_limits import TimeLimits

_KEYS = {"role", "when", "reply", "delay_s", "usage", "error"}
_PIECE = 24


class ScriptedProvider:
    """Answers from a list of entries."""

    name = "scripted"

    def __init__(self, entries: Sequence[Mapping[str, Any]], source: str = "the script") -> None:
        self._entries = entries
        self._source = source

    async def stream(self, request: Request) -> AsyncIterator[TextDelta | Completion]:
        """Stream the first fitting reply in pieces. Raises: ProviderError when none fits."""
        entry = next((e for e in self._entries if _fits(e, request)), None)
        if entry is None:
            raise ProviderError(
                f"{self._source} has no reply for the role {request.role!r} and this prompt.",
                "Add an entry with that role, without `when` to fit every prompt.",
            )
        delay_s = float(entry.get("delay_s", 0))
        if "error" in entry:
            await asyncio.sleep(delay_s)
            raise ProviderError(f"The scripted model failed: {entry['error']}.", "Resume to try again.")
        reply = entry["reply"]
        text = reply if isinstance(reply, str) else json.dumps(reply, indent=1)
        for start in range(0, len(text), _PIECE):
            if delay_s:
                await asyncio.sleep(delay_s)
            yield TextDelta(text[start : start + _PIECE])
        used = entry.get("usage") or {}
        words = len(request.system.split()) + len(request.user.split())
        yield Completion(
            text,
            Usage(
                int(used.get("input_tokens", words)),
                int(used.get("output_tokens", len(text.split()))),
                None if used.get("cost_usd", 0.0) is None else float(used.get("cost_usd", 0.0)),
            ),
        )

    async def aclose(self) -> None:
        """Nothing to close."""


def open_provider(model: str, limits: TimeLimits | None = None) -> ScriptedProvider:
    """Read the YAML file named by the model part of `scripted:FILE`; no limits hold. Raises: SettingsError."""
    import yaml

    path = Path(model)
    try:
        content = yaml.safe_load(path.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"The script {path} cannot be read ({error.strerror}).", "Give scripted:FILE.") from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise SettingsError(f"The script {path} is not valid YAML: {' '.join(str(error).split())}.") from error
    entries = content.get("replies") if isinstance(content, dict) else None
    if not isinstance(entries, list):
        raise SettingsError(f"The script {path} holds no list `replies`.")
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict) or "role" not in entry or not ({"reply", "error"} & set(entry)):
            raise SettingsError(f"Entry {number} of {path} needs `role` and one of `reply`, `error`.")
        if unknown := set(entry) - _KEYS:
            raise SettingsError(f"Entry {number} of {path} has the unknown key {sorted(unknown)[0]!r}.")
    return ScriptedProvider(entries, str(path))


def _fits(entry: Mapping[str, Any], request: Request) -> bool:
    wanted = entry.get("when", [])
    texts = [wanted] if isinstance(wanted, str) else wanted
    return bool(entry["role"] == request.role and all(str(text) in request.user for text in texts))
