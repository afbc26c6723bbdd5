"""Let an Ollama server fetch a model: an iterator of progress. Closing it stops the fetching; what is there stays."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line, size_words

from .attempt import count, look
from .faults import ConnectionFailed, ModelMissing, ProviderFault, ServerFailed
from .ollama import open_at
from .registry import PROVIDERS, split_model
from .time_limits import Stopwatch, TimeLimits

GOES_ON = "A later pull goes on where it stopped."
_LIMITS = TimeLimits(first_s=120.0, piece_s=600.0, total_s=30 * 86_400.0)
"""Waits are measured by signs of life: to check 40 GB that have arrived takes minutes in silence."""
_NO_NETWORK = ("no such host", "dial tcp", "max retries", "i/o timeout", "tls:", "connection re", "eof")


@dataclass(frozen=True, slots=True)
class PullProgress:
    """How far a pull has come."""

    step: str
    """The server's word for what it does; `success` in the last one."""
    done_bytes: int = 0
    total_bytes: int = 0
    """Of the parts that have begun, which is nearly all from the start; 0 while none has."""

    @property
    def words(self) -> str:
        """Say it in a few words: `1.2 GB of 4.7 GB (25 %)`."""
        if not self.total_bytes or self.done_bytes >= self.total_bytes:
            return one_line(self.step, 60)
        share = 100 * self.done_bytes // self.total_bytes
        return f"{size_words(self.done_bytes)} of {size_words(self.total_bytes)} ({share} %)"


def pull_name(text: str) -> str:
    """Return the name that Ollama knows: without `ollama:` before it. Raises: InputError for a model of others."""
    provider, model = split_model(text.strip())
    name = model if provider == "ollama" else text.strip()
    if not name:
        raise InputError("Which model is to be pulled?", "Give a name of Ollama's library: qwen2.5-coder:7b")
    if provider in PROVIDERS and provider != "ollama":
        raise InputError(f"Models of {provider} cannot be pulled.", "Ollama alone fetches models by name.")
    return name


async def pull(name: str, host: str | None = None) -> AsyncIterator[PullProgress]:
    """Fetch a model; the last progress is `success`. Raises: ProviderFault, SettingsError."""
    provider = open_at(host, _LIMITS)
    parts: dict[str, tuple[int, int]] = {}
    step = ""
    fault: ProviderFault | None = None
    try:
        client, watch = await provider.client(), Stopwatch(_LIMITS)
        stream = await client.pull(name, stream=True)
        try:
            while (event := await provider.step(watch.wait(anext(stream, None)), name)) is not None:
                watch.is_alive()
                step = str(look(event, "status") or step)
                if (digest := look(event, "digest")) and (total := count(look(event, "total"))):
                    parts[str(digest)] = (count(look(event, "completed")), total)
                yield PullProgress(
                    step, sum(done for done, _ in parts.values()), sum(all_ for _, all_ in parts.values())
                )
        except ProviderFault as error:
            fault = _explained(error, name, provider.service.label, bool(parts))
        else:
            fault = None if step == "success" else ConnectionFailed(f"The pull of {name!r} broke off.", GOES_ON)
        finally:
            await stream.aclose()
    finally:
        await provider.aclose()
    if fault is not None:
        raise fault


def _explained(fault: ProviderFault, name: str, label: str, has_begun: bool) -> ProviderFault:
    """Return the fault of a pull, in words that say what to do."""
    words, shown = fault.server_words.lower(), repr(one_line(name, 80))
    if "file does not exist" in words or "not found" in words or "invalid model name" in words:
        return ModelMissing(f"Ollama's library has no model {shown}.", "Check its name, and the tag behind the colon.")
    if "no space left" in words:
        return ServerFailed(f"The disk of {label} is full.", f"Make room. {GOES_ON}")
    if "newer version" in words:
        return ServerFailed(f"{shown} needs a newer Ollama.", "Upgrade Ollama, then pull again.")
    if any(sign in words for sign in _NO_NETWORK):
        return ConnectionFailed(f"{label} cannot reach its library.", f"Check its network. {GOES_ON}")
    if has_begun:
        fault.hint = GOES_ON
    return fault
