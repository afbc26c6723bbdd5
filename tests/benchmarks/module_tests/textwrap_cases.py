"""What the documentation says of `textwrap`."""

import textwrap

import pytest

LONG = "The quick brown fox jumps over the lazy dog and runs away"


def test_wrap_breaks_at_blanks():
    assert textwrap.wrap(LONG, 20) == ["The quick brown fox", "jumps over the lazy", "dog and runs away"]


def test_wrap_of_short_text_is_one_line():
    assert textwrap.wrap("a short text", 20) == ["a short text"]


def test_wrap_of_nothing():
    assert textwrap.wrap("", 20) == []


def test_wrap_of_blanks():
    assert textwrap.wrap("    ", 20) == []


def test_wrap_exact_width():
    assert textwrap.wrap("abcde fghij", 5) == ["abcde", "fghij"]


def test_wrap_one_more_than_the_width():
    assert textwrap.wrap("abcde fghij", 6) == ["abcde", "fghij"]


def test_wrap_whole_fits_exactly():
    assert textwrap.wrap("abcde fghij", 11) == ["abcde fghij"]


def test_a_long_word_is_broken():
    assert textwrap.wrap("abcdefghijkl", 5) == ["abcde", "fghij", "kl"]


def test_a_long_word_fills_the_line_before():
    assert textwrap.wrap("ab cdefghijkl", 5) == ["ab cd", "efghi", "jkl"]


def test_a_long_word_is_kept():
    assert textwrap.wrap("ab cdefghijkl mn", 5, break_long_words=False) == ["ab", "cdefghijkl", "mn"]


def test_a_long_word_with_hyphens():
    assert textwrap.wrap("abc-defghijklm", 6) == ["abc-de", "fghijk", "lm"]


def test_hyphenated_words_are_parted():
    assert textwrap.wrap("a well-known long-winded text", 10) == ["a well-", "known", "long-", "winded", "text"]


def test_hyphenated_words_are_kept():
    lines = textwrap.wrap("a well-known long-winded text", 12, break_on_hyphens=False)
    assert lines == ["a well-known", "long-winded", "text"]


def test_dashes_part_words():
    assert textwrap.wrap("this--or that", 6) == ["this--", "or", "that"]


def test_options_are_kept_whole():
    assert textwrap.wrap("use the --long-option now", 14) == ["use the", "--long-option", "now"]


def test_numbers_are_not_parted_at_hyphens():
    assert textwrap.wrap("in 2001-02 it was", 8) == ["in", "2001-02", "it was"]


def test_initial_indent():
    assert textwrap.wrap("one two three", 10, initial_indent="* ") == ["* one two", "three"]


def test_subsequent_indent():
    assert textwrap.wrap("one two three four", 10, subsequent_indent="  ") == ["one two", "  three", "  four"]


def test_both_indents():
    lines = textwrap.wrap(LONG, 24, initial_indent="- ", subsequent_indent="    ")
    assert lines == ["- The quick brown fox", "    jumps over the lazy", "    dog and runs away"]


def test_an_indent_takes_room_from_long_words():
    assert textwrap.wrap("abcdefgh", 4, initial_indent="> ") == ["> ab", "cdef", "gh"]


def test_leading_blanks_of_the_first_line_are_kept():
    assert textwrap.wrap("  one two", 20) == ["  one two"]


def test_blanks_at_a_break_are_dropped():
    assert textwrap.wrap("one   two   three", 5) == ["one", "two", "three"]


def test_blanks_inside_a_line_are_kept():
    assert textwrap.wrap("one   two", 20) == ["one   two"]


def test_blanks_are_not_dropped():
    assert textwrap.wrap("one  two", 4, drop_whitespace=False) == ["one", "  ", "two"]


def test_line_breaks_become_blanks():
    assert textwrap.wrap("one\ntwo\nthree", 20) == ["one two three"]


def test_line_breaks_are_left_where_whitespace_is():
    assert textwrap.wrap("one\ntwo", 20, replace_whitespace=False) == ["one\ntwo"]


def test_tabs_are_expanded():
    assert textwrap.wrap("a\tb", 20) == ["a       b"]


def test_tabs_of_another_size():
    assert textwrap.wrap("a\tb", 20, tabsize=4) == ["a   b"]


def test_tabs_become_one_blank():
    assert textwrap.wrap("a\tb", 20, expand_tabs=False) == ["a b"]


def test_sentence_endings():
    wrapped = textwrap.wrap("It ends. It begins.", 40, fix_sentence_endings=True)
    assert wrapped == ["It ends.  It begins."]


def test_sentence_endings_with_quotes():
    wrapped = textwrap.wrap('He said "go." She went.', 40, fix_sentence_endings=True)
    assert wrapped == ['He said "go."  She went.']


def test_an_abbreviation_in_capitals_ends_no_sentence():
    assert textwrap.wrap("Made in U.S. by me", 40, fix_sentence_endings=True) == ["Made in U.S. by me"]


def test_max_lines_cuts():
    assert textwrap.wrap(LONG, 20, max_lines=2) == ["The quick brown fox", "jumps over the [...]"]


def test_max_lines_that_suffice():
    assert len(textwrap.wrap(LONG, 20, max_lines=3)) == 3
    assert textwrap.wrap(LONG, 20, max_lines=3)[-1] == "dog and runs away"


def test_another_placeholder():
    assert textwrap.wrap(LONG, 20, max_lines=1, placeholder="...") == ["The quick brown..."]


def test_a_placeholder_on_a_line_of_its_own():
    assert textwrap.wrap("ab abcdefghij", 8, max_lines=1, placeholder=" [etc]") == ["ab [etc]"]


def test_a_placeholder_that_is_too_large():
    with pytest.raises(ValueError, match="placeholder too large"):
        textwrap.wrap(LONG, 4, max_lines=1, placeholder=" [...]")


def test_a_width_of_nothing():
    with pytest.raises(ValueError, match="invalid width"):
        textwrap.wrap(LONG, 0)


def test_a_negative_width():
    with pytest.raises(ValueError, match="-3"):
        textwrap.wrap(LONG, -3)


def test_fill_joins_lines():
    assert textwrap.fill("one two three", 8) == "one two\nthree"


def test_fill_with_options():
    assert textwrap.fill("one two three", 9, subsequent_indent="--") == "one two\n--three"


def test_shorten_that_fits():
    assert textwrap.shorten("Hello  world!", width=12) == "Hello world!"


def test_shorten_that_does_not_fit():
    assert textwrap.shorten("Hello  world!", width=11) == "Hello [...]"


def test_shorten_with_placeholder():
    assert textwrap.shorten("Hello world", width=10, placeholder="...") == "Hello..."


def test_shorten_to_the_placeholder():
    assert textwrap.shorten("Helloworld again", width=5) == "[...]"


def test_dedent_common_margin():
    assert textwrap.dedent("  a\n    b\n  c\n") == "a\n  b\nc\n"


def test_dedent_takes_the_least_margin():
    assert textwrap.dedent("      a\n  b\n    c") == "    a\nb\n  c"


def test_dedent_without_margin():
    assert textwrap.dedent("a\n  b\n") == "a\n  b\n"


def test_dedent_ignores_blank_lines():
    assert textwrap.dedent("  a\n\n  b\n \n") == "a\n\nb\n\n"


def test_dedent_does_not_mix_tabs_and_blanks():
    assert textwrap.dedent("  a\n\tb\n") == "  a\n\tb\n"


def test_dedent_common_part_of_tabs():
    assert textwrap.dedent("\t  a\n\t\tb\n") == "  a\n\tb\n"


def test_indent_every_line():
    assert textwrap.indent("a\nb\n", "  ") == "  a\n  b\n"


def test_indent_leaves_blank_lines():
    assert textwrap.indent("a\n\n  \nb", "> ") == "> a\n\n  \n> b"


def test_indent_with_predicate():
    assert textwrap.indent("a\n\nb\n", "+ ", lambda line: True) == "+ a\n+ \n+ b\n"


def test_indent_some_lines():
    assert textwrap.indent("a\nb\n", "-", lambda line: "b" in line) == "a\n-b\n"


def test_a_wrapper_is_used_again():
    wrapper = textwrap.TextWrapper(width=8)
    assert wrapper.wrap("one two three") == ["one two", "three"]
    wrapper.width = 20
    assert wrapper.fill("one two three") == "one two three"


def test_a_wrapper_keeps_its_options():
    wrapper = textwrap.TextWrapper(initial_indent="* ", max_lines=2, tabsize=2)
    assert (wrapper.width, wrapper.initial_indent, wrapper.max_lines, wrapper.tabsize) == (70, "* ", 2, 2)
