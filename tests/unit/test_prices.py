"""What a call cost: by the user's price, by the library's, free, or honestly unknown; and models that have a future."""

from __future__ import annotations

import datetime
import inspect
import re
import tomllib
import warnings
from pathlib import Path

import pytest

from selfheal_tui.llm.auto import BY_KEY
from selfheal_tui.llm.base import Usage
from selfheal_tui.llm.offers import OFFERED
from selfheal_tui.llm.prices import DATED, Price, context_window, is_priced, list_price, priced
from selfheal_tui.llm.registry import split_model

_MILLION = 1_000_000
_OURS = [model for model in (*BY_KEY.values(), *sum(OFFERED.values(), ())) if not model.startswith("qwen:")]


def test_a_known_model_is_priced_by_the_million() -> None:
    assert priced("anthropic", "claude-opus-5-5", Usage(_MILLION, 100_000)).cost_usd == pytest.approx(4 + 2)


@pytest.mark.parametrize(
    ("model", "usage", "dollars"),
    [
        # 100 read from the cache at 0.1, 200 written to it at 2.5, 700 plain at 2, 50 of output at 10.
        ("claude-sonnet-5-5", Usage(1000, 50, cached_tokens=100, cache_write_tokens=200), 0.002410),
        ("claude-opus-4-5", Usage(1000, 0, cache_write_tokens=1000), 0.006250),
        # A tenth of the input's price for older models, a twentieth for newer ones.
        ("claude-haiku-4-5", Usage(1000, 0, cached_tokens=1000), 0.000100),
        ("claude-opus-5-5", Usage(1000, 0, cached_tokens=1000), 0.000200),
    ],
)
def test_what_is_written_to_a_cache_is_dearer_and_what_is_read_cheaper(
    model: str, usage: Usage, dollars: float
) -> None:
    assert priced("anthropic", model, usage).cost_usd == pytest.approx(dollars)


def test_what_is_written_to_a_cache_without_a_price_of_its_own_costs_as_input() -> None:
    written = Usage(1000, 0, cache_write_tokens=1000)
    assert priced("openai", "gpt-5.4", written).cost_usd == priced("openai", "gpt-5.4", Usage(1000, 0)).cost_usd
    assert priced("qwen", "own", written, {"qwen:own": "2/10/0.5"}).cost_usd == pytest.approx(0.002)


def test_a_long_prompt_has_a_price_of_its_own() -> None:
    short, long = (priced("openai", "gpt-5.4", Usage(tokens, 0)).cost_usd for tokens in (100_000, 1_000_000))
    assert short == pytest.approx(0.25) and long is not None and long > 2.5


def test_more_cached_tokens_than_input_never_cost_less_than_nothing() -> None:
    odd = Usage(10, 0, cached_tokens=50, cache_write_tokens=50)
    cost_usd = priced("anthropic", "claude-sonnet-5-5", odd).cost_usd
    assert cost_usd is not None and cost_usd > 0
    assert priced("qwen", "own", odd, {"qwen:own": "2/10/0.5"}).cost_usd == pytest.approx(10 * 0.5e-6)


def test_a_resembling_name_has_no_price() -> None:
    for model in ("claude-sonnet-5-5-preview", "claude-sonnet-9", "gpt-6.1-terra", "", "qwen3-coder-plus"):
        assert priced("anthropic", model, Usage(10, 10)).cost_usd is None
    assert not is_priced("qwen", "qwen3-coder-plus") and not is_priced("openai", "my-model")


def test_local_models_are_free_and_a_told_cost_counts() -> None:
    assert priced("ollama", "qwen3:8b", Usage(10, 10)).cost_usd == 0.0
    assert priced("openai", "gpt-6.1-terra", Usage(10, 10, 0.25)).cost_usd == 0.25


def test_the_users_own_price_goes_before_the_librarys() -> None:
    own = {"qwen:qwen3-coder-plus": "1/5", "openai:gpt-6.1-terra": "0/0"}
    assert priced("qwen", "qwen3-coder-plus", Usage(_MILLION, _MILLION), own).cost_usd == pytest.approx(6)
    assert priced("openai", "gpt-6.1-terra", Usage(_MILLION, _MILLION), own).cost_usd == 0.0


def test_another_server_has_its_own_prices_or_none() -> None:
    """OpenAI's price for a model of the same name at another address would be a guess."""
    assert not is_priced("openai", "gpt-6.1-terra", other_url="http://127.0.0.1:1234/v1")
    assert is_priced("openai", "qwen/qwen3-coder", other_url="https://openrouter.ai/api/v1")


@pytest.mark.parametrize("text", ["", "1", "1/2/3/4/5", "a/b", "1,5/2"])
def test_a_price_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Price.from_text(text)


@pytest.mark.parametrize("model", _OURS)
def test_each_model_that_is_taken_or_offered_has_a_price_and_a_context(model: str) -> None:
    price = list_price(*split_model(model))
    assert price is not None and 0 < price[0] < price[1] < 200
    assert (context_window(*split_model(model)) or 0) >= 200_000


def test_no_model_that_is_taken_or_offered_is_about_to_end() -> None:
    from anthropic.resources.messages.messages import DEPRECATED_MODELS
    from openai.types.shared import chat_model

    notes = inspect.getsource(chat_model).partition("Deprecated values:")[2]
    ending = {f"openai:{name}" for name in re.findall(r'"([^"]+)"', notes)}
    ending |= {f"anthropic:{name}" for name in DEPRECATED_MODELS}
    assert len(ending) > 20 and not ending & set(_OURS)


def test_the_prices_are_those_of_the_pinned_library_and_not_old() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert any(re.fullmatch(r"genai-prices==[\d.]+", need) for need in project["dependencies"])
    age = datetime.datetime.now(datetime.UTC).date() - datetime.date.fromisoformat(DATED)
    if age.days > 120:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.warn(f"The prices are {age.days} days old: pin a newer genai-prices, and set DATED.", stacklevel=1)
