"""Taking keys and the home folder out of a session, and out of every hash that rests on a text that held them. Pure.

A body's ref is its sha256: where the text changes, the ref does, in whatever names it, and so on up to the checkpoints.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from selfheal_tui.store.blobs import json_text, text_ref

from ..export.redact import Redaction


class Rewriting:
    """Cleans the rows of one session; each body is read once."""

    def __init__(self, redaction: Redaction, refs: set[str], read: Callable[[str], str], manifest_ref: str) -> None:
        self._redaction, self._refs, self._read, self._manifest_ref = redaction, refs, read, manifest_ref
        self._new: dict[str, str] = {}
        self.changed: list[str] = []
        """Refs, as they were, of bodies that held what was taken out."""

    def bodies(self) -> Iterator[tuple[str, str]]:
        """Yield every body's new ref and text; those that a body names come before it."""
        for ref in sorted(self._refs):
            yield from self._body(ref)

    def origins(self) -> dict[str, str]:
        """Return new ref -> the ref that the body had, where they differ. All bodies must have been read."""
        return {new: ref for ref, new in self._new.items() if new != ref}

    def clean(self, value: Any) -> Any:
        """Return plain JSON with new refs and without what must not leave. All bodies must have been read."""
        if isinstance(value, str):
            return self._string(value)
        if isinstance(value, dict):
            return {self._redaction.text(key): self.clean(item) for key, item in value.items()}
        return [self.clean(item) for item in value] if isinstance(value, list) else value

    def _string(self, text: str) -> str:
        if text in self._new:
            return self._new[text]
        if text[:1] in ("{", "[") and (held := _json(text)) is not None:
            cleaned = self.clean(held)
            return text if cleaned == held else json_text(cleaned)
        return self._redaction.text(text)

    def _body(self, first: str) -> Iterator[tuple[str, str]]:
        """Yield a body after those that it names: a chain of records is longer than the stack is deep."""
        todo = [first]
        while todo:
            ref = todo[-1]
            if ref in self._new:
                todo.pop()
                continue
            text = self._read(ref)
            held = _canonical(text)
            if below := [name for name in _strings(held) if name in self._refs and name not in self._new]:
                todo += below
                continue
            todo.pop()
            if held is None:
                new = self._redaction.text(text)
            else:
                if ref == self._manifest_ref:
                    # Elsewhere there is no such folder, and nobody may say which one `apply` writes to.
                    held["root"] = None
                    held.pop("python", None)
                new = json_text(self.clean(held))
                text = json_text(renamed(held, self._new))
            if new != text:
                self.changed.append(ref)
            self._new[ref] = text_ref(new)
            yield self._new[ref], new


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _canonical(text: str) -> Any:
    """Return the body of a text that is one of our JSON bodies; None for any other text, a JSON file of a user too."""
    held = _json(text) if text[:1] in ("{", "[") else None
    return held if held is not None and json_text(held) == text else None


def _strings(held: Any) -> Iterator[str]:
    if isinstance(held, str):
        yield held
    elif isinstance(held, dict | list):
        for item in held.values() if isinstance(held, dict) else held:
            yield from _strings(item)


def renamed(held: Any, new: Mapping[str, str]) -> Any:
    """Return plain JSON in which each string that is one of these is another."""
    if isinstance(held, str):
        return new.get(held, held)
    if isinstance(held, dict):
        return {key: renamed(item, new) for key, item in held.items()}
    return [renamed(item, new) for item in held] if isinstance(held, list) else held
