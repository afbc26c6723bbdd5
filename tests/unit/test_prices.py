"""What a call cost: by the table, free, or honestly unknown."""

from __future__ import annotations

import pytest

from selfheal_tui.llm.base import Usage
from selfheal_tui.llm.prices import PRICES, priced


def test_a_listed_model_is_priced_by_the_million() -> None:
    assert priced("anthropic", "claude-sonnet-4-5", Usage(1_000_000, 100_000)).cost_usd == pytest.approx(4.5)


@pytest.mark.parametrize(
    ("model", "usage", "dollars"),
    [
        # 100 read from the cache at 0.3, 200 written to it at 3.75, 700 plain at 3, 50 of output at 15.
        ("claude-sonnet-4-5", Usage(1000, 50, cached_tokens=100, cache_write_tokens=200), 0.003630),
        ("claude-opus-4-5", Usage(1000, 0, cache_write_tokens=1000), 0.006250),
        ("claude-haiku-4-5", Usage(1000, 0, cached_tokens=1000), 0.000100),
        ("claude-haiku-4-5", Usage(1000, 0), 0.001000),
    ],
)
def test_what_is_written_to_a_cache_is_dearer_and_what_is_read_cheaper(
    model: str, usage: Usage, dollars: float
) -> None:
    assert priced("anthropic", model, usage).cost_usd == pytest.approx(dollars)


def test_a_cache_write_without_a_known_price_makes_the_cost_unknown() -> None:
    assert priced("openai", "gpt-5", Usage(1000, 10, cache_write_tokens=5)).cost_usd is None
    assert priced("openai", "gpt-5", Usage(1000, 0, cached_tokens=1000)).cost_usd == pytest.approx(0.000125)


def test_more_cached_tokens_than_input_never_cost_less_than_nothing() -> None:
    odd = Usage(10, 0, cached_tokens=50, cache_write_tokens=50)
    assert priced("anthropic", "claude-sonnet-4-5", odd).cost_usd == pytest.approx(3e-6)


def test_a_resembling_name_has_no_price() -> None:
    for model in ("claude-sonnet-4-5-preview", "gpt-4o", "", "Claude-Sonnet-4-5"):
        assert priced("anthropic", model, Usage(10, 10)).cost_usd is None


def test_local_models_are_free_and_a_told_cost_counts() -> None:
    assert priced("ollama", "qwen3:8b", Usage(10, 10)).cost_usd == 0.0
    assert priced("openai", "gpt-4o", Usage(10, 10, 0.25)).cost_usd == 0.25


def test_no_price_is_absurd() -> None:
    for price in PRICES.values():
        assert 0 < price.cached < price.input < price.output < 200
        assert price.written is None or price.input < price.written < price.output
