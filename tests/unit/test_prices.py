"""What a call cost: by the table, free, or honestly unknown."""

from __future__ import annotations

import pytest

from selfheal_tui.llm.base import Usage
from selfheal_tui.llm.prices import PRICES, priced


def test_a_listed_model_is_priced_by_the_million() -> None:
    assert priced("anthropic", "claude-sonnet-4-5", Usage(1_000_000, 100_000)).cost_usd == pytest.approx(4.5)


def test_a_resembling_name_has_no_price() -> None:
    for model in ("claude-sonnet-4-5-preview", "gpt-4o", "", "Claude-Sonnet-4-5"):
        assert priced("anthropic", model, Usage(10, 10)).cost_usd is None


def test_local_models_are_free_and_a_told_cost_counts() -> None:
    assert priced("ollama", "qwen3:8b", Usage(10, 10)).cost_usd == 0.0
    assert priced("openai", "gpt-4o", Usage(10, 10, 0.25)).cost_usd == 0.25


def test_no_price_is_absurd() -> None:
    for price in PRICES.values():
        assert 0 < price.cached < price.input < price.output < 200
