"""What the current folder brings: its selfheal.yaml and .env, and the prompts and the interpreter that they name.

All of it is read once, without following a link out of the folder, and hashed. The user accepts exactly this content,
and later only what was read here is used.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from selfheal_tui.hook_settings import Hook
from selfheal_tui.provider_variables import VENDORS
from selfheal_tui.setting_text import Layer, parse_layer
from selfheal_tui.settings import FILE_NAME, LeftOut, own_file
from selfheal_tui.walled import LeavesFolder, NoRegularFile, read_below

KEYS_NAME = ".env"
_MOST_BYTES = 64_000
"""Of a settings file or a .env: real ones are a hundredth of it, and their parsers take quadratic time."""
_LONGEST_LINE = 4_000
_LARGEST_PROMPT, _MOST_PROMPTS = 200_000, 50
_LARGEST_PYTHON = 100_000_000
_LARGEST_SCRIPT = 10_000_000
_MOST_OF_AN_ENVIRONMENT = 200_000


@dataclass(frozen=True, slots=True)
class Brought:
    """What a folder brings."""

    folder: Path
    layer: Layer = field(default_factory=Layer)
    """What its settings file says."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """The providers' variables that its .env sets."""
    prompts: Mapping[str, bytes] = field(default_factory=dict)
    """Name -> content of the prompt files in the folder that its settings name."""
    unread: tuple[LeftOut, ...] = ()
    """Files that are not read, and why."""
    digest: str = ""
    """SHA-256 of all of it and of its place, as hex; empty when the folder brings nothing."""


def read_brought(folder: Path, environ: Mapping[str, str]) -> Brought:
    """Read what a folder brings. Raises: SettingsError when its settings file is not one."""
    unread: list[LeftOut] = []
    settings = b"" if folder / FILE_NAME == own_file(environ) else _content(folder, FILE_NAME, unread)
    layer = parse_layer(settings, folder / FILE_NAME)
    for name in ("sessions", "prompts"):
        # A link may be pointed at another folder later.
        if name in layer.values:
            layer.values[name] = Path(os.path.realpath(layer.values[name]))
    if "allow_read" in layer.values:
        layer.values["allow_read"] = tuple(map(os.path.realpath, layer.values["allow_read"]))
    prompts = _prompts(layer.values.get("prompts"))
    keys = _keys(_content(folder, KEYS_NAME, unread), unread)
    if not (layer.values or keys):
        return Brought(folder, unread=tuple(unread))
    parts: list[str | bytes] = [os.path.realpath(folder), settings]
    parts += [str(layer.values.get(name, "")) for name in ("sessions", "prompts")]
    for part in (prompts, keys):
        parts += [str(len(part)), *(one for name in sorted(part) for one in (name, part[name]))]
    if opened := layer.values.get("allow_read", ()):
        parts += ["allow_read", str(len(opened)), *opened]
    parts += _interpreter(folder, layer.values.get("python", ""))
    parts += _scripts(folder, layer.values.get("hooks", {}))
    return Brought(folder, layer, keys, prompts, tuple(unread), _digest(parts))


def _content(folder: Path, name: str, unread: list[LeftOut]) -> bytes:
    """Return the content of a file of the folder; empty when it is not read, with the reason in `unread`."""
    try:
        content = read_below(folder, Path(name), _MOST_BYTES)
    except FileNotFoundError:
        return b""
    except LeavesFolder:
        why = "it is a link that leads out of this folder"
    except NoRegularFile:
        why = "it is not a regular file"
    except OSError as error:
        why = f"it cannot be read ({error.strerror})"
    else:
        if len(content) <= _MOST_BYTES:
            return content
        why = f"it is larger than {_MOST_BYTES // 1000} KB"
    unread.append(LeftOut(name, "", name, why))
    return b""


def _keys(content: bytes, unread: list[LeftOut]) -> dict[str, str]:
    if not content.strip():
        return {}
    from dotenv import dotenv_values

    try:
        text = content.decode("utf-8-sig")
        if any(len(line) > _LONGEST_LINE for line in text.splitlines()):
            unread.append(LeftOut(KEYS_NAME, "", KEYS_NAME, f"a line of it is longer than {_LONGEST_LINE} characters"))
            return {}
        values = dotenv_values(stream=io.StringIO(text), interpolate=False)
    except UnicodeDecodeError:
        unread.append(LeftOut(KEYS_NAME, "", KEYS_NAME, "it is not UTF-8 text"))
        return {}
    provider_names = {name for vendor in VENDORS.values() for name in vendor.names}
    return {name: value for name, value in values.items() if value and name in provider_names}


def _digest(parts: list[str | bytes]) -> str:
    """Hash the parts, each with its length before it, so that no two lists have the same hash."""
    hashed = hashlib.sha256()
    for part in parts:
        raw = os.fsencode(part) if isinstance(part, str) else part
        hashed.update(len(raw).to_bytes(8, "big") + raw)
    return hashed.hexdigest()


def _prompts(folder: Path | None) -> dict[str, bytes]:
    """Return the readable prompt files of a folder that a settings file names."""
    contents: dict[str, bytes] = {}
    try:
        names = sorted(path.name for path in folder.iterdir() if path.suffix == ".yaml") if folder else []
    except OSError:
        return {}
    for name in names[:_MOST_PROMPTS]:
        try:
            content = read_below(folder or Path(), Path(name), _LARGEST_PROMPT)
        except OSError:
            continue
        if len(content) <= _LARGEST_PROMPT:
            contents[name] = content
    return contents


def _interpreter(folder: Path, python: str) -> list[str | bytes]:
    """Return what identifies an interpreter that a settings file names: its file and its environment.

    An environment counts by the names, sizes and times of its files, because files that Python loads by itself when it
    starts (a `.pth`, `sitecustomize`) may run before the sandbox is closed.
    """
    if not python:
        return []
    path = Path(os.path.abspath(folder / python))
    real = Path(os.path.realpath(path))
    parts: list[str | bytes] = ["python", str(real)]
    environment = path.parent.parent
    if (environment / "pyvenv.cfg").exists():
        parts.append(_listing(environment))
    # The system may update its own Python without a new question; a Python in the folder is hashed.
    if real.is_relative_to(os.path.realpath(folder)):
        try:
            parts.append(hashlib.sha256(read_below(folder, real, _LARGEST_PYTHON)).digest())
        except OSError:
            parts.append("")
    return parts


def _scripts(folder: Path, hooks: Mapping[str, Hook]) -> list[str | bytes]:
    """Return what identifies the files of the folder that the commands of hooks name, as `./notify.sh`."""
    parts: list[str | bytes] = []
    for name, hook in sorted(hooks.items()):
        for word in hook.words:
            try:
                content = read_below(folder, Path(os.path.abspath(folder / word)), _LARGEST_SCRIPT)
            except (OSError, ValueError):
                continue  # no file of the folder: an option, a text, a program of this machine
            parts += ["hook", name, word, hashlib.sha256(content).digest(), str(len(content))]
    return parts


def _listing(environment: Path) -> bytes:
    """Hash an environment's files by name, size and time, without the compiled ones in `__pycache__`."""
    hashed, count = hashlib.sha256(), 0
    for top, folders, names in os.walk(environment):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            try:
                status = os.lstat(os.path.join(top, name))
            except OSError:
                continue
            line = f"{os.path.join(top, name)}\0{status.st_size}\0{status.st_mtime_ns}\0{status.st_mode}\0"
            hashed.update(os.fsencode(line))
            count += 1
            if count > _MOST_OF_AN_ENVIRONMENT:
                return b"too large to be told apart"
    return hashed.digest()
