"""The one way long texts are written: UTF-8, compressed."""

from __future__ import annotations

import zlib


def pack(text: str) -> bytes:
    """Return a text as it lies in the file; half a surrogate pair is kept."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def unpack(body: bytes) -> str:
    """Return the text. Raises: zlib.error, ValueError, TypeError when the bytes are damaged."""
    return zlib.decompress(body).decode("utf-8", "surrogatepass")
