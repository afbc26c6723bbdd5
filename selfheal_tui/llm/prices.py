"""List prices of models by their exact names, as known on DATED. What is not listed here has no known price.

US dollars for a million tokens. Sources: the vendors' public price pages. Only exact names have a price: a wrong bill
is worse than none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .base import Usage

DATED = "2025-11-30"
FREE = ("ollama", "transformers")
"""Providers that run on the user's own machine."""


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens."""

    input: float
    output: float
    cached: float
    """For input read from the vendor's prompt cache."""
    written: float | None = None
    """For input written to that cache (to be kept for 5 minutes); None where no such price is known."""


def _claude(base: float, output: float) -> Price:
    """Anthropic prices its cache by the base price: a read costs a tenth of it, a write for 5 minutes 1.25 of it."""
    return Price(base, output, round(base / 10, 4), round(base * 1.25, 4))


PRICES: dict[str, Price] = {
    "anthropic:claude-opus-4-5-20251101": _claude(5.0, 25.0),
    "anthropic:claude-opus-4-5": _claude(5.0, 25.0),
    "anthropic:claude-opus-4-1-20250805": _claude(15.0, 75.0),
    "anthropic:claude-opus-4-1": _claude(15.0, 75.0),
    "anthropic:claude-opus-4-20250514": _claude(15.0, 75.0),
    "anthropic:claude-sonnet-4-5-20250929": _claude(3.0, 15.0),
    "anthropic:claude-sonnet-4-5": _claude(3.0, 15.0),
    "anthropic:claude-sonnet-4-20250514": _claude(3.0, 15.0),
    "anthropic:claude-haiku-4-5-20251001": _claude(1.0, 5.0),
    "anthropic:claude-haiku-4-5": _claude(1.0, 5.0),
    "anthropic:claude-3-5-haiku-20241022": _claude(0.8, 4.0),
    "openai:gpt-5": Price(1.25, 10.0, 0.125),
    "openai:gpt-5-mini": Price(0.25, 2.0, 0.025),
    "openai:gpt-5-nano": Price(0.05, 0.4, 0.005),
    "openai:gpt-4.1": Price(2.0, 8.0, 0.5),
    "openai:gpt-4.1-mini": Price(0.4, 1.6, 0.1),
    "openai:gpt-4.1-nano": Price(0.1, 0.4, 0.025),
    "openai:gpt-4o": Price(2.5, 10.0, 1.25),
    "openai:gpt-4o-mini": Price(0.15, 0.6, 0.075),
    "openai:o3": Price(2.0, 8.0, 0.5),
    "openai:o4-mini": Price(1.1, 4.4, 0.275),
}
"""`provider:model` -> price."""


def priced(provider: str, model: str, usage: Usage) -> Usage:
    """Add the cost to a usage: the provider's own figure, 0 for a local model, the table's price, else unknown."""
    if usage.cost_usd is not None:
        return usage
    if provider in FREE:
        return replace(usage, cost_usd=0.0)
    price = PRICES.get(f"{provider}:{model}")
    if price is None:
        return usage
    read = min(usage.cached_tokens, usage.input_tokens)
    written = min(usage.cache_write_tokens, usage.input_tokens - read)
    if written and price.written is None:
        return usage
    dollars = (
        (usage.input_tokens - read - written) * price.input
        + read * price.cached
        + written * (price.written or 0.0)
        + usage.output_tokens * price.output
    )
    return replace(usage, cost_usd=dollars / 1e6)
