"""What the judge lends to the program, as the program sees it: functions, iterators, tokens and exceptions.

Each carries the token under which the judge keeps the real thing. When the last stand-in of a token is gone, the judge
is told with the next frame.
"""

from __future__ import annotations

import functools
import keyword
import operator
import re
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ..wire import names
from ..wire.codec import Json, Reader, text
from ..wire.frames import Malformed

Ask = Callable[[str, int, list[object], list[str]], Any]
"""Kind of request, token, values, words: what the judge answers, or raises what it raised."""
TOKEN = "__lent__"
"""Where an exception that came from the judge keeps its token, in its `__dict__`."""


class _Omitted:
    """A default of a lent function: the judge knows the real one."""

    def __repr__(self) -> str:
        return "..."


_OMITTED = _Omitted()


class LentObject:
    """A plain `object()` of the test: nothing but an identity."""


class LentIterator:
    """An iterator of the test."""

    def __init__(self, ask: Ask, token: int) -> None:
        self._ask = ask
        self._token = token

    def __iter__(self) -> Iterator[object]:
        return self

    def __next__(self) -> object:
        return self._ask("next", self._token, [], [])

    def __getattr__(self, name: str) -> NoReturn:
        if not name.startswith("_"):
            self._ask("touch", self._token, [], [name])
        raise AttributeError(f"an iterator of the test has no attribute {name!r} here")


class StandIns:
    """All stand-ins that live, by token."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._made: dict[int, weakref.ref[Any]] = {}
        self._tokens: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._errors: dict[int, type[BaseException]] = {}
        self._dropped: list[int] = []

    def token(self, value: object) -> int | None:
        """Return the token of a stand-in, None for anything else."""
        if type(value) in (types.FunctionType, LentIterator, LentObject):
            return self._tokens.get(value)
        if isinstance(value, type) and issubclass(value, BaseException):
            token = vars(value).get(TOKEN)
            return token if type(token) is int else None
        return None

    def take_dropped(self) -> list[int]:
        """Return the tokens that nothing here stands for any longer, and forget them."""
        dropped, self._dropped = self._dropped, []
        return [token for token in dropped if token not in self._made]

    def read(self, reader: Reader, tag: str, fields: list[Json], depth: int) -> object:
        """Return what a form of `exports.py` stands for. Raises: Malformed."""
        if tag == "error":
            return self._error(reader, fields, depth)
        if tag == "error class":
            return self._error_class(reader, fields, depth)
        if tag in _RECIPES:
            return _RECIPES[tag](*[reader.take(field, depth) for field in fields])
        token, *more = fields
        reference = self._made.get(token)
        stand_in = reference() if reference is not None else None
        if stand_in is None:
            stand_in = self._make(reader, tag, token, more, depth)
            self._tokens[stand_in] = token
            self._made[token] = weakref.ref(stand_in, functools.partial(self._drop, token))
        if tag == "function":
            _share_attributes(reader, stand_in, more[1], depth)
        return stand_in

    def _make(self, reader: Reader, tag: str, token: int, more: list[Json], depth: int) -> Any:
        if tag == "function":
            return self._function(token, more[0])
        if tag == "iterator":
            return LentIterator(self._ask, token)
        if tag == "object":
            return LentObject()
        raise Malformed("a value with a tag that nobody knows")

    def _drop(self, token: int, reference: weakref.ref[Any]) -> None:
        if self._made.get(token) is reference:
            del self._made[token]
            self._dropped.append(token)

    # -- functions

    def _function(self, token: int, looks: dict[str, Json]) -> Any:
        """`looks`: its names and parameters."""

        def call(values: dict[str, object], more: tuple[object, ...], keywords: dict[str, object]) -> object:
            positional: list[object] = []
            named: dict[str, object] = {}
            in_order = True
            for name, value in values.items():
                if value is _OMITTED:
                    in_order = False
                elif in_order and name not in looks["keyword_only"]:
                    positional.append(value)
                else:
                    named[name] = value
            positional += more
            named |= keywords
            return self._ask("call", token, [*positional, *named.values()], [*named])

        parameters = (tuple(looks[kind]) for kind in ("positional_only", "positional", "keyword_only", "optional"))
        function = _stub(*parameters, looks["more"], looks["keywords"])(call, _OMITTED)
        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(function, name, looks[name])
        return function

    # -- exceptions

    def _error_class(self, reader: Reader, fields: list[Json], depth: int) -> type[BaseException]:
        """Return a class of the test: its name, its ancestors and its plain attributes."""
        token, name, bases, attributes = fields
        if token not in self._errors:
            parents = tuple(reader.take(base, depth) for base in bases)
            self._errors[token] = type(text(name), parents, {TOKEN: token, **reader.take(attributes, depth)})
        return self._errors[token]

    def _error(self, reader: Reader, fields: list[Json], depth: int) -> BaseException:
        token, kind, arguments, state = fields
        error_class = reader.take(kind, depth)
        values = reader.take(arguments, depth)
        try:
            error: BaseException = error_class(*values) if names.name_of(error_class) else _bare(error_class, values)
        except Exception:
            error = _bare(error_class, values)
        error.__dict__.update(reader.take(state, depth))
        error.__dict__[TOKEN] = token
        return error


_RECIPES: dict[str, Callable[..., object]] = {
    "partial": lambda function, arguments, keywords: functools.partial(function, *arguments, **keywords),
    "getter": lambda name, arguments: getattr(operator, name)(*arguments),
    "pattern": re.compile,
    "item": operator.getitem,
}


def _share_attributes(reader: Reader, function: Any, form: Json, depth: int) -> None:
    """`form` is the `__dict__` of the lent function: from now on both sides hold it."""
    if form is not None and form[0] == "same":
        function.__dict__ = reader.take(form, depth)
    elif form is not None:
        reader.container(form, depth, function.__dict__)


def _bare(error_class: type[BaseException], values: tuple[object, ...]) -> BaseException:
    error = error_class.__new__(error_class, *values)
    error.args = values
    return error


@functools.lru_cache(maxsize=128)
def _stub(
    positional_only: tuple[str, ...],
    positional: tuple[str, ...],
    keyword_only: tuple[str, ...],
    optional: tuple[str, ...],
    more: str | None,
    keywords: str | None,
) -> Callable[..., Any]:
    """Return a maker of functions with exactly these parameters, so that a wrong call fails as it would at home."""
    every = (*positional_only, *positional, *keyword_only)
    named = (*every, *(name for name in (more, keywords) if name))
    if not all(name.isidentifier() and not keyword.iskeyword(name) for name in named):
        raise Malformed("a parameter that has no name")

    def declare(name: str) -> str:
        return f"{name}=_omitted_" if name in optional else name

    parameters = [declare(name) for name in positional_only]
    parameters += ["/"] if positional_only else []
    parameters += [declare(name) for name in positional]
    parameters += [f"*{more}"] if more else ["*"] if keyword_only else []
    parameters += [declare(name) for name in keyword_only]
    parameters += [f"**{keywords}"] if keywords else []
    values = ", ".join(f"{name!r}: {name}" for name in every)
    code = (
        f"def make(_call_, _omitted_):\n"
        f"    def lent({', '.join(parameters)}):\n"
        f"        return _call_({{{values}}}, {more or '()'}, {keywords or '{}'})\n"
        f"    return lent\n"
    )
    space: dict[str, Any] = {}
    exec(code, {"__builtins__": {}}, space)
    maker: Callable[..., Any] = space["make"]
    return maker
