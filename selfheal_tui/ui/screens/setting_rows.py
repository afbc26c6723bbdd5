"""Settings as the settings screen shows them: which words, since when a change holds, and what a typed text means."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from selfheal_tui.errors import SettingsError
from selfheal_tui.setting_values import nearest, setting_text
from selfheal_tui.settings import Settings, default_settings, parse_setting, setting_help, setting_names, setting_type

from ..kit.keymap import build_keymap

AT_ONCE = ("theme", "bell", "notify", "reduced_motion", "keys", "agent_decides")
AT_START = (
    *(
        "sessions",
        "prompts",
        "sandbox",
        "python",
        "verify",
        "allow_unsandboxed",
        "allow_read",
        "allow_network",
        "suite_time_s",
        "case_time_s",
        "tracing",
        "otel",
        "replay_only",
        "plugins",
    ),
    *("hooks", "hook_time_s", "hook_diff", "plain"),
    *("prices", "call_time_s", "silence_s", "context_tokens"),
)
FIRST = (
    *("model", "autonomy", "strategies", "max_iterations", "max_cost_usd", "max_time_s"),
    *("theme", "bell", "notify", "keys"),
)
"""What people change first, in this order."""
MORE = "more settings"
"""Heads the others."""
UNSAVED = "changed here, not saved"
"""Origin of a value that holds until the app ends."""


def setting_order() -> list[str]:
    """Return all settings: what people change first, what else new sessions run with, what is fixed at the start."""
    rest = [name for name in setting_names() if name not in FIRST]
    return [*FIRST, *sorted(rest, key=lambda name: name in AT_START)]


def holds(name: str) -> str:
    """Say from when on a changed value holds."""
    if name in AT_ONCE:
        return "Holds at once."
    return "Holds from the next start of selfheal." if name in AT_START else "Holds for new sessions."


def choices(name: str) -> list[str]:
    """Return the values that a setting can have, when they are few."""
    declared = setting_type(name)
    if declared is bool:
        return ["true", "false"]
    return [str(choice) for choice in get_args(declared)] if get_origin(declared) is Literal else []


def value_words(settings: Settings, name: str) -> str:
    """Return a value for people."""
    return setting_text(name, getattr(settings, name)) or "none"


def sentence(name: str) -> str:
    """Return what a setting is."""
    return " ".join(setting_help()[name].split())


def default_value(name: str) -> Any:
    """Return what holds when nobody sets it."""
    return getattr(default_settings(), name)


def parsed(name: str, text: str, themes: list[str]) -> Any:
    """Return the value that a text means. Raises: SettingsError."""
    value = parse_setting(name, text.strip(), "here", Path.cwd())
    if name == "theme" and value not in themes:
        raise SettingsError(f"There is no theme {value!r}.", nearest(str(value), themes))
    if name == "keys":
        build_keymap(value)
    from selfheal_tui.engine.session.options import check_setting

    check_setting(name, value)
    return value
