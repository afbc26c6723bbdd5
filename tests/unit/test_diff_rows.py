"""Comparing texts: pairing, words, folds, what cannot be seen."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from selfheal_tui.ui.view.code_lines import code_lines
from selfheal_tui.ui.view.diff_rows import DiffRow, build_diff_rows, count_changes, unify
from tests.work import growth


def changes(rows: list[DiffRow]) -> list[tuple[str | None, str | None]]:
    return [(r.old.text if r.old else None, r.new.text if r.new else None) for r in rows if r.kind == "change"]


def test_equal_texts_have_no_rows() -> None:
    assert build_diff_rows("a\n", "a\n") == []


def test_a_changed_line_is_paired_and_its_words_are_marked() -> None:
    rows = build_diff_rows("x = 1\nreturn a < b\n", "x = 1\nreturn a <= b\n")
    (row,) = [r for r in rows if r.kind == "change"]
    assert row.old is not None
    assert row.new is not None
    assert (row.old.number, row.new.number) == (2, 2)
    assert row.old.changed == ()
    assert [row.new.text[a:b] for a, b in row.new.changed] == ["="]


def test_a_line_put_before_a_changed_one_does_not_shift_the_pairs() -> None:
    rows = build_diff_rows("return items[index]\n", "index = index - 1\nreturn items[index - 1]\n")
    assert changes(rows) == [(None, "index = index - 1"), ("return items[index]", "return items[index - 1]")]


def test_long_unchanged_runs_fold_and_keep_three_lines() -> None:
    old = "".join(f"line {n}\n" for n in range(100))
    rows = build_diff_rows(old, old.replace("line 50\n", "changed\n"))
    assert [r.label for r in rows if r.kind == "fold"] == ["⋯ 47 unchanged lines", "⋯ 46 unchanged lines"]
    assert sum(r.kind == "same" for r in rows) == 6


def test_one_hidden_line_is_not_worth_a_fold() -> None:
    old = "a\n1\n2\n3\n4\n5\n6\n7\nb\n"
    rows = build_diff_rows(old, old.replace("a", "A").replace("b", "B"))
    assert not [r for r in rows if r.kind == "fold"]


def test_one_column_shows_a_block_as_removed_then_added() -> None:
    rows = list(unify(build_diff_rows("aa = 1\nbb = 2\n", "aa = 3\nbb = 4\n")))
    assert ["-" if r.old else "+" for r in rows] == ["-", "-", "+", "+"]


def test_what_cannot_be_seen_is_said() -> None:
    assert "Only line ends" in build_diff_rows("a\r\n", "a\n")[-1].label
    assert "No newline" in build_diff_rows("a\nb\n", "a\nc")[-1].label


def test_a_new_file_is_only_added() -> None:
    assert count_changes(build_diff_rows("", "a\nb\n")) == (2, 0)


def test_escape_codes_are_shown_and_hide_no_code() -> None:
    (row, *_) = [r for r in build_diff_rows("", "\tx\x1b[31m\x07\u202e\n") if r.kind == "change"]
    assert row.new is not None
    assert row.new.text == "    x␛[31m␇\ufffd"
    assert code_lines("a = '\x1b]'; evil()\nevil()\n'\x07'\n") == ["a = '␛]'; evil()", "evil()", "'␇'"]


def test_each_change_names_its_hunk() -> None:
    old = "a\n\nb\nc\nd\n"
    rows = build_diff_rows(old, "A\n\nB\nc\nD\n")
    assert [row.hunk for row in unify(rows) if row.kind == "change"] == [1, 1, 1, 1, 2, 2]


def test_lines_are_counted_as_python_counts_them() -> None:
    assert code_lines("a\x0cb\u2028c\nd") == ["a␌b\ufffdc", "d"]


def test_a_large_rewrite_is_no_quadratic_work() -> None:
    def rewrite(lines: int) -> Callable[[], object]:
        old = "".join(f"value_{n} = {n}\n" for n in range(lines))
        new = "".join(f"value_{n} = {n + 1}\n" for n in range(lines))
        return lambda: build_diff_rows(old, new)

    assert growth(rewrite, 300) < 2.6
    assert count_changes(rewrite(4000)()) == (4000, 4000)  # type: ignore[arg-type]


_TEXT = st.lists(st.sampled_from(["", "a", "b = 1", "b = 2", "    return x"]), max_size=12).map("\n".join)


@given(_TEXT, _TEXT)
def test_both_texts_can_be_read_back(old: str, new: str) -> None:
    rows = build_diff_rows(old, new, context=100)
    if code_lines(old) != code_lines(new):
        assert [r.old.text for r in rows if r.old] == code_lines(old)
        assert [r.new.text for r in rows if r.new] == code_lines(new)
        assert [r.new.number for r in rows if r.new] == list(range(1, len(code_lines(new)) + 1))
