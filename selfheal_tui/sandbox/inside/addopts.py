"""What of a project's own `addopts` is kept: what says which cases there are and how files are imported.

How often, in which process and with which output cases run is ours to say, so all else is left out.
"""

from __future__ import annotations

import configparser
import shlex
import tomllib
from collections.abc import Collection
from contextlib import suppress

_SWITCHES = ("--doctest-modules", "--nomigrations", "--no-migrations", "--migrations", "--create-db")
_WITH_VALUE = ("-m", "-k", "--deselect", "--import-mode", "--ds", "--dc", "--asyncio-mode")
_SECTIONS = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}


def kept_addopts(name: str, text: str, plugins: Collection[str]) -> list[str]:
    """Return the arguments to keep from a file of settings; `plugins` are those that `-p` may name."""
    try:
        words = _words(name, text)
    except (ValueError, configparser.Error, AttributeError, TypeError, RecursionError):
        return []
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


def _words(name: str, text: str) -> list[str]:
    if name == "pyproject.toml":
        value = tomllib.loads(text).get("tool", {}).get("pytest", {}).get("ini_options", {}).get("addopts", "")
    else:
        parser = configparser.RawConfigParser(strict=False)
        parser.read_string(text)
        value = ""
        with suppress(configparser.NoSectionError, configparser.NoOptionError):
            value = parser.get(_SECTIONS[name], "addopts")
    return [str(word) for word in value] if isinstance(value, list) else shlex.split(value, comments=True)
