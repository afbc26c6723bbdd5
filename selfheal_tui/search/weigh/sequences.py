"""Questions about objects: the steps of a test, changed a little, as one expression that ends with a read.

`[c := Cache(2), c.put('a', 1), c.get('a'), c.rate()][-1]`: a single call cannot ask for what an object has become.
A step is left out or done twice, two of one kind change places or are given the same number, a number in a step is
moved by one or is one by which the program decides, an object is made of the list of another test, and what one test
reads is read after the steps of another. Pure.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile

from selfheal_tui.steps import call_of_steps, call_steps

from .boundaries import numbers_of
from .object_steps import is_read_of, made_by, own_steps, refused_calls
from .tree_changes import are_same

_MOST, _MOST_MIXED, _MOST_MOVED, _MOST_ALONE, _MOST_MADE, _MOST_TURNED = 24, 16, 24, 16, 16, 12
_LONGEST = 260
_ALONE_READS = 2
"""Reads, those that the most tests have, after a step that stands alone."""
_MOST_READS = 3
"""Reads of other tests after a call that must raise."""
_MOST_NUMBERS = 6
"""Numbers of the program that are put into steps."""


def build_sequences(
    tests: Mapping[str, str], program: Mapping[str, str] | None = None, edited: Collection[str] = ()
) -> list[str]:
    """Return sequences as source text, distinct, the shortest first, none of them written in the tests.

    `tests` and `program` are path -> text. Only test functions whose steps are calls and assignments are taken, and
    whose parameters are fixtures of that kind. Those that call one of the functions `edited` come first.
    """
    numbers = numbers_of(program or {})[:_MOST_NUMBERS]
    own = [*own_steps(tests)]
    written = {call_of_steps([*steps, read]) for steps, read in own}

    def new(
        sequences: Iterable[tuple[Sequence[ast.expr], ast.expr]], most: int, *, as_given: bool = False
    ) -> list[str]:
        texts = dict.fromkeys(call_of_steps([*steps, read]) for steps, read in sequences)
        new = [text for text in texts if text not in written and len(text) <= _LONGEST]
        if not as_given:
            new.sort(key=len)
        return sorted(new, key=lambda text: not any(f"{name}(" in text for name in edited))[:most]

    changed = new(((other, read) for steps, read in own for other in _changed(steps)), _MOST)
    turned = new(((other, read) for steps, read in own for other in _turned(steps)), _MOST_TURNED)
    moved = new(((other, read) for steps, read in own for other in _moved(steps)), _MOST_MOVED)
    bounded = new(((other, read) for steps, read in own for other in _set_to(steps, numbers)), _MOST_MOVED)
    made = new(_made_of_others(own), _MOST_MADE)
    mixed = new(_mixed(own), _MOST_MIXED)
    alone = new(_alone(own), _MOST_ALONE, as_given=True)
    allowed = new(_allowed(tests, own), _MOST_MOVED, as_given=True)
    return [*dict.fromkeys([*changed, *turned, *moved, *bounded, *made, *mixed, *alone, *allowed])]


def own_sequences(tests: Mapping[str, str]) -> list[str]:
    """Return the sequences of the tests themselves, as source text."""
    return [call_of_steps([*steps, read]) for steps, read in own_steps(tests)]


def asked_by_tests(calls: Iterable[str], tests: Mapping[str, str]) -> frozenset[str]:
    """Return the sequences that a test makes but for what its assertions only look at in between, or look at twice."""
    own = [*own_steps(tests)]
    looks = {ast.unparse(read) for _, read in own}

    def doing(call: str) -> tuple[str, ...]:
        *steps, read = call_steps(call)
        return (*(step for step in steps if step not in looks), read)

    known = {doing(call_of_steps([*steps, read])) for steps, read in own}
    return frozenset(call for call in calls if is_sequence(call) and doing(call) in known)


def is_sequence(call: str) -> bool:
    """Tell whether a call is one of `build_sequences`."""
    return call.startswith("[") and call.endswith("][-1]")


def _mixed(own: Sequence[tuple[list[ast.expr], ast.expr]]) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    """Yield the steps of one test with what another one reads, where its names are made alike in both."""
    made = [made_by(steps) for steps, _ in own]
    for here, (steps, _) in zip(made, own, strict=True):
        for there, (_, read) in zip(made, own, strict=True):
            if is_read_of(read, here, there):
                yield steps, read


def _made_of_others(own: Sequence[tuple[list[ast.expr], ast.expr]]) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    """Yield the steps of a test with a list that an object is made of exchanged for that of another test, or empty.

    `len(self.shown) + 1` fits all boards with one mine: `Board(3, 3, [(0, 0)])`, and not `Board(3, 3, [])`.
    """
    given: dict[tuple[str, int], dict[str, ast.expr]] = {}
    for steps, _ in own:
        for at, _, display in _displays(steps):
            given.setdefault(at, {})[ast.unparse(display)] = display
    for others in given.values():
        if any(isinstance(display, ast.List) for display in others.values()):
            others.setdefault("[]", ast.List([], ast.Load()))
    for steps, read in own:
        for at, number, display in _displays(steps):
            for text, other in given[at].items():
                if text != ast.unparse(display):
                    made = copy.deepcopy(steps[number], {id(display): other})
                    yield [*steps[:number], made, *steps[number + 1 :]], read


def _displays(steps: Sequence[ast.expr]) -> Iterator[tuple[tuple[str, int], int, ast.expr]]:
    """Yield each list, set, tuple or dict that an object is made of: what makes it and at which place, and the step."""
    for number, step in enumerate(steps):
        match step:
            case ast.NamedExpr(value=ast.Call(func=function, args=arguments)):
                for place, argument in enumerate(arguments):
                    if isinstance(argument, ast.List | ast.Set | ast.Tuple | ast.Dict):
                        yield (ast.unparse(function), place), number, argument


def _alone(own: Sequence[tuple[list[ast.expr], ast.expr]]) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    """Yield each step of the tests straight after its objects are made, with what most of the tests read.

    What a step does late in a test is often seen by what comes after it only, or not at all.
    """
    reads = Counter(ast.unparse(read) for _, read in own)
    made = [made_by(steps) for steps, _ in own]
    for here, (steps, _) in zip(made, own, strict=True):
        pairs = [(other, read) for there, (other, read) in zip(made, own, strict=True) if is_read_of(read, here, there)]
        fitting = {ast.unparse(read): read for _, read in pairs}
        common = sorted(fitting, key=lambda text: -reads[text])[:_ALONE_READS]
        begun = _begun([other for other, _ in pairs])
        for at, step in enumerate(steps[begun:], begun):
            if not isinstance(step, ast.NamedExpr) and ast.unparse(step) not in fitting:
                objects = [one for one in steps[begun:at] if isinstance(one, ast.NamedExpr)]
                yield from (([*steps[:begun], *objects, step], fitting[text]) for text in common)


def _begun(steps: Sequence[Sequence[ast.expr]]) -> int:
    """Return how many steps all tests begin with: what sets the objects up. Of a single test, none.

    `steps` are those before each read: a test with several reads has some that go on with others.
    """
    tests = [own for own in steps if not any(_goes_on(other, own) for other in steps)]
    if len(tests) < 2:
        return 0
    same = takewhile(lambda row: len({ast.unparse(step) for step in row}) == 1, zip(*tests, strict=False))
    return sum(1 for _ in same)


def _goes_on(other: Sequence[ast.expr], own: Sequence[ast.expr]) -> bool:
    """Tell whether other steps are those of the same test up to a later read."""
    return len(other) > len(own) and all(one is two for one, two in zip(other, own, strict=False))


def _turned(steps: Sequence[ast.expr]) -> Iterator[Sequence[ast.expr]]:
    """Yield the steps with two calls of one method, one after the other, that change places or are given one number.

    A test of an order often has its steps in one order alone, and no two that are equal.
    """
    for at, (one, other) in enumerate(pairwise(steps)):
        match one, other:
            case ast.Call(func=method), ast.Call(func=again) if are_same(method, again):
                if not are_same(one, other):
                    yield [*steps[:at], other, one, *steps[at + 2 :]]
                    for alike in _with_numbers_of(one, other):
                        yield [*steps[:at], one, alike, *steps[at + 2 :]]


def _with_numbers_of(one: ast.Call, other: ast.Call) -> Iterator[ast.expr]:
    """Yield the other call with one of its numbers that of the first in the same place, where both have as many."""
    numbers, own = ([node for node in ast.walk(call) if _is_number(node)] for call in (one, other))
    if len(numbers) == len(own):
        for number, mine in zip(numbers, own, strict=True):
            if not are_same(number, mine):
                yield copy.deepcopy(other, {id(mine): number})


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _moved(steps: Sequence[ast.expr]) -> Iterator[Sequence[ast.expr]]:
    """Yield the steps with one whole number in a call that makes no object moved by one."""
    return _exchanged(steps, lambda number: (number + 1, number - 1))


def _set_to(steps: Sequence[ast.expr], numbers: Sequence[int]) -> Iterator[Sequence[ast.expr]]:
    """Yield the steps with one such number set to one by which the program decides."""
    return _exchanged(steps, lambda number: [other for other in numbers if other != number])


def _exchanged(steps: Sequence[ast.expr], others: Callable[[int], Iterable[int]]) -> Iterator[Sequence[ast.expr]]:
    for at, step in enumerate(steps):
        if isinstance(step, ast.Call):
            for other in _with_numbers(step, others):
                yield [*steps[:at], other, *steps[at + 1 :]]


def _allowed(
    tests: Mapping[str, str], own: Sequence[tuple[list[ast.expr], ast.expr]]
) -> list[tuple[list[ast.expr], ast.expr]]:
    """Return the steps of a test up to a call that must raise, that call with a smaller number or one step less before
    it, and what tests read: first one read of each, with one less or without the last step, for every such call.

    What must be refused in a test is hardly ever done in another one: a repair may refuse it always.
    """
    first: list[tuple[list[ast.expr], ast.expr]] = []
    rest: list[tuple[list[ast.expr], ast.expr]] = []
    for steps, call, after in refused_calls(tests):
        made = made_by(steps)
        others = [read for there, read in own if is_read_of(read, made, made_by(there))]
        reads = [*{ast.unparse(read): read for read in [*after, *others[:_MOST_READS]]}.values()]
        eased = [[*steps, other] for other in [*_one_less(call), *_with_numbers(call, _milder)]]
        moves = [at for at, step in enumerate(steps) if not isinstance(step, ast.NamedExpr)]
        less = [[*steps[:at], *steps[at + 1 :], call] for at in reversed(moves)]
        first += [(sequence, read) for sequence in [*eased, *less[:1]] for read in reads[:1]]
        rest += [(sequence, read) for sequence in [*eased, *less] for read in reads]
    return [*first, *rest]


def _one_less(call: ast.Call) -> Iterator[ast.Call]:
    """Yield the call with one argument one less that is worked out and no plain value: `desk.pay(desk.open() + 1)`."""
    for at, argument in enumerate(call.args):
        match argument:
            case ast.BinOp(left=less, op=ast.Add(), right=ast.Constant(value=int())):
                pass
            case ast.Call(func=ast.Attribute()) | ast.Attribute():
                less = ast.BinOp(argument, ast.Sub(), ast.Constant(1))
            case _:
                continue
        yield ast.Call(call.func, [*call.args[:at], less, *call.args[at + 1 :]], call.keywords)


def _milder(number: int) -> tuple[int, ...]:
    """Return numbers that may be let in where one is refused: smaller ones, and 0 and 1 for one below 0."""
    return (number // 2, 1) if number > 1 else (0, 1) if number < 0 else ()


def _with_numbers(call: ast.Call, others: Callable[[int], Iterable[int]]) -> Iterator[ast.Call]:
    """Yield the call with one whole number among its arguments exchanged."""
    for at, argument in enumerate(call.args):
        if (value := _whole(argument)) is not None:
            for number in others(value):
                yield ast.Call(call.func, [*call.args[:at], ast.Constant(number), *call.args[at + 1 :]], call.keywords)


def _whole(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return -value
    return None


def _changed(steps: Sequence[ast.expr]) -> Iterator[Sequence[ast.expr]]:
    """Yield the steps with each call left out, with each done twice, and cut off after each; objects stay."""
    for at, step in enumerate(steps):
        if not isinstance(step, ast.NamedExpr):
            yield [*steps[:at], *steps[at + 1 :]]
            yield [*steps[: at + 1], step, *steps[at + 1 :]]
            yield [*steps[:at], *(one for one in steps[at:] if isinstance(one, ast.NamedExpr))]
