"""Read what a sandbox saw: expressions by place, variables by function, what cases expect and raise."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from selfheal_tui.python_source import parse_python
from selfheal_tui.sandbox.base import CaseResult, SuiteReport
from selfheal_tui.sandbox.examine import Examined

from .calls import compared_calls
from .localise import frames, is_failing
from .observations import Observations, Place
from .source import FunctionNode, place

_RAISED = re.compile(r"(?:\w+\.)*(\w+)(?:: (.*))?", re.DOTALL)


def build_observations(
    examined: Examined, report: SuiteReport, program: Mapping[str, str], tests: Mapping[str, str]
) -> dict[str, Observations]:
    """Return observations for each program file; `program` and `tests` are path -> text."""
    failing = [case for case in report["cases"] if is_failing(case)]
    expected = {case: repr(value) for case, value in _expected(tests)}
    compared = list(_compared(failing))
    return {
        path: _observations_of(path, text, examined, expected, compared, _errors(failing, path, program))
        for path, text in program.items()
    }


def _observations_of(
    path: str,
    text: str,
    examined: Examined,
    expected: Mapping[str, str],
    compared: Sequence[tuple[object, object]],
    errors: tuple[tuple[str, str, int], ...],
) -> Observations:
    mine = {number: at for number, (where, at) in enumerate(examined.places) if where == path}
    types = {mine[number]: frozenset(names) for number, names in examined.types.items() if number in mine}
    returns: dict[int, dict[str, Mapping[str, str]]] = defaultdict(dict)
    for case, observations in examined.returns.items():
        for observation in observations:
            if observation.path == path:
                returns[observation.line][case] = observation.local
    return Observations(
        types=types,
        watched=frozenset(mine.values()),
        values={mine[number]: values for number, values in examined.values.items() if number in mine},
        evaluated={
            case: frozenset(mine[number] for number in numbers if number in mine)
            for case, numbers in examined.evaluated.items()
        },
        variables=_variables(text, types),
        returns=dict(returns),
        expected=expected,
        mismatches=frozenset(pair for a, b in compared for pair in _mismatches(a, b)),
        differences=tuple(dict.fromkeys((a, b) for a, b in compared if isinstance(a, str) and isinstance(b, str))),
        errors=errors,
    )


def _variables(text: str, types: Mapping[Place, frozenset[str]]) -> dict[str, dict[str, frozenset[str]]]:
    variables: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    try:
        tree = parse_python(text)
    except SyntaxError:
        return {}
    pending: list[tuple[ast.AST, str]] = [(tree, "")]
    while pending:
        node, function = pending.pop()
        if isinstance(node, ast.Name) and (types_here := types.get(place(node))):
            variables[function][node.id] = variables[function].get(node.id, frozenset()) | types_here
        inside = node.name if isinstance(node, FunctionNode) else function
        pending.extend((child, inside) for child in ast.iter_child_nodes(node))
    return dict(variables)


def _expected(tests: Mapping[str, str]) -> Iterator[tuple[str, object]]:
    """Yield (case id, value) of the cases that compare one call with one literal."""
    expected: dict[str, list[object]] = defaultdict(list)
    for case, _, literal in compared_calls(tests):
        expected[case].append(ast.literal_eval(literal))
    yield from ((case, values[0]) for case, values in expected.items() if len(values) == 1)


def _compared(failing: Iterable[CaseResult]) -> Iterator[tuple[object, object]]:
    """Yield the literals (returned, expected) of failing comparisons; both ways where no side is known."""
    for case in failing:
        actual, expected = case.get("compared", (case["actual"], case["expected"]))
        if actual is None or expected is None:
            continue
        try:
            one, other = ast.literal_eval(actual), ast.literal_eval(expected)
            yield one, other
            if "compared" in case:
                yield other, one
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue


def _mismatches(actual: object, expected: object) -> Iterator[tuple[str, str]]:
    """Yield the two types where they differ, and those of first items of which one is text and the other bytes."""
    if type(actual) is not type(expected):
        yield type(actual).__name__, type(expected).__name__
        return
    match actual, expected:
        case [str() | bytes() as one, *_], [str() | bytes() as other, *_] if type(one) is not type(other):
            yield type(one).__name__, type(other).__name__


def _errors(failing: Iterable[CaseResult], path: str, program: Mapping[str, str]) -> tuple[tuple[str, str, int], ...]:
    errors: dict[tuple[str, str, int], None] = {}
    for case in failing:
        match = _RAISED.match(case["message"])
        if match is None or case["outcome"] == "timeout" or match.group(1) == "AssertionError":
            continue
        line = next((number for where, number in frames(case, program) if where == path), 0)
        errors[match.group(1), (match.group(2) or "").strip(), line] = None
    return tuple(errors)
