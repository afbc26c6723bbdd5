"""Calls that ask what a test does not: an unread result, and what became of the arguments."""

from __future__ import annotations

from selfheal_tui.search.weigh.argument_calls import build_argument_calls

PROGRAM = {
    "trees.py": "def merge(left, right):\n    left.update(right)\n    return left\n\n\n"
    "def size(tree, deep=True):\n    tree['seen'] = deep\n    return 1\n\n\ndef depth(tree):\n    return 1\n"
}
TESTS = """from trees import merge, size


def test_nothing_changes():
    merge({'a': 1}, {'a': 2})
    size(3)


def test_size():
    assert size({'a': {}}, False) == 1
    assert size(5) == 1
    assert depth({'a': {}}) == 1
"""


def test_a_result_that_no_test_reads_and_arguments_after_the_call_are_asked() -> None:
    assert build_argument_calls({"test_trees.py": TESTS}, PROGRAM, ["merge"]) == [
        "merge({'a': 1}, {'a': 2})",
        "[left := {'a': 1}, right := {'a': 2}, merge(left, right), left][-1]",
        "[left := {'a': 1}, right := {'a': 2}, merge(left, right), right][-1]",
        "size(3)",
        "[tree := {'a': {}}, size(tree, False), tree][-1]",
    ]
    assert build_argument_calls({"test_trees.py": TESTS}, {}) == []
