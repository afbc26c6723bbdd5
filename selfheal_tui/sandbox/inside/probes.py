"""Probes: stores compiled in front of every statement of a program file, which say what ran (Python 3.11).

From 3.12 on `sys.monitoring` (PEP 669) does the same at less cost. A probe is `HITS.name = True` in front of a
statement and `HITS.lambdas[n] or ...` in front of a lambda's body (a defaultdict: what is asked for is there, and
false). `HITS` is a constant of the code object, so no namespace of the program holds a name of ours, and no line,
column or frame changes; a probe shows in `co_consts`, `co_names` and the bytecode only, and `marshal` refuses such
code. A slot store is what CPython 3.11 specialises best (STORE_ATTR_SLOT, PEP 659): measured, it adds a quarter of
what a bytearray's does.

A file of which nothing ran is not looked at: in a library with thousands of cases that would take longer than they do.
One more slot says that something ran. It is stored where code is entered, and before each statement of a function that
can be entered halfway (a generator, a coroutine); it stays set while there is another thread.

Reached are files loaded by Python's own source loader (`import`, `importlib`, `runpy.run_module`) and
`runpy.run_path`. Text given to `exec` or `compile`, files that pytest rewrites, and files too deep to rework run
without probes and are not covered.
"""

from __future__ import annotations

import _thread
import ast
import os
import runpy
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from itertools import repeat
from types import CodeType
from typing import Any

_STAND_IN = b"\0selfheal probe\0"
"""Stands for the hits until the code is compiled: `compile` takes no other kind of object as a constant."""
_SLOT = "\ufb01"
"""How a slot's name begins: source cannot spell it, identifiers are read in NFKC, where it is `fi`."""
_ENTERED = f"{_SLOT}e"
"""The slot that says that any code of the file ran."""
_ENTRIES = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = ("body", "orelse", "finalbody")


class Probes:
    """Puts probes into program files as they are loaded; `files` is co_filename -> program path or None."""

    def __init__(self, files: Mapping[str, str | None]) -> None:
        self._files = files
        self._loaded: dict[tuple[str, bytes], Probed] = {}
        self._hook = _GetCode(self._code_for)

    def install(self) -> None:
        """Reach what is loaded from now on."""
        SourceFileLoader.get_code = self._hook  # type: ignore[assignment, method-assign]
        vars(runpy)["compile"] = self._compile

    def remove(self) -> None:
        """Undo `install`; what is loaded keeps its probes."""
        if vars(SourceFileLoader).get("get_code") is self._hook:
            del SourceFileLoader.get_code
        if vars(runpy).get("compile") == self._compile:
            del vars(runpy)["compile"]

    def take(self) -> set[tuple[str, int]]:
        """Return (program path, line) of what ran since the last call, and forget it."""
        places: set[tuple[str, int]] = set()
        for (filename, _), probed in list(self._loaded.items()):
            path = self._files[filename]
            places.update((path, line) for line in probed.take() if path is not None)
        return places

    def _code_for(self, loader: SourceFileLoader) -> CodeType | None:
        if type(loader) is not SourceFileLoader or self._files[filename := str(loader.path)] is None:
            return None
        try:
            return self._code(filename, loader.get_data(filename))
        except OSError:
            return None

    def _code(self, filename: str, source: bytes) -> CodeType | None:
        """None: leave it to the normal way, which says what is wrong with the file."""
        if (filename, source) not in self._loaded:
            try:
                self._loaded[filename, source] = probe(source, filename)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None
        return self._loaded[filename, source].code

    def _compile(self, source: bytes, filename: str, mode: str) -> CodeType:
        """Stand in for `compile` in the one call of `runpy.run_path`."""
        code = self._code(os.fsdecode(filename), source) if self._files[os.fsdecode(filename)] else None
        return code or compile(source, filename, mode, dont_inherit=True)


class _GetCode:
    """`SourceFileLoader.get_code` that has the answer before it is called.

    The work is done as the attribute is looked up: a frame of ours is in no traceback of the program, not even in
    that of a syntax error, which the original method raises. Not `source_to_code`: its result may go to a .pyc.
    """

    def __init__(self, code_for: Callable[[SourceFileLoader], CodeType | None]) -> None:
        self._code_for = code_for
        self._original: Any = SourceFileLoader.get_code

    def __get__(self, loader: SourceFileLoader | None, owner: type) -> Callable[..., Any]:
        code = self._code_for(loader) if loader is not None else None
        return self._original.__get__(loader, owner) if code is None else lambda *_: code


@dataclass(frozen=True, slots=True)
class Probed:
    """One file's code with probes."""

    code: CodeType
    hits: Any
    """Slots for statements, one more with a dict for lambdas; hashable, as a code object's constants must be."""
    lines: tuple[tuple[int, ...], ...]
    """Per probe the 1-based lines that it stands for."""
    names: tuple[str, ...]
    """Per probe its slot."""

    def take(self) -> set[int]:
        """Return the lines that ran since the last call, and forget them."""
        lambdas = getattr(self.hits, _SLOT)
        if not (getattr(self.hits, _ENTERED) or lambdas):
            return set()
        # Another thread may be anywhere, and may have ended by the next time.
        setattr(self.hits, _ENTERED, _thread._count() > 0)
        numbers = list(lambdas)
        lambdas.clear()
        for number, ran in enumerate(map(getattr, repeat(self.hits), self.names)):
            if ran:
                setattr(self.hits, self.names[number], False)
                numbers.append(number)
        return {line for number in numbers for line in self.lines[number]}


def probe(source: bytes, filename: str) -> Probed:
    """Compile a file with probes.

    Raises: SyntaxError, ValueError, RecursionError, MemoryError like `compile`; RecursionError sooner than it.
    """
    tree: Any = compile(source, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    lines = _mark(tree)
    code = compile(tree, filename, "exec", dont_inherit=True)
    names = tuple(f"{_SLOT}{number}" for number in range(len(lines)))
    hits = type("Hits", (), {"__slots__": (*names, _SLOT, _ENTERED)})()
    for name in (*names, _ENTERED):
        setattr(hits, name, False)
    setattr(hits, _SLOT, defaultdict(bool))
    return Probed(_with_hits(code, hits), hits, tuple(lines), names)


def _with_hits(code: CodeType, hits: object) -> CodeType:
    consts: list[Any] = []
    for const in code.co_consts:
        if isinstance(const, CodeType):
            consts.append(_with_hits(const, hits))
        else:
            consts.append(hits if type(const) is bytes and const == _STAND_IN else const)
    return code.replace(co_consts=tuple(consts))


def _mark(tree: ast.AST) -> list[tuple[int, ...]]:
    """Put the probes into the tree; return the lines of each. No recursion: an `elif` chain may be long."""
    nodes = list(ast.walk(tree))
    lines: list[tuple[int, ...]] = []
    heads: dict[ast.AST, list[int]] = {}
    quoted = _annotations(nodes)
    halfway = _halfway(nodes)
    for node in nodes:
        if isinstance(node, ast.Lambda):
            if node not in quoted:
                node.body = _expression(node.body, lines)
        elif not isinstance(node, ast.expr):
            heads.update(_heads(node))
            for name in _BLOCKS:
                if block := getattr(node, name, None):
                    enters = isinstance(node, _ENTRIES)
                    _mark_block(block, _fixed(node, block), heads.get(node, ()), lines, halfway, enters)
    return lines


def _mark_block(
    block: list[ast.stmt],
    first: int,
    head: Iterable[int],
    lines: list[tuple[int, ...]],
    halfway: set[ast.AST],
    enters: bool,
) -> None:
    """`enters`: code is entered at the block's first statement; `halfway`: statements before which it may be too."""
    marked = block[:first]
    for statement in block[first:]:
        if not isinstance(statement, ast.Global | ast.Nonlocal):
            stands_for = (*head, *_first_lines(statement))
            marked.append(_statement(stands_for, lines, enters or statement in halfway))
            head, enters = (), False
        marked.append(statement)
    block[:] = marked


def _halfway(nodes: Iterable[ast.AST]) -> set[ast.AST]:
    """Return what stands in functions that go on where they left off."""
    statements: set[ast.AST] = set()
    for function in nodes:
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and function not in statements:
            inside = list(ast.walk(function))
            if isinstance(function, ast.AsyncFunctionDef) or any(
                isinstance(n, ast.Yield | ast.YieldFrom) for n in inside
            ):
                statements.update(inside)
    return statements


def _heads(node: ast.AST) -> Iterator[tuple[ast.AST, list[int]]]:
    """Yield each `except` or `case` with the lines that were tried before its block runs, its own last."""
    if isinstance(node, ast.Try | ast.TryStar):
        tried = [handler.lineno for handler in node.handlers]
        yield from ((handler, tried[: at + 1]) for at, handler in enumerate(node.handlers))
    elif isinstance(node, ast.Match):
        tried = [case.pattern.lineno for case in node.cases]
        yield from ((case, tried[: at + 1]) for at, case in enumerate(node.cases))


def _statement(stands_for: tuple[int, ...], lines: list[tuple[int, ...]], enters: bool) -> ast.stmt:
    at = _at(stands_for[-1])
    names = [f"{_SLOT}{len(lines)}", *([_ENTERED] if enters else [])]
    slots: list[ast.expr] = [ast.Attribute(ast.Constant(_STAND_IN, **at), name, ast.Store(), **at) for name in names]
    lines.append(stands_for)
    return ast.Assign(slots, ast.Constant(True, **at), **at)


def _expression(value: ast.expr, lines: list[tuple[int, ...]]) -> ast.expr:
    at = _at(value.lineno)
    lambdas = ast.Attribute(ast.Constant(_STAND_IN, **at), _SLOT, ast.Load(), **at)
    observe = ast.Subscript(lambdas, ast.Constant(len(lines), **at), ast.Load(), **at)
    lines.append((value.lineno,))
    return ast.copy_location(ast.BoolOp(ast.Or(), [observe, value]), value)


def _at(line: int) -> Any:
    """A probe's position; its columns show nowhere, it raises nothing."""
    return {"lineno": line, "end_lineno": line, "col_offset": 0, "end_col_offset": 0}


def _first_lines(statement: ast.stmt) -> Iterable[int]:
    """Return the line a statement begins on and that of each decorator, the one that runs first last."""
    yield statement.lineno
    yield from reversed([decorator.lineno for decorator in getattr(statement, "decorator_list", ())])


def _annotations(nodes: Iterable[ast.AST]) -> set[ast.AST]:
    """Return what stands in annotations: `from __future__ import annotations` makes text of it."""
    kinds = (ast.arg, ast.AnnAssign, ast.FunctionDef, ast.AsyncFunctionDef)
    holders = [node for node in nodes if isinstance(node, kinds)]
    roots = (getattr(node, field, None) for node in holders for field in ("annotation", "returns"))
    return {node for root in roots if root is not None for node in ast.walk(root)}


def _fixed(node: ast.AST, body: list[ast.stmt]) -> int:
    """Return how many statements must stay first: the docstring and the imports from the future."""
    count = 0
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and body:
        match body[0]:
            case ast.Expr(value=ast.Constant(value=str())):
                count = 1
    while count < len(body) and isinstance(future := body[count], ast.ImportFrom) and future.module == "__future__":
        count += 1
    return count
