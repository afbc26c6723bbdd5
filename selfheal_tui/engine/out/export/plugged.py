"""Formats of other packages: a plug-in gets a branch's story, already without keys, and returns the text of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.extensions import disabled_words, enabled, load
from selfheal_tui.extensions.loading import broken, function_of, guarded
from selfheal_tui.setting_values import nearest
from selfheal_tui.text import one_line

FORMATS = ("md", "html", "prompts", "json", "patch", "sarif", "rdjson", "jsonl", "session")
"""What `sessions export --format` writes by itself."""
Exporter = Callable[[Mapping[str, Any]], str]
"""From a story (its shape: `story.py`) to a text."""


def plugged_formats() -> tuple[str, ...]:
    """Return the formats that enabled plug-ins bring; nothing is imported."""
    return tuple(enabled("exporter", FORMATS))


def check_format(form: str) -> None:
    """Check the name of a format. Raises: InputError naming the nearest, or the plug-in that would have it."""
    known = (*FORMATS, *plugged_formats())
    if form not in known:
        off = disabled_words("exporter", form)
        near = f"{nearest(form, known, '', repr)} There are: {', '.join(known)}.".lstrip()
        raise InputError(*(off or (f"There is no format {one_line(form, 60)!r}.", near)))


def plugged_export(form: str, story: Mapping[str, Any]) -> str:
    """Return a story, which holds no key any more, in a plug-in's format. Raises: InputError, SettingsError."""
    plugin = enabled("exporter", FORMATS)[form]
    text = guarded(plugin, function_of(plugin, load(plugin)), InputError)(story)
    if not isinstance(text, str):
        raise broken(plugin, f"returned {type(text).__name__} where an export is a text")
    return text
