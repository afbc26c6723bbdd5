"""Find the objects in a reply, as valid or as broken JSON; the most credible place comes first."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from .broken_json import ReadObject, read_broken_object
from .cursor import BLANK
from .fences import Fence, find_fences
from .fields import Schema, field_for, items_of, properties_of, required_of
from .marks import DECODER
from .python_text import is_program
from .strings import decode_json

_MAX_OBJECTS = 60
_MAX_UNESCAPED = 3
_ESCAPED = re.compile(r"\{(?:\s|\\+[nrt]){0,80}\\+[\"']")
_START = re.compile(rf"\{{{BLANK}*+(?=[\"'“”„`A-Za-z_/#\\])")
_LINE_KEY = re.compile(r"^[ \t]*\"([\w -]{1,40})\"[ \t]*:", re.MULTILINE)
_FOLLOWS = re.compile(r"[\s\]}]*+,\s*+\"([\w -]{1,40})\"\s{0,20}:|[\s\]}]*+\"(?=\s*+\S)|[\w(+*/%=&|^~@!-]")
_SOUND = re.compile(r"\{\s*+\"")
_WINDOW = 50_000
_SLOW = 4
_AROUND = ' \t\r\n"\\'
_QUOTES = "\"'`"


@dataclass(frozen=True, slots=True)
class ReplyObject:
    """An object in a reply."""

    value: Any
    notes: tuple[str, ...] = ()
    """Where it stood and what was wrong with it; none for a reply that is valid JSON and nothing else."""
    rank: int = 0
    """Smaller is tried first."""
    span: tuple[int, int] = (0, 0)
    """Where it stood in the searched text."""
    sound: bool = True
    """It was valid JSON as it stood."""


def read_whole(text: str) -> ReplyObject | None:
    """Return the object that the whole reply is; None when it is not JSON alone."""
    try:
        value = DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        return None
    return ReplyObject(value) if isinstance(value, dict | list) else None


def find_objects(text: str, schema: Schema) -> list[ReplyObject]:
    """Return the objects of a text: those in JSON fences first, the others in the order of the text."""
    finder = _Finder(text, schema)
    objects = list(finder.scan())
    if not any(knows(f.value, schema) for f in objects):
        objects += finder.scan_without_braces()
    return sorted(objects, key=lambda f: f.rank)


def knows(value: Any, schema: Schema) -> bool:
    """Say whether a value, or an object one step inside it, has a key that the schema asks for."""
    fields = properties_of(schema)
    if not isinstance(value, dict):
        return False
    inner = [v for v in value.values() if isinstance(v, dict)]
    return any(field_for(key, fields) for one in (value, *inner) for key in one)


def gather(values: list[Any], schema: Schema) -> dict[str, Any] | None:
    """Join objects that hold different fields of one object, or items of its lists.

    None when two of them disagree, or when there is nothing to join.
    """
    fields = properties_of(schema)
    gathered: dict[str, Any] = {}
    parts = [part for value in values for part in (value if isinstance(value, list) else [value])]
    for part in (p for p in parts if isinstance(p, dict)):
        named = {name: field_value for key, field_value in part.items() if (name := field_for(key, fields))}
        if named and len(named) < len(part):
            return None
        if any(name in gathered and gathered[name] != field_value for name, field_value in named.items()):
            return None
        gathered |= named
        for name in [] if named else fields:
            needed = required_of(items_of(fields[name]))
            if needed and all(key in part for key in needed):
                items = gathered.get(name, [])
                if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
                    return None
                if any(item.get(needed[0]) == part[needed[0]] for item in items):
                    return None
                gathered[name] = [*items, part]
    return gathered if len(parts) > 1 or not any(knows(p, schema) for p in parts) else None


class _Finder:
    """One walk over a text. Its work is linear in the text's length: see `spent`."""

    def __init__(self, text: str, schema: Schema, unescaped: int = 0, open_ended: bool = False) -> None:
        self.text, self.schema, self.unescaped, self.open_ended = text, schema, unescaped, open_ended
        self.fences = find_fences(text)
        self.starts = [fence.body for fence in self.fences]
        self.holding: dict[int, bool] = {}
        # Characters read in vain; every failed start may read far, so many of them could take quadratic time.
        self.spent = 0
        self.allowed = 100_000 + 2 * len(text)
        # `json` counts the lines before an error, so it is given the text from not far before it.
        self.base, self.window = 0, text
        self.first, self.last = len(text) - len(text.lstrip(_AROUND)), len(text.rstrip(_AROUND))

    def scan(self) -> Iterator[ReplyObject]:
        """Yield the objects in the order of the text, never one inside another."""
        at, count = 0, 0
        while count < _MAX_OBJECTS and self.spent < self.allowed and (start := _START.search(self.text, at)):
            at = start.start()
            fence = self._fence(at)
            if fence and not self._holds_objects(fence):
                at = fence.end
                continue
            if _ESCAPED.match(self.text, at):
                inner, at = self._unescape(at, fence)
                yield from (self._placed(f, fence) for f in inner)
                continue
            read_object, at = self._sound(at) or self._broken(at, fence) or (None, at + 1)
            if read_object:
                count += 1
                yield self._placed(read_object, fence)

    def scan_without_braces(self) -> Iterator[ReplyObject]:
        """Yield the object without its opening brace: it begins with a field at the start of a line."""
        fields = properties_of(self.schema)
        keys = (m for m in _LINE_KEY.finditer(self.text) if field_for(m[1], fields))
        for key in keys:
            fence = self._fence(key.start())
            if fence and not (fence.may_be_json or fence.is_plain):
                continue
            read = read_broken_object(
                self.text, key.start(), fence.end if fence else len(self.text), self.schema, braced=False
            )
            if read:
                span = key.start(), read.end
                yield self._placed(ReplyObject(read.value, read.repairs, span=span, sound=False), fence)
            return

    def _sound(self, start: int) -> tuple[ReplyObject, int] | None:
        if not _SOUND.match(self.text, start):
            return None
        if start - self.base > _WINDOW:
            self.base, self.window = start, self.text[start:]
        try:
            value, end = DECODER.raw_decode(self.window, start - self.base)
        except json.JSONDecodeError as error:
            self.spent += 20 + error.pos - (start - self.base)
            return None
        except (RecursionError, ValueError):
            self.spent += 20_000
            return None
        end += self.base
        return None if self._ended_too_early(value, start, end) else (ReplyObject(value, span=(start, end)), end)

    def _ended_too_early(self, value: dict[str, Any], start: int, end: int) -> bool:
        """Say whether the text after an object looks like the rest of a string in it, or like another field."""
        follows = _FOLLOWS.match(self.text, end)
        if follows is None:
            return False
        name = field_for(follows[1], properties_of(self.schema)) if follows[1] else None
        if follows[1]:
            return name is not None and name not in value and knows(value, self.schema)
        return start == 0 or self.text[start - 1] not in _QUOTES

    def _broken(self, start: int, fence: Fence | None) -> tuple[ReplyObject, int] | None:
        limit = fence.end if fence else len(self.text)
        open_ended = self.open_ended or (fence is not None and not fence.closed)
        read = read_broken_object(self.text, start, limit, self.schema, open_ended=open_ended)
        if read and not read.sure and limit < len(self.text) and knows(read.value, self.schema):
            # The fence may end inside a string that holds a fence itself.
            longer = read_broken_object(self.text, start, len(self.text), self.schema)
            self.spent += _SLOW * (len(self.text) - start)
            read = longer if longer and longer.sure else read
        if read is None or not knows(read.value, self.schema):
            self.spent += _SLOW * (30 + (read.end - start if read else 0))
            return None
        read_object = ReplyObject(read.value, read.repairs, span=(start, read.end), sound=False)
        return read_object, self._next_start(read, fence)

    def _next_start(self, read: ReadObject, fence: Fence | None) -> int:
        """Return where to search on: never inside an object that could not be read to its end."""
        if read.sure or read.closed:
            return read.end
        if fence:
            return max(fence.end, read.end)
        return next((f.start for f in self.fences if f.start >= read.end), len(self.text))

    def _unescape(self, start: int, fence: Fence | None) -> tuple[list[ReplyObject], int]:
        """Read an object that was written as the text of a JSON string, with or without the quotes of that string."""
        limit = fence.end if fence else len(self.text)
        if self.unescaped >= _MAX_UNESCAPED:
            return [], limit
        inner, end = "", limit
        quoted = start > 0 and self.text[start - 1] == '"'
        if quoted:
            try:
                inner, end = json.JSONDecoder(strict=False).raw_decode(self.text, start - 1)
            except ValueError:
                inner = ""
        if not inner:
            inner = '"' + decode_json(self.text[start:limit])
        # A string that never ends was cut.
        cut = quoted and end == limit and not self.text[start:limit].rstrip().endswith('"')
        objects = list(_Finder(inner, self.schema, self.unescaped + 1, cut).scan())
        span = start - quoted, end
        return [replace(f, notes=(*f.notes, "escaped twice"), span=span, sound=False) for f in objects], end

    def _fence(self, at: int) -> Fence | None:
        index = bisect_right(self.starts, at) - 1
        return self.fences[index] if index >= 0 and at < self.fences[index].end else None

    def _holds_objects(self, fence: Fence) -> bool:
        """Say whether braces in a fence are objects of the reply, not those of a program."""
        if fence.body not in self.holding:
            body = self.text[fence.body : fence.end]
            data = fence.may_be_json or body.lstrip()[:1] in ("{", "[", '"')
            self.holding[fence.body] = data or (fence.is_plain and not is_program(body))
        return self.holding[fence.body]

    def _placed(self, reply_object: ReplyObject, fence: Fence | None) -> ReplyObject:
        """Add where the object stood; one inside a string stands where the string does."""
        if self.unescaped:
            return reply_object
        alone = reply_object.span[0] <= self.first and reply_object.span[1] >= self.last
        place = ("in a fence",) if fence else () if alone else ("among other text",)
        rank = 0 if fence and fence.may_be_json else 1 if fence is None or fence.is_plain else 2
        return replace(reply_object, notes=tuple(dict.fromkeys((*place, *reply_object.notes))), rank=rank)
