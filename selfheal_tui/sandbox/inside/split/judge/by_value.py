"""Instances of a subclass of data: they are their data, and where their class says otherwise it is its word.

What the class defines anew is asked over there and computed here; the README of `split` has the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..wire import specials
from ..wire.bases import PLAIN
from ..wire.containers import BY_TYPE
from . import equality
from .handles import LocalType, ask_method, ask_special, doubt, handle_of, is_value, split_of, state_of

_INPUTS = (
    *("__getitem__", "__setitem__", "__delitem__", "append", "appendleft", "add", "insert", "extend", "update"),
    *("get", "pop", "setdefault", "__round__"),
)
"""Methods of data types whose arguments say where or what to store, and are not what is expected."""
_MATERIAL = (
    *("__missing__", "__enter__", "__exit__", "__next__", "__length_hint__", "__bytes__", "__fspath__"),
    *specials.ALWAYS,
)
"""What gives something that is judged afterwards, or has no counterpart in a data type."""
_NOTHING = object()


def checked(data: Any, special: frozenset[str], plain: list[str]) -> dict[str, Any]:
    """Return what a local class has for what a subclass of `data` defines anew: asked there and computed here."""
    names = special.intersection(specials.BY_NAME).difference(_MATERIAL)
    space: dict[str, Any] = {name: _checked_special(name) for name in names}
    space |= {name: _walked(name) for name in ("__iter__", "__reversed__") if name in special}
    space |= {name: property(_checked_method(name)) for name in plain if callable(getattr(data, name, None))}
    return space


def _checked_special(name: str) -> Callable[..., Any]:
    def method(self: Any, *arguments: Any) -> Any:
        return _both(self, name, arguments, {}, specials.BY_NAME[name], ask_special)

    method.__name__ = name
    return method


def _checked_method(name: str) -> Callable[[Any], Any]:
    def base(plain: Any, *arguments: Any, **keywords: Any) -> Any:
        return getattr(plain, name)(*arguments, **keywords)

    def ask(self: Any, _: str, *arguments: Any, **keywords: Any) -> Any:
        return ask_method(self, name, arguments, keywords)

    def bind(self: Any) -> Any:
        def method(*arguments: Any, **keywords: Any) -> Any:
            return _both(self, name, arguments, keywords, base, ask)

        method.__name__ = name
        return method

    return bind


def _walked(name: str) -> Callable[[Any], Iterator[Any]]:
    def each(self: Any, expected: Iterator[Any], items: Any) -> Iterator[Any]:
        for item in items:
            if not same(item, next(expected, _NOTHING)):
                doubt(self, "what is in")
            yield item
        if next(expected, _NOTHING) is not _NOTHING:
            doubt(self, "what is in")

    def method(self: Any) -> Iterator[Any]:
        items: Any = plain_of(self)
        expected = [*items] if hasattr(items, "__iter__") else [object()]
        if name == "__reversed__":
            expected.reverse()
        return each(self, iter(expected), ask_special(self, name))

    return method


def _both(
    self: Any, name: str, arguments: Any, keywords: Any, base: Callable[..., Any], ask: Callable[..., Any]
) -> Any:
    """Have the program carry out an operation, and do the same here with what the data type makes of it."""
    if not all(_can_be_given(self, name, one) for one in (*arguments, *keywords.values())):
        doubt(self, f"what {name} gives for")
        return ask(self, name, *arguments, **keywords)
    here: Any = plain_of(self)
    expected, failed = _NOTHING, None
    try:
        expected = base(here, *map(plain_of, arguments), **{n: plain_of(one) for n, one in keywords.items()})
    except Exception as error:  # what a data type refuses the program's class may take: then they differ
        failed = type(error)
    try:
        result = ask(self, name, *arguments, **keywords)
    except BaseException as error:
        if type(error) is not failed:
            doubt(self, f"what {name} gives for")
        raise
    if failed or not same(result, expected) or not same(plain_of(self), here):
        doubt(self, f"what {name} gives for")
    return result


def _can_be_given(self: Any, name: str, value: Any) -> bool:
    """Say whether an operation may have this twice, and the program learns nothing of what the test expects."""
    if is_value(value):
        return True
    return name in _INPUTS and handle_of(value) is None and split_of(self).crosses(value)


def plain_of(value: Any) -> Any:
    """Return a copy of what an instance of a subclass of data is by value; anything else as it is."""
    if handle_of(value) is None or not isinstance(type(value), LocalType):
        return value
    state = state_of(type(value))
    if state.container is None:
        return value if state.data is None else PLAIN[state.data](value)
    kind = state.container
    plain = kind.make(kind.of, kind.extra(value))
    kind.fill(plain, kind.parts(value))
    return plain


def same(one: Any, other: Any) -> bool:
    """Say whether two values are the same data, as deep as they go; of the program's classes only the data counts."""
    one, other = plain_of(one), plain_of(other)
    if one is other:
        return True
    if type(one) is not type(other) or handle_of(one) is not None:
        return False
    kind = BY_TYPE.get(type(one))
    if kind is not None and not isinstance(one, set):
        return all_same(kind.parts(one), kind.parts(other))
    if isinstance(one, tuple):
        return all_same(one, other)
    return bool(one == other) or (isinstance(one, float) and repr(one) == repr(other))


def all_same(ones: Any, others: Any) -> bool:
    return len(ones) == len(others) and all(map(same, ones, others))


# -- comparisons


def confirm(instance: Any, arguments: Any, keywords: Any) -> None:
    """Remember it of an instance that the test made of data if its class made something else of that."""
    state, plain = state_of(type(instance)), plain_of(instance)
    try:
        if state.fields:
            values = dict(zip(state.fields, arguments, strict=False)) | keywords
            agrees = all(same(plain[state.fields.index(name)], value) for name, value in values.items())
        else:
            can = all(_can_be_given(instance, "__setitem__", one) for one in (*arguments, *keywords.values()))
            agrees = can and same(state.data(*map(plain_of, arguments), **keywords), plain)  # type: ignore[misc]
    except Exception:  # the data type takes other arguments
        agrees = False
    handle_of(instance).altered = not agrees  # type: ignore[union-attr]


def compare_plain(left: Any, right: Any, answer: Any) -> Any:
    """Return what the data says; whoever alters what it is made of may have made everything alike."""
    handles = (handle_of(left), handle_of(right))
    if all(handles) and any(one is not None and one.altered for one in handles):
        doubt(left, "what the test gave to make")
    return answer


def compare_value(left: Any, name: str, right: Any, plain: Any) -> Any:
    """As `equality.compare`, where `left` is an instance of a subclass of data that defines its own equality.

    `plain` is what the data alone says to `==`: where it is equal, or `right` is the program's too, there is nothing
    that the program learns by being asked, so its word is taken if it says the same.
    """
    equal = name == "__eq__"
    compare_plain(left, right, plain)
    if plain is True or (type(plain) is bool and isinstance(type(right), LocalType)):
        answer = ask_special(left, name, right)
        if answer is (plain is equal):
            return answer
        doubt(left, "equality of")
        return equality.verdict(left, name, answer)
    answer = equality.compare(left, name, right)
    return not equal if answer is NotImplemented else answer
