"""Keys and addresses of providers from the `.env` of the current folder; the environment always wins.

A cloned project may bring a `.env`. It counts once the folder is trusted. Even then it must not send a secret of the
user to an address of its own: all variables of one vendor come from one place.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from urllib.parse import urlsplit

from selfheal_tui.brought import KEYS_NAME, Brought
from selfheal_tui.provider_variables import VENDORS
from selfheal_tui.settings import LeftOut
from selfheal_tui.text import middle_line


def load_keys(brought: Brought, trusted: bool, environ: MutableMapping[str, str] | None = None) -> list[LeftOut]:
    """Add the variables of a folder's `.env` to the environment, where they may count; return those left out."""
    environ = os.environ if environ is None else environ
    left_out: list[LeftOut] = []
    for vendor in VENDORS.values():
        offered = {name: brought.keys[name] for name in vendor.names if name in brought.keys}
        own = [name for name in vendor.names if environ.get(name)]
        for name, value in offered.items():
            display_value = shown_address(value) if name in vendor.addresses else middle_line(value)
            display_value = "not shown" if name in vendor.secrets else display_value
            why = f"{own[0]} is set, and what belongs to one provider is taken from one place" if own else ""
            if not trusted or (own and environ.get(name) != value):
                left_out.append(LeftOut(name, display_value, KEYS_NAME, meanwhile=why))
        if trusted and not own:
            environ.update(offered)
    return left_out


def shown_address(value: str) -> str:
    """Return an address as it will be used, without a password: scheme, host, port and path."""
    try:
        parts = urlsplit(value if "://" in value else f"http://{value}")
        user, _, host = parts.netloc.rpartition("@")
    except ValueError:
        return middle_line(value)
    if "\\" in value or "@" in user:
        return middle_line(value)  # parsers disagree about such an address: all of it is shown
    return middle_line(f"{parts.scheme}://{host}{parts.path}{'?...' if parts.query or parts.fragment else ''}")
