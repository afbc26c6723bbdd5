"""Questions about objects: the steps of a test, one left out or done twice, as one expression that ends with a read.

`[c := Cache(2), c.put('a', 1), c.get('a'), c.rate()][-1]`: a single call cannot ask for what an object has become.
Objects that a fixture makes are made by its steps, and what one test reads of them is read after the steps of another.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from selfheal_tui.python_source import is_literal

from .named_values import NamedValues, named_values
from .plain_cases import plain_cases

_MOST, _MOST_MIXED, _MOST_MOVED = 24, 16, 24
_MOST_STEPS = 8
_LONGEST = 200


def build_sequences(tests: Mapping[str, str]) -> list[str]:
    """Return sequences as source text, distinct, the shortest first, none of them written in the tests.

    `tests` is path -> text. Only test functions whose steps are calls and assignments are taken, and whose parameters
    are fixtures of that kind.
    """
    own = [*_own(tests)]
    written = {_text(steps, read) for steps, read in own}

    def new(sequences: Iterable[tuple[Sequence[ast.expr], ast.expr]], most: int) -> list[str]:
        texts = dict.fromkeys(_text(steps, read) for steps, read in sequences)
        return sorted((text for text in texts if text not in written and len(text) <= _LONGEST), key=len)[:most]

    changed = new(((other, read) for steps, read in own for other in _changed(steps)), _MOST)
    moved = new(((other, read) for steps, read in own for other in _moved(steps)), _MOST_MOVED)
    mixed = new(_mixed(own), _MOST_MIXED)
    allowed = new(_allowed(tests, own), _MOST_MOVED)
    return [*dict.fromkeys([*changed, *moved, *mixed, *allowed])]


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
        for node, before in _test_functions(path, text, values):
            yield from _reads([*before, *node.body[:_MOST_STEPS]])


def _test_functions(
    path: str, text: str, values: Mapping[str, NamedValues]
) -> Iterator[tuple[ast.FunctionDef, Sequence[ast.stmt]]]:
    """Yield the test functions of a file, each with the steps of its fixtures."""
    for case in plain_cases(text):
        before = values[path].steps_before(case)
        if before is not None:
            yield case, before


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
            case ast.Assert(test=test) if (read := _looked_at(test)) is not None:
                if _is_of(read, names):
                    yield [*steps], read
                steps.append(read)
            case ast.Expr(value=ast.Constant()):
                continue
            case _:
                return


def _looked_at(test: ast.expr) -> ast.expr | None:
    """Return what an assertion compares with something plain, or asks for its truth; None for another one."""
    match test:
        case ast.Compare(left=read, ops=[ast.Eq() | ast.Is()], comparators=[right]) if _is_plain(right):
            return read
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call() | ast.Attribute() | ast.Subscript() as read):
            return read
        case ast.Call() | ast.Attribute() | ast.Subscript():
            return test
    return None


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
    made = [_made(steps) for steps, _ in own]
    for here, (steps, _) in zip(made, own, strict=True):
        for there, (_, read) in zip(made, own, strict=True):
            if _is_read_of(read, here, there):
                yield steps, read


def _made(steps: Sequence[ast.expr]) -> dict[str, str]:
    """Return what steps make: name -> how."""
    return {step.target.id: ast.unparse(step.value) for step in steps if isinstance(step, ast.NamedExpr)}


def _is_read_of(read: ast.expr, here: Mapping[str, str], there: Mapping[str, str]) -> bool:
    """Tell whether all that a test reads is made `here` as it is `there`, where it is read."""
    names = {node.id for node in ast.walk(read) if isinstance(node, ast.Name)} & (here.keys() | there.keys())
    return bool(names) and all(name in here and here[name] == there.get(name) for name in names)


def _moved(steps: Sequence[ast.expr]) -> Iterator[Sequence[ast.expr]]:
    """Yield the steps with one whole number in a call that makes no object moved by one."""
    for at, step in enumerate(steps):
        if isinstance(step, ast.Call):
            for other in _with_numbers(step, lambda number: (number + 1, number - 1)):
                yield [*steps[:at], other, *steps[at + 1 :]]


def _allowed(
    tests: Mapping[str, str], own: Sequence[tuple[list[ast.expr], ast.expr]]
) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    """Yield the steps of a test up to a call that must raise, that call with a smaller number, and what tests read.

    What must be refused in a test is hardly ever done in another one: a repair may refuse it always.
    """
    for steps, call in _refused(tests):
        made = _made(steps)
        reads = {ast.unparse(read): read for there, read in own if _is_read_of(read, made, _made(there))}
        for other in _with_numbers(call, lambda number: (number // 2, 1) if number > 1 else ()):
            yield from (([*steps, other], read) for read in reads.values())


def _refused(tests: Mapping[str, str]) -> Iterator[tuple[list[ast.expr], ast.Call]]:
    """Yield (steps before it, the call) of every test function that expects the call to raise."""
    values = named_values(tests)
    for path, text in tests.items():
        for node, before in _test_functions(path, text, values):
            for at, statement in enumerate(node.body[:_MOST_STEPS]):
                match statement:
                    case ast.With(
                        items=[ast.withitem(context_expr=ast.Call(func=func))], body=[ast.Expr(ast.Call() as call)]
                    ):
                        if ast.unparse(func).endswith(("raises", "assertRaises")):
                            steps = _steps([*before, *node.body[:at]])
                            if steps is not None:
                                yield steps, call
                            break


def _steps(body: Sequence[ast.stmt]) -> list[ast.expr] | None:
    """Return statements as steps; None where one is no call, no assignment of one and no assertion."""
    steps: list[ast.expr] = []
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name() as target], value=ast.Call() as value):
                steps.append(ast.NamedExpr(target, value))
            case ast.Expr(value=ast.Call() as value):
                steps.append(value)
            case ast.Assert() | ast.Expr(value=ast.Constant()):
                continue
            case _:
                return None
    return steps


def _with_numbers(call: ast.Call, others: Callable[[int], Iterable[int]]) -> Iterator[ast.Call]:
    """Yield the call with one whole number among its arguments exchanged."""
    for at, argument in enumerate(call.args):
        if isinstance(argument, ast.Constant) and type(argument.value) is int:
            for number in others(argument.value):
                yield ast.Call(call.func, [*call.args[:at], ast.Constant(number), *call.args[at + 1 :]], call.keywords)


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
