"""Parse foreign Python text: text that does not parse, or is nested too deeply to work with, raises SyntaxError.

Python's own parser fails on deep nesting with a MemoryError or a RecursionError, and functions that work on a tree
afterwards (`ast.unparse`, `copy.deepcopy`, a visitor) call themselves for each level. Of the 10,800 files of the
standard library and the packages beside it, the deepest has 87 levels.
"""

from __future__ import annotations

import ast
import threading
from collections.abc import Iterable, Iterator

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
MAX_LEVELS = 200
"""Levels of a tree; `ast.unparse` manages 280 under Python's usual limit, with half the stack in use below it."""
_LEVELS_A_CHARACTER, _OUTER_LEVELS = 2, 4
"""`[*x]` is a list, a starred value, a name and its context, in a statement of a module."""


class NestedTooDeeply(SyntaxError):
    """The text may be Python, but its tree is too deep to work with."""


def parse_python(text: str) -> ast.Module:
    """Parse a file. Raises: SyntaxError, of which NestedTooDeeply is one."""
    tree = _parsed(text, "exec")
    assert isinstance(tree, ast.Module)
    return tree


def parse_expression(text: str) -> ast.expr:
    """Parse an expression. Raises: SyntaxError, of which NestedTooDeeply is one."""
    tree = _parsed(text, "eval")
    assert isinstance(tree, ast.Expression)
    return tree.body


def parse_or_none(text: str) -> ast.Module | None:
    """Parse a file; None when it does not parse or is nested too deeply."""
    try:
        return parse_python(text)
    except SyntaxError:
        return None


def is_literal(source: str | ast.expr) -> bool:
    """Tell whether `ast.literal_eval` takes it."""
    try:
        ast.literal_eval(source)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def inner_imports(texts: Iterable[str]) -> list[str]:
    """Return the absolute imports that functions of these files make, a line each: what their names stand for there."""
    trees = [tree for text in texts if (tree := parse_or_none(text)) is not None]
    functions = [node for tree in trees for node in ast.walk(tree) if isinstance(node, Definition)]
    lines: dict[str, None] = {}
    for node in (node for function in functions for node in ast.walk(function)):
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and not node.level):
            lines[ast.unparse(node)] = None
    return [line for line in lines if not line.endswith(" *")]


def callables_in(text: str) -> set[str]:
    """Return the functions and classes that a file defines at its top; nothing when it does not parse."""
    tree = parse_or_none(text)
    return {node.name for node in tree.body if isinstance(node, Definition)} if tree is not None else set()


def definitions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Definition]]:
    """Yield the qualified name (`Cart.total`) and the node of every function and class."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Definition):
            yield prefix + node.name, node
            yield from definitions(node, f"{prefix}{node.name}.")
        else:
            yield from definitions(node, prefix)


def is_test_class(node: Definition) -> bool:
    """Tell whether a definition is a class that pytest takes for tests."""
    if not isinstance(node, ast.ClassDef):
        return False
    return node.name.startswith("Test") or any(ast.unparse(base).endswith("TestCase") for base in node.bases)


def is_fixture(node: Definition) -> bool:
    """Tell whether a definition is a fixture of pytest, under whatever name and with whatever parameters."""
    return any("fixture" in ast.unparse(decorator) for decorator in node.decorator_list)


def why_not(error: SyntaxError) -> str:
    """Return why a text does not parse, as the end of a sentence, without a sign: `, line 3: invalid syntax`."""
    reason = error.msg.rstrip("?.")
    return f", line {error.lineno}: {reason}" if error.lineno else f": {reason}"


def is_too_deep(tree: ast.AST) -> bool:
    """Tell whether a tree has more than MAX_LEVELS levels."""
    level = [tree]
    for _ in range(MAX_LEVELS):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


ONE_AT_A_TIME = threading.Lock()
"""Python 3.11 counts the depth of a tree for all threads together: two that parse at once end in a SystemError."""


def _parsed(text: str, mode: str) -> ast.AST:
    try:
        with ONE_AT_A_TIME:
            tree: ast.AST = ast.parse(text, mode=mode)
    except (RecursionError, MemoryError):
        raise _too_deep() from None
    except ValueError as error:  # a null character, or half a character
        raise SyntaxError(str(error)) from None
    # No character opens more than two levels, and the calls that are parsed by the thousand are short.
    if _LEVELS_A_CHARACTER * len(text) > MAX_LEVELS - _OUTER_LEVELS and is_too_deep(tree):
        raise _too_deep()
    return tree


def _too_deep() -> NestedTooDeeply:
    return NestedTooDeeply("it is nested too deeply")
