"""The sources of settings, weakest first: defaults, the user's own file, the folder's file, environment, flags.

The current folder may come from a stranger. Unless the user has accepted exactly this content (`trust.py`), only those
of its values count that make a run stricter; the others are left out and reported.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from selfheal_tui.brought import Brought, read_brought
from selfheal_tui.environments import active_python, unused_words
from selfheal_tui.errors import SettingsError
from selfheal_tui.hook_settings import Hook
from selfheal_tui.setting_text import Layer, read_layer
from selfheal_tui.setting_values import setting_text, split_models
from selfheal_tui.settings import (
    FILE_NAME,
    LeftOut,
    Settings,
    default_sessions,
    default_settings,
    own_file,
    parse_setting,
    setting_names,
)
from selfheal_tui.text import middle_line, one_line
from selfheal_tui.trust import Grants

SHELL = "environment (VIRTUAL_ENV)"
"""Origin of an interpreter that the user's shell names."""
_PREFIX = "SELFHEAL_"
_NEVER = ("agent_decides", "allow_unsandboxed", "keys", "otel", "tracing", "verify")
"""A folder's file never sets these: not open the sandbox, rebind the key that approves, or let others approve."""
_LESS = ("max_iterations", "max_tokens", "max_cost_usd", "max_time_s", "max_calls", "debug_steps")
"""A smaller value is stricter."""
_SWITCHED = {
    "replay_only": True,
    "verify": True,
    "lessons": False,
    "tracing": False,
    "otel": False,
    "allow_unsandboxed": False,
    "allow_network": False,
    "agent_decides": False,
}
"""Setting -> its stricter value."""
_ASKS_MOST = ("review_all", "review_repairs", "full_auto")


def load_settings(
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    *,
    brought: Brought | None = None,
    accepted: str = "",
) -> Settings:
    """Read the settings in force.

    `flags` maps setting names to values of the command line (None: not given); `model` may be a list
    with `ROLE=PROVIDER:NAME` items, `effort` one with `ROLE=LEVEL` items. A `model` given in one place overrides
    `role_models` of weaker places.
    An environment variable `SELFHEAL_*` that resembles a setting is refused; others are not ours.
    `brought` is what the folder brings, read anew when it is not given; `accepted` is the hash of what the user
    has accepted of it.

    Raises: SettingsError naming the place (flag, variable, or file and line).
    """
    environ = os.environ if environ is None else environ
    cwd = Path.cwd() if cwd is None else cwd
    brought = read_brought(cwd, environ) if brought is None else brought
    trusted = bool(brought.digest) and brought.digest == accepted
    layers = [_default_layer(environ), _shell_layer(environ), read_layer(own_file(environ))]
    theirs, left_out = _of_folder(brought.layer, layers, trusted)
    if trusted and "prompts" in theirs.values:
        # Prompts are read again before each call: from the copy that the user accepted.
        copy = theirs.values["prompts"] = Grants(environ).prompts(brought)
        if not copy.is_dir():
            del theirs.values["prompts"], theirs.origins["prompts"]
            left_out.append(LeftOut("prompts", "", _where(brought.layer, "prompts"), "they could not be copied"))
    stronger = [_env_layer(environ, cwd), _flag_layer(flags or {}, cwd)]
    layers += [theirs, *stronger]
    values, roles, origins = _joined(layers)
    return Settings(
        **{**values, "role_models": roles},
        origins=origins,
        left_out=(*brought.unread, *(_for_now(one, stronger) for one in left_out)),
        accepted=accepted if trusted else "",
    )


def interpreter_words(settings: Settings, environ: Mapping[str, str]) -> str:
    """Say which interpreter the shell's environment makes the tests run with, or why it does not; empty for neither."""
    if settings.origins.get("python") == SHELL:
        return f"the tests run with {one_line(settings.python)} (VIRTUAL_ENV)"
    if not settings.python and settings.sandbox == "local" and (unused := unused_words(environ)):
        return f"{unused}; the tests run with {one_line(sys.executable)}"
    return ""


def reload_settings(now: Settings, environ: Mapping[str, str] | None = None, cwd: Path | None = None) -> Settings:
    """Read the settings again; values from flags stay. Raises: SettingsError."""
    read = load_settings(environ=environ, cwd=cwd, accepted=now.accepted)
    flag_names = {name for name, origin in now.origins.items() if origin.startswith("flag")}
    values = {name: getattr(now, name) for name in flag_names}
    return replace(read, **values, origins={**read.origins, **{name: now.origins[name] for name in flag_names}})


def _of_folder(layer: Layer, weaker: list[Layer], trusted: bool) -> tuple[Layer, list[LeftOut]]:
    """Split the values of the folder's file: those that count, and those that are left out."""
    before = {**_plain_defaults(), **{name: value for one in weaker for name, value in one.values.items()}}
    effective: dict[str, Any] = {}
    left_out: list[LeftOut] = []
    for name, value in layer.values.items():
        if value == before[name]:
            continue
        if name == "hooks":
            effective[name], not_used = _hooks_of_folder(value, before[name], _where(layer, name), trusted)
            left_out += not_used
        elif _is_stricter(name, value, before[name]):
            effective[name] = value
        elif name in _NEVER:
            why = "the file of a project folder never sets it"
            left_out.append(LeftOut(name, _shown(name, value), _where(layer, name), why))
        elif trusted:
            effective[name] = value
        elif name == "role_models":
            left_out += [
                LeftOut(f"{name}.{role}", middle_line(one), _where(layer, name)) for role, one in value.items()
            ]
        else:
            left_out.append(LeftOut(name, _shown(name, value), _where(layer, name)))
    if effective.get("hooks") == before["hooks"]:
        effective.pop("hooks", None)
    return Layer(effective, {name: layer.origins[name] for name in effective}), left_out


def _hooks_of_folder(
    theirs: Mapping[str, Hook], own: Mapping[str, Hook], where: str, trusted: bool
) -> tuple[dict[str, Hook], list[LeftOut]]:
    """Return the user's hooks with those of a folder that count, and what is left out: a folder replaces no hook."""
    left_out = []
    for name, hook in theirs.items():
        if own.get(name) == hook:
            continue
        if name in own:
            why = "your own settings have a hook of this name, and a folder takes no hook away"
            left_out.append(LeftOut(f"hooks.{name}", middle_line(hook.command), where, why))
        elif not trusted:
            left_out.append(LeftOut(f"hooks.{name}", middle_line(hook.command), where))
    return {**(theirs if trusted else {}), **own}, left_out


def _for_now(one: LeftOut, stronger: list[Layer]) -> LeftOut:
    """Note which stronger source hides a value: a yes covers it too, as it counts once that source is gone."""
    name = "hooks" if one.name.startswith("hooks.") else one.name
    origins = [layer.origins[name] for layer in stronger if name in layer.values]
    return one._replace(meanwhile=f"{origins[-1]} is stronger") if origins else one


def _is_stricter(name: str, value: Any, before: Any) -> bool:
    """Tell whether a value can only make a run stricter than the one it would replace."""
    if name in _LESS:
        return value is not None and (before is None or value < before)
    if name == "autonomy":
        return _ASKS_MOST.index(value) < _ASKS_MOST.index(before)
    if name == "allow_read":
        return set(value) <= set(before)
    return name in _SWITCHED and value is _SWITCHED[name]


def _plain_defaults() -> dict[str, Any]:
    plain = default_settings({})
    return {name: getattr(plain, name) for name in setting_names()}


def _shown(name: str, value: Any) -> str:
    return middle_line(setting_text(name, value) or "none")


def _where(layer: Layer, name: str) -> str:
    return FILE_NAME + layer.origins[name].rpartition(FILE_NAME)[2]


def _joined(layers: list[Layer]) -> tuple[dict[str, Any], dict[str, str], dict[str, str]]:
    """Return values, role models and origins: a model for all drops the role models of weaker layers."""
    values: dict[str, Any] = {}
    origins: dict[str, str] = {name: "default" for name in setting_names()}
    roles: dict[str, str] = {}
    for layer in layers:
        if "model" in layer.values:
            roles = {}
            origins["role_models"] = "default"
        roles |= layer.values.get("role_models", {})
        values |= layer.values
        origins |= layer.origins
    return values, roles, origins


def _default_layer(environ: Mapping[str, str]) -> Layer:
    folder, origin = default_sessions(environ)
    return Layer({"sessions": folder}, {"sessions": origin})


def _shell_layer(environ: Mapping[str, str]) -> Layer:
    """Return the interpreter of the environment that the user's shell is in: weaker than all that names one."""
    python = active_python(environ)
    return Layer({"python": python}, {"python": SHELL}) if python else Layer()


def _env_layer(environ: Mapping[str, str], cwd: Path) -> Layer:
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for variable, value in environ.items():
        name = variable.removeprefix(_PREFIX).lower()
        if not variable.startswith(_PREFIX) or not value:
            continue
        if name in setting_names():
            values[name] = parse_setting(name, value, variable, cwd)
            origins[name] = f"environment ({variable})"
        elif near := difflib.get_close_matches(name, setting_names(), n=1, cutoff=0.75):
            raise SettingsError(
                f"There is no setting for the variable {variable}.",
                f"Did you mean {_PREFIX}{near[0].upper()}?",
            )
    return Layer(values, origins)


def _flag_layer(flags: Mapping[str, Any], cwd: Path) -> Layer:
    values: dict[str, Any] = {}
    for name, value in flags.items():
        if value is None:
            continue
        flag = "--" + name.replace("_", "-")
        if name == "model":
            everyone, roles = split_models([value] if isinstance(value, str) else value, flag)
            values |= ({"model": everyone} if everyone else {}) | ({"role_models": roles} if roles else {})
        else:
            text = ",".join(value) if isinstance(value, list) and name != "allow_read" else value
            values[name] = parse_setting(name, text, flag, cwd)
    origins = {name: "flag (--" + name.replace("_", "-") + ")" for name in values}
    if "role_models" in values:
        origins["role_models"] = "flag (--model)"
    return Layer(values, origins)
