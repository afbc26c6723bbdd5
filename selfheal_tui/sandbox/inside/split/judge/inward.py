"""How the judge reads what the candidate wrote in `outward.py`, and writes what belongs to the candidate.

The same object over there is the same object here for as long as anybody here holds it. Whatever the other side says
is checked: a number must fit, a class must have been described, a name must be in our tables.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Collection
from typing import Any

from ..wire import bases, names
from ..wire.codec import Json, Reader, Writer, array, text
from ..wire.containers import Kind, Parts
from ..wire.frames import Malformed
from . import remote
from .exports import Exports
from .handles import ClassState, LocalType, handle_of, state_of
from .importer import RemoteModule, vars_of
from .notes import Asks, with_article
from .objects import Objects
from .portraits import Classes
from .raised import Errors
from .remote import RemoteMethod


class Inward:
    """The judge's side of `codec.Other`."""

    def __init__(self, split: Asks, exports: Exports, modules: Collection[str]) -> None:
        self._split = split
        self._modules = frozenset(modules)
        self.exports = exports
        self.objects = Objects()
        self.classes = Classes(split)
        self._errors = Errors(split, exports, self.objects, self.classes)

    def write(self, writer: Writer, value: Any, depth: int) -> Json:
        """Return the form of anything but plain data. Raises: NotCarried, Uncarried."""
        kind = type(value)
        if kind is RemoteMethod:
            if value._split_settled is not None:
                return writer.put(value._split_settled, depth)
            owner = handle_of(value.__self__)
            return ["attribute", owner and owner.number, value._split_name]
        if kind is RemoteModule:
            return ["handle", vars_of(value)["_split_handle"].number]
        handle = handle_of(value)
        if handle is None:
            return self.exports.write(writer, value, depth)
        container = state_of(kind).container if isinstance(kind, LocalType) else None
        if container is None:
            return ["handle", handle.number]
        form = writer.container(value, container, depth)
        return form if form[0] == "same" else ["refilled", handle.number, form]

    def read(self, reader: Reader, tag: str, fields: list[Json], depth: int) -> object:
        """Return what a form of `outward.py` stands for. Raises: Malformed, or what the type raises."""
        match tag, fields:
            case "object", [number, kind]:
                return self._object(number, kind)
            case "value", [number, kind, form]:
                return self._value(reader, number, kind, form, depth)
            case "class", [number]:
                return self.classes.get(number)
            case "name", [module, name]:
                return names.look_up(module, name)
            case "error", [form]:
                return self._errors.build(form, reader, depth)
            case "yours", [token]:
                return self.exports.get(token)
            case "module", [number, kind, name]:
                return self._module(number, text(name)) or self._object(number, kind)
            case "member", [module, kind, name]:
                return names.look_up_member(module, kind, name)
        raise Malformed("a value with a tag that nobody knows")

    def mind(self, kind: Kind, parts: Parts) -> None:
        """Note methods of the program's that pass for those of data."""
        for name, value in zip(parts[::2], parts[1::2], strict=True):
            if handle_of(value) is not None:
                remote.mind_name(self._split, with_article(kind.tag), name, value)

    def _object(self, number: Json, kind: Json) -> Any:
        handle = self.objects.handle(number)
        proxy: Any = handle.proxy()
        if proxy is None:
            proxy = object.__new__(self._local(kind)[0])
            object.__setattr__(proxy, "_split_handle", handle)
            self.objects.keep(handle, proxy)
        return proxy

    def _value(self, reader: Reader, number: Json, kind: Json, form: Json, depth: int) -> Any:
        handle = self.objects.handle(number)
        value: Any = handle.proxy()
        local, state = self._local(kind)
        if state.container is not None:
            if array(form)[0] != state.container.tag:
                raise Malformed("a container of another kind than its class")
            value = reader.container(form, depth, value, local)
        elif value is None:
            plain = reader.take(form, depth)
            if state.data is None or type(plain) is not state.data:
                raise Malformed("a value of another type than its class")
            value = bases.instance(local, state.data, plain)
        object.__setattr__(value, "_split_handle", handle)
        self.objects.keep(handle, value)
        return value

    def _local(self, number: Json) -> tuple[Any, ClassState]:
        local = self.classes.get(number)
        if not isinstance(local, LocalType):
            raise Malformed("an object of a class of Python's own")
        return local, state_of(local)

    def _module(self, number: Json, name: str) -> RemoteModule | None:
        """Return our proxy of a module of the program; None when the object is not what is known by that name."""
        if name not in self._modules:
            return None
        module = sys.modules.get(name) or importlib.import_module(name)
        if type(module) is not RemoteModule:
            return None
        held = vars_of(module)
        if held["_split_handle"] is None:
            held["_split_handle"] = self.objects.handle(number)
        return module if held["_split_handle"].number == number else None
