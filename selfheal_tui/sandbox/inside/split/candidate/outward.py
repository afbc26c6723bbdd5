"""How the candidate writes what is no plain data: objects by handle, subclasses of data by value, errors by portrait.

    ["object", handle, class]             stays here; `class` is the number of a class that a portrait described
    ["value", handle, class, base]        an instance of a subclass of a data type: what it is as the plain type
    ["class", number]                     a class of the program
    ["name", module, name]                a thing that both sides know: see `names.py`
    ["member", module, class, name]       a member of one of Python's enumerations
    ["module", handle, class, name]       a module; the judge may have a proxy of that name
    ["error", {...}]                      an exception
    ["yours", token]                      what the judge lent, on its way home

A portrait describes a class once, in the first frame that needs it, after those it inherits from.
"""

from __future__ import annotations

import enum
import functools
import importlib
import types
from typing import Any

from ..wire import names, specials
from ..wire.bases import BASES, ERROR_STATE, PLAIN
from ..wire.codec import Json, Reader, Writer
from ..wire.containers import BY_TYPE, Kind, Parts
from ..wire.shared import Uncarried
from .handles import Handles
from .stand_ins import TOKEN, StandIns

_TEXT = 10_000
_CAUSES = 4
_NAMES = 500
_NAME = 200
_BASES = frozenset(BASES.values())


class Outward:
    """The candidate's side of `codec.Other`."""

    def __init__(self, handles: Handles, stand_ins: StandIns) -> None:
        self._handles = handles
        self._stand_ins = stand_ins
        self._described: set[int] = set()
        self._portraits: list[Json] = []
        self._fresh: list[int] = []

    # -- frames

    @property
    def portraits(self) -> list[Json]:
        """Portraits that the frame needs."""
        return self._portraits

    def keep(self) -> None:
        """Note that the frame has been sent."""
        self._described.update(self._fresh)
        self._portraits, self._fresh = [], []
        self._handles.keep()

    def drop(self) -> None:
        """Note that the frame is not sent after all."""
        self._portraits, self._fresh = [], []
        self._handles.drop()

    def forget_portraits(self) -> None:
        """Describe every class again when it is needed: frames were lost."""
        self._described.clear()

    # -- codec.Other

    def read(self, reader: Reader, tag: str, fields: list[Json], depth: int) -> object:
        """Return what the judge wrote in `exports.py`."""
        match tag, fields:
            case "handle", [number]:
                return self._handles.get(number)
            case "attribute", [number, name]:
                return getattr(self._handles.get(number), name)
            case "refilled", [number, form]:
                return reader.container(form, depth, self._handles.get(number))
            case "name", [module, name]:
                return functools.reduce(getattr, name.split("."), importlib.import_module(module))
            case "member", [module, kind, name]:
                return names.look_up_member(module, kind, name)
        return self._stand_ins.read(reader, tag, fields, depth)

    def write(self, writer: Writer, value: object, depth: int) -> Json:
        """Return the form of anything but plain data. Raises: Uncarried."""
        token = self._stand_ins.token(value)
        if token is not None:
            return ["yours", token]
        name = names.name_of(value)
        if name is not None:
            return ["name", *name]
        kind = type(value)
        if issubclass(kind, type):
            return ["class", self._class(writer, value)]  # type: ignore[arg-type]
        if issubclass(kind, BaseException):
            return ["error", self.error(writer, value, depth)]  # type: ignore[arg-type]
        if kind is types.ModuleType:
            return ["module", self._handles.number(value), self._class(writer, kind), str(vars(value).get("__name__"))]
        member = names.member_name(value)
        if member is not None:
            return ["member", *member]
        number = self._class(writer, kind)
        base = _data_base(kind)
        if base is None:
            return ["object", self._handles.number(value), number]
        if base in PLAIN:
            return ["value", self._handles.number(value), number, writer.put(PLAIN[base](value), depth)]
        form = writer.container(value, BY_TYPE[base], depth)
        return form if form[0] == "same" else ["value", self._handles.number(value), number, form]

    def mind(self, kind: Kind, parts: Parts) -> None:
        """Do nothing: the program may hold what it likes."""

    # -- classes

    def _class(self, writer: Writer, kind: type) -> int:
        number = self._handles.number(kind)
        if number not in self._described and number not in self._fresh:
            self._fresh.append(number)
            portrait = self._portrait(writer, kind, number)
            self._portraits.append(portrait)
            if isinstance(kind, enum.EnumMeta):
                portrait["members"] = [[n, writer.put(m, 0)] for n, m in kind._member_map_.items() if type(n) is str]
        return number

    def _portrait(self, writer: Writer, kind: type, number: int) -> dict[str, Json]:
        mro = _mro(kind)
        base = _data_base(kind)
        space = _static_names(mro[: mro.index(base)] if base is not None else mro[:-1])
        module = _module(kind)
        doc = _of(kind, "__dict__").get("__doc__")
        hiding, hidden_type = space, base
        if base is None and issubclass(kind, BaseException):
            hiding = _static_names([one for one in mro if not names.is_stdlib(_module(one))])
            hidden_type = BaseException
        has = [name for name in (*specials.SERVED, "__call__") if space.get(name) is not None]
        if not names.is_stdlib(module) or issubclass(kind, types.CoroutineType | types.AsyncGeneratorType):
            has += [name for name in specials.NOT_CARRIED if space.get(name) is not None]
        if base is not None:
            has += [name for name in specials.ALWAYS if name in space and name != "__hash__"]
        return {
            "number": number,
            "name": _of(kind, "__name__")[:_NAME],
            "qualname": _of(kind, "__qualname__")[:_NAME],
            "module": module,
            "doc": doc[:_TEXT] if type(doc) is str else None,
            "mro": [self._ancestor(writer, one) for one in mro[1:]],
            "bases": [self._ancestor(writer, one) for one in _of(kind, "__bases__")],
            "has": has,
            "hash": "" if "__hash__" not in space else "none" if space["__hash__"] is None else "own",
            "shared methods": _names_of_type(space, classmethod, staticmethod),
            "methods": _names_of_type(space, types.FunctionType) if _reads_plainly(mro) else [],
            "hidden": _names_hidden_by(hiding, hidden_type),
            "fields": [] if base is None else _tuple_fields(kind, space),
            "data": base.__name__ if base is not None else None,
            "is": _traits(kind, space),
        }

    def _ancestor(self, writer: Writer, kind: type) -> Json:
        """Python's own classes are named, the program's are described."""
        name = names.name_of(kind)
        if name is not None:
            return [*name]
        module = _module(kind)
        if names.is_stdlib(module):
            return [module, _of(kind, "__qualname__")[:_NAME]]
        return self._class(writer, kind)

    # -- errors

    def error(self, writer: Writer, error: BaseException, depth: int, causes: int = _CAUSES) -> dict[str, Json]:
        """Return the form of an exception, whatever its class makes of itself. Raises: Uncarried."""
        kind = type(error)
        state = BaseException.__getattribute__(error, "__dict__")
        name = names.name_of(kind)
        lent = self._stand_ins.token(kind)
        form: dict[str, Json] = {"lent": lent} if lent else {"class": [*name] if name else self._class(writer, kind)}
        if type(token := state.get(TOKEN)) is int:
            form["token"] = token
        if name is None and lent is None:
            form["handle"] = self._handles.number(error)
            form["text"] = _text_of(error)
        form["args"] = self._fitting(writer, BaseException.args.__get__(error), depth, (_text_of(error),))  # type: ignore[attr-defined]
        attributes = {name: value for name, value in state.items() if type(name) is str and name != TOKEN}
        for base, slots in ERROR_STATE.items():
            if issubclass(kind, base):
                attributes.update({name: base.__dict__[name].__get__(error) for name in slots})
        if attributes:
            form["state"] = self._fitting(writer, attributes, depth, {})
        if causes:
            for link in ("__cause__", "__context__"):
                linked = BaseException.__dict__[link].__get__(error)
                if linked is not None:
                    form[link] = self.error(writer, linked, depth + 1, causes - 1)
            form["__suppress_context__"] = BaseException.__dict__["__suppress_context__"].__get__(error)
        return form

    def _fitting(self, writer: Writer, value: object, depth: int, instead: object) -> Json:
        try:
            return writer.put(value, depth)
        except Uncarried:
            return writer.put(instead, depth)


def _of(kind: type, name: str) -> Any:
    """Return what a class is, whatever its metaclass says."""
    return type.__dict__[name].__get__(kind)


def _mro(kind: type) -> list[type]:
    return [*_of(kind, "__mro__")]


def _module(kind: type) -> str:
    module = _of(kind, "__dict__").get("__module__")
    return (module if type(module) is str else str(_of(kind, "__module__")))[:_NAME]


def _static_names(classes: list[type]) -> dict[str, Any]:
    """Return what these classes define, the first of each name, in the order of the classes."""
    space: dict[str, Any] = {}
    for one in classes:
        if one is not object:
            for name, value in _of(one, "__dict__").items():
                if type(name) is str:
                    space.setdefault(name, value)
    return space


def _data_base(kind: type) -> type | None:
    """Return the data type that instances of this class are by value."""
    if issubclass(kind, type | BaseException):
        return None
    return next((one for one in _mro(kind) if one in _BASES), None)


def _traits(kind: type, space: dict[str, Any]) -> list[str]:
    """Return what a class is beside its names; `hooked`: its metaclass may answer `isinstance`."""
    meta = type(kind)
    traits = {
        "error": issubclass(kind, BaseException),
        "enum": isinstance(kind, enum.EnumMeta),
        "container": any(hasattr(meta, name) for name in ("__iter__", "__len__", "__getitem__", "__contains__")),
        "generic": "__class_getitem__" in space,
        "hooked": meta.__instancecheck__ is not type.__instancecheck__,
        "decides": "__eq__" in space or "__ne__" in space,
    }
    return [trait for trait, holds in traits.items() if holds]


def _names_hidden_by(space: dict[str, Any], base: type | None) -> list[str]:
    """Return plain names that the class defines anew: without a word of ours the data type's would be found."""
    return [name for name in space if base is not None and not names.is_special(name) and hasattr(base, name)]


def _tuple_fields(kind: type, space: dict[str, Any]) -> list[str]:
    """Return the names of a named tuple's places; empty for anything else."""
    fields = space.get("_fields")
    if not issubclass(kind, tuple) or type(fields) is not tuple:
        return []
    getters = [type(space.get(name)).__name__ for name in fields if type(name) is str]
    return [*fields] if getters == ["_tuplegetter"] * len(fields) else []


def _names_of_type(space: dict[str, Any], *kinds: type) -> list[str]:
    return [name for name, value in space.items() if type(value) in kinds and not names.is_special(name)][:_NAMES]


def _reads_plainly(mro: list[type]) -> bool:
    """Say whether a function that a class defines is a method of its instances."""
    return all("__getattribute__" not in _of(one, "__dict__") or names.name_of(one) for one in mro[:-1])


def _text_of(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception as failed:
        return f"<no text: {type(failed).__name__}>"
    return str.__str__(text)[:_TEXT]
