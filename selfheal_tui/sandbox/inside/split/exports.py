"""What the test lends to the program: each thing keeps a token here, and only its form crosses.

    ["handle", number]                          an object of the program, on its way home
    ["attribute", number, name]                 a method of one
    ["refilled", number, container]             a subclass of a container, with what it holds now
    ["name", module, name], ["member", ...]     a thing of a library, to be found again over there
    ["function", token, looks, attributes]      a function of the test, to be called back
    ["iterator", token], ["object", token]      an iterator; a bare `object()`
    ["partial", ...], ["getter", ...],          of `functools`, `operator`, `re` and `typing`, made anew over there
    ["pattern", ...], ["item", ...]
    ["error class", ...], ["error", ...]        an exception that the test defines or raises

The other side can call a function, ask an iterator for its next value, and nothing else.
"""

from __future__ import annotations

import functools
import inspect
import io
import opcode
import operator
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import names
from .codec import Json, Writer
from .containers import BY_TYPE
from .notes import NotCarried

_ERRORS_KEPT = 1000
_BOUND = (types.BuiltinFunctionType, types.MethodWrapperType)
_FUNCTIONS = (types.FunctionType, types.MethodType, *_BOUND, operator.methodcaller)
_CACHED = type(functools.lru_cache(len))
_PLAIN = (bool, int, float, str, bytes, type(None))
_NESTED = 5
_ASSERTION = opcode.opmap.get("LOAD_ASSERTION_ERROR") or opcode.opmap["LOAD_COMMON_CONSTANT"]


class Exports:
    """Everything lent and not yet returned."""

    def __init__(self, refuse: Callable[[str], NotCarried], doubt: Callable[[str], None]) -> None:
        """`refuse` notes what the test did and returns the exception to raise; `doubt` only notes."""
        self._refuse = refuse
        self._doubt = doubt
        self._things: dict[int, object] = {}
        self._tokens: dict[object, int] = {}
        self._errors: dict[int, BaseException] = {}
        self._last = 0

    def get(self, token: object) -> Any:
        """Return what was lent under this token. Raises: LookupError, TypeError."""
        return self._things[token]  # type: ignore[index]

    def error(self, token: object) -> BaseException | None:
        """Return the exception that went over under this token, if it is still kept."""
        return self._errors.get(token) if type(token) is int else None

    def drop(self, tokens: Iterable[object]) -> None:
        """The other side has nothing left of these."""
        for token in tokens:
            if type(token) is int and token in self._things:
                # The key goes first, here and the other way round in `_token`: an alarm may strike between the two,
                # and a key without its thing would give the token to the next thing with this `id`.
                self._tokens.pop(_key(self._things[token]), None)
                del self._things[token]

    def forget_errors(self) -> None:
        """A new case begins: what was raised in the last one will not come back."""
        self._errors.clear()

    def write(self, writer: Writer, value: Any, depth: int) -> Json:
        """Return the form of what is neither plain data nor the program's. Raises: NotCarried, Uncarried."""
        kind = type(value)
        name = names.name_of(value)
        if name is None and not isinstance(value, types.MethodType):
            name = names.library_name(value)
        if name is not None and (isinstance(value, type) or callable(value)):
            return ["name", *name]
        if kind is object:
            return ["object", self._token(value)]
        if kind in _FUNCTIONS or kind is _CACHED:
            return self._function(writer, value, depth)
        if isinstance(value, type) and issubclass(value, BaseException):
            return self._error_class(writer, value, depth, passed=True)
        if isinstance(value, BaseException):
            return self.raised(writer, value, depth)
        if isinstance(value, Iterator) and names.is_stdlib(kind.__module__) and not isinstance(value, io.IOBase):
            return ["iterator", self._token(value)]
        made_anew = _recipe(value)
        if made_anew is not None:
            return [made_anew[0], *writer.put_all(made_anew[1:], depth)]
        member = names.member_name(value)
        if member is not None:
            return ["member", *member]
        raise self._refuse(f"passes {_described(value)} to the program")

    def raised(self, writer: Writer, error: BaseException, depth: int) -> Json:
        """Return the form of an exception: its class, and what it says unless that may be an expected value."""
        token = self._draw()
        if len(self._errors) >= _ERRORS_KEPT:
            del self._errors[next(iter(self._errors))]
        self._errors[token] = error
        arguments: tuple[object, ...] = ()
        state: dict[str, object] = {}
        if isinstance(error, Exception) and not isinstance(error, AssertionError):
            arguments = error.args if _is_plain(error.args) else (str(error),)
            state = {name: value for name, value in vars(error).items() if _is_plain(value)}
        kind = self._error_class(writer, type(error), depth)
        return ["error", token, kind, writer.put(arguments, depth), writer.put(state, depth)]

    def _error_class(self, writer: Writer, kind: type[BaseException], depth: int, passed: bool = False) -> Json:
        """`passed`: the program is to make instances itself, so the class must not have code of its own."""
        name = names.name_of(kind) or (names.library_name(kind) if names.is_stdlib(kind.__module__) else None)
        if name is not None:
            return ["name", *name]
        own = {name: value for name, value in vars(kind).items() if not (name.startswith("__") and name.endswith("__"))}
        if passed and (not all(map(_is_plain, own.values())) or "__init__" in vars(kind) or "__new__" in vars(kind)):
            raise self._refuse(f"passes its own class {kind.__qualname__} to the program")
        bases = [
            self._error_class(writer, base, depth, passed) for base in kind.__bases__ if issubclass(base, BaseException)
        ]
        attributes = {name: value for name, value in own.items() if _is_plain(value)}
        return ["error class", self._token(kind), kind.__name__, bases, writer.put(attributes, depth)]

    def _function(self, writer: Writer, function: Any, depth: int) -> Json:
        if isinstance(function, types.BuiltinFunctionType) and isinstance(function.__self__, types.ModuleType | None):
            raise self._refuse(f"passes {_described(function)} to the program")
        if _asserts(getattr(function, "__code__", None)):
            self._doubt(f"whether {function.__qualname__}(), which asserts something, is called is up to the program")
        attributes = None
        if isinstance(function, types.FunctionType) and _is_plain(vars(function)):
            attributes = writer.container(vars(function), BY_TYPE[dict], depth)
        return ["function", self._token(function), _looks(function), attributes]

    def _draw(self) -> int:
        self._last += 1
        return self._last

    def _token(self, thing: object) -> int:
        key = _key(thing)
        if key not in self._tokens:
            token = self._draw()
            self._things[token] = thing
            self._tokens[key] = token
        return self._tokens[key]


def _key(thing: object) -> object:
    """A bound method is made anew whenever it is looked up: what it binds says which one it is."""
    if isinstance(thing, types.MethodType):
        return "method", id(thing.__self__), id(thing.__func__)
    if isinstance(thing, _BOUND):
        return "builtin", id(thing.__self__), thing.__name__
    return id(thing)


def _is_plain(value: object, nested: int = _NESTED) -> bool:
    """Say whether this is data through and through, and not much of it."""
    if isinstance(value, list | tuple | dict) and type(value) in (list, tuple, dict):
        inner: Iterable[object] = [*value, *value.values()] if isinstance(value, dict) else value
        return nested > 0 and all(_is_plain(part, nested - 1) for part in inner)
    return type(value) in _PLAIN


def _asserts(code: object) -> bool:
    """Say whether a function of the test checks something itself: a program need only not call it."""
    if type(code) is not types.CodeType:
        return False
    by_name = any(name.startswith("assert") or name == "AssertionError" for name in code.co_names)
    return by_name or _ASSERTION in code.co_code[::2]


def _looks(function: Any) -> dict[str, Json]:
    """Return names and parameters of a function; one that tells nothing about them takes anything."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    looks: dict[str, Json] = {
        name: value if type(value := getattr(function, name, None)) is str else None
        for name in ("__name__", "__qualname__", "__module__", "__doc__")
    }
    looks["__name__"] = looks["__name__"] or "function"
    looks["__qualname__"] = looks["__qualname__"] or looks["__name__"]
    if type(code) is not types.CodeType:
        return looks | dict.fromkeys(_PARAMETERS, ()) | {"more": "arguments", "keywords": "keywords"}
    plain = getattr(function, "__func__", function)
    count = code.co_argcount
    named = code.co_varnames
    positional, keyword_only = list(named[:count]), list(named[count : count + code.co_kwonlyargcount])
    optional = positional[count - len(plain.__defaults__ or ()) :] + list(plain.__kwdefaults__ or {})
    rest = list(named[count + len(keyword_only) :])
    bound = 1 if plain is not function and positional else 0
    only = max(0, code.co_posonlyargcount - bound)
    positional = positional[bound:]
    return looks | {
        "positional_only": positional[:only],
        "positional": positional[only:],
        "keyword_only": keyword_only,
        "optional": optional,
        "more": rest.pop(0) if code.co_flags & inspect.CO_VARARGS else None,
        "keywords": rest.pop(0) if code.co_flags & inspect.CO_VARKEYWORDS else None,
    }


_PARAMETERS = ("positional_only", "positional", "keyword_only", "optional")


def _recipe(value: Any) -> tuple[Any, ...] | None:
    """Return a tag and what the value can be made of over there; None when there is no such tag."""
    kind = type(value)
    if kind is functools.partial:
        return "partial", value.func, value.args, value.keywords
    if kind in (operator.itemgetter, operator.attrgetter):
        return "getter", kind.__name__, value.__reduce__()[1]
    if kind is re.Pattern:
        return "pattern", value.pattern, value.flags
    if kind is types.GenericAlias:
        return "item", value.__origin__, value.__args__
    if kind is types.UnionType:
        return "item", typing.Union, value.__args__
    if kind.__module__ == "typing":
        name = getattr(value, "_name", None)
        if type(name) is str and getattr(typing, name, None) is value:
            return "name", "typing", name
        made = value.__reduce__()
        if type(made) is tuple and made[0] is operator.getitem:
            return "item", *made[1]
    return None


def _described(value: object) -> str:
    if isinstance(value, types.ModuleType):
        return f"the module {value.__name__}"
    if isinstance(value, io.IOBase):
        return "an open file"
    if isinstance(value, type):
        return f"its own class {value.__qualname__}"
    if isinstance(value, types.CoroutineType):
        return "a coroutine"
    return f"an object of type {type(value).__qualname__}"
