"""Choose the model for `auto`: by a key that is set, else a local Ollama, else the search, which needs nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from selfheal_tui.errors import SelfHealError
from selfheal_tui.setting_values import SEARCH

from . import ollama_models
from .faults import TimedOut

BY_KEY = {
    "ANTHROPIC_API_KEY": "anthropic:claude-sonnet-5-5",
    "OPENAI_API_KEY": "openai:gpt-6.1-terra",
    "DASHSCOPE_API_KEY": "qwen:qwen3-coder-plus",
}
"""Key in the environment -> the model to use with it, in order of preference."""
_CODERS = ("coder", "code", "devstral", "gpt-oss", "qwen", "llama", "mistral", "gemma")
"""Parts of the names of local models, those that write code best first."""
SUGGESTED = "qwen2.5-coder"
"""A local model that writes code and fits most machines, for an Ollama that has none."""


class Choice(NamedTuple):
    """The chosen model, and why, in a few words."""

    model: str
    why: str


async def choose(environ: Mapping[str, str] | None = None) -> Choice:
    """Choose a model without asking a paid service anything; an Ollama that is there may take seconds to answer."""
    environ = os.environ if environ is None else environ
    for key, model in BY_KEY.items():
        if environ.get(key):
            return Choice(model, f"{key} is set")
    try:
        names = await ollama_models.installed_names()
    except TimedOut as fault:
        return Choice(SEARCH, f"no key is set. {fault.message}".rstrip("."))
    except SelfHealError:
        return Choice(SEARCH, "no key is set and no Ollama answers")
    if names:
        return Choice(f"ollama:{best_of(names)}", "Ollama answers, and has it installed")
    return Choice(SEARCH, f"Ollama answers, but has no model installed (`selfheal models pull {SUGGESTED}` gets one)")


def best_of(names: Sequence[str]) -> str:
    """Return the installed model that writes code best, by its name; embedding models never."""
    usable = [name for name in names if "embed" not in name] or list(names)

    def rank(name: str) -> tuple[int, str]:
        return next((at for at, part in enumerate(_CODERS) if part in name.lower()), len(_CODERS)), name

    return min(usable, key=rank)
