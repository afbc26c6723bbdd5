"""Questions about objects: the steps of a test, one left out or done twice, as one expression that ends with a read.

`[c := Cache(2), c.put('a', 1), c.get('a'), c.rate()][-1]`: a single call cannot ask for what an object has become.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from selfheal_tui.python_source import is_literal, parse_or_none

_MOST = 24
_MOST_STEPS = 8
_LONGEST = 160


def build_sequences(tests: Mapping[str, str]) -> list[str]:
    """Return sequences as source text, distinct, the shortest first, none of them written in the tests.

    `tests` is path -> text. Only test functions without parameters whose steps are calls and assignments are taken.
    """
    written = {*own_sequences(tests)}
    changed = dict.fromkeys(_text(other, read) for steps, read in _own(tests) for other in _changed(steps))
    new = [text for text in changed if text not in written and len(text) <= _LONGEST]
    return [*islice(sorted(new, key=len), _MOST)]


def own_sequences(tests: Mapping[str, str]) -> list[str]:
    """Return the sequences of the tests themselves, as source text."""
    return [_text(steps, read) for steps, read in _own(tests)]


def is_sequence(call: str) -> bool:
    """Tell whether a call is one of `build_sequences`."""
    return call.startswith("[") and call.endswith("][-1]")


def _own(tests: Mapping[str, str]) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    """Yield (steps, what an assertion reads after them) of every test function."""
    for text in tests.values():
        tree = parse_or_none(text)
        for node in tree.body if tree is not None else ():
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test") and not node.args.args:
                yield from _reads(node.body)


def _reads(body: Sequence[ast.stmt]) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    """Yield (steps before it, what an assertion reads of an object) until a statement that is neither."""
    steps: list[ast.expr] = []
    names: set[str] = set()
    for statement in body[:_MOST_STEPS]:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=ast.Call() as value):
                names.add(name)
                steps.append(ast.NamedExpr(target, value))
            case ast.Expr(value=ast.Call() as value):
                steps.append(value)
            case ast.Assert(test=ast.Compare(left=read, ops=[ast.Eq() | ast.Is()], comparators=[right])) if is_literal(
                right
            ):
                if _is_of(read, names):
                    yield [*steps], read
                steps.append(read)
            case ast.Expr(value=ast.Constant()):
                continue
            case _:
                return


def _is_of(read: ast.expr, names: set[str]) -> bool:
    """Tell whether a read is a method or an attribute of one of these names: `c.rate()`."""
    inner = read.func if isinstance(read, ast.Call) else read
    return isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id in names


def _changed(steps: Sequence[ast.expr]) -> Iterator[Sequence[ast.expr]]:
    """Yield the steps with each call left out, with each done twice, and cut off after each; objects stay."""
    for at, step in enumerate(steps):
        if not isinstance(step, ast.NamedExpr):
            yield [*steps[:at], *steps[at + 1 :]]
            yield [*steps[: at + 1], step, *steps[at + 1 :]]
            yield [*steps[:at], *(one for one in steps[at:] if isinstance(one, ast.NamedExpr))]


def _text(steps: Sequence[ast.expr], read: ast.expr) -> str:
    return f"[{', '.join(map(_code, [*steps, read]))}][-1]"


def _code(step: ast.expr) -> str:
    if isinstance(step, ast.NamedExpr):
        return f"{ast.unparse(step.target)} := {ast.unparse(step.value)}"
    return ast.unparse(step)
