"""What every proxy stands on: the number of its object over there, and what is known of its class."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..wire.containers import Kind
from .notes import Asks, Notes


def nothing() -> None:
    """Stand for what is not there."""


class Handle:
    """The number of an object over there; the object is let go when this is gone."""

    __slots__ = ("__weakref__", "altered", "answered", "held", "member", "number", "proxy", "text")

    def __init__(self, number: int, text: str = "") -> None:
        self.number = number
        self.proxy: Callable[[], object] = nothing
        """Returns what stands for the object here, or None."""
        self.text = text
        """What an exception says."""
        self.member = False
        """It is a member of an enumeration: which one it is was settled when its class was first seen."""
        self.held: tuple[int, int, list[Any] | None] = (-1, 0, None)
        """How many it holds and which, as the program said when `Conversation.acts` was the first number."""
        self.altered = False
        """The test gave other data to its class than it holds."""
        self.answered = ""
        """The comparison that the program answered with this object instead of yes or no."""

    def used_as_truth(self, notes: Notes) -> None:
        """Note a lie if the test takes this object for true and it is what a comparison answered."""
        if self.answered:
            notes.lie(f"{self.answered} is answered with an object that is neither yes nor no")


@dataclass(slots=True)
class ClassState:
    """What is known of a class of the program."""

    split: Asks
    handle: Handle
    lineage: frozenset[int]
    """Numbers of the class and of those of the program that it inherits from."""
    ancestry: tuple[type, ...]
    """The class and those it inherits from, as far as they are known here."""
    bases: tuple[type, ...]
    methods: frozenset[str]
    """Plain methods of instances: what they are need not be asked."""
    shared_methods: frozenset[str]
    """Class methods and static ones."""
    decides: bool
    """It defines its own equality."""
    hooked: bool
    """Its own metaclass may answer `isinstance`."""
    doc: str | None
    module: str
    data: type | None
    """The data type that its instances are of."""
    container: Kind | None
    """What `data` is, where it can change."""
    fields: tuple[str, ...]
    """Names of its places, of a named tuple."""
    members: dict[str, object] = field(default_factory=dict)
    """Of an enumeration, as they were when the class was first seen."""


class LocalType(abc.ABCMeta):
    """The metaclass of every local class: one that stands for a class of the program.

    ABCMeta so that a test's `class X(prog.Base, ABC)` gets as far as `RemoteType.__new__`.
    """


def state_of(cls: type) -> ClassState:
    """Return what is known of a local class."""
    state: ClassState = type.__getattribute__(cls, "_split_state")
    return state


def split_of(owner: Any) -> Asks:
    """Return the conversation that an object or a class of the program belongs to."""
    return state_of(owner if issubclass(type(owner), LocalType) else type(owner)).split


def handle_of(value: Any) -> Handle | None:
    """Return the handle of whatever stands for an object or class of the program, None for anything else."""
    kind = type(value)
    if isinstance(kind, LocalType):
        try:
            handle: Handle = object.__getattribute__(value, "_split_handle")
        except AttributeError:
            return None
        return handle
    if issubclass(kind, LocalType):
        state = type.__getattribute__(value, "_split_state")
        return None if state is None else state.handle
    return None


def is_value(value: Any) -> bool:
    """Say whether this is an instance of a subclass of data: here it is its data."""
    kind = type(value)
    return isinstance(kind, LocalType) and state_of(kind).data is not None


def decides(value: Any) -> bool:
    """Say whether an object of the program compares in a way of its own."""
    kind = type(value)
    return isinstance(kind, LocalType) and state_of(kind).decides


def ask_special(owner: Any, name: str, *arguments: Any) -> Any:
    """Carry out a special method over there."""
    return split_of(owner).ask("special", [owner, *arguments], [name])


def ask_method(owner: Any, name: str, arguments: Sequence[object], keywords: Mapping[str, object]) -> Any:
    """Call a plain method over there."""
    return split_of(owner).ask("method", [owner, *arguments, *keywords.values()], [name, *keywords])


def doubt(owner: Any, subject: str) -> None:
    """Note that the program decides something of the class of this object: `subject` says what."""
    split_of(owner).notes.doubt(f"{subject} {type(owner).__name__} objects is decided by the program itself")
