"""What one model call of a task is likely to cost, before any was made: a guess, and it says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from selfheal_tui.llm.base import Usage
from selfheal_tui.llm.prices import DATED, is_free, priced
from selfheal_tui.llm.registry import other_url_of, split_model
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import plural

from ..moment.state import RunPolicy
from .task import Task

BYTES_PER_TOKEN = 3
_PROMPT_TOKENS = 1500
"""Instructions, schema and the failing cases' text around the program."""
_REPLY_TOKENS = 1500


class Estimate(NamedTuple):
    """Of one call; `cost_usd` is None when the model's price is not known."""

    model: str
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


def estimate_call(task: Task, model: str, prices: Mapping[str, str] | None = None) -> Estimate:
    """Estimate a call that shows program, tests and spec to the model; `prices` are the user's own."""
    size_bytes = sum(len(text.encode("utf-8", "replace")) for text in (*task.files.values(), task.spec))
    usage = Usage(_PROMPT_TOKENS + size_bytes // BYTES_PER_TOKEN, _REPLY_TOKENS)
    provider, name = split_model(model)
    cost_usd = priced(provider, name, usage, prices, other_url_of(model)).cost_usd
    return Estimate(model, usage.input_tokens, usage.output_tokens, cost_usd)


def estimate_words(task: Task, model: str, prices: Mapping[str, str] | None = None) -> str:
    """Say what a call costs; a price that is not known is said to be unknown."""
    if model == SEARCH:
        return "search: no model calls, no cost"
    guess = estimate_call(task, model, prices)
    if is_free(split_model(model)[0]):
        cost = "free: it runs here"
    elif guess.cost_usd is None:
        cost = "price unknown"
    else:
        basis = "by your prices" if model in (prices or {}) else f"prices of {DATED}"
        cost = f"about ${guess.cost_usd:.3f} ({basis})"
    return f"{model}: a call is some {guess.input_tokens:,} tokens in, {guess.output_tokens:,} out, {cost}"


def oracle_words(models: Mapping[str, str], policy: RunPolicy) -> str:
    """Say which model is asked how often where good repairs disagree; empty where the search asks nobody anything.

    `models` is role -> PROVIDER:NAME, `*` for the others.
    """
    calls, model = policy.get("oracle_calls", 0), models.get("oracle") or models["*"]
    searching = SEARCH in policy["strategies"] or SEARCH in {
        models.get(r) or models["*"] for r in ("repairer", "critic")
    }
    if not calls or model == SEARCH or not searching:
        return ""
    return (
        f"Where good repairs disagree, {model} is asked {plural(calls, 'time')} what is right (oracle_calls: {calls})."
    )


def task_words(task: Task) -> str:
    """Say what would be healed and by which tests."""
    if task.mode == "spec":
        return f"Writes {task.program[0]} for the spec; tests are written from it first."
    files = list(task.program)
    tests = list(dict.fromkeys(test.partition("::")[0] for test in task.tests))
    programs = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
    named = ", ".join(tests[:3]) + (f" and {len(tests) - 3} more" if len(tests) > 3 else "")
    return f"Heals {plural(len(files), 'file')}: {programs}. {plural(len(tests), 'test file')}: {named}."
