"""Text that nests too deeply is one kind of SyntaxError, whatever Python's parser makes of it."""

from __future__ import annotations

import ast
import copy
import gc
import inspect
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import pytest

from selfheal_tui.python_source import (
    MAX_LEVELS,
    NestedTooDeeply,
    parse_expression,
    parse_or_none,
    parse_python,
    why_not,
)

DEEP = {
    "signs": "x = " + "-" * 200_000 + "1\n",
    "sums": "x = " + "1+" * 60_000 + "1\n",
    "shorter sums": "x = " + "1+" * 900 + "1\n",
    "calls": "x = f" + "()" * 60_000 + "\n",
    "branches": "if a: pass\n" + "elif a: pass\n" * 900,
    "conditions": "x = " + "1 if a else " * 30_000 + "1\n",
    "negations": "x = " + "not " * 60_000 + "1\n",
}


@pytest.mark.parametrize("name", DEEP)
def test_nested_too_deeply_is_a_syntax_error(name: str) -> None:
    with pytest.raises(NestedTooDeeply, match="nested too deeply"):
        parse_python(DEEP[name])
    assert parse_or_none(DEEP[name]) is None


@pytest.mark.parametrize("text", ["x = " + "[" * 5000 + "]" * 5000, "def f(:", "x = '\0'", "x = '\ud800'"])
def test_what_does_not_parse_is_a_syntax_error(text: str) -> None:
    with pytest.raises(SyntaxError):
        parse_python(text)
    with pytest.raises(SyntaxError):
        parse_expression(text)


def test_what_parses_can_be_worked_on() -> None:
    """The deepest that is taken, with some of the stack in use, as it is in the app."""
    levels = MAX_LEVELS - 3

    def work(used: int) -> str:
        if used:
            return work(used - 1)
        tree = parse_python("x = " + "-" * levels + "1\n")
        ast.NodeTransformer().visit(copy.deepcopy(tree))
        return ast.unparse(tree)

    assert work(150).count("-") == levels
    with pytest.raises(NestedTooDeeply):
        parse_python("x = " + "-" * (levels + 1) + "1\n")


def test_an_expression_is_its_node() -> None:
    assert ast.unparse(parse_expression("f(1) == 2")) == "f(1) == 2"


def test_threads_that_parse_at_once_do_not_disturb_each_other() -> None:
    text, threshold, interval = inspect.getsource(textwrap), gc.get_threshold(), sys.getswitchinterval()

    def let_others_run(phase: str, facts: object) -> None:
        """Run Python in the middle of a parse, as a finalizer does."""
        assert sum(number for number in range(50)) == 1225

    gc.callbacks.append(let_others_run)
    gc.set_threshold(50, 2, 2)
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            trees = list(pool.map(parse_python, [text] * 60))
    finally:
        sys.setswitchinterval(interval)
        gc.set_threshold(*threshold)
        gc.callbacks.remove(let_others_run)
    assert len(trees) == 60


def test_a_reason_that_asks_something_still_ends_a_sentence() -> None:
    with pytest.raises(SyntaxError) as raised:
        parse_python("print 'a'\n")
    assert why_not(raised.value).endswith("Did you mean print(...)")


@pytest.mark.parametrize("opening, closing", [("-", ""), ("[*", "]"), ("x[:", "]"), ("(a:=", ")"), ("f(**", ")")])
@pytest.mark.parametrize("times", [1, 40, 90])
def test_no_character_opens_more_than_two_levels(opening: str, closing: str, times: int) -> None:
    """So the levels of a short text need not be counted."""
    text = f"{opening * times}x{closing * times}"
    level, levels = [ast.parse(text)], 0
    while level:
        level, levels = [child for node in level for child in ast.iter_child_nodes(node)], levels + 1
    assert levels <= 2 * len(text) + 4
