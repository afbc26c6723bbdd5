"""Conditions that are missing: before a statement that should not always run, and before a jump that is not there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from selfheal_tui.search.program.source import Source

from ..operators import Splice
from ..operators.base import bits, quoted
from ..operators.blocks import (
    has_own_lines,
    indent_of,
    inserter,
    is_docstring,
    lines_of,
    loop_around,
    may_return,
    newline_of,
    relined,
    shifted,
    step_of,
)
from ..operators.fitting import OR, grouped, in_parentheses
from ..operators.scope import own_nodes, owner, scope
from .base import FORCE, Spot, forced

_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Break, ast.Continue, ast.Raise)
_FIXED = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Global, ast.Nonlocal)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_CONSTANTS = ("True", "False", "None", "0", "[]", "-1", "''")
_MOST_RESULTS = 9
_LONGEST = 24


@forced("angelic_guard", 5.0, "something should happen only on a condition")
def guards(source: Source, node: ast.AST) -> Iterator[Spot]:
    """Put a simple statement under a condition that is to be made."""
    if not isinstance(node, _SIMPLE) or is_docstring(node) or not has_own_lines(source, node):
        return
    start = source.span(node)[0]
    shift = shifted(source, node, node, indent_of(source, node) + step_of(source))
    if shift is None:
        return

    def write(text: str) -> Splice:
        first, last = lines_of(source, node)
        header = f"{indent_of(source, node)}if {text}:{newline_of(source)}"
        reason = f"{quoted(f'if {text}:')} is put before {quoted(source.segment(node))}"
        return relined(source, first, last, header + shift, reason)

    yield Spot(node, f"if {FORCE}(#, True): ", "", start, start, write)


@forced("angelic_jump", 5.4, "a special case is not handled")
def jumps(source: Source, node: ast.AST) -> Iterator[Spot]:
    """Put `if ...: return`, `continue` or `break` before a statement, and at the end of a loop's body."""
    if not isinstance(node, ast.stmt) or isinstance(node, _FIXED) or is_docstring(node):
        return
    if not has_own_lines(source, node):
        return
    words = ["continue", "break"] if loop_around(source, node) is not None else []
    if may_return(source, node):
        words += [f"return {value}" for value in _results(source, node)]
    start = lines_of(source, node)[0]
    for place, word in enumerate(words):
        text = f"{indent_of(source, node)}if {FORCE}(#, False): {word}{newline_of(source)}"
        yield Spot(node, text, "", start, start, _writer(source, node, word), extra=0.4 * bits(place))


@forced("angelic_filter", 4.6, "some items should be left out")
def filters(source: Source, node: ast.AST) -> Iterator[Spot]:
    """Give a comprehension a filter."""
    if not isinstance(node, ast.comprehension) or node.ifs:
        return
    holder = source.parents[node]
    end = source.span(node.iter)[1]
    if (
        not isinstance(holder, _COMPREHENSIONS)
        or in_parentheses(source, node.iter)
        or holder.generators[-1] is not node
    ):
        return
    inner = holder.key if isinstance(holder, ast.DictComp) else holder.elt

    def write(text: str) -> Splice:
        return Splice(end, end, f" if {grouped(text, OR)}", f"{quoted(f'if {text}')} is added to the comprehension")

    yield Spot(inner, f" if {FORCE}(#, True)", "", end, end, write)


def _writer(source: Source, node: ast.stmt, word: str) -> Callable[[str], Splice | None]:
    def write(text: str) -> Splice:
        lines = (f"if {text}:", f"\t{word}")
        return inserter(source, node)(lines, f"{quoted(f'if {text}: {word}')} is added", 0.0)

    return write


def _results(source: Source, node: ast.stmt) -> list[str]:
    """Return what may be given back early: as elsewhere in the function, its variables, constants."""
    nodes = own_nodes(source, owner(source, node))
    own = [source.segment(at.value) for at in nodes if isinstance(at, ast.Return) and at.value is not None]
    visible = scope(source, node)
    texts = [text for text in own if len(text) <= _LONGEST and "\n" not in text]
    now = source.segment(node.value) if isinstance(node, ast.Return) and node.value is not None else None
    distinct = dict.fromkeys((*texts, *list(visible)[:4], *_CONSTANTS))
    return [text for text in distinct if text != now][:_MOST_RESULTS]
