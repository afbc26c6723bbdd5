"""Tests that stand in a file of the program: they judge, so nothing is edited there. Pure."""

from __future__ import annotations

from dataclasses import replace

from selfheal_tui.python_source import Definition, is_fixture, is_test_class, parse_or_none
from selfheal_tui.sandbox.base import Suite

from .avoid import Avoid, functions_of


def files_with_own_tests(suite: Suite) -> list[str]:
    """Return the files of the program that are run as tests too."""
    tests = {test.partition("::")[0] for test in suite.tests}
    return [path for path in suite.program if path in tests and path.endswith(".py")]


def without_own_tests(avoid: Avoid, suite: Suite) -> Avoid:
    """Return what is closed to the search, with the test functions and fixtures of the program's own files."""
    own = {(path, name) for path in files_with_own_tests(suite) for name in _tests_in(suite.files[path])}
    return replace(avoid, functions=avoid.functions | own) if own else avoid


def _tests_in(text: str) -> set[str]:
    """Return the qualified names of test functions, of the methods of test classes, and of fixtures."""
    tree = parse_or_none(text)
    if tree is None:
        return set()
    defined = [node for node in tree.body if isinstance(node, Definition)]
    of_tests = {node.name for node in defined if is_test_class(node) or is_fixture(node)}
    names = [name for name, _ in functions_of(tree)]
    return {name for name in names if name.startswith("test") or name.partition(".")[0] in of_tests}
