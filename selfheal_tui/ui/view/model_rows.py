"""Models as a picker shows them: price, and whether each can be used now; first what is known, then who was asked."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Iterable, Sequence
from typing import TYPE_CHECKING

from selfheal_tui.errors import InputError, SelfHealError
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.settings import Settings
from selfheal_tui.text import one_line, size_words

from .picks import Pick

if TYPE_CHECKING:
    from selfheal_tui.llm.model_list import ListedModel


async def models(settings: Settings) -> AsyncGenerator[tuple[list[Pick], str], None]:
    """Yield the models that are known, then all that the providers list; each time with a note."""
    known = await known_rows(settings)
    yield known, "asking the providers …"
    rows, note = await listed_rows(settings)
    yield joined(known, rows), note


async def known_rows(settings: Settings) -> list[Pick]:
    """Return the models that are known without asking anybody, beside the event loop: prices are read on first use."""
    return await asyncio.to_thread(_known, settings)


def _known(settings: Settings) -> list[Pick]:
    from selfheal_tui.llm.offers import OFFERED, known_offers

    offers = known_offers([settings.model, *settings.role_models.values()], prices=settings.prices)
    rows = [_row(offer.model, offer.why) for offer in offers if offer.model != "auto"]
    without = [(key, model) for key, models in OFFERED.items() if not os.environ.get(key) for model in models]
    names = {row.value for row in rows}
    return [
        *rows,
        *(Pick(model, model, f"{key} is not set", ready=False) for key, model in without if model not in names),
    ]


def _row(model: str, why: str) -> Pick:
    return Pick(model, model, "built in; needs no model, key or network" if model == SEARCH else why)


async def listed_rows(settings: Settings) -> tuple[list[Pick], str]:
    """Ask every provider that has a key or an address for its models; return them and why others are missing."""
    from selfheal_tui.llm.model_list import list_models

    wanted = [model for model in (settings.model, *settings.role_models.values()) if model != "auto"]
    models, notes = await list_models(wanted, settings.prices)
    return [Pick(one.model, one.model, _words(one), one.fits is not False) for one in models], " ".join(notes)


def _words(model: ListedModel) -> str:
    parts = []
    if model.price is None:
        parts.append("price unknown")
    elif any(model.price):
        parts.append(f"${model.price[0]:g} in, ${model.price[1]:g} out a million tokens")
    elif model.model != SEARCH:
        parts.append("free")
    if model.size_bytes:
        parts.append(size_words(model.size_bytes))
    if model.here:
        parts.append(model.here)
    if model.fits is False:
        parts.append("too large for this machine")
    return "ready: " + ", ".join(parts) if model.fits is not False else ", ".join(parts)


def joined(known: Sequence[Pick], listed: Sequence[Pick]) -> list[Pick]:
    """Return the known models in their order, with what their providers say of them, then the others."""
    by_model = {row.value: row for row in listed}
    first = [by_model.pop(row.value, row) for row in known]
    return [*first, *by_model.values()]


async def missing_model(models: Iterable[str]) -> tuple[str, str]:
    """Return the first model that an Ollama does not have, and a sentence when it cannot be asked; else nothing."""
    from selfheal_tui.llm.faults import ConnectionFailed
    from selfheal_tui.llm.ollama_models import lacks
    from selfheal_tui.llm.registry import split_model

    for provider, name in map(split_model, dict.fromkeys(models)):
        if provider == "ollama":
            try:
                if await lacks(name):
                    return name, ""
            except ConnectionFailed as fault:
                return "", f"No Ollama answers. {fault.hint}"
            except SelfHealError as error:
                return "", str(error)
    return "", ""


async def check_answering(models: Iterable[str]) -> None:
    """Check that Ollama has those of its models that are named. Raises: InputError."""
    missing, why = await missing_model(models)
    if missing:
        name = one_line(missing, 80)
        raise InputError(f"Ollama does not have {name}.", f"`selfheal models pull {name}` gets it.")
    if why:
        raise InputError(why)
