"""How the judge reads what the candidate wrote in `outward.py`, and writes what belongs to the candidate.

The same object over there is the same object here for as long as anybody here holds it. Whatever the other side says
is checked: a number must fit, a class must have been described, a name must be in our tables.
"""

from __future__ import annotations

import importlib
import sys
import weakref
from collections import OrderedDict
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from . import bases, names, raised, remote
from .codec import Json, Reader, Writer, array, text
from .containers import Kind, Parts
from .exports import Exports
from .importer import RemoteModule, vars_of
from .portraits import Classes
from .remote import ClassState, Handle, RemoteMethod, RemoteType
from .wire import Malformed

if TYPE_CHECKING:
    from .proxies import Split

HANDLES = 100_000
"""Objects of the program that may be held here at a time."""
_PINNED = 256
"""Values that cannot be referred to weakly and are kept, so that the same object is the same value again."""


class _Reference(weakref.ref[Handle]):
    """A reference to a handle that still knows the number when the handle is gone."""

    __slots__ = ("number",)
    number: int


class Inward:
    """The judge's side of `codec.Other`."""

    def __init__(self, split: Split, exports: Exports, modules: Collection[str]) -> None:
        self._split = split
        self._modules = frozenset(modules)
        self.exports = exports
        self.classes = Classes(split)
        self._live: dict[int, _Reference] = {}
        self._dead: set[int] = set()
        self._pinned: OrderedDict[int, object] = OrderedDict()

    # -- handles

    def handle(self, number: Json, said: str = "") -> Handle:
        """Return the handle of an object, a new one when nothing here stands for it. Raises: Malformed."""
        if type(number) is not int or number < 1:
            raise Malformed("an object without a number")
        reference = self._live.get(number)
        handle = reference() if reference is not None else None
        if handle is None:
            if len(self._live) >= HANDLES:
                raise Malformed(f"more than {HANDLES} objects")
            handle = Handle(number, said)
            reference = _Reference(handle, self._gone)
            reference.number = number
            self._dead.discard(number)
            self._live[number] = reference
        return handle

    def keep(self, handle: Handle, proxy: Any) -> None:
        """From now on `proxy` is what stands for the object."""
        try:
            handle.proxy = weakref.ref(proxy)
        except TypeError:  # tuples and integers know no weak references, nor do their subclasses
            number = handle.number
            self._pinned[number] = proxy
            handle.proxy = lambda: self._pinned.get(number)
            if len(self._pinned) > _PINNED:
                self._pinned.popitem(last=False)

    def take_dead(self) -> list[int]:
        """Return the numbers of objects that nothing here stands for any longer."""
        dead, self._dead = self._dead, set()
        return [*dead]

    def _gone(self, reference: weakref.ref[Handle]) -> None:
        number: int = reference.number  # type: ignore[attr-defined]
        if self._live.get(number) is reference:
            del self._live[number]
            self._dead.add(number)

    # -- codec.Other

    def write(self, writer: Writer, value: Any, depth: int) -> Json:
        """Return the form of anything but plain data. Raises: NotCarried, Uncarried."""
        kind = type(value)
        if kind is RemoteMethod:
            if value._split_settled is not None:
                return writer.put(value._split_settled, depth)
            owner = remote.handle_of(value.__self__)
            return ["attribute", owner and owner.number, value._split_name]
        if kind is RemoteModule:
            return ["handle", vars_of(value)["_split_handle"].number]
        handle = remote.handle_of(value)
        if handle is None:
            return self.exports.write(writer, value, depth)
        container = remote.state_of(kind).container if isinstance(kind, RemoteType) else None
        if container is None:
            return ["handle", handle.number]
        form = writer.container(value, container, depth)
        return form if form[0] == "same" else ["refilled", handle.number, form]

    def read(self, reader: Reader, tag: str, fields: list[Json], depth: int) -> object:
        """Return what a form of `outward.py` stands for. Raises: Malformed, or what the type raises."""
        if tag == "object":
            number, kind = fields
            return self._object(number, kind)
        if tag == "value":
            return self._value(reader, fields, depth)
        if tag == "class":
            return self.classes.get(*fields)
        if tag == "name":
            return names.known(*fields)
        if tag == "error":
            (form,) = fields
            return raised.build(self, form, reader, depth)
        if tag == "yours":
            return self.exports.get(*fields)
        if tag == "module":
            number, kind, name = fields
            return self._module(number, text(name)) or self._object(number, kind)
        if tag == "member":
            return names.known_member(*fields)
        raise Malformed("a value with a tag that nobody knows")

    def mind_error(self, error: BaseException) -> None:
        """Note an error that is of several kinds at once, so that it will be the one that is expected."""
        if len(type(error).__bases__) > 1:
            kinds = " and a ".join(base.__name__ for base in type(error).__bases__)
            self._split.notes.doubt(f"what the program raises is a {kinds} at once")

    def mind(self, kind: Kind, parts: Parts) -> None:
        """Note methods of the program's that pass for those of data."""
        for name, value in zip(parts[::2], parts[1::2], strict=True):
            if remote.handle_of(value) is not None:
                remote.mind_name(self._split, f"a {kind.tag}", name, value)

    def _object(self, number: Json, kind: Json) -> Any:
        handle = self.handle(number)
        proxy: Any = handle.proxy()
        if proxy is None:
            proxy = object.__new__(self._local(kind)[0])
            object.__setattr__(proxy, "_split_handle", handle)
            self.keep(handle, proxy)
        return proxy

    def _value(self, reader: Reader, fields: list[Json], depth: int) -> Any:
        number, kind, form = fields
        handle = self.handle(number)
        made: Any = handle.proxy()
        local, state = self._local(kind)
        if state.container is not None:
            if array(form)[0] != state.container.tag:
                raise Malformed("a container of another kind than its class")
            made = reader.container(form, depth, made, lambda kind, extra: kind.make(local, extra))
        elif made is None:
            plain = reader.take(form, depth)
            if state.data is None or type(plain) is not state.data:
                raise Malformed("a value of another type than its class")
            made = bases.instance(local, state.data, plain)
        object.__setattr__(made, "_split_handle", handle)
        self.keep(handle, made)
        return made

    def _local(self, number: Json) -> tuple[Any, ClassState]:
        local = self.classes.get(number)
        if not isinstance(local, RemoteType):
            raise Malformed("an object of a class of Python's own")
        return local, remote.state_of(local)

    def _module(self, number: Json, name: str) -> RemoteModule | None:
        """Return our proxy of a module of the program; None when the object is not what is known by that name."""
        if name not in self._modules:
            return None
        module = sys.modules.get(name) or importlib.import_module(name)
        if type(module) is not RemoteModule:
            return None
        held = vars_of(module)
        if held["_split_handle"] is None:
            held["_split_handle"] = self.handle(number)
        return module if held["_split_handle"].number == number else None
