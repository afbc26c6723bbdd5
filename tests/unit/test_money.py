"""Sums of money are what a person adds up, whoever adds them and wherever they are printed."""

from __future__ import annotations

import functools
import json
from operator import add

from selfheal_tui.engine.moment.state import add_spent, no_spend, spend_of, spent_between
from selfheal_tui.llm.base import Usage
from selfheal_tui.money import json_text, round_usd


def test_ten_cents_are_ten_cents() -> None:
    cents = [Usage(1, 1, 0.01)] * 10
    assert sum(0.01 for _ in cents) != 0.1, "floats alone"
    assert functools.reduce(add, cents).cost_usd == 0.1
    total = functools.reduce(add_spent, map(spend_of, cents), no_spend())
    assert total["cost_usd"] == 0.1
    assert spent_between(spend_of(cents[0]), total)["cost_usd"] == 0.09


def test_the_price_of_one_token_is_kept() -> None:
    assert round_usd(0.05 / 1_000_000) == 5e-8


def test_what_an_earlier_version_summed_up_is_rounded_where_it_is_printed() -> None:
    dust = sum(0.01 for _ in range(10))
    value = {"spent": {"cost_usd": dust, "time_s": dust}, "lanes": [{"cost_usd": None}, {"max_cost_usd": dust}]}
    told = json.loads(json_text(value))
    assert told["spent"] == {"cost_usd": 0.1, "time_s": dust}
    assert told["lanes"] == [{"cost_usd": None}, {"max_cost_usd": 0.1}]
