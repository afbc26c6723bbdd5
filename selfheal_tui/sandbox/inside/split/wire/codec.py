"""Values as JSON: data of exact built-in types by value, mutable containers by number, the rest by who knows it.

    None True 7 0.5 "text"       themselves; a long integer, a NaN or a lone surrogate is `[tag, text]`
    ["tuple", 1, 2]              immutable: the tag, then its fields
    ["list", 4, null, 1, 2]      a mutable container that crosses for the first time: number, extra, parts
    ["same", 4]                  one that both sides hold already
    ["kept", 0]                  in a change of a container: the part that it had at this place
    ["object", 9, 3], ...        whatever `other` writes and reads: see `outward.py`, `exports.py`

What an honest side cannot write is `Uncarried`; what no honest side writes is `Malformed`.
"""

from __future__ import annotations

import binascii
import datetime
import decimal
import fractions
import math
import pathlib
import re
import struct
import types
import uuid
import zoneinfo
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from .containers import BY_TAG, BY_TYPE, Kind, Parts
from .frames import Malformed
from .shared import DEPTH, SIZE, Entry, Shared, Uncarried

Json = Any
_PLAIN_INTEGER = 1 << 53
_NAN = math.nan
"""The one that `math` has stays the same one: lists of it are equal by identity."""
_SHORT = 16
"""A text this short is sent again rather than pointed at."""
_HEX = re.compile(r"-?[0-9a-f]+")
_ZONE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+\-]*(/[A-Za-z0-9][A-Za-z0-9_+\-]*)*")
_PATHS: dict[str, type[pathlib.PurePath]] = {
    kind.__name__: kind for kind in (pathlib.PurePosixPath, pathlib.PureWindowsPath, type(pathlib.Path()))
}
_DICT_VIEWS = {"keys": type({}.keys()), "values": type({}.values()), "items": type({}.items())}


def array(form: Json) -> list[Json]:
    """Return the form if it is an array. Raises: Malformed."""
    if type(form) is not list:
        raise Malformed("no array where there must be one")
    return form


def text(form: Json) -> str:
    """Return the form if it is a text. Raises: Malformed."""
    if type(form) is not str:
        raise Malformed("no text where there must be one")
    return form


def texts(form: Json) -> list[str]:
    """Return the form if it is an array of texts. Raises: Malformed."""
    return [text(one) for one in array(form)]


class Other(Protocol):
    """Writes and reads what is no plain data."""

    def write(self, writer: Writer, value: object, depth: int) -> Json:
        """Return the value's form, an array with a tag that is no type's. Raises: Uncarried."""

    def read(self, reader: Reader, tag: str, fields: list[Json], depth: int) -> object:
        """Return what `write` of the other side wrote. Raises: Malformed."""

    def mind(self, kind: Kind, parts: Parts) -> None:
        """Take note of what a container holds from now on."""


class Writer:
    """Writes the values of one frame."""

    def __init__(self, shared: Shared, other: Other) -> None:
        self._shared = shared
        self._other = other
        self._new: dict[int, Entry] = {}
        self._changes: list[tuple[Entry, Parts]] = []
        self._forgotten: list[Entry] = []
        self._open: set[int] = set()
        self._budget = SIZE
        self._joined = False

    def frame(self, values: Sequence[object]) -> dict[str, Json]:
        """Return what a frame says of values: `v`, and `forget` and `changes` where there are some.

        From here on our table says that the other side has read it.
        Raises: Uncarried, or what `other` raises; then only what had changed is no longer kept alike.
        """
        self._changes = [*self._shared.changed()]
        unheld = self._shared.unheld()
        self._forgotten = [self._shared.get(number) for number in unheld]
        frame: dict[str, Json] = {}
        try:
            if self._changes:
                frame["changes"] = [self._change(entry, parts) for entry, parts in self._changes]
            frame["v"] = [self.put(value, 0) for value in values]
            self._agree()
        except Exception:
            self._shared.give_up(entry.number for entry, _ in self._changes)
            raise
        if gone := [*self._shared.take_orphans(), *unheld]:
            frame["forget"] = gone
        return frame

    def undo(self) -> None:
        """Take back what `frame` did: it was not sent after all. What had changed is no longer kept alike."""
        self._shared.give_up([entry.number for entry in (*self._new.values(), *self._forgotten)])
        self._shared.give_up([entry.number for entry, _ in self._changes])

    def _agree(self) -> None:
        self._shared.forget([entry.number for entry in self._forgotten])
        before = [(entry, entry.parts) for entry, _ in self._changes]
        for entry, parts in self._changes:
            entry.parts = parts
        for entry in self._new.values():
            self._shared.add(entry)
        try:
            if self._joined:
                self._shared.check()
        except Uncarried:
            for entry, parts in before:
                entry.parts = parts
            self._shared.forget([entry.number for entry in self._new.values()])
            for entry in self._forgotten:
                self._shared.add(entry)
            raise

    def put(self, value: object, depth: int) -> Json:
        """Return the form of one value, `depth` containers down. Raises: Uncarried."""
        kind = type(value)
        if value is None or kind is bool:
            return value
        write = _WRITERS.get(kind)
        if write is None:
            return self._other.write(self, value, depth)
        return write(self, value, depth)

    def put_all(self, values: Sequence[object], depth: int) -> list[Json]:
        """Return the forms of what a container holds. Raises: Uncarried."""
        if depth >= DEPTH:
            raise Uncarried(f"a value nested deeper than {DEPTH}")
        self._budget -= len(values)
        if self._budget < 0:
            raise Uncarried("a value of more than a million values")
        return [self.put(value, depth + 1) for value in values]

    def container(self, value: object, kind: Kind, depth: int) -> Json:
        """Return the form of a mutable container of this kind, or of a subclass. Raises: Uncarried."""
        entry = self._new.get(id(value)) or self._shared.find(value)
        if entry is not None:
            self._joined = self._joined or depth > 0
            return ["same", entry.number]
        if id(value) in self._open:
            raise Uncarried("a container that holds itself")
        self._open.add(id(value))
        parts = kind.parts(value)
        form = [kind.tag, self._shared.draw(), self.put(kind.extra(value), depth), *self.put_all(parts, depth)]
        self._open.discard(id(value))
        self._new[id(value)] = Entry(form[1], kind, value, parts)
        return form

    def _change(self, entry: Entry, parts: Parts) -> Json:
        places = {id(part): index for index, part in enumerate(entry.parts) if not _is_small(part)}
        forms: list[Json] = []
        for part in parts:
            index = places.get(id(part))
            forms.append(self.put_all([part], 0)[0] if index is None else ["kept", index])
        return [entry.number, *forms]


class Reader:
    """Reads the values of one frame."""

    def __init__(self, shared: Shared, other: Other) -> None:
        self._shared = shared
        self._other = other
        self._kept: Parts = []
        self._joined = False

    def frame(self, frame: dict[str, Json]) -> list[Any]:
        """Take over what a frame says of containers and return its values. Raises: Malformed."""
        try:
            for change in array(frame.get("changes", [])):
                self._change(change)
            self._shared.forget(array(frame.get("forget", [])))
            values = [self.take(form, 0) for form in array(frame.get("v"))]
            if self._joined:
                self._shared.check()
        except Malformed:
            raise
        except _IMPOSSIBLE as error:
            raise Malformed(f"a value that cannot be: {type(error).__name__}") from None
        return values

    def take(self, form: Json, depth: int) -> Any:
        """Return the value of a form. Raises: Malformed, or what the type raises for what cannot be."""
        if type(form) is not list:
            if type(form) is dict:
                raise Malformed("a value that is an object")
            return form
        if depth > 2 * DEPTH:
            raise Malformed("a value nested too deep")
        tag, *fields = form
        if type(tag) is not str:
            raise Malformed("a value without a tag")
        read = _READERS.get(tag)
        if read is not None:
            return read(self, fields, depth + 1)
        if tag in BY_TAG:
            return self.container(form, depth)
        return self._other.read(self, tag, fields, depth + 1)

    def container(self, form: Json, depth: int, target: object = None, local: type | None = None) -> Any:
        """Return a container that crosses for the first time: `target`, filled, or a new one of the type `local`.

        Without both it is of the plain type. Raises: as `take`.
        """
        tag, number, extra, *forms = array(form)
        kind = BY_TAG[tag]
        if target is None:
            target = kind.make(local or kind.of, self.take(extra, depth + 1))
        parts = [self.take(part, depth + 1) for part in forms]
        self._fill(kind, target, parts)
        self._shared.add_theirs(number, kind, target, parts)
        return target

    def _fill(self, kind: Kind, target: object, parts: Parts) -> None:
        kind.fill(target, parts)
        if kind.named:
            self._other.mind(kind, parts)

    def same(self, fields: list[Json], depth: int) -> object:
        """Return the container of a number."""
        (number,) = fields
        self._joined = self._joined or depth > 1
        return self._shared.get(number).container

    def kept(self, fields: list[Json]) -> object:
        """Return a part that the container in hand had before."""
        (index,) = fields
        if type(index) is not int or not 0 <= index < len(self._kept):
            raise Malformed("a part that was never there")
        return self._kept[index]

    def _change(self, change: Json) -> None:
        number, *forms = array(change)
        entry = self._shared.get(number)
        self._kept = entry.parts
        parts = [self.take(form, 1) for form in forms]
        self._kept = []
        self._fill(entry.kind, entry.container, parts)
        entry.parts = parts


_IMPOSSIBLE = (
    *(TypeError, ValueError, ArithmeticError, LookupError, AttributeError, BufferError, OSError, struct.error),
    *(RecursionError, MemoryError),
)


def _is_small(part: object) -> bool:
    return part is None or type(part) in (bool, int, float) or (type(part) is str and len(part) < _SHORT)


# -- values of scalars: written from fields that JSON knows, made again of them


def _put_int(_: Writer, value: int, depth: int) -> Json:
    return value if -_PLAIN_INTEGER < value < _PLAIN_INTEGER else ["int", f"{value:x}"]


def _make_int(digits: str) -> int:
    if not _HEX.fullmatch(digits):
        raise Malformed("no integer")
    return int(digits, 16)


def _put_float(_: Writer, value: float, depth: int) -> Json:
    if math.isfinite(value):
        return value
    return ["nan"] if value is _NAN else ["float", struct.pack(">d", value).hex()]


def _make_float(digits: str) -> float:
    (number,) = struct.unpack(">d", bytes.fromhex(digits))
    return float(number)


def _put_str(_: Writer, value: str, depth: int) -> Json:
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:  # JSON would join two lone surrogates that stand side by side
        return ["str", value.encode("utf-32-be", "surrogatepass").hex()]
    return value


def _put_zone_info(_: Writer, value: zoneinfo.ZoneInfo, depth: int) -> Json:
    if value.key is None:
        raise Uncarried("a time zone without a key")
    return ["zone", value.key]


def _make_zone_info(key: str) -> zoneinfo.ZoneInfo:
    if not _ZONE.fullmatch(key):
        raise Malformed("no time zone")
    return zoneinfo.ZoneInfo(key)


def _fields_of_timedelta(value: datetime.timedelta) -> tuple[int, int, int]:
    return value.days, value.seconds, value.microseconds


def _make_timedelta(days: int, seconds: int, microseconds: int) -> datetime.timedelta:
    return datetime.timedelta(days, seconds, microseconds)


def _put_timezone(_: Writer, value: datetime.timezone, depth: int) -> Json:
    if value is datetime.UTC:
        return ["utc"]
    offset, *name = value.__getinitargs__()  # type: ignore[attr-defined]
    return ["timezone", [*_fields_of_timedelta(offset)], *name]


def _make_timezone(offset: Json, *name: Json) -> datetime.timezone:
    return datetime.timezone(_make_timedelta(*array(offset)), *map(text, name))


def _put_time(writer: Writer, value: datetime.time, depth: int) -> Json:
    zone = value.tzinfo
    if zone is not None and type(zone) not in (datetime.timezone, zoneinfo.ZoneInfo):
        raise Uncarried(f"a time zone of type {type(zone).__name__}")
    return ["time", value.hour, value.minute, value.second, value.microsecond, value.fold, writer.put(zone, 0)]


def _take_time(reader: Reader, fields: list[Json], depth: int) -> datetime.time:
    hour, minute, second, microsecond, fold, zone = fields
    return datetime.time(hour, minute, second, microsecond, reader.take(zone, 0), fold=fold)


def _put_datetime(writer: Writer, value: datetime.datetime, depth: int) -> Json:
    return ["datetime", value.year, value.month, value.day, *_put_time(writer, value.timetz(), depth)[1:]]


def _take_datetime(reader: Reader, fields: list[Json], depth: int) -> datetime.datetime:
    year, month, day, *time = fields
    return datetime.datetime.combine(datetime.date(year, month, day), _take_time(reader, time, depth))


# -- immutable values of other values


def _make_tuple(*parts: object) -> tuple[object, ...]:
    return parts


def _make_path(kind: str, name: str) -> pathlib.PurePath:
    return _PATHS[kind](text(name))


_Put = Callable[[Writer, Any, int], Json]
_Take = Callable[[Reader, list[Json], int], Any]
_Fields = Callable[[Any], Sequence[object]]
_Make = Callable[..., Any]


def _put_plain(tag: str, fields: _Fields) -> _Put:
    return lambda writer, value, depth: [tag, *fields(value)]


def _take_plain(make: _Make) -> _Take:
    return lambda reader, fields, depth: make(*fields)


def _put_fields(tag: str, fields: _Fields) -> _Put:
    return lambda writer, value, depth: [tag, *writer.put_all(fields(value), depth)]


def _take_fields(make: _Make) -> _Take:
    return lambda reader, fields, depth: make(*[reader.take(field, depth) for field in fields])


def _put_container(kind: Kind) -> _Put:
    return lambda writer, value, depth: writer.container(value, kind, depth)


_SCALARS: tuple[tuple[str, type, _Put, _Take], ...] = (
    ("int", int, _put_int, _take_plain(_make_int)),
    ("float", float, _put_float, _take_plain(_make_float)),
    ("str", str, _put_str, _take_plain(lambda digits: bytes.fromhex(digits).decode("utf-32-be", "surrogatepass"))),
    (
        "bytes",
        bytes,
        _put_plain("bytes", lambda value: [binascii.b2a_base64(value, newline=False).decode("ascii")]),
        _take_plain(lambda data: binascii.a2b_base64(text(data), strict_mode=True)),
    ),
    (
        "date",
        datetime.date,
        _put_plain("date", lambda value: [value.year, value.month, value.day]),
        _take_plain(datetime.date),
    ),
    ("time", datetime.time, _put_time, _take_time),
    ("datetime", datetime.datetime, _put_datetime, _take_datetime),
    (
        "timedelta",
        datetime.timedelta,
        _put_plain("timedelta", _fields_of_timedelta),
        _take_plain(_make_timedelta),
    ),
    ("timezone", datetime.timezone, _put_timezone, _take_plain(_make_timezone)),
    ("zone", zoneinfo.ZoneInfo, _put_zone_info, _take_plain(_make_zone_info)),
)
_OF_FIELDS: tuple[tuple[str, type, _Fields, _Make], ...] = (
    ("tuple", tuple, lambda value: value, _make_tuple),
    ("frozenset", frozenset, lambda value: [*value], lambda *parts: frozenset(parts)),
    ("complex", complex, lambda value: (value.real, value.imag), complex),
    ("range", range, lambda value: (value.start, value.stop, value.step), range),
    ("slice", slice, lambda value: (value.start, value.stop, value.step), slice),
    ("Decimal", decimal.Decimal, lambda value: (str(value),), lambda digits: decimal.Decimal(text(digits))),
    ("Fraction", fractions.Fraction, lambda value: (value.numerator, value.denominator), fractions.Fraction),
    ("UUID", uuid.UUID, lambda value: (value.hex,), lambda digits: uuid.UUID(hex=text(digits))),
    ("proxy", types.MappingProxyType, lambda value: (dict(value),), types.MappingProxyType),
    *(("path", kind, lambda value: (type(value).__name__, str(value)), _make_path) for kind in _PATHS.values()),
    *((name, kind, lambda value: (dict(value.mapping),), getattr(dict, name)) for name, kind in _DICT_VIEWS.items()),
)
_WRITERS: dict[type, _Put] = {
    type(...): lambda *_: ["..."],
    type(NotImplemented): lambda *_: ["NotImplemented"],
    **{kind: put for _, kind, put, _ in _SCALARS},
    **{kind: _put_fields(tag, fields) for tag, kind, fields, _ in _OF_FIELDS},
    **{type_: _put_container(kind) for type_, kind in BY_TYPE.items()},
}
CROSSING = frozenset((*_WRITERS, bool, type(None)))
"""Types whose instances cross by value, as far as what they hold does."""
_READERS: dict[str, _Take] = {
    "...": lambda *_: ...,
    "NotImplemented": lambda *_: NotImplemented,
    "nan": lambda *_: _NAN,
    "utc": lambda *_: datetime.UTC,
    "same": lambda reader, fields, depth: reader.same(fields, depth),
    "kept": lambda reader, fields, _: reader.kept(fields),
    **{tag: take for tag, _, _, take in _SCALARS},
    **{tag: _take_fields(make) for tag, _, _, make in _OF_FIELDS},
}
