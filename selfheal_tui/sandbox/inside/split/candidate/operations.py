"""What the judge may ask of the candidate: each operation takes values and words and returns or raises a value."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from ..wire import specials

Values = Sequence[Any]
Words = Sequence[str]
_PRIVATE = ("__builtins__", "__loader__", "__spec__", "__cached__", "__file__", "__path__")


def _import(_: Values, words: Words) -> object:
    """Words: the name, and anything more when the module has to be loaded afresh."""
    name, *afresh = words
    if afresh:
        sys.modules.pop(name, None)
    return importlib.import_module(name)


def _call(values: Values, words: Words) -> object:
    """Values: the callable, its arguments, those by keyword last; words: the keywords."""
    count = len(values) - len(words)
    return values[0](*values[1:count], **dict(zip(words, values[count:], strict=True)))


def _method(values: Values, words: Words) -> object:
    """As `_call`, on an attribute of the first value: the first word."""
    return _call([getattr(values[0], words[0]), *values[1:]], words[1:])


def _special(values: Values, words: Words) -> object:
    (name,) = words
    return specials.BY_NAME[name](*values)


def _vars(values: Values, _: Words) -> object:
    held = vars(values[0])
    if type(values[0]) is ModuleType:
        return {name: value for name, value in held.items() if name not in _PRIVATE}
    return held


def _signature(values: Values, _: Words) -> object:
    """Return parameters as name, kind, default and annotation, then the annotation of the result; absent is `empty`."""
    signature = inspect.signature(values[0])

    def packed(value: object) -> list[object]:
        return [] if value is inspect.Signature.empty else [value]

    parameters = [
        (one.name, int(one.kind), packed(one.default), packed(one.annotation)) for one in signature.parameters.values()
    ]
    return parameters, packed(signature.return_annotation)


def _fields(values: Values, _: Words) -> object:
    """Return a dataclass's fields: name, type, default, and five of the switches; an absent default is empty."""
    return [
        (
            one.name,
            one.type,
            [] if one.default is dataclasses.MISSING else [one.default],
            {name: getattr(one, name) for name in ("init", "repr", "compare", "hash", "kw_only")},
        )
        for one in dataclasses.fields(values[0])
    ]


BY_NAME: dict[str, Callable[[Values, Words], object]] = {
    "import": _import,
    "reload": lambda values, _: importlib.reload(values[0]),
    "get": lambda values, words: getattr(values[0], words[0]),
    "set": lambda values, words: setattr(values[0], words[0], values[1]),
    "delete": lambda values, words: delattr(values[0], words[0]),
    "call": _call,
    "method": _method,
    "special": _special,
    "vars": _vars,
    "signature": _signature,
    "fields": _fields,
    "isinstance": lambda values, _: isinstance(values[0], values[1]),
    "issubclass": lambda values, _: issubclass(values[0], values[1]),
}
