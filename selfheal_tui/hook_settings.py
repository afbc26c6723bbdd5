"""Hooks as the settings name them: which there are, and the command of each, which no shell ever reads."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from selfheal_tui.errors import SettingsError
from selfheal_tui.text import one_line

BEFORE_APPLY: Final = "before_apply"
HOOKS: Final = ("review_asked", "decided", "healed", "ended", "budget_near", BEFORE_APPLY)
_LONGEST = 500
"""Characters of a command: the question whether a folder is trusted shows all of it."""
_BEGINS = re.compile(rf"(?:^|;)\s*({'|'.join(HOOKS)})\s*=")


@dataclass(frozen=True, slots=True)
class Hook:
    """The command of one hook."""

    command: str
    folder: Path
    """The folder that it is run in: that of the settings file which names it."""

    def __str__(self) -> str:
        """The command as it is written down."""
        return self.command

    @property
    def words(self) -> list[str]:
        """Program and arguments, split as a shell would, with `~` for the home folder; nothing else is expanded."""
        return [os.path.expanduser(word) for word in shlex.split(self.command)]


def parse_hooks(value: Any, where: str, folder: Path) -> dict[str, Hook]:
    """Read name -> command: a text, or a list of words. As one text: `NAME=COMMAND; NAME=COMMAND`.

    Raises: SettingsError saying `where`.
    """
    if isinstance(value, str):
        value = _from_text(value, where)
    if not isinstance(value, Mapping):
        raise SettingsError(f"hooks must be a mapping of hooks to commands ({where}).", _THERE_ARE)
    hooks: dict[str, Hook] = {}
    for name, command in value.items():
        if name not in HOOKS:
            raise SettingsError(f"There is no hook {one_line(str(name), 40)!r} ({where}).", _THERE_ARE)
        hooks[name] = Hook(_command(f"hooks.{name}", command, where), folder)
    return hooks


def hooks_text(hooks: Mapping[str, Hook]) -> str:
    """Return hooks as one text that `parse_hooks` reads."""
    return "; ".join(f"{name}={hook.command}" for name, hook in hooks.items())


_THERE_ARE = f"There are: {', '.join(HOOKS)}."


def _from_text(text: str, where: str) -> dict[str, str]:
    begins = [*_BEGINS.finditer(text)]
    if text[: begins[0].start() if begins else len(text)].strip():
        raise SettingsError(
            f"hooks must begin with the name of one, not with {one_line(text, 40)!r} ({where}).", _THERE_ARE
        )
    ends = [*(one.start() for one in begins[1:]), len(text)]
    return {one[1]: text[one.end() : end].strip() for one, end in zip(begins, ends, strict=True)}


def _command(name: str, command: Any, where: str) -> str:
    """Return a command as one text. Raises: SettingsError."""
    if isinstance(command, list) and command and all(isinstance(word, str) for word in command):
        command = shlex.join(command)
    if not isinstance(command, str) or not command.strip():
        raise SettingsError(f"{name} must be a command, as text or as a list of words ({where}).")
    if not command.isprintable():
        raise SettingsError(f"{name} holds characters that a command cannot have ({where}).")
    if len(command) > _LONGEST:
        raise SettingsError(
            f"{name} is too long: {len(command):,} characters, at most {_LONGEST} ({where}).",
            "Put it into a script, and name that.",
        )
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SettingsError(f"{name} cannot be split into words: {error} ({where}).", "Close the quote.") from error
    if not words or not words[0]:
        raise SettingsError(f"{name} names no program ({where}).")
    return command.strip()
