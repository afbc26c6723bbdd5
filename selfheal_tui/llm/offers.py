"""List the models that can be used here: from the settings, by the keys that are set, and from a local Ollama."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from selfheal_tui.errors import SelfHealError
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import size_words

from . import ollama_models
from .auto import BY_KEY, SUGGESTED
from .faults import ConnectionFailed
from .prices import DATED, list_price
from .registry import split_model

OFFERED = {
    "ANTHROPIC_API_KEY": (
        "anthropic:claude-haiku-5-5",
        "anthropic:claude-sonnet-5-5",
        "anthropic:claude-opus-5-5",
        "anthropic:claude-fable-5-2",
    ),
    "OPENAI_API_KEY": ("openai:gpt-6-luna", "openai:gpt-6.1-terra", "openai:gpt-6.1-sol", "openai:gpt-6-astra"),
}
"""Key in the environment -> models that write code well, the cheapest first; `selfheal models` asks for all of them."""


class Offer(NamedTuple):
    """A model, and why it is offered."""

    model: str
    why: str


def known_offers(
    settings_models: Sequence[str],
    environ: Mapping[str, str] | None = None,
    prices: Mapping[str, str] | None = None,
) -> list[Offer]:
    """Return the models that are known without asking a server, the settings' first; `prices` are the user's own."""
    environ = os.environ if environ is None else environ
    offers = {model: Offer(model, "in your settings") for model in settings_models}
    offers.setdefault(SEARCH, Offer(SEARCH, "needs no model, key or network"))
    offers["auto"] = Offer("auto", "takes what is there: a key, else a local Ollama, else the search")
    for key, model in BY_KEY.items():
        if environ.get(key):
            offers.setdefault(model, Offer(model, f"{key} is set"))
        for name in OFFERED.get(key, ()) if environ.get(key) else ():
            words = _price_words(name, prices or {})
            offers[name] = Offer(name, f"{offers[name].why}; {words}" if name in offers else words)
    return list(offers.values())


def _price_words(model: str, prices: Mapping[str, str]) -> str:
    price = list_price(*split_model(model), prices)
    if price is None:
        return "price unknown"
    return f"${price[0]:g} in, ${price[1]:g} out a million tokens ({'your price' if model in prices else DATED})"


async def local_offers() -> tuple[list[Offer], str]:
    """Return the models that Ollama has, with what is said of each, and a sentence where it has or says nothing."""
    try:
        models = await ollama_models.installed()
    except ConnectionFailed:
        return [], "No Ollama answers here."
    except SelfHealError as error:
        return [], str(error)
    if not models:
        why = "not there yet: take it, and enter offers to pull it"
        return [Offer(f"ollama:{SUGGESTED}", why)], "Ollama answers, but has no model installed."
    return [
        Offer(f"ollama:{one.name}", f"Ollama has it: {size_words(one.size_bytes)}, {one.here}") for one in models
    ], ""
