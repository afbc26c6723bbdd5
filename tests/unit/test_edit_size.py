"""How much a change touches, and how much of it another change touches too."""

from __future__ import annotations

from selfheal_tui.edit_size import edit_size, shared_size

OLD = {"a.py": "def f(x):\n    y = x + 1\n    return y\n"}


def changed(old: str, new: str) -> dict[str, str]:
    return {"a.py": OLD["a.py"].replace(old, new)}


def test_a_replaced_line_and_token_count_once() -> None:
    assert edit_size(OLD, changed("x + 1", "x - 1")) == {"lines": 1, "tokens": 1}
    assert edit_size(OLD, changed("    return y\n", "")) == {"lines": 1, "tokens": 2}
    assert edit_size(OLD, changed("    return y", "    y = y * 2\n    return y")) == {"lines": 1, "tokens": 5}
    assert edit_size(OLD, OLD) == {"lines": 0, "tokens": 0}


def test_formatting_has_lines_but_no_tokens() -> None:
    assert edit_size(OLD, changed("x + 1", "x  +  1")) == {"lines": 1, "tokens": 0}


def test_what_two_changes_share_is_where_both_change_something() -> None:
    one, other = changed("x + 1", "x - 1"), changed("x + 1", "x * 1")
    assert shared_size(OLD, one, other) == {"lines": 1, "tokens": 1}
    assert shared_size(OLD, one, changed("return y", "return x")) == {"lines": 0, "tokens": 0}
    rewritten = {"a.py": "def f(x):\n    z = x - 1\n    return z\n"}
    assert edit_size(OLD, rewritten) == {"lines": 2, "tokens": 3}
    assert shared_size(OLD, rewritten, one) == {"lines": 1, "tokens": 1}


def test_a_new_file_is_all_added() -> None:
    assert edit_size({}, {"b.py": "x = 1\n"}) == {"lines": 1, "tokens": 3}
