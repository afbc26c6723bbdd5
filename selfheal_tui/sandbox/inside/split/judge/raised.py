"""Exceptions of the program, made here: of Python's own class where it is one, else of a local class like it.

Nothing of the program runs: an instance gets its arguments, its plain attributes and the text that the candidate sent.
"""

from __future__ import annotations

from typing import Any

from ..wire import names
from ..wire.bases import ERROR_STATE
from ..wire.codec import Json, Reader, text
from ..wire.frames import Malformed
from .exports import Exports
from .handles import LocalType
from .notes import Asks
from .objects import Objects
from .portraits import ENDS_THE_JUDGE, Classes

_CAUSES = 8


class Errors:
    """Makes the exceptions of one conversation."""

    def __init__(self, split: Asks, exports: Exports, objects: Objects, classes: Classes) -> None:
        self._split = split
        self._exports = exports
        self._objects = objects
        self._classes = classes

    def build(self, form: Json, reader: Reader, depth: int, causes: int = 0) -> BaseException:
        """Return the exception of an `error` form; the very one that the test raised, if the program passed it on.

        Raises: Malformed, or what the class raises for what it cannot take.
        """
        if type(form) is not dict or causes > _CAUSES:
            raise Malformed("an exception that is none")
        original = self._exports.error(form.get("token"))
        if original is not None:
            return original
        kind = self._exports.get(form["lent"]) if "lent" in form else form["class"]
        if type(kind) in (int, list):
            kind = self._classes.get(kind) if type(kind) is int else names.look_up(*kind)
        if not issubclass(kind, BaseException):
            raise Malformed("an exception that is none")
        number = form.get("handle")
        handle = None if number is None else self._objects.handle(number, text(form["text"]))
        if handle is not None and isinstance(proxy := handle.proxy(), BaseException):
            return proxy
        arguments = reader.take(form["args"], depth)
        if type(arguments) is not tuple:
            raise Malformed("an exception whose arguments are no tuple")
        if issubclass(kind, ENDS_THE_JUDGE):
            return RuntimeError(f"the program raised {kind.__name__}")
        error = _make(kind, arguments)
        state = reader.take(form.get("state"), depth)
        if state is not None and type(state) is not dict:
            raise Malformed("an exception with a state that is none")
        for name, value in (state or {}).items():
            _set(error, name, value)
        for link in ("__cause__", "__context__"):
            if link in form:
                setattr(error, link, self.build(form[link], reader, depth, causes + 1))
        error.__suppress_context__ = form.get("__suppress_context__") is True
        if handle is not None:
            if len(type(error).__bases__) > 1:
                kinds = " and a ".join(base.__name__ for base in type(error).__bases__)
                self._split.notes.doubt(f"what the program raises is a {kinds} at once")
            error.__dict__["_split_handle"] = handle
            if isinstance(type(error), LocalType):
                self._objects.keep(handle, error)
        return error


def _make(kind: Any, arguments: tuple[object, ...]) -> BaseException:
    if names.name_of(kind):
        try:
            instance: BaseException = kind(*arguments)
            return instance
        except Exception:  # its constructor takes something else than its arguments
            pass
    try:
        error: BaseException = kind.__new__(kind, *arguments)
    except TypeError:
        error = kind.__new__(kind)
    BaseException.args.__set__(error, arguments)  # type: ignore[attr-defined]
    return error


def _set(error: BaseException, name: object, value: Any) -> None:
    if type(name) is not str:
        raise Malformed("an attribute without a name")
    if any(isinstance(error, kind) and name in slots for kind, slots in ERROR_STATE.items()):
        setattr(error, name, value)
    elif name == "__notes__":
        error.__dict__[name] = [note for note in value if type(note) is str] if type(value) is list else []
    elif not names.is_special(name) and not name.startswith("_split_"):
        error.__dict__[name] = value
