"""A place in broken JSON: which objects are open there, what may come next, which faults were overlooked so far."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .fields import Schema, all_fields, field_for
from .marks import Damaged

BLANK = r"[\s\x00-\x1f\x7f\u200b-\u200f\u2028-\u202f\u2060\ufeff]"
_GAP = re.compile(rf"(?:{BLANK}++|//[^\n]*+|\#[^\n]*+|/\*.{{0,500}}?\*/)*", re.DOTALL)
_CLOSERS = re.compile(rf"(?:{BLANK}++|[,，\]}})])*")
_NEXT_ITEM = re.compile(rf"\}}{BLANK}*+,{BLANK}*+\{{{BLANK}*+[\"']([\w -]{{1,40}})[\"']{BLANK}*+:")
_STRAY = re.compile(rf"[\])](?:{BLANK}++|[\])])*(?=\}})")
_ITEM = re.compile(rf"\{{{BLANK}*+")
_COLON = rf"{BLANK}{{0,20}}(?:=>|[:：=]{{1,2}})"
_KEY = re.compile(rf"([\"“”„'`]){{1,2}}([^\"“”„'`\\\n{{}}\[\]:]{{1,60}})[\"“”'`]{{1,2}}{_COLON}")
_HALF_QUOTED_KEY = re.compile(
    rf"(?:[\"“”„]([\w -]{{1,40}})|([\w-]{{1,40}})[\"“”]{{1,2}}){BLANK}{{0,20}}[:：]{{1,2}}"
    rf"|[\"“”„]([\w -]{{1,40}})[\"“”]{BLANK}{{1,20}}(?=[\"“\[{{\d])"
)
_BARE_KEY = re.compile(rf"([A-Za-z_][\w-]{{0,40}}(?: [\w-]{{1,20}}){{0,2}}){_COLON}")
_GOES_ON = re.compile(rf"(?:{BLANK}++|[\]}}])*[\"“](?=\s*+\S)|[\w(+*/%=&|^~@!-]")
_CUT_KEY = re.compile(r"[\"“”„'`]{0,2}[\w -]{0,60}[\"“”'`]{0,2}\s*\Z")
# A look ahead past brackets; more of them than this stand in no reply.
_FAR = 400


@dataclass(slots=True)
class Frame:
    """One open object or array."""

    fields: Mapping[str, Schema] = field(default_factory=dict)
    is_array: bool = False
    pairs: list[tuple[str, Any]] = field(default_factory=list)
    read: set[str] = field(default_factory=set)
    """The fields that were read, and the keys that mean no field."""
    path: str = ""
    """The file that the object is about."""
    text_field: str = ""
    """The field that asks for a file's text, where the object may be a map of paths to texts."""

    def expects(self, key: str) -> bool:
        """Say whether the key means a field that was not read yet."""
        name = field_for(key, self.fields)
        return name is not None and name not in self.read

    @property
    def may_hold_python(self) -> bool:
        """Say whether the text may be Python: always, unless the path beside it names another kind of file."""
        return not self.path or self.path.endswith((".py", ".pyi"))


@dataclass(frozen=True, slots=True)
class Key:
    """A key of an object, with its colon."""

    name: str
    end: int
    quote: str
    """What it was quoted with, "" where quotes or the colon are missing."""


class Cursor:
    """Where a parser is in the text. A parser that cannot go on stops as if the text ended there."""

    def __init__(self, text: str, at: int, limit: int, schema: Schema, open_ended: bool) -> None:
        self.text, self.at, self.limit, self.open_ended = text, at, limit, open_ended
        self.schema_fields = all_fields(schema)
        self.frames: list[Frame] = []
        self.repairs: dict[str, None] = {}
        self.stopped = False
        self.ran_out = False
        """The text ended while something was open."""
        self.damaged = False
        self.python = False
        """The text is a Python literal: its strings have Python's escapes."""
        self.programs: list[str] = []
        """Code that was read up to its first quote; whether it is Python was not checked yet."""
        # A long text with many strings that never end must not be looked through once for each.
        self.looks = 1000 + len(text) // 4

    # --- going on ---

    def peek(self) -> str:
        """Skip blanks and comments; return the next character, "" at the end."""
        gap = _GAP.match(self.text, self.at, self.limit)
        self.at = gap.end() if gap else self.at
        return self.text[self.at] if self.at < self.limit else ""

    def skip_commas(self) -> int:
        """Skip commas and what is between them; return how many there were."""
        commas = 0
        while self.peek() in (",", "，"):
            self.at += 1
            commas += 1
        return commas

    def ended(self) -> bool:
        """Say whether the text ended although something is still open."""
        if self.at >= self.limit and not self.stopped:
            self.overlook("brackets missing")
            self.ran_out = True
        return self.stopped or self.ran_out

    def overlook(self, fault: str) -> None:
        """Note what is wrong with the text here, in a few words."""
        self.repairs[fault] = None

    def mark(self, text: str, why: str) -> Damaged:
        """Return a value marked as one that cannot be trusted."""
        self.damaged = True
        return Damaged(text, why)

    # --- keys ---

    def key_at(self, at: int) -> Key | None:
        """Return the key at `at`: any key with quotes and a colon; without one of them only a field of the schema."""
        if match := _KEY.match(self.text, at, self.limit):
            return Key(match[2].strip(), match.end(), match[1])
        if match := _HALF_QUOTED_KEY.match(self.text, at, self.limit):
            name = (match[1] or match[2] or match[3]).strip()
            if any(frame.expects(name) for frame in self.frames):
                return Key(name, match.end(), "")
        return None

    def bare_key_at(self, at: int) -> Key | None:
        """Return the key without quotes at `at`; in an object of the schema only one of its fields."""
        match = _BARE_KEY.match(self.text, at, self.limit)
        fields = self.frames[-1].fields if self.frames else {}
        return Key(match[1], match.end(), "") if match and (not fields or field_for(match[1], fields)) else None

    def is_cut_key(self) -> bool:
        """Say whether only a key follows that was cut off."""
        return _CUT_KEY.match(self.text, self.at, self.limit) is not None

    def holds_known_key(self, text: str) -> bool:
        """Say whether prose holds a key of the schema, so that it ran on into the next fields."""
        return any(field_for(match[2].strip(), self.schema_fields) for match in _KEY.finditer(text))

    def holds_next_item(self, text: str) -> bool:
        """Say whether code holds the start of another object, so that it ran on into the next one of a list."""
        return any(field_for(match[1], self.schema_fields) for match in _NEXT_ITEM.finditer(text))

    # --- looking ahead ---

    def goes_on_strangely(self) -> bool:
        """Say whether the text right after a whole object looks like the rest of a string in it."""
        return _GOES_ON.match(self.text, self.at, self.limit) is not None

    def value_goes_on(self) -> bool:
        """Say whether the next character may follow a value."""
        sign = self.peek()
        if sign in ("]", ")"):
            return any(frame.is_array for frame in self.frames)
        if not sign or sign in ",，}":
            return True
        key = self.key_at(self.at)
        return key is not None and any(field_for(key.name, f.fields) for f in self.frames)

    def can_follow(self, at: int, first: bool) -> bool:
        """Say by what follows whether a string may end right before `at`; `first`: at its first quote."""
        run = _CLOSERS.match(self.text, at, self.limit)
        assert run is not None
        depth = self._closed_by(run[0])
        if depth is None:
            return False
        closed, frame = len(self.frames) - depth, self.frames[-1]
        if run.end() >= self.limit:
            return closed > 0 or first
        comma = "," in run[0] or "，" in run[0]
        around = self.frames[:depth]
        item = _ITEM.match(self.text, run.end(), self.limit) if closed and comma else None
        key = self.key_at(item.end() if item else run.end())
        if key is not None:
            name = field_for(key.name, self.schema_fields)
            if item:
                return name is not None and bool(around) and around[-1].is_array
            if closed:
                return any(f.expects(key.name) for f in around)
            return frame.expects(key.name) or (name is None and comma and not frame.is_array)
        if frame.is_array and comma and not closed:
            return self.text[run.end()] in "\"'“`"
        return depth == 0 and ("\n" in run[0] or self.text.startswith("```", run.end()))

    def _closed_by(self, run: str) -> int | None:
        """Return how many frames stay open after the closing brackets of a run; None when they fit none."""
        depth = len(self.frames)
        for sign in run:
            if sign in "]})":
                while depth and self.frames[depth - 1].is_array != (sign != "}"):
                    depth -= 1
                if not depth:
                    return None
                depth -= 1
        return depth

    def skip_extra_closers(self) -> bool:
        """Skip brackets that would end the root although a field of it, or its own brace, follows."""
        if stray := _STRAY.match(self.text, self.at, min(self.limit, self.at + _FAR)):
            self.at = stray.end()
            self.overlook("extra brackets")
            return True
        run = _CLOSERS.match(self.text, self.at, min(self.limit, self.at + _FAR))
        key = self.key_at(run.end()) if run and "," in run[0] else None
        if run is None or key is None or not self.frames[0].expects(key.name):
            return False
        self.at = self.text.rindex(",", self.at, run.end())
        self.overlook("extra brackets")
        return True

    def skip_extra_bracket(self, fields: Mapping[str, Schema]) -> bool:
        """Skip a bracket that would end an array although another object with these fields follows."""
        run = _CLOSERS.match(self.text, self.at, min(self.limit, self.at + _FAR))
        item = _ITEM.match(self.text, run.end(), self.limit) if run and "," in run[0] else None
        key = self.key_at(item.end()) if item else None
        if run is None or key is None or not field_for(key.name, fields):
            return False
        self.at = self.text.rindex(",", self.at, run.end())
        self.overlook("extra brackets")
        return True

    def skip_extra_brace(self) -> bool:
        """Skip a brace that closes nothing in an array: the array goes on, or its own bracket comes."""
        run = _CLOSERS.match(self.text, self.at, min(self.limit, self.at + _FAR))
        if run is None or not ("]" in run[0] or self.text.startswith("{", run.end())):
            return False
        self.at += 1
        self.overlook("extra brackets")
        return True
