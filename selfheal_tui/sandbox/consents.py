"""What the user allowed the tests of one session: a file for each session in the user's own configuration.

It holds for the session's folder, its history and how it began. A session that came from elsewhere, was copied or put
in the place of another brings no permission. A file that is damaged, or that somebody else could write, allows nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from selfheal_tui.errors import SettingsError
from selfheal_tui.settings import own_folder
from selfheal_tui.walled import read_below
from selfheal_tui.whole_file import write_whole

from .allowance import Allowance, checked_allowance

_FOLDER = "allowed"
_MOST_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class SessionMark:
    """What tells a session from any other."""

    folder: Path
    thread_id: str
    """The name of its history."""
    start: str
    """The hashes of what it began with: files and specification."""

    @property
    def digest(self) -> str:
        """The hash of history and start."""
        return hashlib.sha256(f"{self.thread_id}\0{self.start}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Consent:
    """What the tests of a session may have beyond the sandbox."""

    folder: str
    """The session's."""
    digest: str
    """Of its `SessionMark`."""
    allowed: Allowance


class Consents:
    """All consents of one user."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ = os.environ if environ is None else environ
        self.home = own_folder(self._environ) / _FOLDER

    def of(self, session: SessionMark) -> Allowance:
        """Return what the user allowed a session, as far as it may be allowed today; nothing where there is none."""
        consent = self._read(self._path(session.folder))
        if consent is None or consent.digest != session.digest:
            return Allowance()
        return Allowance(
            tuple(path for path in consent.allowed.read if self._may_be_read(path, session.folder.parent)),
            consent.allowed.network,
        )

    def add(self, session: SessionMark, allowed: Allowance) -> None:
        """Allow a session more; what no session is there for any more is forgotten. Raises: SettingsError."""
        path, both = self._path(session.folder), joined(self.of(session), allowed)
        content = {
            "folder": os.path.realpath(session.folder),
            "digest": session.digest,
            "read": both.read,
            "network": both.network,
        }
        try:
            self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(path, json.dumps(content, indent=1).encode())
        except OSError as error:
            raise SettingsError(f"{path} cannot be written ({error.strerror}).") from error
        for consent in self.all():
            if not os.path.isdir(consent.folder):
                self.forget(Path(consent.folder))

    def all(self) -> list[Consent]:
        """Return all consents, by the folders of their sessions."""
        consents = [consent for path in self.home.glob("*.json") if (consent := self._read(path)) is not None]
        return sorted(consents, key=lambda consent: consent.folder)

    def forget(self, session: Path) -> bool:
        """Allow the session of a folder nothing any longer; return whether it was allowed anything.

        Raises: SettingsError.
        """
        path = self._path(session)
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise SettingsError(f"{path} cannot be removed ({error.strerror}).") from error
        return True

    def _may_be_read(self, path: str, sessions: Path) -> bool:
        try:
            checked_allowance([path], False, sessions, self._environ)
        except SettingsError:
            return False
        return True

    def _path(self, folder: Path) -> Path:
        real = os.fsencode(os.path.realpath(folder))
        return self.home / f"{hashlib.sha256(real).hexdigest()[:32]}.json"

    def _read(self, path: Path) -> Consent | None:
        """Read a consent; None for a file that is none, or that somebody else could have written."""
        try:
            status = os.lstat(path)
            if status.st_uid not in (0, os.geteuid()) or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                return None
            content = json.loads(read_below(path.parent, path, _MOST_BYTES))
            reads, network = tuple(map(str, content["read"])), content["network"] is True
            consent = Consent(str(content["folder"]), str(content["digest"]), Allowance(reads, network))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return consent if self._path(Path(consent.folder)) == path else None


def joined(one: Allowance, other: Allowance) -> Allowance:
    """Return what either of two allows."""
    return Allowance(tuple(dict.fromkeys((*one.read, *other.read))), one.network or other.network)
