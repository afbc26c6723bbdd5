"""Keys and addresses of providers from a `.env` file in the current folder; the environment always wins.

A cloned project may bring a `.env`: what it names may never lead a key that is the user's own to an address that is
not. So an address counts only when the key it belongs to does not come from the user's environment.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping
from pathlib import Path

from selfheal_tui.errors import SettingsError

ADDRESS_OF = {
    "ANTHROPIC_API_KEY": "ANTHROPIC_BASE_URL",
    "OPENAI_API_KEY": "OPENAI_BASE_URL",
    "DASHSCOPE_API_KEY": "QWEN_BASE_URL",
}
"""Key -> the address it is sent to."""
OTHERS = ("OLLAMA_HOST", "E2B_API_KEY", "TRANSFORMERS_DEVICE", "TRANSFORMERS_4BIT")
FILE_NAME = ".env"


def load_keys(folder: Path, environ: MutableMapping[str, str] | None = None) -> list[str]:
    """Add what `.env` names to the environment; return the names taken. Raises: SettingsError when it is unreadable."""
    environ = os.environ if environ is None else environ
    path = folder / FILE_NAME
    if not path.is_file():
        return []
    given = _read(path)
    wanted = {name: given[name] for name in OTHERS if given.get(name) and name not in environ}
    for key, address in ADDRESS_OF.items():
        if environ.get(key):
            continue
        wanted |= {name: given[name] for name in (key, address) if given.get(name) and name not in environ}
    environ.update(wanted)
    return sorted(wanted)


def _read(path: Path) -> Mapping[str, str]:
    from dotenv import dotenv_values

    try:
        values = dotenv_values(path, interpolate=False, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}.", "Mend or remove it.") from error
    return {name: value for name, value in values.items() if value}
