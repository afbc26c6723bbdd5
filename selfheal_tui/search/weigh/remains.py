"""What a part of a change must not leave behind: no docstring, idle code, a named function as it was. Pure."""

from __future__ import annotations

import ast
import builtins
import functools
import symtable
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from selfheal_tui.python_source import parse_python

from ..program.leaving import unreachable

_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__path__", "__spec__", "__package__"}
_MAY_IDLE = frozenset({"self", "cls"})
_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Named:
    """What a diagnosis or a specification names."""

    lines: frozenset[tuple[str, int]] = frozenset()
    """Program path and line, from 1, before the change."""
    words: frozenset[str] = frozenset()
    """Names of functions and classes, among other words."""


NOTHING_NAMED = Named()


def flaw(old: Mapping[str, str], whole: Mapping[str, str], part: Mapping[str, str], named: Named) -> str:
    """Say what is wrong with a part of a change that is not wrong with the whole; empty when nothing is.

    All three are path -> text; a path that `part` does not have is as it was.
    """
    flaws = (_flaw(path, old.get(path, ""), whole[path], part.get(path, old.get(path, "")), named) for path in whole)
    return next(filter(None, flaws), "")


@dataclass(frozen=True, slots=True)
class _Facts:
    scopes: Mapping[str, tuple[str, int, int, str, str | None]]
    """Qualified name -> name, first and last line, what it is (`ast.dump`), docstring; the module is empty."""
    unreachable: frozenset[str]
    loose: frozenset[tuple[str, str]]
    """(scope, name) of names that have a value and are never read, or are read and have none."""


def _flaw(path: str, old: str, whole: str, part: str, named: Named) -> str:
    before, meant, after = _facts(old), _facts(whole), _facts(part)
    if meant is None:
        return ""
    if after is None:
        return "it does not parse"
    for name in after.scopes.keys() & meant.scopes.keys():
        if meant.scopes[name][-1] != after.scopes[name][-1]:
            return f"it loses the docstring of {name or path}"
    if after.unreachable - meant.unreachable:
        return "it leaves code that cannot be reached"
    if over := after.loose - meant.loose - (before.loose if before else frozenset()):
        return f"it leaves {min(over)[1]} without a use or without a value"
    for name, (word, _, _, dump, _) in meant.scopes.items():
        was = before.scopes.get(name) if before else None
        here = any(where == path and was[1] <= line <= was[2] for where, line in named.lines) if was else False
        if not name or not (here or word in named.words):
            continue
        now = after.scopes.get(name)
        if (was and was[3]) == (now and now[3]) != dump:
            return f"it undoes {name}"
    return ""


@functools.lru_cache(maxsize=16)
def _facts(text: str) -> _Facts | None:
    """Return what counts of a file; None when it does not parse."""
    try:
        tree = parse_python(text)
        return _Facts(
            dict(_scopes(tree)), frozenset(map(ast.dump, unreachable(tree))), frozenset(_loose_names(text, tree))
        )
    except SyntaxError:
        return None


def _scopes(tree: ast.Module) -> Iterator[tuple[str, tuple[str, int, int, str, str | None]]]:
    """Yield modules, functions and classes; one that takes the qualified name of another has quotes behind it."""
    yield "", ("", 1, 0, "", ast.get_docstring(tree))
    taken: set[str] = set()
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        outer, prefix = waiting.pop()
        for child in ast.iter_child_nodes(outer):
            if not isinstance(child, _Scope):
                waiting.append((child, prefix))
                continue
            name = prefix + child.name
            while name in taken:
                name += "'"
            taken.add(name)
            last = child.end_lineno or child.lineno
            yield name, (child.name, child.lineno, last, ast.dump(child), ast.get_docstring(child))
            waiting.append((child, f"{name}."))


def _loose_names(text: str, tree: ast.Module) -> Iterator[tuple[str, str]]:
    module = symtable.symtable(text, "part.py", "exec")
    tables = list(_tables(module, ""))
    bound = {symbol.get_name() for symbol in module.get_symbols() if _is_bound(symbol)} | _BUILTINS
    read = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    read |= {s.get_name() for _, table in tables for s in table.get_symbols() if _is_read_from_module(s, table)}
    for where, table in tables:
        inner = {s.get_name() for child in table.get_children() for s in child.get_symbols() if s.is_free()}
        for symbol in table.get_symbols():
            name = symbol.get_name()
            in_function = table.get_type() == "function"
            unused = _is_bound(symbol) and symbol.is_local() and not symbol.is_referenced()
            unused = unused and name not in (inner | _MAY_IDLE if in_function else read) and name[0] not in "._"
            if unused or (_is_read_from_module(symbol, table) and name not in bound):
                yield where, name


def _tables(table: symtable.SymbolTable, where: str) -> Iterator[tuple[str, symtable.SymbolTable]]:
    yield where, table
    for child in table.get_children():
        yield from _tables(child, f"{where}.{child.get_name()}")


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_parameter()


def _is_read_from_module(symbol: symtable.Symbol, table: symtable.SymbolTable) -> bool:
    return symbol.is_referenced() and (symbol.is_global() or table.get_type() == "module")
