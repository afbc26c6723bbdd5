"""Exceptions of the program, made here: of Python's own class where it is one, else of a local class like it.

Nothing of the program runs: an instance gets its arguments, its plain attributes and the text that the candidate sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import names
from .askers import is_special
from .bases import ERROR_STATE
from .codec import Json, Reader, array, text
from .portraits import ENDS_THE_JUDGE
from .remote import RemoteType
from .wire import Malformed

if TYPE_CHECKING:
    from .inward import Inward

_FRAMES = "__program_frames__"
_CAUSES = 8


def build(inward: Inward, form: Json, reader: Reader, depth: int, causes: int = 0) -> BaseException:
    """Return the exception of an `error` form; the very one that the test raised, if the program passed it on.

    Raises: Malformed, or what the class raises for what it cannot take.
    """
    if type(form) is not dict or causes > _CAUSES:
        raise Malformed("an exception that is none")
    original = inward.exports.error(form.get("token"))
    if original is not None:
        return original
    kind = inward.exports.get(form["lent"]) if "lent" in form else form["class"]
    if type(kind) in (int, list):
        kind = inward.classes.get(kind) if type(kind) is int else names.known(*kind)
    if not issubclass(kind, BaseException):
        raise Malformed("an exception that is none")
    number = form.get("handle")
    handle = None if number is None else inward.handle(number, text(form["text"]))
    if handle is not None and isinstance(known := handle.proxy(), BaseException):
        return known
    arguments = reader.take(form["args"], depth)
    if type(arguments) is not tuple:
        raise Malformed("an exception whose arguments are no tuple")
    if issubclass(kind, ENDS_THE_JUDGE):
        return RuntimeError(f"the program raised {kind.__name__}")
    error = _make(kind, arguments)
    for name, value in _items(reader.take(form.get("state", None), depth)):
        _set(error, name, value)
    for link in ("__cause__", "__context__"):
        if link in form:
            setattr(error, link, build(inward, form[link], reader, depth, causes + 1))
    error.__suppress_context__ = form.get("__suppress_context__") is True
    error.__dict__[_FRAMES] = [_frame(one) for one in array(form.get("frames", []))]
    if handle is not None:
        inward.mind_error(error)
        error.__dict__["_split_handle"] = handle
        if isinstance(type(error), RemoteType):
            inward.keep(handle, error)
    return error


def frames_of(error: BaseException) -> list[tuple[str, int, str]]:
    """Return file, line and function of the program's frames, outermost first; as the candidate says, so no proof."""
    frames: list[tuple[str, int, str]] = vars(error).get(_FRAMES, [])
    return frames


def _make(kind: Any, arguments: tuple[object, ...]) -> BaseException:
    if names.name_of(kind):
        try:
            made: BaseException = kind(*arguments)
            return made
        except Exception:  # its constructor takes something else than its arguments
            pass
    try:
        error: BaseException = kind.__new__(kind, *arguments)
    except TypeError:
        error = kind.__new__(kind)
    BaseException.args.__set__(error, arguments)  # type: ignore[attr-defined]
    return error


def _items(state: object) -> list[tuple[Any, Any]]:
    if state is None:
        return []
    if type(state) is not dict:
        raise Malformed("an exception with a state that is none")
    return [*state.items()]


def _set(error: BaseException, name: object, value: Any) -> None:
    if type(name) is not str:
        raise Malformed("an attribute without a name")
    if any(isinstance(error, kind) and name in slots for kind, slots in ERROR_STATE.items()):
        setattr(error, name, value)
    elif name == "__notes__":
        error.__dict__[name] = [note for note in value if type(note) is str] if type(value) is list else []
    elif not is_special(name) and not name.startswith("_split_"):
        error.__dict__[name] = value


def _frame(form: Json) -> tuple[str, int, str]:
    file, line, function = array(form)
    if type(line) is not int:
        raise Malformed("a frame without a line")
    return text(file)[:200], line, text(function)[:200]
