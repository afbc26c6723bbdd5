"""Foreign text is made safe before it meets a terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from selfheal_tui.text import middle_line, one_line, plural, show_controls, strip_controls, truncate_middle, value_line


def test_escape_sequences_and_overrides_are_removed() -> None:
    assert strip_controls("\x1b[31mred\x1b[0m \x1b]0;title\x07ok\x1b(B") == "red ok"
    assert strip_controls("a\x07b\u202ec\ud800") == "a\ufffdb\ufffdc\ufffd"
    assert strip_controls("a\tb\r\nc") == "a\tb\nc"


def test_what_takes_no_room_is_seen() -> None:
    assert strip_controls("a\u200bb\ufeffc\u00add\U000e0041") == "a\ufffdb\ufffdc\ufffdd\ufffd"
    assert strip_controls("नमस्\u200dते ☎\ufe0f") == "नमस्\u200dते ☎\ufe0f", "what words and pictures are made of stays"


def test_an_escape_sequence_hides_no_more_than_its_line() -> None:
    assert strip_controls("a\x1b]0;title\nb\x1bPq\nc") == "a\nb\nc"


def test_code_is_shown_whole() -> None:
    code = "# \x1b]\nsteal()  # \x1b[8m\x07\x7f\x9b\u202e\u200b\ud800\r\n"
    assert show_controls(code) == "# ␛]\nsteal()  # ␛[8m␇␡\ufffd\ufffd\ufffd\ufffd\n"


@given(st.text())
def test_visible_code_has_as_many_characters_as_the_file(text: str) -> None:
    assert len(show_controls(text)) == len(text.replace("\r\n", "\n"))
    assert strip_controls(show_controls(text)) == show_controls(text)
    assert "\u200d" not in show_controls(text)


@given(st.text())
def test_nothing_that_moves_a_cursor_is_left(text: str) -> None:
    safe = strip_controls(text)
    assert not any((ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 for c in safe)
    assert strip_controls(safe) == safe


@given(st.text(), st.integers(2, 50))
def test_one_line_is_one_short_line(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert "\n" not in line and len(line) <= limit


def test_blanks_in_quotes_stay_on_one_line() -> None:
    """A call that is told is pasted into a test."""
    told = "It's  odd: f('bB  ', b\"a  b\")\n    gives  '\\'  '  and the\tdog's  'x"
    assert one_line(told) == "It's odd: f('bB  ', b\"a  b\") gives '\\'  ' and the dog's 'x"
    assert middle_line("f('  ')  ok") == "f('  ') ok"
    assert len(one_line("\\'" * 100_000 + "  ", 10)) == 10, "in a moment"


@given(st.text(), st.integers(2, 50))
def test_every_blank_of_a_value_is_shown(text: str, limit: int) -> None:
    line = value_line(repr(text), limit)
    assert len(line) <= limit and strip_controls(line) == line and not {"\n", "\t"} & set(line)
    assert value_line("f('a  b')") == "f('a  b')" and "\n" not in value_line("a\nb\tc")


def test_truncation_says_how_much_is_left_out() -> None:
    assert truncate_middle("x" * 10, 10) == "x" * 10
    assert "960 characters left out" in truncate_middle("x" * 1000, 80)
    assert (plural(1, "case"), plural(0, "case"), plural(2, "branch", "branches")) == (
        "1 case",
        "0 cases",
        "2 branches",
    )
