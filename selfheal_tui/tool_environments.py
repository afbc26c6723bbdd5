"""Where uv, poetry, hatch and pipenv keep a project's environment outside of it: found by names, no tool is run.

The layouts are those of uv 0.13, poetry 2.5, hatch 1.18 and pipenv 2026, as they make them.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from selfheal_tui.walled import read_below

_MOST_BYTES = 256_000
_MOST_FOLDERS = 1_000
_IS_MAC = sys.platform == "darwin"
_MAC_SUPPORT = "Library/Application Support"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


def tool_environments(folder: Path, environ: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """Yield (tool, folder where its environment of a project would lie), without a look at what is in there."""
    if named := environ.get("UV_PROJECT_ENVIRONMENT"):
        yield "uv", folder / named
    if name := _project_name(folder):
        mark = _mark(folder)
        for home in _poetry_homes(environ):
            yield from (("poetry", path) for path in _matches(home, f"{name[:42]}-{mark}-py*"))
        for home in _hatch_homes(environ):
            made = home / name / mark
            yield "hatch", made / name
            yield from (("hatch", path) for path in _matches(made, "*"))
    if (folder / "Pipfile").is_file():
        home = Path(environ.get("WORKON_HOME") or _data(environ) / "virtualenvs").expanduser()
        yield from (("pipenv", path) for path in _matches(home, "*-*") if _belongs(path, folder))


def _project_name(folder: Path) -> str:
    """Return a project's name as packages are named (PEP 503); empty where pyproject.toml has none that can be one."""
    content = _toml(folder, "pyproject.toml")
    tool = content.get("tool")
    for table in (content.get("project"), tool.get("poetry") if isinstance(tool, dict) else None):
        name = table.get("name") if isinstance(table, dict) else None
        if isinstance(name, str):
            plain = re.sub(r"[-_.]+", "-", name).lower()
            return plain if _NAME.fullmatch(plain) else ""
    return ""


def _toml(folder: Path, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(read_below(folder, Path(name), _MOST_BYTES).decode())
    except (OSError, ValueError, RecursionError):
        return {}


def _mark(folder: Path) -> str:
    """Return what poetry and hatch tell projects of one name apart by."""
    hashed = hashlib.sha256(os.fsencode(os.path.realpath(folder))).digest()
    return base64.urlsafe_b64encode(hashed).decode()[:8]


def _poetry_homes(environ: Mapping[str, str]) -> Iterator[Path]:
    """Yield the folders of poetry's environments: that of its variable, of its own settings, or the one it has."""
    config = _toml(Path(environ.get("POETRY_CONFIG_DIR") or _config(environ) / "pypoetry"), "config.toml")
    table = config.get("virtualenvs")
    in_cache = environ.get("POETRY_CACHE_DIR") or config.get("cache-dir") or _cache(environ) / "pypoetry"
    named = environ.get("POETRY_VIRTUALENVS_PATH") or (table.get("path") if isinstance(table, dict) else None)
    cache = Path(str(in_cache))
    yield Path(str(named).replace("{cache-dir}", str(cache))).expanduser() if named else cache / "virtualenvs"


def _hatch_homes(environ: Mapping[str, str]) -> Iterator[Path]:
    """Yield the folders of hatch's environments, as `_poetry_homes` does."""
    config = Path(environ.get("HATCH_CONFIG") or _config(environ) / "hatch" / "config.toml")
    table = _toml(config.parent, config.name).get("dirs")
    dirs: dict[str, Any] = table if isinstance(table, dict) else {}
    if isinstance(of_kind := dirs.get("env"), dict) and (named := of_kind.get("virtual")):
        yield Path(str(named)).expanduser()
    data = environ.get("HATCH_DATA_DIR") or dirs.get("data") or _data(environ) / "hatch"
    yield Path(str(data)).expanduser() / "env" / "virtual"


def _matches(home: Path, pattern: str) -> list[Path]:
    """Return the folders of that name in another, the newest first."""
    try:
        found = [path for path, _ in zip(home.glob(pattern), range(_MOST_FOLDERS), strict=False)]
        return sorted(found, key=lambda path: path.stat().st_mtime_ns, reverse=True)
    except (OSError, ValueError):
        return []


def _belongs(environment: Path, folder: Path) -> bool:
    """Tell whether pipenv has made an environment for a folder, as its `.project` says."""
    try:
        named = (environment / ".project").read_bytes()[:_MOST_BYTES].strip()
    except OSError:
        return False
    return os.path.realpath(os.fsdecode(named)) == os.path.realpath(folder)


def _cache(environ: Mapping[str, str]) -> Path:
    return Path.home() / "Library/Caches" if _IS_MAC else _xdg(environ, "XDG_CACHE_HOME", ".cache")


def _config(environ: Mapping[str, str]) -> Path:
    return Path.home() / _MAC_SUPPORT if _IS_MAC else _xdg(environ, "XDG_CONFIG_HOME", ".config")


def _data(environ: Mapping[str, str]) -> Path:
    return Path.home() / _MAC_SUPPORT if _IS_MAC else _xdg(environ, "XDG_DATA_HOME", ".local/share")


def _xdg(environ: Mapping[str, str], variable: str, fallback: str) -> Path:
    return Path(environ.get(variable) or Path.home() / fallback)
