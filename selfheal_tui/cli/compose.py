"""Composition root: settings become a Workbench and run options; the engine is imported here, on use."""

from __future__ import annotations

import asyncio
import os
import sys
from threading import Lock
from typing import TYPE_CHECKING

from selfheal_tui.setting_values import SEARCH
from selfheal_tui.settings import Settings, sessions_flag
from selfheal_tui.text import strip_controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from selfheal_tui.engine.loop.own_advisors import Advise
    from selfheal_tui.engine.moment.state import Mode
    from selfheal_tui.engine.session.hooks import HookOptions, Hooks
    from selfheal_tui.engine.session.otel import Traced
    from selfheal_tui.engine.session.workbench import RunOptions, Workbench
    from selfheal_tui.sandbox.base import Limits, Sandbox


def build_workbench(
    settings: Settings,
    suite_limits: Limits | None = None,
    advisors: Mapping[str, Advise] | None = None,
    traced: Traced | None = None,
) -> Workbench:
    """Return the workbench over the settings' sessions folder.

    `advisors` are functions of the caller's; `traced`: what its spans say, where they are asked for.
    Raises: SettingsError.
    """
    from selfheal_tui.engine.session.options import time_limits
    from selfheal_tui.engine.session.otel import Traced
    from selfheal_tui.engine.session.workbench import Workbench
    from selfheal_tui.sandbox.consents import Consents

    return Workbench(
        home=settings.sessions,
        sandbox_name=settings.sandbox,
        python=settings.python,
        verify=settings.verify,
        replay_only=settings.replay_only,
        tracing=settings.tracing,
        otel=(traced or Traced()) if settings.otel else None,
        prices=settings.prices,
        time_limits=time_limits(settings),
        prompts_dir=settings.prompts,
        allow_unsandboxed=settings.allow_unsandboxed,
        allow_read=settings.allow_read,
        allow_network=settings.allow_network,
        consents=Consents(),
        suite_limits=suite_limits or suite_limits_of(settings),
        advisors=advisors,
        hooks=hook_options(settings),
    )


def hook_options(settings: Settings) -> HookOptions | None:
    """Return the user's hooks, and how they are run; None where there are none."""
    if not settings.hooks:
        return None
    from selfheal_tui.engine.out.export.redact import Redaction
    from selfheal_tui.engine.session.hooks import HookOptions

    return HookOptions(
        settings.hooks, settings.hook_time_s, sessions_flag(settings), settings.hook_diff, Redaction(os.environ).clean
    )


def build_hooks(settings: Settings) -> Hooks | None:
    """Return what asks the hook before something is written, without a workbench; None where there are no hooks."""
    from selfheal_tui.engine.session.hooks import Hooks

    options = hook_options(settings)
    return Hooks(options) if options is not None else None


def suite_limits_of(settings: Settings) -> Limits:
    """Return what one run of a suite may use."""
    from selfheal_tui.sandbox.base import Limits

    return Limits(time_s=settings.suite_time_s, case_time_s=settings.case_time_s)


def build_sandbox(settings: Settings) -> Sandbox:
    """Return the sandbox of the settings, to run tests in without a session. Raises: SettingsError."""
    from selfheal_tui.sandbox.registry import open_sandbox

    return open_sandbox(
        settings.sandbox,
        python=settings.python,
        allow_unsandboxed=settings.allow_unsandboxed,
        allow_read=settings.allow_read,
        allow_network=settings.allow_network,
        sessions=settings.sessions,
    )


async def close_workbench(workbench: Workbench) -> None:
    """Close it; say on stderr what a tracer did not get, and which hooks failed."""
    await workbench.aclose()
    for trouble in workbench.hook_troubles:
        print(f"selfheal: {strip_controls(trouble)}", file=sys.stderr)
    if workbench.unsent:
        print(f"selfheal: {strip_controls(workbench.unsent)}", file=sys.stderr)


class LateWorkbench:
    """The workbench, made when it is first called for, from any thread: the app paints before that."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._made: Workbench | None = None
        self._lock = Lock()

    def __call__(self) -> Workbench:
        """Return the one workbench."""
        with self._lock:
            if self._made is None:
                self._made = build_workbench(self._settings)
            return self._made

    async def aclose(self) -> None:
        """Close it if it was made."""
        if self._made is not None:
            await close_workbench(self._made)


def build_options(settings: Settings) -> RunOptions:
    """Return what a new session runs with. Raises: SettingsError for a model that cannot be named so."""
    from selfheal_tui.engine.session.options import run_options

    return run_options(settings, _chosen_models(settings))


def build_startable_options(settings: Settings, mode: Mode) -> RunOptions:
    """Return what a new session runs with, where its models can be asked from here; nobody is asked.

    Raises: SettingsError, as for a key that is not set.
    """
    from selfheal_tui.engine.session.options import startable_options
    from selfheal_tui.llm.service import KeyMissing

    models = _chosen_models(settings)
    try:
        return startable_options(settings, models)
    except KeyMissing as error:
        if mode == "fix":
            error.hint = f"Set {error.variable}, or heal without a model: --model {SEARCH}."
        raise


def _chosen_models(settings: Settings) -> dict[str, str]:
    from selfheal_tui.engine.session.options import chosen_models

    models, why = asyncio.run(chosen_models(settings.models()))
    if why:
        print(f"selfheal: model {why}", file=sys.stderr)
    return models
