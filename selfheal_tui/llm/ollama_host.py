"""Which Ollama server is asked, and how many requests it answers at a time, as the environment says."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from selfheal_tui.errors import SettingsError
from selfheal_tui.text import one_line

from .service import Service, key_from

_HOST = "http://127.0.0.1:11434"


def ollama_service(host: str) -> Service:
    """Return the server at a host as OLLAMA_HOST gives it: a name, an address, a port, a URL, or nothing.

    Raises: SettingsError.
    """
    host = host.strip() or _HOST
    has_scheme = "://" in host
    try:
        parts = urlsplit(host if has_scheme else f"http://{host}")
        port = parts.port or ({"http": 80, "https": 443}.get(parts.scheme, 0) if has_scheme else 11434)
    except ValueError:
        port = 0
    if not port:
        raise SettingsError(f"OLLAMA_HOST is not an address: {one_line(host, 80)}.", "Give HOST:PORT or a URL.")
    name = parts.hostname or "127.0.0.1"
    # A server listens on all addresses, a client cannot connect to all of them.
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(name, name)
    host_name = f"[{name}]" if ":" in name else name
    url = f"{parts.scheme}://{host_name}:{port}{parts.path.rstrip('/')}"
    start = "Start it: ollama serve" if is_local(url) else ""
    return Service("Ollama", url, "OLLAMA_HOST", key_from("OLLAMA_API_KEY")[0], "OLLAMA_API_KEY", start_hint=start)


def is_local(url: str) -> bool:
    """Tell whether a server is on this machine."""
    name = urlsplit(url).hostname or ""
    return name in ("localhost", "::1") or name.startswith("127.")


def slot_count() -> int:
    """Return how many requests the server answers at a time; it does not tell, and 1 is Ollama's own default."""
    text = os.environ.get("OLLAMA_NUM_PARALLEL", "").strip()
    return max(1, int(text)) if text.isdecimal() and len(text) < 6 else 1
