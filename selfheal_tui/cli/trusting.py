"""The settings a command runs with, and the folder it stands in: what that brings counts once the user has said yes."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

from selfheal_tui.brought import read_brought
from selfheal_tui.errors import InputError, SettingsError
from selfheal_tui.extensions import enable, take_problems
from selfheal_tui.keys import load_keys
from selfheal_tui.setting_layers import load_settings
from selfheal_tui.settings import LeftOut, Settings, setting_names
from selfheal_tui.text import strip_controls
from selfheal_tui.trust import Grants

from .options import RUN_SETTINGS

_HAVE_FLAGS = (*RUN_SETTINGS, "theme", "bell", "keys", "notify", "reduced_motion", "plain")
"""What some command has a flag for, or the app alone uses."""


class Standing:
    """The folder one stands in, or another one, read once: what is accepted is what was read."""

    def __init__(self, args: Namespace, folder: Path | None = None) -> None:
        """Read it; `--trust` accepts it. Raises: SettingsError when its settings file is none."""
        self._args = args
        self._grants = Grants()
        self._brought = read_brought(folder or _here(), os.environ)
        self._accepted = ""
        self._loaded: Settings | None = None
        try:
            if self._grants.holds(self._brought):
                self._accepted = self._brought.digest
        except SettingsError as error:
            _say(str(error))
        if getattr(args, "trust", False) and not self._accepted:
            self.accept()

    @property
    def folder(self) -> Path:
        """The folder."""
        return self._brought.folder

    @property
    def asks(self) -> bool:
        """Whether a yes would change what holds now."""
        return not self._accepted and any(not (one.why or one.meanwhile) for one in self.settings().left_out)

    def accept(self) -> None:
        """Let count all that the folder brings, until it changes; also what a flag or a variable outdoes now."""
        covered = [one for one in self.settings().left_out if not one.why]
        if not covered or self._accepted:
            return
        self._accepted, self._loaded = self._brought.digest, None
        try:
            self._grants.add(self._brought, tuple(left_out_words(one) for one in covered))
        except SettingsError as error:
            _say(f"this folder is trusted for this once: {error}")

    def settings(self) -> Settings:
        """Return the settings in force; from now on keys that count are in the environment, and plug-ins are enabled.

        Raises: SettingsError.
        """
        if self._loaded is None:
            flags = {name: getattr(self._args, name, None) for name in setting_names()}
            settings = load_settings(flags, brought=self._brought, accepted=self._accepted)
            keys = load_keys(self._brought, bool(self._accepted))
            self._loaded = replace(settings, left_out=(*settings.left_out, *keys))
            enable(settings.plugins)
        return self._loaded

    def told(self) -> Settings:
        """Return the settings, and say on stderr what of the folder is left out, as far as the command would use it."""
        settings = self.settings()
        for one in settings.left_out:
            # What has no flag is used by a command that may ask a model.
            name = one.name.partition(".")[0]
            used = hasattr(self._args, name) or (hasattr(self._args, "model") and name not in _HAVE_FLAGS)
            used = used or (name == "hooks" and hasattr(self._args, "sandbox"))  # deciding and applying run them too
            if used and not (one.meanwhile and name in setting_names()):
                why = one.why or one.meanwhile or "to accept what this folder brings: --trust"
                _say(f"left out: {left_out_words(one)}; {why}.")
        tell_problems()
        return settings


def tell_problems() -> None:
    """Say on stderr what is wrong with plug-ins, each once."""
    for sentence in take_problems():
        _say(sentence)


def load_from(args: Namespace) -> Settings:
    """Read the settings in force for a command that asks nobody. Raises: SettingsError."""
    return Standing(args).told()


def without_hooks(settings: Settings) -> Settings:
    """Return the settings without hooks: for a benchmark, whose hundreds of runs nobody waits for one by one."""
    return replace(settings, hooks={})


def left_out_words(one: LeftOut) -> str:
    """Say what the folder brings: `model = ollama:q (selfheal.yaml, line 3)`."""
    return f"{one.name} = {one.value} ({one.where})" if one.value else one.name


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise InputError("The folder you stand in is not there any more.", "Go to another one.") from error


def _say(text: str) -> None:
    print(strip_controls(f"selfheal: {text}"), file=sys.stderr, flush=True)
