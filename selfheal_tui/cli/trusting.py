"""The settings a command runs with, and the folder it stands in: what that brings counts once the user has said yes."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

from selfheal_tui.brought import read_brought
from selfheal_tui.errors import SettingsError
from selfheal_tui.keys import load_keys
from selfheal_tui.setting_layers import load_settings
from selfheal_tui.settings import LeftOut, Settings, setting_names
from selfheal_tui.text import strip_controls
from selfheal_tui.trust import Grants

from .options import RUN_SETTINGS

_HAVE_FLAGS = (*RUN_SETTINGS, "theme", "bell", "keys")
"""What some command has a flag for, or the app alone uses."""


class Standing:
    """The folder one stands in, read once: what is accepted is what was read."""

    def __init__(self, args: Namespace) -> None:
        """Read it; `--trust` accepts it. Raises: SettingsError when its settings file is none."""
        self._args = args
        self._grants = Grants()
        self._brought = read_brought(Path.cwd(), os.environ)
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
    def asks(self) -> list[LeftOut]:
        """What a yes would let count; empty when there is nothing to ask."""
        return [one for one in self.settings().left_out if not one.why]

    def accept(self) -> None:
        """Let count what the folder brings, now and until it changes."""
        asked = self.asks
        if not asked:
            return
        self._accepted, self._loaded = self._brought.digest, None
        try:
            self._grants.add(self._brought, tuple(left_out_words(one) for one in asked))
        except SettingsError as error:
            _say(f"this folder is trusted for this once: {error}")

    def settings(self) -> Settings:
        """Return the settings in force; keys that count are in the environment from now on. Raises: SettingsError."""
        if self._loaded is None:
            flags = {name: getattr(self._args, name, None) for name in setting_names()}
            settings = load_settings(flags, brought=self._brought, accepted=self._accepted)
            keys = load_keys(self._brought, bool(self._accepted))
            self._loaded = replace(settings, left_out=(*settings.left_out, *keys))
        return self._loaded

    def told(self) -> Settings:
        """Return the settings, and say on stderr what of the folder is left out, as far as the command would use it."""
        settings = self.settings()
        for one in settings.left_out:
            # What has no flag is used by a command that may ask a model.
            used = hasattr(self._args, one.name) or (hasattr(self._args, "model") and one.name not in _HAVE_FLAGS)
            if used:
                _say(f"left out: {left_out_words(one)}; {one.why or 'to accept what this folder brings: --trust'}.")
        return settings


def load_from(args: Namespace) -> Settings:
    """Read the settings in force for a command that asks nobody. Raises: SettingsError."""
    return Standing(args).told()


def left_out_words(one: LeftOut) -> str:
    """Say what the folder brings: `model = ollama:q (selfheal.yaml, line 3)`."""
    return f"{one.name} = {one.value} ({one.where})" if one.value else one.name


def _say(text: str) -> None:
    print(strip_controls(f"selfheal: {text}"), file=sys.stderr, flush=True)
