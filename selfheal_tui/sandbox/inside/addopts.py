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
from contextlib import suppress

_SWITCHES = (
    *("--doctest-modules", "--doctest-ignore-import-errors"),
    *("--nomigrations", "--no-migrations", "--migrations", "--create-db"),
)
_WITH_VALUE = ("-m", "-k", "--deselect", "--import-mode", "--doctest-glob", "--ds", "--dc", "--asyncio-mode")
CONFIGS = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
"""Files that may have them, in pytest's order."""
_HEADS = {"pyproject.toml": r"tool\s*\.\s*pytest", "tox.ini": r"\[pytest\]", "setup.cfg": r"\[tool:pytest\]"}
"""What a file holds that has settings for pytest; pytest.ini need not."""
_SECTIONS = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}


def settings_file(files: Mapping[str, str]) -> str:
    """Return the file at the top from which pytest takes its settings; empty for none."""
    return next((n for n in CONFIGS if n in files and re.search(_HEADS.get(n, ""), str(files[n]))), "")


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
            elif value.partition(".")[0] in plugins:
                kept += ["-p", value]
    return kept


def setting(name: str, text: str, key: str) -> list[str]:
    """Return the words of one setting in a file of settings; nothing where it has none or cannot be read."""
    try:
        return _words(name, text, key)
    except (ValueError, configparser.Error, AttributeError, TypeError, RecursionError):
        return []


def _words(name: str, text: str, key: str) -> list[str]:
    if name == "pyproject.toml":
        value = tomllib.loads(text).get("tool", {}).get("pytest", {}).get("ini_options", {}).get(key, "")
    else:
        parser = configparser.RawConfigParser(strict=False)
        parser.read_string(text)
        value = ""
        with suppress(configparser.NoSectionError, configparser.NoOptionError):
            value = parser.get(_SECTIONS[name], key)
    return [str(word) for word in value] if isinstance(value, list) else shlex.split(value, comments=True)
