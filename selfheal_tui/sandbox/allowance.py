"""What the user lets the tests have beyond the sandbox: folders to read, and the network of this machine.

It comes from flags and settings only, never from a session's file. What holds keys is refused, whoever asks.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from selfheal_tui.errors import SettingsError
from selfheal_tui.settings import Settings, own_folder
from selfheal_tui.text import one_line

NETWORK = "network allowed"
"""The name among a report's `isolation` of a network that the user has allowed."""
READS = "reads "
"""What stands before an allowed path among a report's `isolation`."""
_OF_THE_MACHINE = ("/proc", "/sys", "/dev", "/run", "/var/run", "/box")
"""Processes, devices and sockets, and the place of the runs themselves."""
_CREDENTIALS = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".netrc", ".pgpass", ".pypirc"),
    *(".npmrc", ".git-credentials", ".config/git", ".config/gh", ".config/gcloud", ".config/pypoetry", ".config/pip"),
    *(".local/share/keyrings", ".cache/huggingface", ".huggingface", ".ollama", ".cargo/credentials.toml"),
)
"""Where programs keep keys, below a home folder."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What was allowed; nothing by default."""

    read: tuple[str, ...] = ()
    """Absolute paths of files and folders that may be read."""
    network: bool = False

    def names(self) -> tuple[str, ...]:
        """Return it as a report's `isolation` and the status line say it."""
        return (*((NETWORK,) if self.network else ()), *(f"{READS}{path}" for path in self.read))

    def paths(self) -> list[str]:
        """Return the paths to show, each also by its name without links."""
        return sorted({name for path in self.read for name in (path, os.path.realpath(path))})


def checked_allowance(
    read: Sequence[str], network: bool, sessions: Path | None, environ: Mapping[str, str]
) -> Allowance:
    """Return what is allowed; `sessions` is the folder of the sessions.

    Raises: SettingsError for a path that is not there, and for one that holds keys or what a run must not see.
    """
    for path in read:
        if not os.path.exists(path):
            raise SettingsError(f"{one_line(path)} does not exist (--allow-read).", "Check the path.")
        if ":" in path:
            raise SettingsError(f"{one_line(path)} cannot be allowed: its name has a colon (--allow-read).")
        if why := _why_not(path, sessions, environ):
            raise SettingsError(
                f"{one_line(path)} cannot be allowed (--allow-read): {why}.", "Name the file or folder that is needed."
            )
    return Allowance(tuple(dict.fromkeys(read)), network)


def _why_not(path: str, sessions: Path | None, environ: Mapping[str, str]) -> str:
    """Say why a path must stay out of the sandbox; empty where it may be shown."""
    real = Path(os.path.realpath(path))
    if not (real.is_file() or real.is_dir()):
        return "it is no regular file or folder"
    for place in _OF_THE_MACHINE:
        if _meet(real, Path(os.path.realpath(place))):
            return f"{place} holds processes, devices and sockets of this machine"
    for folder, holds in _kept(sessions, environ):
        if _meet(real, folder):
            return f"it holds {one_line(str(folder))}, {holds}" if folder != real else f"it is {holds}"
    if _is_above(real, Path(os.path.realpath(tempfile.gettempdir()))):
        return "runs lie there"
    if real.name == ".env" or (real / ".env").is_file():
        return "it holds a .env, where keys are kept"
    return ""


def _kept(sessions: Path | None, environ: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """Yield what no run may see, without links, and what it is."""
    yield Path(os.path.realpath(own_folder(environ))), "selfheal's own settings"
    if sessions is not None:
        yield Path(os.path.realpath(sessions)), "selfheal's sessions"
    if os.path.isfile(".env"):
        yield Path(os.path.realpath(".env")), "a file of keys"
    for name in _CREDENTIALS:
        yield Path(os.path.realpath(Path.home() / name)), "where programs keep keys"


def _meet(path: Path, kept: Path) -> bool:
    """Tell whether a path lies in another, or holds it."""
    return path == kept or _is_above(path, kept) or _is_above(kept, path)


def _is_above(path: Path, other: Path) -> bool:
    return other.is_relative_to(path)


def allowed_of(isolation: Sequence[str]) -> tuple[str, ...]:
    """Return what of a report's `isolation` was allowed."""
    return tuple(name for name in isolation if name == NETWORK or name.startswith(READS))


def is_covered(name: str, allowed: Sequence[str]) -> bool:
    """Tell whether `allowed`, names as in a report's `isolation`, hold a name: a folder holds what lies in it."""
    if name == NETWORK:
        return NETWORK in allowed
    path = Path(name.removeprefix(READS))
    return any(path.is_relative_to(one.removeprefix(READS)) for one in allowed if one.startswith(READS))


def allowed_words(names: Sequence[str]) -> str:
    """Say what a report's `isolation` allows: `use the network and read /data`; empty for nothing."""
    reads = [one_line(name.removeprefix(READS), 200) for name in names if name.startswith(READS)]
    parts = [*(["use the network"] if NETWORK in names else []), *([f"read {', '.join(reads)}"] if reads else [])]
    return " and ".join(parts)


def allowing_flags(names: Sequence[str]) -> str:
    """Return the flags that allow what a report's `isolation` allows."""
    reads = [shlex.quote(one_line(name.removeprefix(READS), 200)) for name in names if name.startswith(READS)]
    return " ".join([*(["--allow-network"] if NETWORK in names else []), *(f"--allow-read {path}" for path in reads)])


def no_more_words(before: Sequence[str], now: Sequence[str]) -> str:
    """Say what a session's tests could do and cannot now; `before` may come from a stranger's file. Empty for none."""
    gone = [name for name in allowed_of(before) if name not in now]
    if not gone:
        return ""
    return f"earlier the tests of this session could {allowed_words(gone)}; to allow it again: {allowing_flags(gone)}"


def flagged(settings: Settings) -> Allowance:
    """Return what the command line itself allows, and no file or variable."""
    was_flag = [settings.origins.get(name, "").startswith("flag") for name in ("allow_read", "allow_network")]
    return Allowance(settings.allow_read if was_flag[0] else (), settings.allow_network if was_flag[1] else False)


def flags_of(settings: Settings) -> str:
    """Return ` --python X --allow-network ...` where a later command needs it to run the same, else empty."""
    names = flagged(settings).names()
    python = (
        f" --python {shlex.quote(settings.python)}" if settings.origins.get("python", "").startswith("flag") else ""
    )
    return f"{python} {allowing_flags(names)}" if names else python
