"""Questions about objects: the steps of a test, one left out or done twice, as one expression that ends with a read.

`[c := Cache(2), c.put('a', 1), c.get('a'), c.rate()][-1]`: a single call cannot ask for what an object has become.
Objects that a fixture makes are made by its steps, and what one test reads of them is read after the steps of another.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from selfheal_tui.python_source import is_literal, parse_or_none

from .named_values import named_values

_MOST, _MOST_MIXED = 24, 16
_MOST_STEPS = 8
_LONGEST = 200


def build_sequences(tests: Mapping[str, str]) -> list[str]:
    """Return sequences as source text, distinct, the shortest first, none of them written in the tests.

    `tests` is path -> text. Only test functions whose steps are calls and assignments are taken, and whose parameters
    are fixtures of that kind.
    """
    own = [*_own(tests)]
    written = {_text(steps, read) for steps, read in own}
    changed = dict.fromkeys(_text(other, read) for steps, read in own for other in _changed(steps))
    new = [text for text in changed if text not in written and len(text) <= _LONGEST]
    mixed = dict.fromkeys(_text(steps, read) for steps, read in _mixed(own))
    others = [text for text in mixed if text not in written and len(text) <= _LONGEST]
    few = [*islice(sorted(new, key=len), _MOST), *islice(sorted(others, key=len), _MOST_MIXED)]
    return [*dict.fromkeys(few)]


def own_sequences(tests: Mapping[str, str]) -> list[str]:
    """Return the sequences of the tests themselves, as source text."""
    return [_text(steps, read) for steps, read in _own(tests)]


def is_sequence(call: str) -> bool:
    """Tell whether a call is one of `build_sequences`."""
    return call.startswith("[") and call.endswith("][-1]")


def _own(tests: Mapping[str, str]) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    """Yield (steps, what an assertion reads after them) of every test function."""
    values = named_values(tests)
    for path, text in tests.items():
        tree = parse_or_none(text)
        for node in tree.body if tree is not None else ():
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                before = values[path].steps_before(node)
                if before is not None:
                    yield from _reads([*before, *node.body[:_MOST_STEPS]])


def _reads(body: Sequence[ast.stmt]) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    """Yield (steps before it, what an assertion reads of an object) until a statement that is neither."""
    steps: list[ast.expr] = []
    names: set[str] = set()
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=ast.Call() as value):
                names.add(name)
                steps.append(ast.NamedExpr(target, value))
            case ast.Expr(value=ast.Call() as value):
                steps.append(value)
            case ast.Assert(test=ast.Compare(left=read, ops=[ast.Eq() | ast.Is()], comparators=[right])) if _is_plain(
                right
            ):
                if _is_of(read, names):
                    yield [*steps], read
                steps.append(read)
            case ast.Expr(value=ast.Constant()):
                continue
            case _:
                return


def _is_plain(wanted: ast.expr) -> bool:
    """Tell whether what is wanted is a value, or read of objects without a call: `[second.number]`."""
    return is_literal(wanted) or not any(isinstance(node, ast.Call | ast.Name) for node in _parts(wanted))


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and what is in it, without the names that attributes are read of."""
    yield node
    for inner in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.Attribute) and isinstance(inner, ast.Name)):
            yield from _parts(inner)


def _is_of(read: ast.expr, names: set[str]) -> bool:
    """Tell whether a read is of one of these names: `c.rate()`, `desk.stock.left("cup")`, `shop.items["cup"].price`,
    or a function's that takes one: `total(shop)`.
    """
    match read:
        case ast.Call(func=ast.Name(), args=[ast.Name(id=name), *others], keywords=[]):
            return name in names and all(map(is_literal, others))
    inner = read.func if isinstance(read, ast.Call) else read
    if not isinstance(inner, ast.Attribute | ast.Subscript):
        return False
    while isinstance(inner, ast.Attribute | ast.Subscript):
        if isinstance(inner, ast.Subscript) and not is_literal(inner.slice):
            return False
        inner = inner.value
    return isinstance(inner, ast.Name) and inner.id in names


def _mixed(own: Sequence[tuple[list[ast.expr], ast.expr]]) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    """Yield the steps of one test with what another one reads, where its names are made alike in both."""
    made = [
        {step.target.id: ast.unparse(step.value) for step in steps if isinstance(step, ast.NamedExpr)}
        for steps, _ in own
    ]
    for here, (steps, _) in zip(made, own, strict=True):
        for there, (_, read) in zip(made, own, strict=True):
            names = {node.id for node in ast.walk(read) if isinstance(node, ast.Name)}
            if all(name in here and here[name] == there.get(name) for name in names):
                yield steps, read


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
