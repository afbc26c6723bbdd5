"""A Python file that was met and not read: why not, and what lets it be read."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

ENCODING = "Save it as UTF-8, or name its encoding in line 1 (PEP 263)."
_MOST_NAMED = 3


class Unread(NamedTuple):
    """A Python file within the walls that is no part of the copy."""

    path: str
    """As it is told: relative to the task's root once that is known."""
    why: str
    """The end of a sentence that begins with the file: `is not UTF-8 text (line 3)`."""
    remedy: str
    """A sentence that says what to do."""

    @property
    def words(self) -> str:
        """Say why the file was not read, and what to do."""
        return f"{self.path} {self.why}. {self.remedy}"


def not_text(path: str, content: bytes, error: UnicodeDecodeError) -> Unread:
    """Say of a file's content that it is in no encoding that the file names."""
    line = content.count(b"\n", 0, error.start) + 1
    return Unread(path, f"is not UTF-8 text (line {line})", ENCODING)


def binary(path: str) -> Unread:
    """Say of a file that it holds bytes that no source does."""
    return Unread(path, "is a binary file, not Python", "Name the source file.")


def too_large(path: str, most_bytes: int) -> Unread:
    """Say of a file that was not named that it is large."""
    return Unread(path, f"is larger than {most_bytes // 1024} KiB", "If the tests need it, name it too.")


def odd_name(path: str) -> Unread:
    """Say of a file that its name is no text."""
    return Unread(path, "has a name that is not UTF-8", "Rename it.")


def denied(path: str, error: OSError) -> Unread:
    """Say of a file that the system does not give it."""
    return Unread(path, f"cannot be read: {error.strerror or error}", "Make it readable.")


def listed(unread: Collection[Unread]) -> tuple[str, str]:
    """Return why each of some files was not read, in one sentence, and what to do about the first."""
    first = [f"{one.path} {one.why}" for one in unread][:_MOST_NAMED]
    more = f" and {len(unread) - _MOST_NAMED} more" if len(unread) > _MOST_NAMED else ""
    return f"{', '.join(first)}{more}.", next(iter(unread)).remedy
