"""Calls in the words of a person: `[c := Cache(2), c.rate()][-1]` is `c.rate() (after c = Cache(2))`. Pure.

The search asks what an object has become by one expression that holds several steps; a person writes them apart.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

from selfheal_tui.python_source import parse_expression
from selfheal_tui.text import value_line

_LEAST_STEPS = 30
"""Characters of the steps that are shown however long the call is."""
_MOST_ROWS = 3


def call_of_steps(steps: Sequence[ast.expr]) -> str:
    """Return steps, the one whose value is meant last, as one call, which `call_steps` takes apart again."""
    return f"[{', '.join(map(_code, steps))}][-1]"


def setting_step(owner: ast.expr, attr: str, value: ast.expr) -> ast.Call:
    """Return `s.limit = 3` as a step; it is shown as a person writes it."""
    return ast.Call(ast.Name("setattr", ast.Load()), [owner, ast.Constant(attr), value], keywords=[])


def _code(step: ast.expr) -> str:
    if isinstance(step, ast.NamedExpr):
        return f"{ast.unparse(step.target)} := {ast.unparse(step.value)}"
    return ast.unparse(step)


@functools.lru_cache(maxsize=256)
def call_steps(call: str) -> tuple[str, ...]:
    """Return the statements that a call stands for, the one whose value is meant last; itself alone for a plain one."""
    try:
        tree = parse_expression(call)
    except SyntaxError:
        return (call,)
    match tree:
        case ast.Subscript(
            value=ast.List(elts=[_, _, *_] as steps), slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))
        ):
            return tuple(map(_statement, steps))
    return (call,)


def call_words(call: str, limit: int = 200) -> str:
    """Return a call as one safe line: `c.rate() (after c = Cache(2); c.put('a', 1))`."""
    *steps, read = call_steps(call)
    line = value_line(read, limit)
    if not steps:
        return line
    return f"{line} (after {value_line('; '.join(steps), max(_LEAST_STEPS, limit - len(line) - 9))})"


def raised_where(call: str) -> str:
    """Return what is said behind `raises ValueError` of a call with steps: any of them may; empty for a plain one."""
    return " there or before" if len(call_steps(call)) > 1 else ""


def call_rows(call: str, limit: int = 200) -> list[str]:
    """Return a call as safe lines, a step in each; the first steps share one where there are many."""
    *steps, read = call_steps(call)
    if len(steps) >= _MOST_ROWS:
        steps = ["; ".join(steps)]
    return [value_line(row, limit) for row in (*steps, read)]


def _statement(step: ast.expr) -> str:
    if isinstance(step, ast.NamedExpr):
        return f"{ast.unparse(step.target)} = {ast.unparse(step.value)}"
    match step:
        case ast.Call(func=ast.Name(id="setattr"), args=[owner, ast.Constant(value=str(name)), value], keywords=[]):
            if name.isidentifier():
                return f"{ast.unparse(owner)}.{name} = {ast.unparse(value)}"
    return ast.unparse(step)
