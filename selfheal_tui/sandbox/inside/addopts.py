"""The settings that a project has for pytest: where they are, and what of its `addopts` is kept.

Kept is what says which cases there are and how files are imported.

How often, in which process and with which output cases run is ours to say, so all else is left out.
"""

from __future__ import annotations

import configparser
import re
import shlex
import tomllib
from collections.abc import Collection, Mapping
from typing import Any

_SWITCHES = (
    *("--doctest-modules", "--doctest-ignore-import-errors"),
    *("--nomigrations", "--no-migrations", "--migrations", "--create-db"),
)
_WITH_VALUE = ("-m", "-k", "--deselect", "--import-mode", "--doctest-glob", "--ds", "--dc", "--asyncio-mode")
_OWN_PLUGINS = ("pytester",)
"""Plug-ins of pytest itself that are there only where a project asks for them."""
_TABLES = {
    "pytest.toml": (("pytest",),),
    ".pytest.toml": (("pytest",),),
    "pyproject.toml": (("tool", "pytest", "ini_options"), ("tool", "pytest")),
}
"""Where TOML files have settings, for pytest 9 too (https://docs.pytest.org/en/stable/reference/customize.html)."""
_SECTIONS = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}
CONFIGS = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
"""Files that may have settings, in pytest's order: the first that has some counts."""
HIDDEN_CONFIGS = tuple(name for name in CONFIGS if name.startswith("."))
_ALWAYS = ("pytest.toml", ".pytest.toml", "pytest.ini")
"""Files that count without any settings too."""


def settings_file(files: Mapping[str, str]) -> str:
    """Return the file at the top from which pytest takes its settings; empty for none."""
    return next((n for n in CONFIGS if n in files and settings_in(n, str(files[n])) is not None), "")


def settings_in(name: str, text: str) -> Mapping[str, Any] | None:
    """Return the settings of one file; None where pytest would go on to the next one.

    A file that cannot be read counts where it has to be read, so that pytest itself says what is wrong with it.
    """
    values: Mapping[str, Any] | None
    try:
        values = _toml(name, text) if name in _TABLES else _ini(name, text)
    except (ValueError, configparser.Error, AttributeError, TypeError, RecursionError):
        return {} if name in _ALWAYS or re.search(r"pytest", text) else None
    return {} if values is None and name in _ALWAYS else values


def kept_addopts(name: str, text: str, plugins: Collection[str]) -> list[str]:
    """Return the arguments to keep from a file of settings; `plugins` are those that `-p` may name."""
    words = setting(name, text, "addopts")
    kept: list[str] = []
    while words:
        word = words.pop(0)
        flag, equals, value = word.partition("=")
        if not word.startswith("--") and word[:2] in ("-m", "-k", "-p") and len(word) > 2:
            flag, equals, value = word[:2], "=", word[2:].removeprefix("=")
        if word in _SWITCHES:
            kept.append(word)
        elif flag in (*_WITH_VALUE, "-p") and (equals or words):
            value = value if equals else words.pop(0)
            if flag != "-p":
                kept.append(f"{flag}={value}" if flag.startswith("--") else f"{flag}{value}")
            elif value in _OWN_PLUGINS or value.partition(".")[0] in plugins:
                kept += ["-p", value]
    return kept


def setting(name: str, text: str, key: str) -> list[str]:
    """Return the words of one setting in a file of settings; nothing where it has none or cannot be read."""
    value = (settings_in(name, text) or {}).get(key, "")
    if isinstance(value, list):
        return [str(word) for word in value]
    try:
        return shlex.split(str(value), comments=True)
    except ValueError:
        return []


def _toml(name: str, text: str) -> Mapping[str, Any] | None:
    tables = tomllib.loads(text)
    for path in _TABLES[name]:
        table: Any = tables
        for part in path:
            table = table.get(part, {})
        if table:
            return dict(table)
        if path[-1] == "ini_options" and "ini_options" in tables.get("tool", {}).get("pytest", {}):
            return {}
    return None


def _ini(name: str, text: str) -> Mapping[str, Any] | None:
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    section = _SECTIONS[name]
    return dict(parser[section]) if parser.has_section(section) else None
