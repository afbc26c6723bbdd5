"""One example of a text, and the small readers of source that both forms of examples need."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from selfheal_tui.python_source import is_literal, parse_expression


@dataclass(frozen=True, slots=True)
class Example:
    """One thing that the text settles. Exactly one of `value`, `error`, `shows` and `holds` is given."""

    text: str
    """As the text shows it, one line."""
    call: str
    """Source of the expression, normalised; with `holds` empty."""
    setup: tuple[str, ...] = ()
    """Statements that come before it in its session."""
    value: str = ""
    """Source of what it equals."""
    error: str = ""
    """Name of the exception that it raises."""
    message: str = ""
    """With `error`: the exception's text; empty when the text does not show it."""
    shows: str = ""
    """What an interactive session shows: what is printed, then the value's repr unless it is None."""
    holds: str = ""
    """Source of an expression that is true."""
    within: float = 0.0
    """Numbers may differ by this much, as the text shows few of their digits; 0 means to about nine digits."""
    names: tuple[str, ...] = ()
    """What is to be imported for it."""
    unsure: bool = False
    """Written in a form that is wrong too often to judge a program."""


def parsed(source: str) -> ast.expr | None:
    """Return the expression; None when the text is none."""
    try:
        return parse_expression(source.strip())
    except SyntaxError:
        return None


def literal(source: str) -> str | None:
    """Return the literal, normalised; None when the text is no single literal."""
    node = parsed(source)
    return ast.unparse(node) if node is not None and is_literal(node) else None


def is_equality(node: ast.expr | None) -> bool:
    """Tell whether an expression is `a == b`, or `a is b` with True, False or None."""
    match node:
        case ast.Compare(ops=[ast.Eq()]):
            return True
        case ast.Compare(ops=[ast.Is()], comparators=[other]):
            return ast.unparse(other) in ("True", "False", "None")
    return False
