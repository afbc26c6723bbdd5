"""A model server: its address, its key, and how messages may name it without showing a secret."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

from selfheal_tui.errors import SettingsError
from selfheal_tui.text import one_line

_KEY_LIKE = re.compile(r"\b(?:sk|pk|gsk|xai|ak|api)[-_][\w*.-]{6,}")
_BEARER = re.compile(r"(?i)\bbearer\s+[\w*.~+/=-]+")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_USER_INFO = re.compile(r"//[^/\s@]+@")


@dataclass(frozen=True, slots=True)
class Service:
    """Where a provider sends its requests."""

    name: str
    """What the vendor is called: Anthropic, Ollama, OpenAI."""
    url: str
    """Base URL as it is used; it may hold a password."""
    url_name: str
    """Environment variable that changes the URL."""
    key: str = ""
    """The key that is sent; empty when there is none."""
    key_name: str = ""
    """Environment variable that holds the key; empty when the vendor uses none."""
    is_vendor: bool = False
    """Whether the URL is the vendor's own and needs no mention."""
    start_hint: str = ""
    """How to start a server that does not answer; empty for the vendor's own."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """The user's own headers, sent with every request; often secret."""

    @property
    def label(self) -> str:
        """The name, with the address where that is not the vendor's own."""
        return self.name if self.is_vendor else f"{self.name} at {shown_url(self.url)}"

    def scrub(self, text: str) -> str:
        """Take keys out of a text: ours, and anything that looks like one (servers echo half of a key back)."""
        for secret in (self.key, urlsplit(self.url).password or "", *self.headers.values()):
            if len(secret) > 2:
                text = text.replace(secret, "[key]")
        return _USER_INFO.sub("//", _KEY_LIKE.sub("[key]", _BEARER.sub("Bearer [key]", text)))


def shown_url(url: str) -> str:
    """Return a URL without its user, password, query and final slash."""
    parts = urlsplit(url)
    return one_line(urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", "")))


def key_from(*names: str) -> tuple[str, str]:
    """Return the first key that the environment holds, and the variable's name; empty and the first name if none.

    Raises: SettingsError when it holds what no header can carry (the usual case: a whole line was pasted).
    """
    for name in names:
        key = os.environ.get(name, "").strip()
        if key and not (key.isascii() and key.isprintable() and " " not in key):
            raise SettingsError(f"{name} holds characters that a key cannot have.", "Set it to the key alone.")
        if key:
            return key, name
    return "", names[0]


def headers_from(name: str) -> dict[str, str]:
    """Return the headers that a variable holds, one `Name: value` a line, as the vendors' own SDKs read them.

    Raises: SettingsError when one holds a line that is not a header.
    """
    headers = {}
    for line in os.environ.get(name, "").splitlines():
        header, colon, value = line.partition(":")
        if colon and not (_HEADER_NAME.fullmatch(header.strip()) and value.isascii() and value.isprintable()):
            raise SettingsError(f"{name} holds a line that is not a header.", "Give `Name: value`, one in a line.")
        if colon:
            headers[header.strip()] = value.strip()
    return headers


def url_from(name: str, default: str) -> str:
    """Return the base URL that the environment sets. Raises: SettingsError when it is no web address."""
    url = os.environ.get(name, "").strip() or default
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good:
        raise SettingsError(
            f"{name} is not a web address: {one_line(_USER_INFO.sub('//', url), 80)}.",
            "It must begin with http:// or https:// and a host.",
        )
    return url


def check_proxies() -> None:
    """Check the proxies that the environment names: the HTTP libraries crash on one that they cannot use.

    Raises: SettingsError.
    """
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        for variable in (name, name.lower()):
            scheme, has_scheme, _ = os.environ.get(variable, "").partition("://")
            if has_scheme and scheme not in ("http", "https", "socks5", "socks5h"):
                raise SettingsError(
                    f"{variable} names a proxy that cannot be used.", "It must begin with http:// or https://."
                )
            if scheme.startswith("socks") and importlib.util.find_spec("socksio") is None:
                raise SettingsError(f"{variable} names a SOCKS proxy.", "Install what it needs: pip install socksio")


class KeyMissing(SettingsError):
    """A key is not set."""

    subject = "key"

    def __init__(self, vendor: str, variable: str) -> None:
        super().__init__(
            f"{vendor} needs a key and {variable} is not set.", f"Set {variable}, or choose another model."
        )
        self.variable = variable
        """The environment variable that would hold it."""
