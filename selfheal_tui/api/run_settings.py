"""What a run is set to: the arguments of `heal` over the environment and the user's own settings file.

The folder that a program lies in may be a stranger's: its `selfheal.yaml` and `.env` are not even read, unless the
caller trusts it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from selfheal_tui.brought import Brought, read_brought
from selfheal_tui.errors import InputError, SettingsError
from selfheal_tui.extensions import enable
from selfheal_tui.keys import load_keys
from selfheal_tui.setting_layers import load_settings
from selfheal_tui.setting_values import nearest
from selfheal_tui.settings import Settings, parse_setting
from selfheal_tui.text import one_line
from selfheal_tui.trust import Grants

Level = str
Names = str | Sequence[str]


class RunSettings(TypedDict, total=False):
    """Limits and other settings of a run; docs/settings.md tells what each means. None is as if it was not given."""

    max_iterations: int | None
    """Stop unhealed after this many repairs were tried."""
    max_tokens: int | None
    """Stop once this many tokens were used."""
    max_cost_usd: float | None
    """Stop once this much was paid."""
    max_time_s: float | None
    """Stop once the run has worked for this long."""
    max_calls: int | None
    """Stop once this many model calls were made."""
    suite_time_s: float | None
    """The longest that one run of the tests may take."""
    case_time_s: float | None
    """The longest that one case may take."""
    strategies: Names | None
    """minimal, rewrite, defensive, search."""
    effort: Level | Mapping[str, Level] | None
    """How much models think: a level, or role -> level."""
    repair_format: Literal["auto", "edits", "functions", "files"] | None
    near_miss_s: float | None
    min_confidence: float | None
    debug_steps: int | None
    adversary: Literal["auto", "on", "off"] | None
    critic: Literal["auto", "on", "off"] | None
    oracle_calls: int | None
    lessons: bool | None
    prompts: str | os.PathLike[str] | None
    """Folder with prompts of your own."""
    prices: Mapping[str, str] | None
    call_time_s: float | None
    silence_s: float | None
    context_tokens: int | None
    replay_only: bool | None
    """Answer from recorded replies only."""
    tracing: bool | None
    otel: bool | None
    sandbox: str | None
    """local, container or e2b."""
    python: str | os.PathLike[str] | None
    """Interpreter that runs the tests."""
    allow_unsandboxed: bool | None
    allow_read: Sequence[str | os.PathLike[str]] | None
    allow_network: bool | None
    verify: bool | None
    plugins: Names | None
    """Names of installed plug-ins that may be used; they are enabled for this process."""


NAMES = tuple(RunSettings.__annotations__)


def check_names(given: Mapping[str, Any], function: str) -> None:
    """Check that each argument is there. Raises: InputError naming the nearest."""
    for name in given:
        if name not in NAMES:
            hint = nearest(name, NAMES, "docs/api.md lists the arguments.")
            raise InputError(f"{function}() takes no argument {one_line(name, 60)!r}.", hint)


def settings_of(given: Mapping[str, Any], folder: Path | None, *, trust: bool) -> Settings:
    """Return the settings in force; `folder` is where the program comes from, and counts where the caller trusts it.

    Trusting a folder is remembered, as with `--trust`. From now on keys of its `.env` are in the environment, and the
    plug-ins of the settings are enabled, in this whole process. Raises: SettingsError.
    """
    settings = _settings_of(given, folder, trust=trust)
    enable(settings.plugins)
    return settings


def _settings_of(given: Mapping[str, Any], folder: Path | None, *, trust: bool) -> Settings:
    here = folder_here()
    flags = {name: _plain(value) for name, value in given.items() if value is not None}
    for name, value in flags.items():
        if name not in ("model", "strategies", "advisors", "plugins"):
            parse_setting(name, value, "an argument", here)
    if not trust or folder is None:
        return load_settings(flags, cwd=here, brought=Brought(folder or here))
    brought = read_brought(folder, os.environ)
    if brought.digest:
        covered = load_settings(flags, cwd=here, brought=brought).left_out
        grants = Grants()
        if not grants.holds(brought):
            grants.add(brought, tuple(f"{one.name} = {one.value} ({one.where})" for one in covered if not one.why))
        load_keys(brought, True)
    return load_settings(flags, cwd=here, brought=brought, accepted=brought.digest)


def folder_here() -> Path:
    """Return the folder that relative paths are taken from. Raises: InputError where it was removed."""
    try:
        return Path.cwd()
    except OSError as error:
        raise InputError("The folder you stand in is not there any more.", "Go to another one.") from error


def model_words(model: str | Mapping[str, str]) -> list[str]:
    """Return the models as `--model` is given. Raises: SettingsError."""
    if isinstance(model, str):
        return [model]
    if not isinstance(model, Mapping) or not all(isinstance(one, str) for pair in model.items() for one in pair):
        raise SettingsError("model must be PROVIDER:NAME, or a mapping of roles to that.", 'As in {"*": "search"}.')
    return [name if role == "*" else f"{role}={name}" for role, name in model.items()]


def _plain(value: Any) -> Any:
    """Return a value as a flag would have it: paths as text, names as a list."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [os.fspath(one) if isinstance(one, os.PathLike) else one for one in value]
    return dict(value) if isinstance(value, Mapping) else value
