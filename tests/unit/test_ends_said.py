"""Marks of a change that takes from another end than the words around it say."""

from __future__ import annotations

import ast

import pytest

from selfheal_tui.search.weigh.ends_said import against_end
from selfheal_tui.search.weigh.marks import find_marks

CACHE = '''class Cache:
    """{}"""
    def put(self, key, value):
        """Keep a value."""
        self.items.{}
        self.items[key] = value
'''
OLDEST, NEWEST = "The least recently used goes first.", "The newest is dropped."


def found(words: str, old: str, new: str) -> str:
    return against_end(ast.parse(CACHE.format(words, old)), ast.parse(CACHE.format(words, new)))


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("popitem(last=False)", "popitem(last=True)"),
        ("popitem(last=False)", "popitem()"),
        ("popleft()", "pop()"),
        ("pop(0)", "pop()"),
        ("pop(0)", "pop(-1)"),
    ],
)
def test_another_end_than_the_words_say_is_marked(begin: str, end: str) -> None:
    assert (
        found(OLDEST, begin, end) == "It takes the last of what is kept, and the words around it say “least recently”."
    )
    assert found(NEWEST, end, begin) == "It takes the first of what is kept, and the words around it say “newest”."
    assert found(OLDEST, end, begin) == found(NEWEST, begin, end) == "", "so it should be"
    assert found("Keeps values.", begin, end) == found(f"{OLDEST} {NEWEST}", begin, end) == "", "no words, or both"
    (mark,) = find_marks({"p.py": CACHE.format(OLDEST, begin)}, {"p.py": CACHE.format(OLDEST, end)}, {})
    assert mark.kind == "other_end"


def test_what_is_taken_by_a_key_or_added_says_nothing() -> None:
    assert found(OLDEST, "pop(0)", "pop(key)") == found(OLDEST, "clear()", "pop()") == ""
