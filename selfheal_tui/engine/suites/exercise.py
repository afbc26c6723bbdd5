"""What the cases of a passing suite did not exercise, read off the lines that ran. Pure.

Only lines inside functions count: what runs on import belongs to no case. A line is that of a statement's beginning.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from selfheal_tui.python_source import parse_python
from selfheal_tui.sandbox.base import Coverage
from selfheal_tui.text import plural

from ..moment.not_run import few_ranges

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_SHOWN_FILES = 3


@dataclass(frozen=True, slots=True)
class Exercise:
    """What no case ran, and what the cases ran in one way only."""

    idle: Mapping[str, list[int]]
    """Program path -> lines that no case ran; a path only where there are such lines."""
    one_sided: Mapping[str, list[tuple[int, str]]]
    """Program path -> (line, what no case shows) for branches and loops."""
    measured: bool
    """Whether it could be seen which lines ran."""

    @property
    def sentence(self) -> str:
        """Say what no case ran."""
        if not self.measured:
            return "It could not be seen which lines of the program the cases ran."
        if not self.idle:
            return "The cases ran every line of the program."
        paths = list(self.idle)[:_SHOWN_FILES]
        places = [
            f"{'line' if len(self.idle[path]) == 1 else 'lines'} {few_ranges(self.idle[path])} of {path}"
            for path in paths
        ]
        more = (
            f" and lines of {plural(len(self.idle) - len(paths), 'other file')}" if len(self.idle) > len(paths) else ""
        )
        return f"No case ran {'; '.join(places)}{more}."


def exercised(program: Mapping[str, str], coverage: Coverage) -> Exercise:
    """Return what the cases left out; `program` is path -> text. A file that does not parse is left out."""
    per_case = list(coverage.values())
    lines_by_case = {path: [case[path] for case in per_case if path in case] for path in program}
    idle: dict[str, list[int]] = {}
    one_sided: dict[str, list[tuple[int, str]]] = {}
    has_bodies = False
    for path, text in program.items():
        try:
            tree = parse_python(text)
        except SyntaxError:
            continue
        statements = list(_in_functions(tree))
        has_bodies = has_bodies or bool(statements)
        ran = frozenset[int]().union(*lines_by_case[path])
        if missing := sorted({_first_line(s) for s in statements} - ran):
            idle[path] = missing
        if one_sided_here := sorted(set(_one_sided(tree, lines_by_case[path]))):
            one_sided[path] = one_sided_here
    if has_bodies and not any(lines_by_case.values()):
        return Exercise({}, {}, False)
    return Exercise(idle, one_sided, True)


def _in_functions(tree: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements inside functions that leave a trace when they run."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.stmt) and node is not function and _leaves_trace(node):
                    yield node


def _leaves_trace(statement: ast.stmt) -> bool:
    match statement:
        case ast.Global() | ast.Nonlocal() | ast.AnnAssign(value=None) | ast.Expr(value=ast.Constant()):
            return False
        case ast.While(test=ast.Constant()) | ast.If(test=ast.Constant()):
            return False
    return True


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _one_sided(tree: ast.AST, cases: Sequence[Collection[int]]) -> Iterator[tuple[int, str]]:
    """Yield each `if` without `else` and each loop that no case is seen to pass by.

    Seen to pass by: a case ran its line and not its body; or its body leaves, and what follows it ran.
    """
    for block in _blocks(tree):
        for node, after in zip(block, [*block[1:], None], strict=True):
            if isinstance(node, ast.If) and not node.orelse:
                words = "its condition is in no case seen to be false"
            elif isinstance(node, ast.For | ast.AsyncFor | ast.While):
                words = "it is in no case seen to have nothing to do"
            else:
                continue
            body = next((_first_line(s) for s in node.body if _leaves_trace(s)), node.lineno)
            if body == node.lineno or not _leaves_trace(node) or not any(body in lines for lines in cases):
                continue
            by = any(node.lineno in lines and body not in lines for lines in cases)
            leaves = isinstance(node, ast.If) and isinstance(node.body[-1], _LEAVES)
            if not by and leaves and after is not None:
                by = any(_first_line(after) in lines for lines in cases)
            if not by:
                yield node.lineno, words


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                for name in ("body", "orelse", "finalbody"):
                    block = getattr(node, name, None)
                    if isinstance(block, list) and block:  # the body of a lambda is an expression
                        yield block
