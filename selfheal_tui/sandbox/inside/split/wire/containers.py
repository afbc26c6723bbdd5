"""The mutable containers that exist on both sides at once: what each holds, and how it is made and filled.

Everything goes through the functions of the built-in type itself, so a subclass that overrides them has no say.
"""

from __future__ import annotations

import argparse
import io
import operator
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from types import SimpleNamespace
from typing import Any

Parts = list[Any]


def _identical(old: Parts, new: Parts) -> bool:
    return len(old) == len(new) and all(map(operator.is_, old, new))


def _same_members(old: Parts, new: Parts) -> bool:
    return len(old) == len(new) and set(map(id, old)) == set(map(id, new))


def _make(kind: Any, _: object) -> Any:
    return kind.__new__(kind)


def _no_extra(_: object) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Kind:
    """How one type crosses."""

    tag: str
    of: type
    parts: Callable[[Any], Parts]
    """Everything it holds, in its own order; of a mapping key, value, key, value ..."""
    fill: Callable[[Any, Parts], None]
    """Put these parts in place of what it holds. Raises TypeError or ValueError before it has changed anything."""
    make: Callable[[Any, Any], Any] = _make
    """An empty instance of the type or a subclass; the second argument is what `extra` returned."""
    extra: Callable[[Any], object] = _no_extra
    """What an instance has beside its parts."""
    unchanged: Callable[[Parts, Parts], bool] = _identical
    named: bool = False
    """What it holds are its attributes: names and values."""


def _items(mapping: dict[Any, Any]) -> Parts:
    return [*chain.from_iterable(dict.items(mapping))]


def _pairs(parts: Parts) -> dict[Any, Any]:
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _fill_list(target: list[Any], parts: Parts) -> None:
    list.__setitem__(target, slice(None), parts)


def _fill_dict(target: dict[Any, Any], parts: Parts) -> None:
    pairs = _pairs(parts)
    dict.clear(target)
    dict.update(target, pairs)


def _fill_ordered(target: OrderedDict[Any, Any], parts: Parts) -> None:
    pairs = _pairs(parts)
    OrderedDict.clear(target)
    for key, value in pairs.items():
        OrderedDict.__setitem__(target, key, value)


def _fill_set(target: set[Any], parts: Parts) -> None:
    members = set(parts)
    set.clear(target)
    set.update(target, members)


def _make_deque(kind: Any, limit: Any) -> Any:
    instance = kind.__new__(kind)
    deque.__init__(instance, (), limit)
    return instance


def _fill_deque(target: deque[Any], parts: Parts) -> None:
    deque.clear(target)
    deque.extend(target, parts)


def _make_defaultdict(kind: Any, factory: Any) -> Any:
    instance = kind.__new__(kind)
    defaultdict.__init__(instance, factory)
    return instance


def _bytearray_parts(value: bytearray) -> Parts:
    return [bytes(bytearray.__getitem__(value, slice(None)))]


def _fill_bytearray(target: bytearray, parts: Parts) -> None:
    (data,) = parts
    bytearray.__setitem__(target, slice(None), bytes(memoryview(data)))


def _fill_array(target: array[Any], parts: Parts) -> None:
    (data,) = parts
    fresh: array[Any] = array(target.typecode)
    fresh.frombytes(data)
    target[:] = fresh


def _stream_parts(stream: Any) -> Parts:
    return [None, -1] if stream.closed else [stream.getvalue(), stream.tell()]


def _fill_stream(stream: Any, parts: Parts) -> None:
    content, position = parts
    if content is None:
        stream.close()
        return
    type(stream)(content).seek(position)  # raises what it has to before the stream is touched
    stream.seek(0)
    stream.truncate()
    stream.write(content)
    stream.seek(position)


def _vars_parts(namespace: object) -> Parts:
    return _items(vars(namespace))


def _fill_vars(namespace: object, parts: Parts) -> None:
    pairs = _pairs(parts)
    if not all(type(name) is str for name in pairs):
        raise TypeError("an attribute whose name is no text")
    vars(namespace).clear()
    vars(namespace).update(pairs)


_FACTORY, _TYPECODE = operator.attrgetter("default_factory"), operator.attrgetter("typecode")
_KINDS = (
    Kind("list", list, list.copy, _fill_list),
    Kind("dict", dict, _items, _fill_dict),
    Kind("set", set, lambda members: [*set.__iter__(members)], _fill_set, unchanged=_same_members),
    Kind("bytearray", bytearray, _bytearray_parts, _fill_bytearray, unchanged=operator.eq),
    Kind("deque", deque, lambda items: [*deque.__iter__(items)], _fill_deque, _make_deque, deque.maxlen.__get__),
    Kind("Counter", Counter, _items, _fill_dict),
    Kind("OrderedDict", OrderedDict, lambda d: [*chain.from_iterable(OrderedDict.items(d))], _fill_ordered),
    Kind("defaultdict", defaultdict, _items, _fill_dict, _make_defaultdict, _FACTORY),
    Kind("array", array, lambda items: [items.tobytes()], _fill_array, array.__new__, _TYPECODE, operator.eq),
    Kind("StringIO", io.StringIO, _stream_parts, _fill_stream, lambda kind, _: kind(), unchanged=operator.eq),
    Kind("BytesIO", io.BytesIO, _stream_parts, _fill_stream, lambda kind, _: kind(), unchanged=operator.eq),
    Kind("SimpleNamespace", SimpleNamespace, _vars_parts, _fill_vars, named=True),
    Kind("Namespace", argparse.Namespace, _vars_parts, _fill_vars, named=True),
)
BY_TYPE: dict[type, Kind] = {kind.of: kind for kind in _KINDS}
BY_TAG: dict[str, Kind] = {kind.tag: kind for kind in _KINDS}
INHERITED = (Counter, OrderedDict, defaultdict, list, dict, set, bytearray, deque)
"""Those whose subclasses cross by value too."""
