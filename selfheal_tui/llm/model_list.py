"""What can be used now: the models of every provider that answers, and a sentence on those that do not.

All are asked at the same time, and nothing but their lists is asked for.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from selfheal_tui.errors import SelfHealError, SettingsError
from selfheal_tui.setting_values import SEARCH

from . import anthropic, ollama_models, openai
from .model_facts import ModelFacts
from .ollama_place import same_model
from .prices import list_price
from .registry import split_model
from .sdk import SdkProvider
from .service import KeyMissing
from .time_limits import TimeLimits

_LIMITS = TimeLimits(connect_s=2.0)
_TIME_S = 3.0
_OPENERS: Mapping[str, Callable[[str, TimeLimits], SdkProvider]] = {
    "anthropic": anthropic.open_provider,
    "openai": openai.open_provider,
    "qwen": openai.open_qwen,
}
_OTHER_KINDS = re.compile(
    r"embed|tts|whisper|dall-e|moderation|image|realtime|audio|transcribe|sora|davinci|babbage|instruct$|wan\d|-vl-ocr"
)
"""Names of models in vendors' lists that do not write text, or not in a chat."""


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model that can be used."""

    model: str
    """`PROVIDER:NAME`, as `--model` takes it; `search` for the search."""
    facts: ModelFacts
    price: tuple[float, float] | None
    """Dollars for a million tokens of input and of output; None where nobody knows."""
    size_bytes: int | None = None
    fits: bool | None = None
    """Whether this machine can hold it; None for a model elsewhere, and where nobody can tell."""
    here: str = ""
    """How it runs or would run on this machine."""


class ModelList(NamedTuple):
    """What can be used, and what cannot."""

    models: list[ListedModel]
    notes: list[str]
    """A sentence for each provider that does not answer, for each model of the settings that is not there, and for all
    keys that are not set: lists say that of each model, so it is what may be cut."""


async def list_models(in_settings: Sequence[str] = (), own_prices: Mapping[str, str] | None = None) -> ModelList:
    """Ask every provider that has a key or an address, within a few seconds, for its models."""
    listings = [_of_vendor(name, own_prices) for name in _OPENERS]
    answers = await asyncio.gather(*(_answer(listing) for listing in (*listings, _of_ollama())))
    models = [ListedModel(SEARCH, ModelFacts(thinks=False, writes=False), (0.0, 0.0), fits=True, here="built in")]
    models += [model for listed, _ in answers for model in listed]
    keys = [note.variable for _, note in answers if isinstance(note, KeyMissing)]
    notes = _notes_of({name: note for name, (_, note) in zip((*_OPENERS, "ollama"), answers, strict=True)})
    answered = {split_model(model.model)[0] for model in models}
    notes += [
        _missing_words(model)
        for model in dict.fromkeys(in_settings)
        if split_model(model)[0] in answered and not any(same_model(one.model, model) for one in models)
    ]
    notes += [f"Not set: {', '.join(keys)}."] if keys else []
    return ModelList(models, notes)


async def _answer(listing: Awaitable[list[ListedModel]]) -> tuple[list[ListedModel], SelfHealError | None]:
    try:
        return await listing, None
    except SelfHealError as error:
        return [], error


def _notes_of(errors: Mapping[str, SelfHealError | None]) -> list[str]:
    """Say once what holds for several providers, with their names where the fault is on this side."""
    names: dict[str, list[str]] = {}
    for name, error in errors.items():
        if error is not None and not isinstance(error, KeyMissing):
            names.setdefault(_note_words(error), []).append(name if isinstance(error, SettingsError) else "")
    return [f"{', '.join(filter(None, of))}: {words}" if any(of) else words for words, of in names.items()]


def _note_words(error: SelfHealError) -> str:
    # Most hints of a provider are about the run that it fails.
    return error.message if "another model" in error.hint else str(error)


async def _of_vendor(name: str, own_prices: Mapping[str, str] | None) -> list[ListedModel]:
    provider = _OPENERS[name]("", _LIMITS)
    try:
        facts = await provider.list_models(_TIME_S)
    finally:
        await provider.aclose()
    is_vendor = provider.service.is_vendor

    def listed() -> list[ListedModel]:
        return [
            ListedModel(f"{name}:{model}", of_model, _price(name, model, own_prices, is_vendor))
            for model, of_model in facts.items()
            if not _OTHER_KINDS.search(model)
        ]

    # The library of prices is read on its first use.
    return await asyncio.to_thread(listed)


def _price(name: str, model: str, own_prices: Mapping[str, str] | None, is_vendor: bool) -> tuple[float, float] | None:
    # At another address the vendor's price says nothing.
    return list_price(name, model, own_prices) if is_vendor or f"{name}:{model}" in (own_prices or {}) else None


async def _of_ollama() -> list[ListedModel]:
    return [
        ListedModel(f"ollama:{one.name}", one.facts, (0.0, 0.0), one.size_bytes or None, one.fits, one.here)
        for one in await ollama_models.installed(time_s=_TIME_S)
    ]


def _missing_words(model: str) -> str:
    provider, name = split_model(model)
    hint = f" Get it: selfheal models pull {name}" if provider == "ollama" else " Choose another one."
    return f"{model} is in your settings, and is not in the list of its provider.{hint}"
