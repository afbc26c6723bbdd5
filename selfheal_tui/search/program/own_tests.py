"""Tests that stand in a file of the program: they judge, so nothing is edited there. Pure."""

from __future__ import annotations

import ast
from dataclasses import replace

from selfheal_tui.python_source import parse_or_none
from selfheal_tui.sandbox.base import Suite

from .avoid import Avoid, functions_of
from .bound import is_fixture


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
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef) and is_test_class(node)}
    fixtures = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and any(map(is_fixture, node.decorator_list))
    }
    names = [name for name, _ in functions_of(tree)]
    return {name for name in names if name.startswith("test") or name in fixtures or name.partition(".")[0] in classes}


def is_test_class(node: ast.ClassDef) -> bool:
    """Tell whether pytest takes a class for tests."""
    return node.name.startswith("Test") or any(ast.unparse(base).endswith("TestCase") for base in node.bases)
