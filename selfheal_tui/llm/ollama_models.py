"""Which models an Ollama server has: their size, context and thinking, and whether they fit where they run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from .attempt import count, look
from .faults import ProviderFault
from .machine import Memory, fit, read_memory
from .model_facts import UNKNOWN, ModelFacts
from .ollama import OllamaProvider, open_at
from .ollama_host import is_local
from .ollama_place import place_of, same_model
from .time_limits import Stopwatch, TimeLimits

_CONNECT_TIME_S = 1.0
_REMOTE_CONNECT_TIME_S = 3.0
_ANSWER_TIME_S = 5.0
"""For a server that is there: a machine that loads a model answers late. One that is not there refuses at once."""


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model that an Ollama server has."""

    name: str
    size_bytes: int
    """Of its file; 0 where the server does not tell."""
    facts: ModelFacts = UNKNOWN
    fits: bool | None = None
    """Whether the machine can hold it; None when nobody can tell, as for a server elsewhere."""
    here: str = "not loaded"
    """How it runs or would run, in a few words."""


async def installed_names(host: str | None = None, time_s: float = _ANSWER_TIME_S) -> list[str]:
    """Return the names of the models that a server has, newest first. Raises: ProviderFault, SettingsError."""
    provider = _opened(host, time_s)
    try:
        return list(await provider.list_models(time_s))
    finally:
        await provider.aclose()


async def installed(
    host: str | None = None, time_s: float = _ANSWER_TIME_S, memory: Memory | None = None
) -> list[InstalledModel]:
    """Return the models that a server has and that write text, newest first. Raises: ProviderFault, SettingsError."""
    provider = _opened(host, time_s)
    try:
        client = await provider.client()
        watch = Stopwatch(provider.limits)
        listed = await provider.step(watch.wait(client.list()), "")
        sizes = {str(model.model): count(look(model, "size")) for model in listed.models}
        running, *all_facts = await asyncio.gather(_running(provider), *(_facts(provider, name) for name in sizes))
    finally:
        await provider.aclose()
    memory = (memory or read_memory()) if is_local(provider.service.url) else Memory()
    models = [
        _placed(InstalledModel(name, size_bytes, facts), running, memory)
        for (name, size_bytes), facts in zip(sizes.items(), all_facts, strict=True)
    ]
    return [model for model in models if model.facts.writes and "embed" not in model.name]


async def lacks(model: str, host: str | None = None) -> bool:
    """Tell whether a server does not have a model. Raises: ProviderFault, SettingsError."""
    return not any(same_model(name, model) for name in await installed_names(host))


def _opened(host: str | None, time_s: float) -> OllamaProvider:
    provider = open_at(host, TimeLimits(connect_s=_CONNECT_TIME_S, first_s=time_s))
    if not is_local(provider.service.url):
        provider.limits = replace(provider.limits, connect_s=_REMOTE_CONNECT_TIME_S)
    return provider


async def _facts(provider: OllamaProvider, name: str) -> ModelFacts:
    try:
        return await provider.facts(name)
    except ProviderFault:
        return UNKNOWN


async def _running(provider: OllamaProvider) -> Any:
    client = await provider.client()
    watch = Stopwatch(provider.limits)
    try:
        return await provider.step(watch.wait(client.ps()), "")
    except ProviderFault:
        return None


def _placed(model: InstalledModel, running: Any, memory: Memory) -> InstalledModel:
    if place := place_of(model.name, running):
        return replace(model, fits=True, here=place.words)
    fits, words = fit(model.size_bytes, memory)
    return replace(model, fits=fits, here=words or model.here)
