"""Read an object out of broken JSON from its first brace on; the schema's keys say what may come next.

Copes with what `json` refuses: text that was cut, missing or extra brackets, commas and colons, comments, single,
smart, triple and missing quotes, Python's constants, bare line breaks, wrong escapes, and quotes inside strings that
nobody escaped. Whatever is not certain is marked `Damaged`. Each call reads its text a fixed number of times.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sized
from dataclasses import dataclass
from typing import Any

from .cursor import Cursor, Frame, Key
from .fields import Kind, Schema, field_for, holds_code, items_of, kind_of, path_and_code, properties_of
from .marks import CUT, build_object, read_number
from .python_text import is_python
from .strings import open_quote, read_escaped, read_unescaped

_MAX_DEPTH = 40
_MAX_PAIRS = 500
_MAX_ITEMS = 2000
_UNREADABLE = "could not be read on from here"
_TOKEN = re.compile(r"[^,，\]}\n\"“”`{\[]*+")
_NUMBER = re.compile(r"[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d+)?\Z")
_COMMENT = re.compile(r"\s*+(?://|#).*")
_CONSTANTS: Mapping[str, Any] = {
    **dict.fromkeys(("null", "None", "undefined", "nil"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


@dataclass(frozen=True, slots=True)
class ReadObject:
    """What was read from one opening brace on."""

    value: dict[str, Any]
    end: int
    """Where reading stopped."""
    repairs: tuple[str, ...]
    """The faults that were overlooked, in a few words each."""
    closed: bool
    """Its own closing brace was found."""
    sure: bool
    """Nothing is marked as damaged or left unread."""


def read_broken_object(
    text: str, start: int, limit: int, schema: Schema, braced: bool = True, open_ended: bool = False
) -> ReadObject | None:
    """Read the object whose brace stands at `start` (whose first key stands there, when not `braced`).

    None when what follows is not an object. The first pass takes quotes inside strings as escaped; where that fails,
    a second pass takes them as not escaped. `open_ended`: something around the object is not closed either, so the text
    was cut, and a list of files that is not closed lacks some.
    """
    escaped = _Parser(Cursor(text, start, limit, schema, open_ended), schema, bare_quotes=False)
    read = escaped.read(braced)
    if not escaped.cursor.stopped and not escaped.ended_strings_early():
        return read
    return _Parser(Cursor(text, start, limit, schema, open_ended), schema, bare_quotes=True).read(braced)


class _Parser:
    """One pass over the text."""

    def __init__(self, cursor: Cursor, schema: Schema, bare_quotes: bool) -> None:
        self.cursor, self.schema, self.bare_quotes = cursor, schema, bare_quotes
        self.closed = False
        self.strange = False

    def read(self, braced: bool) -> ReadObject | None:
        """Return what the root object holds, None when it is none."""
        cursor = self.cursor
        quoted = cursor.at > 0 and cursor.text[cursor.at - 1] in "\"'`“"
        cursor.at += braced
        if not braced:
            cursor.overlook("brackets missing")
        value = self._object(self.schema)
        if not value:
            return None
        if not quoted and self.closed and cursor.goes_on_strangely():
            self.strange = True
        if self.bare_quotes:
            cursor.overlook("quotes not escaped")
        if cursor.python:
            cursor.overlook("Python, not JSON")
        closed = self.closed and not cursor.stopped
        repairs = tuple(cursor.repairs) or ("not quite JSON",)
        return ReadObject(value, cursor.at, repairs, closed, not (cursor.damaged or cursor.stopped))

    def ended_strings_early(self) -> bool:
        """Say whether a quote inside code may have been taken for its end: the rest is strange, the code no Python."""
        strange = self.strange or {"brackets missing", "extra brackets", "commas missing"} & self.cursor.repairs.keys()
        return bool(strange) and not all(map(is_python, self.cursor.programs))

    def _object(self, schema: Schema, text_field: str = "") -> dict[str, Any]:
        cursor, frame = self.cursor, Frame(properties_of(schema), text_field=text_field)
        cursor.frames.append(frame)
        while not cursor.ended():
            commas, sign = cursor.skip_commas(), cursor.peek()
            if not sign:
                cursor.open_ended |= commas > 0
                continue
            if len(frame.pairs) > _MAX_PAIRS:
                cursor.stopped = True
                continue
            if sign in "]})":
                if len(cursor.frames) == 1 and cursor.skip_extra_closers():
                    continue
                if sign == "}":
                    cursor.at += 1
                    self.closed = len(cursor.frames) == 1
                    self._trailing(commas, frame.pairs)
                elif len(cursor.frames) > 1 and cursor.frames[-2].is_array:
                    cursor.overlook("brackets missing")
                else:
                    cursor.stopped = True
                break
            if sign == "{" and len(cursor.frames) > 1:
                if frame.pairs:
                    cursor.overlook("brackets missing")
                    break
                cursor.at += 1
                cursor.overlook("extra brackets")
                continue
            key = self._key(frame)
            if key is None:
                break
            if frame.pairs and not commas:
                cursor.overlook("commas missing")
            self._field(frame, key.name)
        cursor.frames.pop()
        # Who forgets brackets forgets the last ones; a list that ends inside an item was cut there.
        cursor.open_ended |= cursor.ran_out and bool(cursor.frames) and cursor.frames[-1].is_array
        return build_object(frame.pairs)

    def _key(self, frame: Frame) -> Key | None:
        """Read `"key":`. None ends the object: the key is one of an object around it, or there is none."""
        cursor = self.cursor
        key = cursor.key_at(cursor.at) or cursor.bare_key_at(cursor.at)
        if key is None:
            cursor.ran_out = cursor.is_cut_key()
            cursor.stopped = not cursor.ran_out
            return None
        around = cursor.frames[:-1]
        names_other_field = (
            frame.pairs and field_for(key.name, cursor.schema_fields) and not field_for(key.name, frame.fields)
        )
        if names_other_field and any(f.expects(key.name) for f in around):
            cursor.overlook("brackets missing")
            return None
        if not frame.pairs and not around:
            cursor.python = key.quote == "'"
        if not key.quote or key.quote == "`":
            cursor.overlook("keys not quoted")
        cursor.at = key.end
        return key

    def _field(self, frame: Frame, key: str) -> None:
        name = field_for(key, frame.fields)
        # What is under an unknown key may be a wrapper around the object that was asked for.
        schema = frame.fields[name] if name else self.schema if self.cursor.peek() == "{" else {}
        if name is None and frame.text_field and re.search(r"[./\\]", key):
            frame.path, schema = key, frame.fields[frame.text_field]
        again = (name or key) in frame.read
        frame.read.add(name or key)
        value = self._value(name or (frame.text_field if frame.path == key else key), schema)
        if again and name and (name, value) not in frame.pairs and (key, value) not in frame.pairs:
            # Two objects that ran together: neither can be told from the other.
            value = self.cursor.mark("", "is given twice, each time something else")
            frame.pairs[:] = [(k, v) for k, v in frame.pairs if field_for(k, frame.fields) != name]
        frame.pairs.append((key, value))
        if isinstance(value, str) and name and kind_of(name, schema) == "name":
            frame.path = value

    def _array(self, name: str, schema: Schema) -> list[Any]:
        cursor, items = self.cursor, items_of(schema)
        cursor.frames.append(Frame(is_array=True))
        items_read: list[Any] = []
        while not cursor.ended():
            commas, sign = cursor.skip_commas(), cursor.peek()
            if sign in ("]", ")"):
                if cursor.skip_extra_bracket(properties_of(items)):
                    continue
                cursor.at += 1
                self._trailing(commas, items_read)
                break
            if sign == "}":
                if cursor.skip_extra_brace():
                    continue
                cursor.overlook("brackets missing")
                break
            if not sign:
                cursor.open_ended |= commas > 0
                continue
            if len(items_read) > _MAX_ITEMS:
                cursor.stopped = True
            elif key := cursor.key_at(cursor.at):
                cursor.overlook("brackets missing")
                if not field_for(key.name, properties_of(items)):
                    break
                items_read.append(self._object(items))
            else:
                items_read.append(self._value(name, items))
            if cursor.stopped:
                items_read.append(cursor.mark("", _UNREADABLE))
        else:
            if cursor.open_ended or not holds_code(name, items) or kind_of(name, schema) == "code":
                items_read.append(cursor.mark("", CUT))
        cursor.frames.pop()
        return items_read

    def _value(self, name: str, schema: Schema) -> Any:
        cursor, sign = self.cursor, self.cursor.peek()
        if not sign:
            return cursor.mark("", CUT)
        if len(cursor.frames) > _MAX_DEPTH:
            cursor.stopped = True
            return cursor.mark("", "is nested too deeply")
        kind = kind_of(name, schema)
        if sign == "{":
            cursor.at += 1
            pair = path_and_code(items_of(schema)) if kind == "array" else None
            content = self._object(schema if properties_of(schema) else items_of(schema), pair[1] if pair else "")
            return cursor.mark("", CUT) if cursor.ran_out and pair else content
        if sign in "[(":
            cursor.at += 1
            items = self._array(name, schema)
            # The lines of a program one by one are no Python, so nothing tells whether a quote ended one too early.
            return cursor.mark("", _UNREADABLE) if kind == "code" and self.bare_quotes else items
        if opened := open_quote(cursor.text, cursor.at, cursor.limit):
            quote, cursor.at = opened
            return (read_unescaped if self.bare_quotes else read_escaped)(cursor, quote, kind)
        return self._token(kind)

    def _token(self, kind: Kind) -> Any:
        """Read what no quotes are around: a number, a constant, or a word that should have had them."""
        cursor = self.cursor
        match = _TOKEN.match(cursor.text, cursor.at, cursor.limit)
        assert match is not None
        token, cursor.at = _COMMENT.sub("", match[0].strip()), match.end()
        may_be_cut = match.end() >= cursor.limit and match[0] == match[0].rstrip()
        if not token or not cursor.value_goes_on():
            cursor.stopped = True
            return cursor.mark("", "could not be read")
        if token in _CONSTANTS:
            return _CONSTANTS[token]
        if may_be_cut:
            return cursor.mark(token, CUT)
        if _NUMBER.match(token):
            return read_number(token)
        if token in ("...", "…") or kind in ("code", "name", "any"):
            return cursor.mark(token, "is not a quoted string")
        cursor.overlook("quotes missing")
        return token

    def _trailing(self, commas: int, before: Sized) -> None:
        if commas and len(before):
            self.cursor.overlook("trailing comma")
