"""The judge's side: `Split` stands before the tests, its modules are the program's, and it keeps the notes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary

from ..wire import codec, names
from . import by_value
from .conversation import Conversation
from .exports import Exports
from .handles import handle_of, is_value
from .importer import Finder
from .inward import Inward
from .notes import Notes
from .remote import RemoteMethod


class Split:
    """The program's modules, for tests that run in this process; the program runs at the other end of a socket.

    `candidate/serve.py` is what has to run there.
    """

    def __init__(self, fd: int, modules: Collection[str]) -> None:
        """`modules`: dotted names of the program's modules and packages; the socket stays the caller's."""
        self._exports = Exports(self)
        self._conversation = Conversation(fd, Inward(self, self._exports, modules))
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
        if isinstance(inner, RemoteMethod) or handle_of(inner) is not None:
            self.notes.doubt("the test itself is a function that the program made")

    @property
    def notes(self) -> Notes:
        """Notes of the case that runs."""
        return self._conversation.notes

    # -- for the proxies: `notes.Asks`

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
        result = self.ask("call", [function, *arguments, *keywords.values()], [*keywords])
        if is_value(result) and type(result) is function:
            by_value.confirm(result, arguments, keywords)
        return result

    def crosses(self, value: object) -> bool:
        """Say whether the program can be asked about this value."""
        own = type(value) is RemoteMethod or handle_of(value) is not None
        return own or value is None or type(value) in codec.CROSSING or names.name_of(value) is not None
