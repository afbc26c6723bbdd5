"""The tests that say something of an edit: those that ran a line of what is edited, and those that fail. Pure.

A library's test file calls a hundred functions; calls like those of the others tell repairs of one function apart by
chance alone.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence

from selfheal_tui.python_source import parse_or_none
from selfheal_tui.sandbox.base import Coverage

from ..hunt.candidates import Candidate
from ..program.source import FunctionNode


def near_tests(
    tests: Mapping[str, str], coverage: Coverage, candidates: Sequence[Candidate], failing: Collection[str]
) -> dict[str, str]:
    """Return path -> text of the tests without the functions none of whose cases ran a line that a candidate edits.

    All of them where that would leave none. `failing` are case ids.
    """
    places = {place for one in candidates for place in ((one.path, one.line), *one.before)}
    near = {case for case, files in coverage.items() if any(line in files.get(path, ()) for path, line in places)}
    names = {_function_of(case) for case in near.union(failing)}
    texts = {path: _with_functions(path, text, names) for path, text in tests.items()}
    return texts if any(path in {name[0] for name in names} for path in tests) else dict(tests)


def _function_of(case: str) -> tuple[str, str]:
    """Return path and function name of a node id, without class and parameters."""
    path, _, rest = case.partition("::")
    return path, rest.partition("[")[0].rpartition("::")[2]


def _with_functions(path: str, text: str, names: Collection[tuple[str, str]]) -> str:
    """Return a test file whose other test functions do nothing; the same text where all are wanted."""
    tree = parse_or_none(text)
    if tree is None:
        return text
    others = [
        node
        for node in ast.walk(tree)
        if isinstance(node, FunctionNode) and node.name.startswith("test") and (path, node.name) not in names
    ]
    if not others:
        return text
    for node in others:
        node.body, node.decorator_list = [ast.Pass()], []
    return ast.unparse(tree)
