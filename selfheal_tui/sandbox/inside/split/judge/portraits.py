"""Local classes from portraits: what the candidate says of a class becomes a class here, if it can be one.

A portrait is checked field by field. Names that it brings become attributes of the local class only where they are
plain, special methods only where `specials.py` lists them, and ancestors only where `names.py` knows them.
"""

from __future__ import annotations

import collections.abc
import enum
import numbers
import types
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from ..wire import names, specials
from ..wire.bases import BASES
from ..wire.codec import Json, Reader, array, text, texts
from ..wire.containers import BY_TYPE
from ..wire.frames import Malformed
from . import by_value, remote, word
from .askers import asker
from .handles import ClassState, Handle, ask_special, handle_of, split_of, state_of
from .notes import Asks
from .remote import Remote, RemoteContainerType, RemoteEnumType, RemoteType, RemoteValue

CLASSES = 10_000
"""Classes of the program that can be known; what was once described stays."""
_NAME_LENGTH = 200


def _by_name(*classes: Any) -> dict[names.Name, Any]:
    return {(one.__module__, one.__qualname__): one for one in classes if isinstance(one, type)}


_ABSTRACT = _by_name(*(vars(module)[name] for module in (collections.abc, numbers) for name in module.__all__))
_ENUMERATIONS = _by_name(enum.Enum, enum.IntEnum, enum.StrEnum, enum.Flag, enum.IntFlag)
_FACES = _by_name(
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType),
    *(types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType),
)
"""What `x.__class__` says, so that `isinstance` agrees with Python's own types."""
_COROUTINE_METHODS = ("send", "throw", "close", "asend", "athrow", "aclose")
ENDS_THE_JUDGE = (KeyboardInterrupt, GeneratorExit)


class Classes:
    """The local classes of one conversation, by number."""

    def __init__(self, split: Asks) -> None:
        self._split = split
        self._classes: dict[int, type] = {}

    def get(self, number: object) -> type:
        """Return a class that was described. Raises: Malformed."""
        if type(number) is not int or number not in self._classes:
            raise Malformed("a class that nobody has described")
        return self._classes[number]

    def learn(self, portraits: Json, reader: Reader) -> None:
        """Make the classes of a frame. Raises: Malformed."""
        try:
            for portrait in array(portraits):
                self._learn_one(portrait, reader)
        except Malformed:
            raise
        except (TypeError, ValueError, LookupError, AttributeError, RecursionError, MemoryError) as error:
            raise Malformed(f"a class that cannot be: {type(error).__name__}") from None

    def _learn_one(self, portrait: dict[str, Json], reader: Reader) -> None:
        number = portrait["number"]
        if type(number) is not int or number < 1 or len(self._classes) >= CLASSES:
            raise Malformed("a class without a number, or one too many")
        if number in self._classes:
            return
        name = text(portrait["module"]), text(portrait["qualname"])
        own = names.look_up_error(*name) if "error" in portrait["is"] else None
        if own is not None:
            self._classes[number] = own
            return
        local = self._classes[number] = self._make(portrait, number)
        members = {text(name): reader.take(form, 0) for name, form in array(portrait.get("members", []))}
        state_of(local).members.update(members)
        for member in members.values():
            handle = handle_of(member)
            if handle is not None:
                handle.member = True
                handle.proxy = partial(_identity, member)

    def _make(self, portrait: dict[str, Json], number: int) -> Any:
        name = text(portrait["name"])
        is_ = frozenset(texts(portrait["is"]))
        mro = [self._ancestor(one) for one in array(portrait["mro"])]
        data = None if portrait["data"] is None else BASES[text(portrait["data"])]
        if len(name) > _NAME_LENGTH or ("error" in is_ and data is not None):
            raise Malformed("a class with too long a name, or an exception that is data")
        namespace = self._namespace(portrait, is_, data)
        if "error" in is_:
            bases = _error_bases(mro)
        elif data is not None:
            bases = (RemoteValue, data)
        else:
            bases = (Remote,)
            namespace["__slots__"] = ()
        meta: Any
        if "enum" in is_:
            family: Any = next((one for one in mro if one in _ENUMERATIONS.values()), enum.Enum)
            bases, meta = (*(one for one in bases if one is not data), family), RemoteEnumType
            if data is not None and not issubclass(family, data):
                bases = (RemoteValue, data, family)
        else:
            meta = RemoteContainerType if "container" in is_ else RemoteType
        local: Any = type.__new__(meta, name, bases, namespace)
        for one in map(_name_of_ancestor, array(portrait["mro"])):
            if one in _ABSTRACT:
                _ABSTRACT[one].register(local)
        state = ClassState(
            split=self._split,
            handle=Handle(number),
            lineage=frozenset([number, *(one for one in portrait["mro"] if type(one) is int)]),
            ancestry=(local, *(one for one in mro if one is not None)),
            bases=tuple(base for base in map(self._ancestor, array(portrait["bases"])) if base is not None),
            methods=frozenset(texts(portrait["methods"])),
            shared_methods=frozenset(texts(portrait["shared methods"])),
            decides="decides" in is_,
            hooked="hooked" in is_,
            doc=None if portrait["doc"] is None else text(portrait["doc"]),
            module=text(portrait["module"]),
            data=data,
            container=None if data is None else BY_TYPE.get(data),
            fields=tuple(texts(portrait["fields"])),
        )
        type.__setattr__(local, "_split_state", state)
        return local

    def _namespace(self, portrait: dict[str, Json], is_: frozenset[str], data: type | None) -> dict[str, Any]:
        module, qualname = text(portrait["module"]), text(portrait["qualname"])
        doc = portrait["doc"]
        space: dict[str, Any] = {"_split_state": None, "__module__": module, "__qualname__": qualname, "__doc__": doc}
        has = frozenset(texts(portrait["has"]))
        if "__len__" in has:
            has |= {"__bool__"}
        space.update({name: _METHODS[name] for name in has})
        if data is None:
            space.update(word.counted(has, texts(portrait["methods"])))
        if "__call__" in has:
            space.update({name: _routed(name) for name in ("__doc__", "__module__")})
        if (module, qualname) in _FACES:
            face = _FACES[module, qualname]
            space["__class__"] = property(lambda _: face)
            if "__await__" in has or "__aiter__" in has:
                space.update({name: _METHODS["__await__"] for name in _COROUTINE_METHODS})
        if "generic" in is_:
            space["__class_getitem__"] = classmethod(remote.special("__getitem__"))
        hidden = texts(portrait["hidden"]) + (["name", "value"] if "enum" in is_ else [])
        space.update({name: _routed(name) for name in map(_plain_name, hidden)})
        if data is not None:
            space.update(by_value.checked(data, has, hidden))
        for place, name in enumerate(map(_plain_name, texts(portrait["fields"]))):
            space[name] = _field(place)
        if "error" in is_:
            space["__str__"] = _error_text
            space["__getattr__"] = Remote.__getattr__
        elif data is not None and ("decides" in is_ or "enum" not in is_):
            space.update({name: _compare_value(data, name, "decides" in is_) for name in ("__eq__", "__ne__")})
            space["__hash__"] = data.__hash__
        if portrait["hash"] == "none":
            space["__hash__"] = None
        elif portrait["hash"] == "own" and ("enum" not in is_ or "decides" in is_):
            space["__hash__"] = _METHODS["__hash__"]
        return space

    def _ancestor(self, form: Json) -> type | None:
        """Return the class that a portrait names as an ancestor; None for one that means nothing here."""
        if type(form) is int:
            return self.get(form)
        name = _name_of_ancestor(form)
        own = _ABSTRACT.get(name) or _ENUMERATIONS.get(name) or names.look_up_error(*name)
        return own or (names.look_up(*name) if names.is_known_type(*name) else None)


def _identity(member: object) -> object:
    return member


def _name_of_ancestor(form: Json) -> names.Name:
    if type(form) is int:
        return "", ""
    module, qualname = texts(form)
    return module, qualname


def _plain_name(name: str) -> str:
    if names.is_special(name) or name.startswith("_split_"):
        raise Malformed("a plain attribute with a special name")
    return name


def _error_bases(mro: list[type | None]) -> tuple[type, ...]:
    """Return the exception classes nearest to a class: those of its ancestors that no other one covers."""
    chosen: list[type] = []
    for one in mro:
        if one is None or not issubclass(one, BaseException):
            continue
        # What would end the judge's own run is an ordinary error of the program.
        safe = RuntimeError if issubclass(one, ENDS_THE_JUDGE) else one
        if not any(issubclass(other, safe) for other in chosen):
            chosen.append(safe)
    return tuple(chosen) or (Exception,)


# -- what local classes consist of


def _refusal(name: str) -> Callable[..., NoReturn]:
    def method(self: Any, *_: Any, **__: Any) -> NoReturn:
        raise split_of(self).notes.limit(specials.NOT_CARRIED[name])

    return method


def _error_text(self: Any) -> str:
    handle = handle_of(self)
    return BaseException.__str__(self) if handle is None else handle.text


def _routed(name: str) -> property:
    return property(lambda self: remote.get(self, name, asker()))


def _field(place: int) -> property:
    return property(lambda self: tuple.__getitem__(self, place))


def _compare_value(data: Any, name: str, decides: bool) -> Callable[[Any, object], Any]:
    if decides:
        return lambda self, other: by_value.compare_value(self, name, other, data.__eq__(self, other))
    return lambda self, other: by_value.compare_plain(self, other, getattr(data, name)(self, other))


_METHODS: dict[str, Callable[..., Any]] = {
    **{name: remote.special(name) for name in (*specials.SERVED, *specials.ALWAYS)},
    **{name: word.operation(name) for name in specials.OPERATORS},
    **{name: word.decision(name) for name in ("__bool__", "__contains__")},
    **{name: remote.comparison(name) for name in specials.ORDERINGS},
    **{name: remote.text_method(name) for name in ("__repr__", "__str__", "__format__")},
    **{name: _refusal(name) for name in specials.NOT_CARRIED},
    "__call__": lambda self, *arguments, **keywords: split_of(self).call(self, arguments, keywords),
    "__exit__": word.leave,
    "__deepcopy__": lambda self, _: ask_special(self, "__deepcopy__"),
}
