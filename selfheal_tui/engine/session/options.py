"""From settings to what a new session runs with, and what only the engine knows of a setting's values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from selfheal_tui.errors import SettingsError
from selfheal_tui.extensions import enabled_record
from selfheal_tui.llm.registry import check_model, check_ready
from selfheal_tui.llm.time_limits import TimeLimits
from selfheal_tui.sandbox.registry import SANDBOXES
from selfheal_tui.setting_values import AUTO, nearest
from selfheal_tui.settings import Settings, default_settings

from ..loop.policy_fields import POLICY_FIELDS, build_policy, policy_value
from ..moment.state import RunPolicy
from ..workshop.costs import check_prices
from .workbench import RunOptions


def run_options(settings: Settings, models: Mapping[str, str]) -> RunOptions:
    """Return what a new session runs with; `models` (role -> PROVIDER:NAME) holds no `auto` any more.

    Raises: SettingsError for a value that no run can have.
    """
    for model in models.values():
        check_model(model)
    return RunOptions(
        autonomy=settings.autonomy,
        policy=_with_plugins(build_policy({name: getattr(settings, name) for name in POLICY_FIELDS})),
        models=dict(models),
        limits={
            "max_iterations": settings.max_iterations,
            "max_tokens": settings.max_tokens,
            "max_cost_usd": settings.max_cost_usd,
            "max_time_s": settings.max_time_s,
            "max_calls": settings.max_calls,
        },
    )


def _with_plugins(policy: RunPolicy) -> RunPolicy:
    plugins = enabled_record()
    return {**policy, "plugins": plugins} if plugins else policy


def startable_options(settings: Settings, models: Mapping[str, str]) -> RunOptions:
    """Return what `run_options` does, where a session can start with it. Raises: SettingsError."""
    options = run_options(settings, models)
    check_prices(options.models, options.limits, settings.prices)
    check_ready(options.models.values())
    return options


def time_limits(settings: Settings) -> TimeLimits | None:
    """Return what a model call may take; None where nothing is set, as each provider has limits of its own."""
    names = ("call_time_s", "silence_s", "context_tokens")
    if all(getattr(settings, name) == getattr(default_settings({}), name) for name in names):
        return None
    first_s = max(TimeLimits().first_s, settings.silence_s)
    return TimeLimits(
        first_s=first_s,
        piece_s=settings.silence_s,
        total_s=settings.call_time_s,
        context_tokens=settings.context_tokens,
    )


async def chosen_models(models: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Put the model that is there in the place of `auto`; return the models and why (empty without `auto`)."""
    if AUTO not in models.values():
        return dict(models), ""
    from selfheal_tui.llm.auto import choose

    choice = await choose()
    return {role: choice.model if model == AUTO else model for role, model in models.items()}, (
        f"{choice.model}: {choice.why}"
    )


def check_setting(name: str, value: Any) -> None:
    """Check what the type of a setting does not tell. Raises: SettingsError."""
    if name in POLICY_FIELDS:
        policy_value(name, value)
    elif name == "model" and value != AUTO:
        check_model(value)
    elif name == "prices":
        for model in value:
            check_model(model)
    elif name == "role_models":
        for model in value.values():
            if model != AUTO:
                check_model(model)
    elif name == "sandbox" and value not in SANDBOXES:
        raise SettingsError(f"There is no sandbox {value!r}.", nearest(str(value), SANDBOXES))
