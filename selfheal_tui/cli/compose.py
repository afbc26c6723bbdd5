"""Composition root: settings become a Workbench and run options; the engine is imported here, on use."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from selfheal_tui.settings import Settings

if TYPE_CHECKING:
    from selfheal_tui.engine.workbench import RunOptions, Workbench
    from selfheal_tui.sandbox.base import Limits


def build_workbench(settings: Settings, suite_limits: Limits | None = None) -> Workbench:
    """Return the workbench over the settings' sessions folder. Raises: SettingsError for an unknown model."""
    from selfheal_tui.engine.workbench import Workbench

    return Workbench(
        home=settings.sessions,
        sandbox_name=settings.sandbox,
        python=settings.python,
        verify=settings.verify,
        replay_only=settings.replay_only,
        tracing=settings.tracing,
        prompts_dir=settings.prompts,
        allow_unsandboxed=settings.allow_unsandboxed,
        suite_limits=suite_limits,
    )


def build_options(settings: Settings) -> RunOptions:
    """Return what a new session runs with. Raises: SettingsError for a model that cannot be named so."""
    from selfheal_tui.engine.policy_fields import POLICY_FIELDS, build_policy
    from selfheal_tui.engine.workbench import RunOptions
    from selfheal_tui.llm.registry import check_model

    models = _chosen(settings.models())
    for model in models.values():
        check_model(model)
    return RunOptions(
        autonomy=settings.autonomy,
        policy=build_policy({name: getattr(settings, name) for name in POLICY_FIELDS}),
        models=models,
        limits={
            "max_iterations": settings.max_iterations,
            "max_tokens": settings.max_tokens,
            "max_cost_usd": settings.max_cost_usd,
            "max_time_s": settings.max_time_s,
            "max_calls": settings.max_calls,
        },
    )


def _chosen(models: Mapping[str, str]) -> dict[str, str]:
    """Put the model that is there in the place of `auto`, and say which and why."""
    if "auto" not in models.values():
        return dict(models)
    from selfheal_tui.llm.auto import choose

    choice = asyncio.run(choose())
    print(f"selfheal: model {choice.model}: {choice.why}", file=sys.stderr)
    return {role: choice.model if model == "auto" else model for role, model in models.items()}
