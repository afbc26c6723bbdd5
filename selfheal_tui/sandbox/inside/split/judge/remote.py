"""Local classes for the classes of the program, and what their instances do: ask the other process.

A class of the program is one class here, made from its portrait; `type(x) is prog.K` and `isinstance` hold as they do
over there. Three families: `Remote` for objects that stay in the candidate, `RemoteValue` for subclasses of data types
(here an instance of the data type, with what it cannot do itself asked over there), `RemoteError` for exceptions.

Attributes with plain names always mean the program's. Special names that a library asks for (pytest, copy, inspect) are
answered from here, so that nothing but the test itself reaches the program.
"""

from __future__ import annotations

import abc
import enum
import types
from typing import Any, NoReturn

from ..wire import names, specials
from . import equality, signatures
from .askers import INSPECTORS, asker, for_the_test, is_probe
from .handles import ClassState, LocalType, ask_method, ask_special, handle_of, is_value, nothing, split_of, state_of
from .notes import Asks, with_article

_ASKED_ANYWAY = ("__name__", "__qualname__", "__doc__", "__module__")
_LOCAL_OF_CLASS = frozenset(dir(type)) - {
    *("__abstractmethods__", "__annotations__", "__dict__", "__init__", "__subclasses__", "__text_signature__", "mro"),
}
_PATCHERS = ("_pytest.monkeypatch", "unittest.mock")
"""They save the attributes of a class that they replace."""
_SERVED_TO_LIBRARIES = ("__signature__", "__dataclass_fields__")
_WORDS = frozenset((*specials.OPERATORS, *specials.COMPARISONS, *specials.DECISIONS))
_INSPECTED = ("__code__", "__globals__", "__closure__", "__defaults__", "__annotations__", "__no_type_check__")


class RemoteType(LocalType):
    """The metaclass of every local class."""

    @classmethod
    def __prepare__(mcls, name: str, bases: tuple[type, ...], /, **_: Any) -> dict[str, object]:
        return {}

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **_: object) -> NoReturn:
        state = next(state_of(base) for base in bases if isinstance(base, RemoteType))
        raise state.split.notes.limit(f"defines {name}, a subclass of a class of the program")

    def __call__(cls, *arguments: Any, **keywords: Any) -> Any:
        return state_of(cls).split.call(cls, arguments, keywords)

    def __getattribute__(cls, name: str) -> Any:
        state: ClassState | None = type.__getattribute__(cls, "_split_state")
        if state is None or name.startswith(("_split_", "_abc_")):
            return type.__getattribute__(cls, name)
        if names.is_special(name):
            return _special_of_class(cls, state, name)
        if name in state.members:
            return state.members[name]
        if is_probe(name) and asker():
            raise AttributeError(name)
        value: Any = RemoteMethod(cls, name) if name in state.shared_methods else state.split.get(cls, name)
        mind_name(state.split, "a class", name, value)
        return value

    def __setattr__(cls, name: str, value: object) -> None:
        state_of(cls).split.set(cls, name, value)

    def __delattr__(cls, name: str) -> None:
        state_of(cls).split.delete(cls, name)

    def __instancecheck__(cls, instance: object) -> bool:
        return _belongs(cls, type(instance), "isinstance", instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return _belongs(cls, subclass, "issubclass", subclass)

    def __dir__(cls) -> Any:
        return ask_special(cls, "__dir__")


class RemoteContainerType(RemoteType):
    """The metaclass for classes that are containers themselves: enumerations."""

    def __iter__(cls) -> Any:
        _mind_container(cls)
        return ask_special(cls, "__iter__")

    def __reversed__(cls) -> Any:
        _mind_container(cls)
        return ask_special(cls, "__reversed__")

    def __len__(cls) -> Any:
        length = ask_special(cls, "__len__")
        _mind_container(cls, length)
        return length

    def __bool__(cls) -> bool:
        return True

    def __getitem__(cls, key: object) -> Any:
        members = state_of(cls).members
        return members[key] if type(key) is str and key in members else ask_special(cls, "__getitem__", key)

    def __contains__(cls, value: object) -> Any:
        if any(value is member for member in state_of(cls).members.values()):
            return True
        _mind_container(cls, -1)
        return ask_special(cls, "__contains__", value)


def _mind_container(cls: type, length: int | None = None) -> None:
    """Note it unless what is in the class was settled when it was first seen; `length` is what it says of it now."""
    members = {id(member) for member in state_of(cls).members.values()}
    if not members or (length is not None and length != len(members)):
        split_of(cls).notes.doubt(f"what is in the class {cls.__name__} is decided by the program itself")


class RemoteEnumType(RemoteContainerType, enum.EnumMeta):  # type: ignore[misc]
    """The metaclass for enumerations: `isinstance(member, Enum)` holds."""


def _belongs(cls: type, kind: type, operation: str, value: object) -> bool:
    """Say whether a local class inherits over there from what `cls` stands for.

    A class with a metaclass of its own is asked about `value`, an instance or the class itself.
    """
    state: ClassState | None = type.__getattribute__(cls, "_split_state")
    if state is None:
        return False
    if issubclass(type(kind), RemoteType):
        heir: ClassState | None = type.__getattribute__(kind, "_split_state")
        if heir is not None and state.handle.number in heir.lineage:
            return True
    if not state.hooked or not state.split.crosses(value):
        return False
    state.split.notes.doubt(f"what belongs to the class {cls.__name__} is decided by the program itself")
    return state.split.ask(operation, [value, cls]) is True


def _special_of_class(cls: type, state: ClassState, name: str) -> Any:
    if name == "__mro__":
        return state.ancestry
    if name == "__bases__":
        return state.bases
    if name == "__doc__":
        return state.doc
    if name == "__module__":
        return state.module
    if name in _LOCAL_OF_CLASS:
        return type.__getattribute__(cls, name)
    library = asker(3)
    if name == "__dict__" and library in ("", *_PATCHERS):
        return state.split.ask("vars", [cls])
    if library and name not in _SERVED_TO_LIBRARIES:
        return type.__getattribute__(cls, name)
    return _special_attribute(cls, state, name, library)


def _special_attribute(owner: Any, state: ClassState, name: str, library: str) -> Any:
    if library:
        if name in _INSPECTED and library in INSPECTORS and library != "functools" and for_the_test():
            raise state.split.notes.limit(f"looks into what the program made with the module {library}")
        if name == "__code__" and library in INSPECTORS:
            return nothing.__code__  # pytest and its plugins look at what they take for a test, an imported one too
        if name == "__dict__" and not names.is_stdlib(library):
            return {}
        if name not in _SERVED_TO_LIBRARIES or not names.is_stdlib(library):
            raise AttributeError(name)
        read = signatures.signature if name == "__signature__" else signatures.fields
        return read(state.split, owner)
    if name in _WORDS:
        state.split.notes.doubt(f"what {name} says is decided by the program itself")
    return state.split.get(owner, name)


# -- instances


def special(name: str) -> Any:
    """Return a method that carries out a special one over there."""

    def method(self: Any, *arguments: Any) -> Any:
        return ask_special(self, name, *arguments)

    method.__name__ = name
    return method


def comparison(name: str) -> Any:
    """Return a method that compares in the way of `equality.py`."""
    return lambda self, other: equality.compare(self, name, other)


def text_method(name: str) -> Any:
    """Return a method that gives a plain text."""

    def method(self: Any, *arguments: Any) -> str:
        text = ask_special(self, name, *arguments)
        if not isinstance(text, str):
            raise TypeError(f"{name} returned no text")
        return str.__str__(text)

    return method


class Proxy:
    """An instance of a local class: plain attributes are the program's."""

    __slots__ = ()
    _split_state = None

    def __getattr__(self, name: str) -> Any:
        return get(self, name, asker())

    def __setattr__(self, name: str, value: object) -> None:
        split_of(self).set(self, name, value)

    def __delattr__(self, name: str) -> None:
        split_of(self).delete(self, name)

    __dir__ = special("__dir__")
    __copy__ = special("__copy__")

    def __deepcopy__(self, _: object) -> Any:
        return ask_special(self, "__deepcopy__")

    def __reduce_ex__(self, _: object = None) -> NoReturn:
        raise split_of(self).notes.limit("pickles an object of the program")

    __reduce__ = __reduce_ex__


class Remote(Proxy, metaclass=abc.ABCMeta):  # isinstance asks its metaclass
    """An object that stays in the candidate."""

    __slots__ = ("__weakref__", "_split_handle")

    __eq__ = comparison("__eq__")
    __ne__ = comparison("__ne__")
    __hash__ = object.__hash__
    __repr__ = text_method("__repr__")
    __str__ = text_method("__str__")
    __format__ = text_method("__format__")

    def __bool__(self) -> bool:
        handle_of(self).used_as_truth(split_of(self).notes)  # type: ignore[union-attr]
        return True


class RemoteValue(Proxy):
    """Added to a data type: an instance of a subclass that the program made.

    Attributes beyond the type's are the program's; `by_value.py` has the methods that the subclass defines.
    """

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        return split_of(self).ask("vars", [self])


class RemoteMethod:
    """A method of an object or class of the program, bound: the one that has this name, until another one is set."""

    __slots__ = ("__self__", "__weakref__", "_split_name", "_split_settled")

    def __init__(self, owner: Any, name: str) -> None:
        self.__self__ = owner
        self._split_name = name
        self._split_settled: Any = None
        split_of(owner).methods[id(self)] = self

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if self._split_settled is not None:
            return self._split_settled(*arguments, **keywords)
        return ask_method(self.__self__, self._split_name, arguments, keywords)

    def __getattr__(self, name: str) -> Any:
        bound = self.settle()
        return getattr(bound, name) if handle_of(bound) is None else get(bound, name, asker())

    def settle(self) -> Any:
        """Look the method up now and keep it, whatever is set under its name later; return it."""
        if self._split_settled is None:
            self._split_settled = split_of(self.__self__).get(self.__self__, self._split_name)
        return self._split_settled

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return types.MethodType

    @property
    def __name__(self) -> str:
        return self._split_name

    @property
    def __doc__(self) -> Any:  # type: ignore[override]
        return split_of(self.__self__).get(self.settle(), "__doc__")

    @property
    def __func__(self) -> Any:
        return split_of(self.__self__).get(self.settle(), "__func__")

    def __eq__(self, other: object) -> bool:
        return type(other) is RemoteMethod and other.__self__ is self.__self__ and other._split_name == self._split_name

    def __hash__(self) -> int:
        return hash((id(self.__self__), self._split_name))

    def __repr__(self) -> str:
        return f"<method {self._split_name} of {self.__self__!r}>"


# -- what all of them use


def get(owner: Any, name: str, library: str) -> Any:
    """Return an attribute of an instance for whom `askers.asker` names. Raises: AttributeError, NotCarried."""
    state = state_of(type(owner))
    if name.startswith("_split_") or (library and is_probe(name)):
        raise AttributeError(name)
    if names.is_special(name) and name not in _ASKED_ANYWAY:
        return _special_attribute(owner, state, name, library)
    bound = name in state.methods or name in state.shared_methods
    value: Any = RemoteMethod(owner, name) if bound else state.split.get(owner, name)
    mind_name(state.split, f"{with_article(type(owner).__name__)} object", name, value)
    return value


def mind_name(split: Asks, owner: str, name: object, value: object) -> None:
    """Note it if an attribute is a method of the program's that passes for one of data."""
    if name not in specials.GUESSED or is_value(value):
        return
    if type(value) is RemoteMethod or handle_of(value) is not None:
        split.notes.doubt(
            f"{name}() of {owner} is a method of the program, and Python's own data has one of that name; "
            "nothing is wrong if the test means the program's"
        )
