"""The judge's side: `Split` stands before the tests, its modules are the program's, and it keeps the notes."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary

from . import by_value, codec, names, raised, remote
from .conversation import Conversation
from .exports import Exports
from .importer import Finder, RemoteModule, vars_of
from .inward import Inward
from .notes import NotCarried, Notes, ProgramFault
from .remote import Handle, RemoteMethod

__all__ = ["NotCarried", "ProgramFault", "Split"]


class Split:
    """The program's modules, for tests that run in this process; the program runs at the other end of a socket.

    `candidate.serve` is what has to run there.
    """

    def __init__(self, fd: int, modules: Collection[str]) -> None:
        """`modules`: dotted names of the program's modules and packages; the socket stays the caller's."""
        self._exports = Exports(self._refuse, self._doubt)
        self._inward = Inward(self, self._exports, modules)
        self._conversation = Conversation(fd, self._inward)
        self._finder = Finder(self, modules)
        self.methods: WeakValueDictionary[int, RemoteMethod] = WeakValueDictionary()
        """Methods that were looked up and are still held, by identity."""

    # -- for whoever runs the tests

    def install(self) -> None:
        """From now on imports of the program's modules give proxies."""
        self._finder.install()

    def begin_case(self) -> None:
        """Forget what was noted so far."""
        self._conversation.begin_case()
        self._exports.forget_errors()

    def mind_test(self, function: object) -> None:
        """Note it if a test is not the test's own: the program may have been asked to decorate it."""
        inner = getattr(function, "__func__", function)
        if isinstance(inner, RemoteMethod) or remote.handle_of(inner) is not None:
            self.notes.doubt("the test itself is a function that the program made")

    @property
    def limits(self) -> list[str]:
        """What the test did that cannot be carried: with one of these neither a pass nor a failure says anything."""
        return [*self.notes.limits]

    @property
    def doubts(self) -> list[str]:
        """Why a pass is no proof."""
        return [*self.notes.doubts]

    @property
    def lies(self) -> list[str]:
        """What the program was caught at."""
        return [*self.notes.lies]

    @property
    def faults(self) -> list[str]:
        """What every `ProgramFault` said, also where the test swallowed it."""
        return [*self.notes.faults]

    def trace_of(self, error: BaseException) -> list[tuple[str, int, str]]:
        """Return file, line and function of the program's frames, outermost first, as the program's process says."""
        return raised.frames_of(error)

    # -- for the proxies

    def _refuse(self, what: str) -> NotCarried:
        return self.notes.limit(what)

    def _doubt(self, why: str) -> None:
        self.notes.doubt(why)

    @property
    def notes(self) -> Notes:
        """Notes of the case that runs."""
        return self._conversation.notes

    @property
    def acts(self) -> int:
        """How often the program was asked for more than to tell something."""
        return self._conversation.acts

    def ask(self, operation: str, values: Sequence[object], words: Sequence[str] = ()) -> Any:
        """See `Conversation.ask`."""
        return self._conversation.ask(operation, values, words)

    def get(self, owner: object, name: str) -> Any:
        """Return an attribute of an object of the program."""
        return self.ask("get", [owner], [name])

    def set(self, owner: object, name: str, value: object) -> None:
        """Set an attribute of an object of the program."""
        self._settle(name)
        self.ask("set", [owner, value], [name])

    def delete(self, owner: object, name: str) -> None:
        """Delete an attribute of an object of the program."""
        self._settle(name)
        self.ask("delete", [owner], [name])

    def _settle(self, name: str) -> None:
        for method in [one for one in self.methods.values() if one.__name__ == name]:
            method.settle()

    def call(self, function: object, arguments: Sequence[object], keywords: Mapping[str, object]) -> Any:
        """Call an object of the program."""
        given = self.ask("call", [function, *arguments, *keywords.values()], [*keywords])
        if isinstance(given, remote.RemoteValue) and type(given) is function:
            by_value.confirm(given, arguments, keywords)
        return given

    def load(self, name: str, afresh: bool) -> Handle:
        """Import a module of the program and return its handle. Raises: ProgramFault, or what the import raises."""
        loaded = self.ask("import", [], [name, "afresh"] if afresh else [name])
        handle = vars_of(loaded)["_split_handle"] if type(loaded) is RemoteModule else remote.handle_of(loaded)
        if not isinstance(handle, Handle):
            raise self.notes.fault(f"the program gave no module {name}")
        return handle

    def crosses(self, value: object) -> bool:
        """Say whether the program can be asked about this value."""
        own = type(value) is RemoteMethod or remote.handle_of(value) is not None
        return own or value is None or type(value) in codec.CROSSING or names.name_of(value) is not None

    def signature(self, function: object) -> inspect.Signature:
        """Return the signature of a function or class of the program. Raises: ValueError, TypeError, ProgramFault."""
        told = self.ask("signature", [function])
        try:
            parameters, result = told
            return inspect.Signature(
                [
                    inspect.Parameter(name, _KINDS[kind], default=_shown(default), annotation=_shown(annotation))
                    for name, kind, default, annotation in parameters
                ],
                return_annotation=_shown(result),
            )
        except (TypeError, ValueError, LookupError):
            raise self.notes.fault("the program gave a signature that is none") from None

    def fields(self, owner: object) -> dict[str, Any]:
        """Return the fields of a dataclass of the program. Raises: AttributeError when it is none, ProgramFault."""
        try:
            told = self.ask("fields", [owner])
        except TypeError:
            raise AttributeError("__dataclass_fields__") from None
        try:
            return {name: _field(name, kind, default, switches) for name, kind, default, switches in told}
        except (TypeError, ValueError, LookupError):
            raise self.notes.fault("the program gave fields that are none") from None


_KINDS = tuple(inspect._ParameterKind)


def _shown(told: list[Any]) -> Any:
    """Return what is in a list of one; an empty list stands for nothing."""
    return told[0] if told else inspect.Signature.empty


def _field(name: str, kind: object, default: list[Any], switches: dict[str, Any]) -> dataclasses.Field[Any]:
    made: Any = dataclasses.field(default=default[0] if default else dataclasses.MISSING, **switches)
    made.name, made.type = name, kind
    made._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
    field: dataclasses.Field[Any] = made
    return field
