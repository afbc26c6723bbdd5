"""List the models that can be used here: from the settings, by the keys that are set, and from a local Ollama."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from selfheal_tui.errors import SelfHealError
from selfheal_tui.setting_values import SEARCH

from . import ollama
from .auto import BY_KEY
from .prices import DATED, PRICES

_KEY_OF = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}


class Offer(NamedTuple):
    """A model, and why it is offered."""

    model: str
    why: str


def known_offers(settings_models: Sequence[str], environ: Mapping[str, str] | None = None) -> list[Offer]:
    """Return the models that are known without asking a server, those of the settings first."""
    environ = os.environ if environ is None else environ
    offers = {model: Offer(model, "in your settings") for model in settings_models}
    offers.setdefault(SEARCH, Offer(SEARCH, "needs no model, key or network"))
    offers["auto"] = Offer("auto", "takes what is there: a key, else a local Ollama, else the search")
    for key, model in BY_KEY.items():
        if environ.get(key):
            offers.setdefault(model, Offer(model, f"{key} is set"))
    for model, price in PRICES.items():
        key = _KEY_OF.get(model.partition(":")[0], "")
        if environ.get(key):
            words = f"${price.input:g} in, ${price.output:g} out a million tokens ({DATED})"
            offers[model] = Offer(model, f"{offers[model].why}; {words}" if model in offers else words)
    return list(offers.values())


async def local_offers() -> tuple[list[Offer], str]:
    """Return the models of the Ollama that answers within half a second, and a sentence when none does."""
    try:
        if not await ollama.reachable():
            return [], "No Ollama answers here."
        names = await ollama.installed()
    except SelfHealError as error:
        return [], str(error)
    if not names:
        return [], "Ollama answers, but has no model installed."
    return [Offer(f"ollama:{name}", "Ollama has it") for name in names if "embed" not in name], ""
