"""What is data below: the types whose subclasses cross by value, and what built-in exceptions hold beside `args`.

The value of an instance is taken, and an instance made, by the base type's own methods: a subclass has no say in it.
"""

from __future__ import annotations

import datetime
import decimal
import fractions
from collections.abc import Callable
from typing import Any

from .containers import INHERITED

ERROR_STATE: dict[type[BaseException], tuple[str, ...]] = {
    OSError: ("errno", "strerror", "filename", "filename2"),
    ImportError: ("name", "path"),
    NameError: ("name",),
    AttributeError: ("name",),
    StopIteration: ("value",),
    SystemExit: ("code",),
}
"""Attributes of built-in exceptions that are neither in `args` nor in `__dict__`."""


def _of_properties(kind: type, *fields: str) -> Callable[[Any], object]:
    getters = [getattr(kind, name).__get__ for name in fields]
    return lambda value: kind(*[get(value) for get in getters])


def _plain_datetime(value: datetime.datetime) -> datetime.datetime:
    return datetime.datetime.combine(datetime.datetime.date(value), datetime.datetime.timetz(value))


def _plain_time(value: datetime.time) -> datetime.time:
    fields = ("hour", "minute", "second", "microsecond", "tzinfo")
    get = {name: getattr(datetime.time, name).__get__(value) for name in (*fields, "fold")}
    return datetime.time(**get)


PLAIN: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    complex: _of_properties(complex, "real", "imag"),
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    tuple: lambda value: tuple.__getitem__(value, slice(None)),
    frozenset: lambda value: frozenset([*frozenset.__iter__(value)]),
    decimal.Decimal: decimal.Decimal,
    fractions.Fraction: _of_properties(fractions.Fraction, "_numerator", "_denominator"),
    datetime.date: _of_properties(datetime.date, "year", "month", "day"),
    datetime.time: _plain_time,
    datetime.datetime: _plain_datetime,
    datetime.timedelta: _of_properties(datetime.timedelta, "days", "seconds", "microseconds"),
}
"""Immutable types: the plain value of an instance of a subclass."""
BASES: dict[str, type] = {kind.__name__: kind for kind in (*PLAIN, *INHERITED)}
"""By name, mutable ones too."""


def instance(kind: Any, base: Any, value: Any) -> Any:
    """Return an instance of `kind`, a subclass of the immutable `base`, with this plain value."""
    if base is datetime.datetime:
        return datetime.datetime.__new__(kind, *_date_fields(value), *_time_fields(value), fold=value.fold)
    if base is datetime.time:
        return datetime.time.__new__(kind, *_time_fields(value), fold=value.fold)
    if base is datetime.date:
        return datetime.date.__new__(kind, *_date_fields(value))
    if base is datetime.timedelta:
        return datetime.timedelta.__new__(kind, value.days, value.seconds, value.microseconds)
    if base is fractions.Fraction:  # its constructor sets attributes, which is the program's business in a subclass
        fraction = object.__new__(kind)
        for name in ("_numerator", "_denominator"):
            getattr(fractions.Fraction, name).__set__(fraction, getattr(value, name))
        return fraction
    return base.__new__(kind, value)


def _date_fields(value: Any) -> list[Any]:
    return [value.year, value.month, value.day]


def _time_fields(value: Any) -> list[Any]:
    return [value.hour, value.minute, value.second, value.microsecond, value.tzinfo]
