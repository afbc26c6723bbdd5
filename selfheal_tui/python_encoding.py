"""How the text of a Python file becomes its bytes: in UTF-8, or in the encoding that its first lines name (PEP 263).

Other files are UTF-8, or data: bytes that are no text, each of them as one character (`surrogateescape`). What is read
here is written back byte for byte. `sandbox/inside/child.py` writes by the same rule.
"""

from __future__ import annotations

import codecs
import re

BOM = b"\xef\xbb\xbf"
_UTF_8 = "utf-8"
_COOKIE = re.compile(r"(?:[ \t\f]*(?:#[^\n]*)?\r?\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)")
_NO_TEXT = re.compile("[\udc80-\udcff]")
_ASCII = bytes(range(32, 127)) + b"\t\r\n"


def as_data(content: bytes) -> str:
    """Return the bytes of a file that may be no text, as they are kept beside texts."""
    return content.decode(_UTF_8, "surrogateescape")


def is_data(text: str) -> bool:
    """Tell whether a file is no text."""
    return "\0" in text or (not text.isascii() and _NO_TEXT.search(text) is not None)


def encoding_of(path: str, text: str) -> str:
    """Return the encoding that a file's first two lines name: `utf-8` where they name none that Python could read."""
    named = _COOKIE.match(text) if path.endswith(".py") else None
    try:
        codec = codecs.lookup(named[1]) if named else None
        fits = codec is not None and _ASCII.decode("ascii").encode(codec.name) == _ASCII
    except (LookupError, ValueError):
        return _UTF_8
    return codec.name if codec is not None and fits else _UTF_8


def encoded(path: str, text: str) -> bytes:
    """Return a file's bytes, without a byte order mark. Raises: UnicodeEncodeError."""
    return text.encode(encoding_of(path, text))


def decoded(path: str, content: bytes) -> str:
    """Return a file's text, without its byte order mark. Raises: UnicodeDecodeError."""
    name = encoding_of(path, content.decode("latin-1"))
    if not content.isascii() and not content.startswith(BOM) and name != _UTF_8:
        text = content.decode(name)
        # What would not come back as it was could not be written again.
        if text.encode(name) == content:
            return text
    return content.decode("utf-8-sig")
