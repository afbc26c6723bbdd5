"""Each check of a failing test as a case of its own, beside the test: what fails first hides what comes after it.

Test case purification (Xuan, Monperrus: "Test Case Purification for Improving Fault Localization", FSE 2014), here by
copies of the test function in which all checks but one may fail. Pure.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from selfheal_tui.python_source import parse_or_none
from selfheal_tui.sandbox.base import CaseResult, Suite, SuiteReport
from selfheal_tui.text import one_line

from .localise import is_failing
from .source import FunctionNode

_MOST_OF_TEST, _MOST_CASES = 10, 60
"""Groups of checks of one test, and copies in all, counted as cases."""
_MOST_S = 2.0
"""What the copies may take, by the time of the tests that they are made of."""
_SHOWN = 80
"""Characters of a check in a sentence."""
COPY = "__check_"
"""Follows the name of a test in that of a copy of it, before a number."""
_NUMBER = re.compile(rf"{COPY}\d+")
_RAISES = frozenset({"raises", "warns", "deprecated_call"})


@dataclass(frozen=True, slots=True)
class Purified:
    """Test files with a copy of each failing test for each of its checks."""

    files: Mapping[str, str] = field(default_factory=dict)
    """Path -> new text, of those that have copies."""
    written: Mapping[str, str] = field(default_factory=dict)
    """Path -> text as it was, of these."""
    checks: Mapping[str, str] = field(default_factory=dict)
    """Node id of a copy, without parameters -> the first line of what it checks."""
    objects: Mapping[str, str] = field(default_factory=dict)
    """Those of them that check nothing but that objects differ from each other -> what makes one."""

    def copies(self, test: str) -> list[str]:
        """Return the node ids of the copies of a test, which has no parameters."""
        return [copied for copied in self.checks if copied_from(copied) == test]

    def left_out(self, suite: Suite) -> Suite:
        """Return a suite that has them without them."""
        files = {**suite.files, **{path: text for path, text in self.written.items() if path in suite.files}}
        return replace(suite, files=files, tests=self.real(suite.tests))

    def is_copy(self, case: str) -> bool:
        """Tell whether a case is one of the copies."""
        return without_parameters(case) in self.checks

    def still_failing(self, failing: Collection[str], mended: Collection[str]) -> set[str]:
        """Return which of the `failing` cases nothing mends; a test is mended where all its failing copies are."""
        left = {case for case in failing if case not in mended}
        copied = {copied_from(case) for case in failing if self.is_copy(case)}
        held = {copied_from(case) for case in left if self.is_copy(case)}
        return {case for case in left if self.is_copy(case) or case not in copied - held}

    def words(self, case: str) -> str:
        """Say what it means that a copy fails now: `assert f(1) == 2` of test_f holds without it, and not with it."""
        name = without_parameters(case)
        test = copied_from(name).rpartition("::")[2]
        if made := self.objects.get(name):
            return f"`{one_line(made, _SHOWN)}` and most other objects of {test} are alike with it"
        return f"`{self.checks[name]}` of {test} holds without it, and not with it"

    def without_objects(self, report: SuiteReport) -> SuiteReport:
        """Return a report without the cases that check nothing but what objects are: they tell of no place."""
        kept = [case for case in report["cases"] if without_parameters(case["id"]) not in self.objects]
        return {**report, "cases": kept} if len(kept) < len(report["cases"]) else report

    def real(self, cases: Collection[str]) -> tuple[str, ...]:
        """Return the cases that are none of the copies."""
        return tuple(case for case in cases if not self.is_copy(case))


NO_COPIES = Purified()


def copied_from(case: str) -> str:
    """Return the id of the test, or of the case of it, that a copy's was made of."""
    return _NUMBER.sub("", case)


def tests_among(cases: Iterable[str]) -> set[str]:
    """Return the cases of the tests themselves of which some cases are, or are copies."""
    return set(map(copied_from, cases))


def checks_among(cases: Collection[str]) -> int:
    """Return how much some cases check: a test whose copies are among them does not count beside these."""
    copied = {copied_from(case) for case in cases if copied_from(case) != case}
    return sum(case not in copied for case in cases)


def purified(files: Mapping[str, str], report: SuiteReport, without: Collection[str] = ()) -> Purified:
    """Return copies of the failing tests that have several checks; `files` is path -> text of the test files.

    Tests `without` (node ids), that did not end, that take long, or that have many cases have none.
    """
    texts: dict[str, str] = {}
    checks: dict[str, str] = {}
    left, left_s = _MOST_CASES, _MOST_S
    for path, of_tests in _failing_tests(report).items():
        text = files.get(path, "")
        tree = parse_or_none(text)
        if tree is None or COPY in text:
            continue
        made = False
        for inside, holder, test in tests_in(tree):
            cases = of_tests.get(inside, [])
            groups = _groups(test) if cases and f"{path}::{inside}" not in without else []
            took_s = sum(case["duration_s"] for case in cases) * len(groups)
            if len(groups) < 2 or len(cases) * len(groups) > left or took_s > left_s:
                continue
            left, left_s, made = left - len(cases) * len(groups), left_s - took_s, True
            at = holder.index(test) + 1
            holder[at:at] = [_copied(test, number, group) for number, group in enumerate(groups, 1)]
            words = [one_line(ast.unparse(test.body[group[0]]).partition("\n")[0], _SHOWN) for group in groups]
            checks |= {f"{path}::{inside}{COPY}{number}": line for number, line in enumerate(words, 1)}
        if made:
            texts[path] = ast.unparse(ast.fix_missing_locations(tree))
    return Purified(texts, {path: files[path] for path in texts}, checks)


def _failing_tests(report: SuiteReport) -> dict[str, dict[str, list[CaseResult]]]:
    """Return path -> what follows it in a test's id, without parameters -> the test's cases, where one fails."""
    found: dict[str, dict[str, list[CaseResult]]] = {}
    for case in report["cases"]:
        path, _, inside = without_parameters(case["id"]).partition("::")
        found.setdefault(path, {}).setdefault(inside, []).append(case)
    return {
        path: {
            inside: cases
            for inside, cases in of_tests.items()
            if any(is_failing(case) for case in cases)
            and not any(case["outcome"] in ("timeout", "error") for case in cases)
        }
        for path, of_tests in found.items()
    }


def without_parameters(case: str) -> str:
    """Return the id of the test that a case is of."""
    return case.partition("[")[0]


def tests_in(tree: ast.Module) -> Iterator[tuple[str, list[ast.stmt], ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield what follows the path in a test's id, the statements among which it stands, and the test."""
    for node in [*tree.body]:
        if isinstance(node, FunctionNode):
            yield node.name, tree.body, node
        elif isinstance(node, ast.ClassDef):
            for method in [*node.body]:
                if isinstance(method, FunctionNode):
                    yield f"{node.name}::{method.name}", node.body, method


def _groups(test: ast.FunctionDef | ast.AsyncFunctionDef) -> list[list[int]]:
    """Return the positions of a test's checks in its body, neighbours together where they are many.

    None where it has subtests: what fails in one is noted, and not raised.
    """
    if any(isinstance(node, ast.Attribute) and node.attr == "subTest" for node in ast.walk(test)):
        return []
    at = [number for number, statement in enumerate(test.body) if _is_check(statement)]
    most = min(len(at), _MOST_OF_TEST)
    return [at[len(at) * n // most : len(at) * (n + 1) // most] for n in range(most)]


def _is_check(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assert():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name))):
            return name.startswith("assert")
        case ast.With(items=items) if any(_raises(item.context_expr) for item in items):
            return True
        case ast.With() | ast.For() | ast.If() | ast.While() | ast.Try():
            return any(_is_check(child) for child in ast.walk(statement) if isinstance(child, ast.Assert | ast.Expr))
    return False


def _raises(manager: ast.expr) -> bool:
    match manager:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name in _RAISES or name.startswith("assert")
    return False


def _copied(
    test: ast.FunctionDef | ast.AsyncFunctionDef, number: int, group: Sequence[int]
) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """Return a copy of a test up to its checks at these positions; all its other checks may fail."""
    body = [
        _that_may_fail(statement) if at not in group and _is_check(statement) else statement
        for at, statement in enumerate(copy.deepcopy(test.body[: group[-1] + 1]))
    ]
    made = copy.copy(test)
    made.name, made.body = f"{test.name}{COPY}{number}", body
    return made


def _that_may_fail(check: ast.stmt) -> ast.stmt:
    body = [check]
    if isinstance(check, ast.With) and any(_raises(item.context_expr) for item in check.items):
        # What `pytest.raises` raises itself is no `Exception`.
        body = check.body
    handler = ast.ExceptHandler(type=ast.Name("Exception", ast.Load()), name=None, body=[ast.Pass()])
    return ast.Try(body=body, handlers=[handler], orelse=[], finalbody=[])
