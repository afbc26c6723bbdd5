"""Keys and the home folder taken out of what leaves this machine. Pure but for the environment it is given.

A key is known by its name in `selfheal_tui/provider_variables.py`. Strings are cleaned before they are written in any
format, in each spelling that a program or a model may have given a key.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from selfheal_tui.provider_variables import FOREIGN_ADDRESSES, addresses, secrets

_SHORTEST = 8
"""Characters; a shorter value is a placeholder (`none`, `ollama`) that would be found in any text."""


def secrets_in(environ: Mapping[str, str]) -> dict[str, str]:
    """Return secret -> name of the variable that holds it; passwords within addresses are secrets too."""
    holders: dict[str, str] = {}
    for name in secrets():
        value = environ.get(name, "").strip()
        holders.update(dict.fromkeys(_secret_parts(name, value), name))
    for name in (*addresses(), *FOREIGN_ADDRESSES):
        try:
            password = urlsplit(environ.get(name, "")).password
        except ValueError:
            password = None
        if password:
            holders[password] = name
    return {secret: name for secret, name in holders.items() if len(secret) >= _SHORTEST}


def _secret_parts(name: str, value: str) -> list[str]:
    """Return what is secret in a variable's value: of headers, their values, as their names are none."""
    if name.startswith("OTEL_"):  # `key=value,key=value`, each as in a URL
        pairs = [pair.partition("=")[2].strip() for pair in value.split(",")]
        return [form for pair in pairs for form in (pair, unquote(pair))]
    if name.endswith("_HEADERS"):  # one header a line
        return [line.partition(":")[2].strip() for line in value.splitlines()]
    return [value]


class Redaction:
    """Replaces every secret by its name, and the folder `home` by `~`, in keys and values of plain JSON."""

    def __init__(self, environ: Mapping[str, str], home: str = "") -> None:
        self._pairs = [
            (form, f"[{name}]") for secret, name in secrets_in(environ).items() for form in _spellings(secret)
        ]
        self._pairs.sort(key=lambda pair: -len(pair[0]))
        folder = home.rstrip("/")
        self._at_home = re.compile(rf"(?<![\w.~-]){re.escape(folder)}(?![\w.-])") if len(folder) > 1 else None

    def text(self, text: str) -> str:
        """Return a text without them."""
        for form, name in self._pairs:
            text = text.replace(form, name)
        return self._at_home.sub("~", text) if self._at_home else text

    def begun(self, text: str) -> int:
        """Return how many characters at the end of a text may begin a secret: the rest of it may follow."""
        return max((n for form, _ in self._pairs for n in range(1, len(form)) if text.endswith(form[:n])), default=0)

    def clean(self, value: Any) -> Any:
        """Return plain JSON without them."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.clean(key): self.clean(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.clean(item) for item in value]
        return value


def redacted(value: Any, environ: Mapping[str, str], home: str = "") -> Any:
    """Return plain JSON with every secret replaced by its name, and the folder `home` by `~`, in keys and values."""
    return Redaction(environ, home).clean(value)


def names_in(text: str, environ: Mapping[str, str]) -> list[str]:
    """Return the names of the secrets that a text holds."""
    secrets = secrets_in(environ).items()
    return sorted({name for secret, name in secrets if any(form in text for form in _spellings(secret))})


def _spellings(secret: str) -> set[str]:
    return {
        secret,
        quote(secret, safe=""),
        html.escape(secret),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        repr(secret)[1:-1],
    }
