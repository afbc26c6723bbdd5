"""What the pages made from the code share: the fields of a type with their sentences, and tables of Markdown."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import textwrap
import types
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, NotRequired, Union, get_args, get_origin

_WORDS = {str: "string", int: "number", float: "number", bool: "true or false", Any: "any", type(None): "null"}
_LISTS: tuple[Any, ...] = (list, tuple, Sequence, Iterable, Collection)


class TypeField(NamedTuple):
    """One field of a type."""

    name: str
    kind: Any
    """Its type, `NotRequired` taken off."""
    may_lack: bool
    says: str
    """The sentence below it; empty where there is none."""


def type_fields(form: Any) -> list[TypeField]:
    """Return the fields of a TypedDict, dataclass or NamedTuple, those of its bases first."""
    sentences: dict[str, str] = {}
    for base in reversed(form.__mro__ if dataclasses.is_dataclass(form) else [*_bases(form), form]):
        sentences |= _sentences(base)
    hints = typing.get_type_hints(form, include_extras=True)
    if dataclasses.is_dataclass(form):
        hints = {field.name: hints[field.name] for field in dataclasses.fields(form)}
    return [_field(name, hint, sentences.get(name, "")) for name, hint in hints.items()]


def is_form(kind: Any) -> bool:
    """Tell whether a type has named fields."""
    return dataclasses.is_dataclass(kind) or typing.is_typeddict(kind) or hasattr(kind, "_fields")


def kind_words(kind: Any, page: str = "") -> str:
    """Return a type in words of JSON; a type with fields is a link to its heading on the page."""
    origin, args = get_origin(kind), get_args(kind)
    if kind in _WORDS:
        return _WORDS[kind]
    if is_form(kind):
        return f"[{kind.__name__}]({page}#{kind.__name__.lower()})"
    if origin is Literal:
        return " or ".join(f'`"{value}"`' if value else "empty" for value in args)
    if origin in (Union, types.UnionType):
        return " or ".join(kind_words(one, page) for one in args)
    if origin in _LISTS:
        return f"list of {kind_words(args[0], page)}"
    if origin is not None and issubclass(origin, Mapping):
        return f"object: name to {kind_words(args[1], page)}"
    raise TypeError(f"no words for {kind}")


def named_in(kind: Any) -> Iterator[Any]:
    """Yield the types with fields that a type names, its own fields left out."""
    if is_form(kind):
        yield kind
    for one in get_args(kind) if get_origin(kind) is not Literal else ():
        yield from named_in(one)


def sentence(text: str) -> str:
    """Return a docstring's text in one line, with Python's words for nothing as JSON has them."""
    return re.sub(r"\bNone\b", "null", " ".join(text.split()))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; `|` in a cell does not end it."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)


def code(text: str) -> str:
    """Return a text as code of Markdown."""
    mark = "``" if "`" in text else "`"
    space = " " if mark == "``" else ""
    return f"{mark}{space}{text}{space}{mark}"


def _field(name: str, hint: Any, says: str) -> TypeField:
    may_lack = get_origin(hint) is NotRequired
    return TypeField(name, get_args(hint)[0] if may_lack else hint, may_lack, sentence(says))


def _bases(form: Any) -> list[Any]:
    """Return the TypedDicts that one is made of; at run time it is a plain dict."""
    bases = [base for base in getattr(form, "__orig_bases__", ()) if is_form(base)]
    return [*(below for base in bases for below in _bases(base)), *bases]


def _sentences(form: Any) -> dict[str, str]:
    """Return field -> the text below it."""
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(form))).body
    except (OSError, TypeError):
        return {}
    if not body or not isinstance(body[0], ast.ClassDef):
        return {}
    members = body[0].body
    return {
        above.target.id: str(below.value.value)
        for above, below in pairwise(members)
        if isinstance(above, ast.AnnAssign)
        and isinstance(above.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
    }
