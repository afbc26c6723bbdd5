"""Say before the first call whether a budget in dollars can be kept: that takes a price for every model."""

from __future__ import annotations

from collections.abc import Mapping

from selfheal_tui.errors import SettingsError
from selfheal_tui.llm.prices import is_priced
from selfheal_tui.llm.registry import other_url_of, split_model
from selfheal_tui.setting_values import ROLES, SEARCH

from ..moment.state import RunLimits

_TELLS = ("scripted",)
"""Providers that say themselves what a call cost."""


def unpriced(models: Mapping[str, str], prices: Mapping[str, str]) -> str:
    """Return the first `provider:model` that a role asks and whose price is not known; empty when there is none."""
    for model in dict.fromkeys(models.get(role) or models["*"] for role in ROLES):
        provider, name = split_model(model)
        if model == SEARCH or provider in _TELLS or model in prices:
            continue
        if not is_priced(provider, name, prices, other_url_of(model)):
            return model
    return ""


def check_prices(models: Mapping[str, str], limits: RunLimits, prices: Mapping[str, str]) -> None:
    """Check that a budget in dollars can be kept. Raises: SettingsError naming the model whose price is not known."""
    if limits["max_cost_usd"] is not None and (model := unpriced(models, prices)):
        raise SettingsError(
            f"The price of {model} is not known, so a budget in dollars cannot be kept.",
            f"Give it in `prices` (prices: {{{model}: INPUT/OUTPUT}}, dollars a million tokens), or use --max-tokens.",
        )
