"""What rests on the program's word: words of Python's own for data that a class of the program answers itself.

The README of `split` has the rule; here is what it means for the methods of objects that stay over there, `by_value.py`
has those of instances of a subclass of data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .by_value import all_same
from .handles import ask_method, ask_special, doubt, handle_of, split_of
from .notes import with_article

_REMEMBERED = 1000
"""Items of one walk through an object that are kept to be compared with those of the next."""


def operation(name: str) -> Callable[..., Any]:
    """Return a method that has the program compute, and says so: what is computed with is known to it then."""

    def method(self: Any, *arguments: Any) -> Any:
        doubt(self, f"what {name} gives for")
        return ask_special(self, name, *arguments)

    return method


def decision(name: str) -> Callable[..., Any]:
    """Return a method that has the program say yes or no."""
    subject = {"__bool__": "the truth of", "__contains__": "what is in"}[name]

    def method(self: Any, *arguments: Any) -> Any:
        doubt(self, subject)
        handle = handle_of(self)
        if handle is not None and name == "__bool__":
            handle.used_as_truth(split_of(self).notes)
        return ask_special(self, name, *arguments)

    return method


def leave(self: Any, kind: object, error: BaseException | None, _: object) -> Any:
    """Leave a context of the program's. A class of exceptions and a traceback stay here: the exception says both."""
    swallowed = ask_special(self, "__exit__", error)
    if error is not None and swallowed is not None and swallowed is not False:
        split, kind = split_of(self), type(self).__name__
        split.notes.doubt(
            f"what the test raised ({type(error).__name__}) was swallowed by {with_article(kind)} of the program"
        )
    return swallowed


def counted(has: frozenset[str], methods: list[str]) -> dict[str, Any]:
    """Return methods for a class that holds several: what it says of how many and which in several ways has to agree.

    A loop over nothing checks nothing.
    """
    if "__next__" in has:
        return {"__len__": _length_of_iterator} if "__len__" in has else {}
    every = {"__len__": _length, "__iter__": _walk("__iter__"), "__reversed__": _walk("__reversed__")}
    space: dict[str, Any] = {name: method for name, method in (every | {"__getitem__": _item}).items() if name in has}
    if "__len__" in has:
        space |= {name: property(_view(name)) for name in ("keys", "values", "items") if name in methods}
    return space


def _length_of_iterator(self: Any) -> Any:
    doubt(self, "how many there are in")
    return ask_special(self, "__len__")


def _length(self: Any) -> Any:
    length = ask_special(self, "__len__")
    _tell(self, length)
    return length


def _walk(name: str) -> Callable[[Any], Iterator[Any]]:
    def each(self: Any, items: Any) -> Iterator[Any]:
        first, count = [], 0
        for item in items:
            count += 1
            if count <= _REMEMBERED:
                first.append(item)
            yield item
        _tell(self, count, first if name == "__iter__" else None)

    return lambda self: each(self, ask_special(self, name))


def _item(self: Any, key: object) -> Any:
    try:
        return ask_special(self, "__getitem__", key)
    except IndexError:
        if type(key) is int and key >= 0:
            _tell(self, key, at_most=True)
        raise


def _view(name: str) -> Callable[[Any], Any]:
    def bind(self: Any) -> Any:
        def method(*arguments: Any, **keywords: Any) -> Any:
            view = ask_method(self, name, arguments, keywords)
            if arguments or keywords:
                return view
            if hasattr(type(view), "__len__"):
                _tell(self, len(view))
            else:
                doubt(self, "how many there are in")
            return view

        return method

    return bind


def _tell(owner: Any, count: object, items: list[Any] | None = None, at_most: bool = False) -> None:
    """Compare what the program says of a size with what it said before, if nothing was done in between."""
    handle, split = handle_of(owner), split_of(owner)
    if handle is None or type(count) is not int:
        return
    _, before, others = handle.held if handle.held[0] == split.acts else (-1, count, None)
    differs = before > count if at_most else before != count
    if differs or (items is not None and others is not None and not all_same(items, others)):
        doubt(owner, "how many there are in")
    if not at_most:
        handle.held = split.acts, count, items or others
