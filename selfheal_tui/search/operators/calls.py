"""Calls: a function or method stands where its sibling was meant, or is misspelt."""

from __future__ import annotations

import ast
import builtins
import difflib
from collections.abc import Iterator

from selfheal_tui.search.program.source import Source

from .base import Splice, bits, operator, quoted
from .scope import function_names, functions, is_value, scope

_GROUPS = (
    "min max sum len",
    "any all",
    "sorted list set tuple reversed",
    "int float round str abs",
    "ceil floor round int trunc",
    "range enumerate len",
    "upper lower swapcase title capitalize",
    "islower isupper isdigit isalpha isalnum isspace isnumeric isdecimal",
    "startswith endswith",
    "append extend add insert update",
    "append appendleft",
    "pop popleft",
    "remove discard pop",
    "find index rfind rindex count",
    "strip lstrip rstrip",
    "split rsplit splitlines partition",
    "partition rpartition",
    "keys values items",
    "union intersection difference symmetric_difference",
    "issubset issuperset isdisjoint",
    "bin hex oct str",
    "ord chr",
    "ljust rjust zfill center",
    "get pop setdefault",
    "heappush heappushpop heapreplace",
    "bisect_left bisect_right bisect",
    "combinations permutations product combinations_with_replacement",
    "search match fullmatch",
    "sub findall",
    "str repr",
    "list set",
)


def _siblings() -> dict[str, tuple[str, ...]]:
    siblings: dict[str, dict[str, None]] = {}
    for group in _GROUPS:
        names = group.split()
        for name in names:
            siblings.setdefault(name, {}).update(dict.fromkeys(other for other in names if other != name))
    return {name: tuple(others) for name, others in siblings.items()}


_SIBLINGS = _siblings()
_BARE = (
    *("lower", "upper", "strip", "split", "isdigit", "isalpha", "isalnum", "isupper", "islower", "isspace", "title"),
    *("capitalize", "swapcase", "items", "keys", "values", "copy", "pop", "popleft", "sort", "reverse", "read"),
    *("readlines", "splitlines", "clear"),
)

_OF_A_PROMPT = frozenset({"copyright", "credits", "license"})
"""Built-in names that Python has for people at its prompt."""


@operator("function", 2.2, "a function stands where its sibling was meant")
def function(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap a function name, called or passed on, for a sibling or for another function that the file knows."""
    if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
        return
    start, end = source.span(node)
    siblings = _SIBLINGS.get(node.id, ()) if node.id not in scope(source, node) else ()
    for place, name in enumerate(siblings):
        yield Splice(start, end, name, f"`{node.id}` becomes `{name}`", 1.0, 0.6 * bits(place))
    parent = source.parents.get(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        count = len(parent.args)
        local = [n for n, f in functions(source).items() if len(f.args.args) == count or f.args.vararg]
        called = [n.func.id for n in _calls(source) if isinstance(n.func, ast.Name)]
        others = [n for n in dict.fromkeys((*local, *called)) if n != node.id and n not in siblings]
        for place, name in enumerate(others):
            yield Splice(start, end, name, f"`{node.id}` becomes `{name}`", 1.0, 1.4 + 0.6 * bits(place))


@operator("method", 2.2, "a method stands where its sibling was meant")
def method(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Swap a called method for its sibling, or for another method that the file calls."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return
    name = node.func.attr
    end = source.span(node.func)[1]
    siblings = _SIBLINGS.get(name, ())
    called = [n.func.attr for n in _calls(source) if isinstance(n.func, ast.Attribute)]
    others = [n for n in dict.fromkeys(called) if n != name and n not in siblings]
    for place, other in enumerate((*siblings, *others)):
        extra = 0.4 * bits(place) if place < len(siblings) else 1.4 + 0.6 * bits(place)
        yield Splice(end - len(name), end, other, f"`.{name}` becomes `.{other}`", 1.0, extra)


@operator("uncalled", 2.6, "a method is meant to be called, or is no method")
def uncalled(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Call a method, or a function of the file, where it is only named; name what is called without arguments."""
    if not isinstance(node, ast.Attribute | ast.Name) or isinstance(node.ctx, ast.Store | ast.Del):
        return
    parent = source.parents.get(node)
    end = source.span(node)[1]
    if isinstance(parent, ast.Call) and parent.func is node:
        if isinstance(node, ast.Attribute) and not parent.args and not parent.keywords:
            own = source.segment(node)
            yield Splice(end, source.span(parent)[1], "", f"{quoted(f'{own}()')} becomes {quoted(own)}", 1.0, 1.4)
        return
    if not is_value(source, node) or isinstance(parent, ast.Attribute):
        return
    used = isinstance(
        parent, ast.If | ast.While | ast.Return | ast.Assign | ast.BoolOp | ast.Compare | ast.For | ast.BinOp
    )
    if isinstance(node, ast.Attribute):
        callable_name = node.attr in _BARE or node.attr in function_names(source)
    else:
        callable_name = node.id in functions(source) and not functions(source)[node.id].args.args
    if callable_name and (used or isinstance(parent, ast.Call)):
        own = source.segment(node)
        yield Splice(end, end, "()", f"{quoted(own)} becomes {quoted(f'{own}()')}", 1.0, 0.0 if used else 1.4)


@operator("misspelt", 1.0, "a name is misspelt or has another name here")
def misspelt(source: Source, node: ast.AST) -> Iterator[Splice]:
    """Replace a name or attribute that a failing case did not find by one that exists."""
    missing = source.observations.errors
    if not missing or not isinstance(node, ast.Name | ast.Attribute):
        return
    word = node.id if isinstance(node, ast.Name) else node.attr
    for kind, message, _ in missing:
        if f"'{word}'" not in message or kind not in ("NameError", "AttributeError", "UnboundLocalError"):
            continue
        end = source.span(node)[1]
        if isinstance(node, ast.Name):
            names = [*scope(source, node), *functions(source), *_builtins_for(source, node)]
        else:
            owner = getattr(builtins, message.split("'")[1], None) if message.startswith("'") else None
            names = (
                dir(owner)
                if owner is not None
                else [n.attr for n in ast.walk(source.tree) if isinstance(n, ast.Attribute)]
            )
        near = difflib.get_close_matches(word, [n for n in names if n != word], 5, 0.4)
        for place, name in enumerate(near):
            yield Splice(end - len(word), end, name, f"`{word}` becomes `{name}`", 1.0, float(place))


def _builtins_for(source: Source, node: ast.Name) -> list[str]:
    """Return the built-in names that may be meant: where a truth or a number is wanted, no function or type is."""
    if isinstance(source.parents.get(node), ast.BoolOp | ast.UnaryOp | ast.BinOp | ast.If | ast.While | ast.IfExp):
        return []
    return [name for name in dir(builtins) if name not in _OF_A_PROMPT]


def _calls(source: Source) -> list[ast.Call]:
    if "calls" not in source.memo:
        source.memo["calls"] = [n for n in ast.walk(source.tree) if isinstance(n, ast.Call)]
    calls: list[ast.Call] = source.memo["calls"]
    return calls
