"""What the test holds of the program: `Remote` for objects that stay over there, `RemoteValue` for subclasses of data.

Everything they are asked is asked over there. Special methods that only some classes have are added where the local
class is made: see `portraits.py`.
"""

from __future__ import annotations

import abc
import types
from typing import Any, NoReturn

from . import equality
from .askers import asker, is_probe, is_special
from .classes import ask_special, get, handle_of, split_of


class Remote(metaclass=abc.ABCMeta):  # noqa: B024 - a class with `RemoteType` needs a base with its own base
    """An object that stays in the candidate."""

    __slots__ = ("__weakref__", "_split_handle")
    _split_state = None

    def __getattr__(self, name: str) -> Any:
        return get(self, name, asker())

    def __setattr__(self, name: str, value: object) -> None:
        split_of(self).set(self, name, value)

    def __delattr__(self, name: str) -> None:
        split_of(self).delete(self, name)

    def __eq__(self, other: object) -> Any:
        return equality.compare(self, "__eq__", other)

    def __ne__(self, other: object) -> Any:
        return equality.compare(self, "__ne__", other)

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __repr__(self) -> str:
        return text_of(self, "__repr__")

    def __str__(self) -> str:
        return text_of(self, "__str__")

    def __format__(self, form: str) -> str:
        return text_of(self, "__format__", form)

    def __dir__(self) -> Any:
        return ask_special(self, "__dir__")

    def __copy__(self) -> Any:
        return ask_special(self, "__copy__")

    def __deepcopy__(self, _: object) -> Any:
        return ask_special(self, "__deepcopy__")

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise split_of(self).notes.limit("pickles an object of the program")

    def __reduce__(self) -> NoReturn:
        raise split_of(self).notes.limit("pickles an object of the program")


class RemoteValue:
    """Added to a data type: an instance of a subclass that the program made. Plain attributes beyond the type's are
    the program's, and so is every special method that the subclass defines, but for the ones that compare."""

    _split_state = None

    def __getattr__(self, name: str) -> Any:
        return get(self, name, asker())

    def __setattr__(self, name: str, value: object) -> None:
        split_of(self).set(self, name, value)

    def __delattr__(self, name: str) -> None:
        split_of(self).delete(self, name)

    def __dir__(self) -> Any:
        return ask_special(self, "__dir__")

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        return split_of(self).ask("vars", [self])

    def __copy__(self) -> Any:
        return ask_special(self, "__copy__")

    def __deepcopy__(self, _: object) -> Any:
        return ask_special(self, "__deepcopy__")

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise split_of(self).notes.limit("pickles an object of the program")


class RemoteMethod:
    """A method of an object or class of the program, bound: the one that has this name, until another one is set."""

    __slots__ = ("__self__", "__weakref__", "_split_name", "_split_settled")

    def __init__(self, owner: Any, name: str) -> None:
        self.__self__ = owner
        self._split_name = name
        self._split_settled: Any = None

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        owner = self.__self__
        if self._split_settled is not None:
            return self._split_settled(*arguments, **keywords)
        return split_of(owner).ask("method", [owner, *arguments, *keywords.values()], [self._split_name, *keywords])

    def __getattr__(self, name: str) -> Any:
        if asker() and (is_special(name) or is_probe(name)):
            raise AttributeError(name)
        bound = self.settle()
        return getattr(bound, name) if handle_of(bound) is None else get(bound, name, asker())

    def settle(self) -> Any:
        """From now on this is the method that has the name now; return it."""
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


def text_of(owner: Any, name: str, *arguments: Any) -> str:
    """As `ask_special`, for those that give a text, and a plain one."""
    said = ask_special(owner, name, *arguments)
    if not isinstance(said, str):
        raise TypeError(f"{name} returned no text")
    return str.__str__(said)
