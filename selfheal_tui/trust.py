"""Which folders the user trusts: one file for each, in the user's own configuration, valid for one content.

Trust covers what the folder brought when the user accepted it (`brought.py`), by its hash; when that changes, the user
is asked again. A file that is damaged, or that somebody else could have written, trusts nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from selfheal_tui.errors import InputError, SettingsError
from selfheal_tui.settings import own_folder
from selfheal_tui.walled import read_below
from selfheal_tui.whole_file import write_whole

from .brought import Brought

_FOLDER = "trusted"
_PROMPTS = "prompts"
_MOST_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class Grant:
    """A folder that is trusted."""

    folder: str
    digest: str
    """Of what it brought."""
    at: str
    """UTC, ISO 8601."""
    brings: tuple[str, ...]
    """What was accepted, a line each, without secrets."""


class Grants:
    """All grants of one user."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self.home = own_folder(os.environ if environ is None else environ) / _FOLDER

    def holds(self, brought: Brought) -> bool:
        """Tell whether the user has accepted what the folder brings now. Raises: SettingsError for a damaged grant."""
        path = self._path(brought.folder)
        if not brought.digest or not os.path.lexists(path):
            return False
        has_prompts = not brought.prompts or self.prompts(brought).is_dir()
        return self._read(path).digest == brought.digest and has_prompts

    def add(self, brought: Brought, brings: tuple[str, ...]) -> None:
        """Accept what a folder brings now, and no longer what it brought before. Raises: SettingsError."""
        path = self._path(brought.folder)
        grant = {
            "folder": os.path.realpath(brought.folder),
            "digest": brought.digest,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "brings": list(brings),
        }
        try:
            self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._keep_prompts(brought)
            write_whole(path, json.dumps(grant, indent=1).encode())
        except OSError as error:
            raise SettingsError(f"{path} cannot be written ({error.strerror}).") from error

    def all(self) -> tuple[list[Grant], list[str]]:
        """Return all grants, newest first, and a sentence for each file that is not one."""
        grants, damaged = [], []
        for path in sorted(self.home.glob("*.json")):
            try:
                grants.append(self._read(path))
            except SettingsError as error:
                damaged.append(str(error))
        return sorted(grants, key=lambda grant: grant.at, reverse=True), damaged

    def forget(self, folder: Path) -> None:
        """Stop trusting a folder. Raises: InputError when it is not trusted, SettingsError."""
        path = self._path(folder)
        try:
            path.unlink()
            shutil.rmtree(path.with_suffix(""), ignore_errors=True)
        except FileNotFoundError:
            raise InputError(f"{folder} is not trusted.", "See: selfheal config --trusted") from None
        except OSError as error:
            raise SettingsError(f"{path} cannot be removed ({error.strerror}).") from error

    def prompts(self, brought: Brought) -> Path:
        """Return the folder with a copy of the accepted prompts, so that only these are ever used."""
        return self._path(brought.folder).with_suffix("") / f"{_PROMPTS}-{brought.digest[:16]}"

    def _keep_prompts(self, brought: Brought) -> None:
        """Copy the prompts beside the grant, and delete copies of earlier ones."""
        folder = self.prompts(brought)
        for old in folder.parent.glob(f"{_PROMPTS}-*"):
            if old != folder:
                shutil.rmtree(old, ignore_errors=True)
        if brought.prompts:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for name, content in brought.prompts.items():
                write_whole(folder / name, content)

    def _path(self, folder: Path) -> Path:
        real = os.fsencode(os.path.realpath(folder))
        return self.home / f"{hashlib.sha256(real).hexdigest()[:32]}.json"

    def _read(self, path: Path) -> Grant:
        """Read a grant. Raises: SettingsError."""
        try:
            status = os.lstat(path)
            if status.st_uid not in (0, os.geteuid()) or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                raise ValueError("somebody else can write it")
            content = json.loads(read_below(path.parent, path, _MOST_BYTES))
            grant = Grant(
                str(content["folder"]), str(content["digest"]), str(content["at"]), tuple(map(str, content["brings"]))
            )
            if self._path(Path(grant.folder)) != path:
                raise ValueError("it names another folder")
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            why = error if type(error) is ValueError else "it is damaged"
            raise SettingsError(f"{path} is ignored: {why}.", "It trusts no folder.") from error
        return grant
