"""What a call costs: the user's own prices first, then those of `genai-prices`, which knows tiers, caches and dates.

A model that neither names has no known price: a wrong bill is worse than none. The library asks no network; its
prices are as new as its version, which `pyproject.toml` pins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from selfheal_tui.money import round_usd
from selfheal_tui.setting_values import price_numbers

from .base import Usage
from .plugged import plugged

DATED = "2026-11-22"
"""When the pinned version of `genai-prices` was taken; a test warns once it is older than 120 days."""
FREE = ("ollama",)
"""Providers of ours that run on the user's own machine."""
_MILLION = 1_000_000
_KNOWN_TO_LIBRARY = ("anthropic", "openai")
"""Providers of ours whose own address has prices in the library under the same name."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    input: float
    output: float
    cached: float
    """For input read from the provider's prompt cache."""
    written: float
    """For input written to that cache."""

    @classmethod
    def from_text(cls, text: str) -> Price:
        """Read `INPUT/OUTPUT`, `INPUT/OUTPUT/CACHED` or `INPUT/OUTPUT/CACHED/WRITTEN`; what is left out costs as input.

        Raises: ValueError.
        """
        numbers = price_numbers(text)
        return cls(*numbers, *[numbers[0]] * (4 - len(numbers)))

    def cost_usd(self, usage: Usage) -> float:
        """Return what this much costs."""
        read, written = _cache_use(usage)
        fresh = usage.input_tokens - read - written
        dollars = fresh * self.input + read * self.cached + written * self.written + usage.output_tokens * self.output
        return round_usd(dollars / _MILLION)


def priced(provider: str, model: str, usage: Usage, own: Mapping[str, str] | None = None, other_url: str = "") -> Usage:
    """Return the usage with its cost: as told, by the user's price, 0 for a local model, the library's.

    `own` is `PROVIDER:NAME` -> a price as `Price.from_text` reads it; `other_url` is where requests go when that is
    not the vendor's own address. The cost stays None where nobody knows it.
    """
    if usage.cost_usd is not None:
        return usage
    if text := (own or {}).get(f"{provider}:{model}"):
        return replace(usage, cost_usd=Price.from_text(text).cost_usd(usage))
    if is_free(provider):
        return replace(usage, cost_usd=0.0)
    return replace(usage, cost_usd=_library_cost(provider, model, usage, other_url))


def is_free(provider: str) -> bool:
    """Tell whether calls cost nothing, as the model runs on the user's own machine."""
    if provider in FREE:
        return True
    said = plugged(provider)
    return said is not None and said.on_this_machine


def is_priced(provider: str, model: str, own: Mapping[str, str] | None = None, other_url: str = "") -> bool:
    """Tell whether the cost of a call can be known."""
    return priced(provider, model, Usage(1, 1), own, other_url).cost_usd is not None


def list_price(provider: str, model: str, own: Mapping[str, str] | None = None) -> tuple[float, float] | None:
    """Return dollars for a million tokens of input and of output, for a short prompt; None where nobody knows."""
    prompt, reply = (priced(provider, model, usage, own).cost_usd for usage in (Usage(1000, 0), Usage(0, 1000)))
    return None if prompt is None or reply is None else (prompt * 1000, reply * 1000)


def context_window(provider: str, model: str, other_url: str = "") -> int | None:
    """Return the longest input in tokens that the library knows of; None where it does not."""
    facts = _facts(provider, model, other_url)
    return facts[1].context_window if facts else None


def _cache_use(usage: Usage) -> tuple[int, int]:
    """Return the input tokens read from the cache and those written to it: together at most all of them."""
    read = min(usage.cached_tokens, usage.input_tokens)
    return read, min(usage.cache_write_tokens, usage.input_tokens - read)


def _library_cost(provider: str, model: str, usage: Usage, other_url: str) -> float | None:
    facts = _facts(provider, model, other_url)
    if facts is None:
        return None
    from datetime import UTC, datetime

    import genai_prices

    read, written = _cache_use(usage)
    counted = genai_prices.Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=read or None,
        cache_write_tokens=written or None,
    )
    bill = facts[1].calc_price(counted, facts[0], genai_request_timestamp=datetime.now(UTC))
    return round_usd(float(bill.total_price))


def _facts(provider: str, model: str, other_url: str) -> tuple[Any, Any] | None:
    """Return the library's provider and model; None where it knows neither."""
    if not other_url and provider not in _KNOWN_TO_LIBRARY:
        return None
    from genai_prices.data_snapshot import get_snapshot

    known_by = "" if other_url else provider
    try:
        return get_snapshot().find_provider_model(model, None, known_by or None, other_url or None)
    except LookupError:
        return None
