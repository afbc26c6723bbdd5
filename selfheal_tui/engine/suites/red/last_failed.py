"""The failing cases that pytest itself keeps, in its cache folder."""

from __future__ import annotations

import json
from pathlib import Path

from selfheal_tui.errors import InputError
from selfheal_tui.walled import LeavesFolder, read_below

_MOST_BYTES = 20_000_000
_FILE = Path("v", "cache", "lastfailed")


def read_last_failed(folder: Path, cache: Path = Path(".pytest_cache")) -> list[str]:
    """Return the node ids of the cases that failed last in `folder`; `cache` is relative to it. Raises: InputError."""
    try:
        content = read_below(folder, cache / _FILE, _MOST_BYTES)
    except LeavesFolder:
        raise InputError(f"pytest's cache {cache} leads out of {folder}: nothing was read.") from None
    except FileNotFoundError:
        if _has_cache(folder, cache):
            return []  # pytest writes no file where nothing has ever failed
        raise InputError(
            f"There is no pytest cache in {folder}: pytest has not run there, or keeps none.",
            "Run pytest first, or name the failing cases: selfheal fix tests/test_x.py::test_y",
        ) from None
    except OSError as error:
        raise InputError(f"pytest's cache in {folder} cannot be read: {error.strerror or error}.") from error
    try:
        kept = json.loads(content)
    except (ValueError, RecursionError):
        kept = None
    if len(content) > _MOST_BYTES or not isinstance(kept, dict):
        raise InputError(f"pytest's cache in {folder} is damaged: {cache / _FILE}.", "Run pytest again.")
    return list(kept)


def _has_cache(folder: Path, cache: Path) -> bool:
    try:
        return (folder / cache / "v").is_dir()
    except OSError:
        return False
