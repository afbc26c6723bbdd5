"""What the documentation says of `shlex`."""

import io
import shlex

import pytest


def tokens(text, **options):
    return list(shlex.shlex(text, **options))


def test_split_at_blanks():
    assert shlex.split("foo bar  baz") == ["foo", "bar", "baz"]


def test_split_of_nothing():
    assert shlex.split("") == []


def test_split_of_blanks():
    assert shlex.split("  \t\n ") == []


def test_split_leading_and_trailing_blanks():
    assert shlex.split("  foo bar ") == ["foo", "bar"]


def test_split_double_quotes():
    assert shlex.split('a "b c" d') == ["a", "b c", "d"]


def test_split_single_quotes():
    assert shlex.split("a 'b c' d") == ["a", "b c", "d"]


def test_split_quotes_within_a_word():
    assert shlex.split("a'b c'd") == ["ab cd"]


def test_split_quotes_within_quotes():
    assert shlex.split("""'a "b"' "c 'd'" """) == ['a "b"', "c 'd'"]


def test_split_empty_quotes():
    assert shlex.split("a '' b") == ["a", "", "b"]


def test_split_empty_double_quotes_at_the_end():
    assert shlex.split('a ""') == ["a", ""]


def test_split_escaped_blank():
    assert shlex.split(r"a\ b c") == ["a b", "c"]


def test_split_escaped_quote():
    assert shlex.split(r"a\"b") == ['a"b']


def test_split_escape_in_double_quotes():
    assert shlex.split(r'"a\"b"') == ['a"b']


def test_split_escape_of_another_character_in_double_quotes():
    assert shlex.split(r'"a\bc"') == [r"a\bc"]


def test_split_no_escape_in_single_quotes():
    assert shlex.split(r"'a\b'") == [r"a\b"]


def test_split_escaped_escape():
    assert shlex.split(r"a\\b") == [r"a\b"]


def test_split_comments_are_off():
    assert shlex.split("a # b") == ["a", "#", "b"]


def test_split_comments_are_on():
    assert shlex.split("a # b\nc", comments=True) == ["a", "c"]


def test_split_comment_behind_a_word():
    assert shlex.split("a#b\nc", comments=True) == ["a", "c"]


def test_split_not_posix_keeps_quotes():
    assert shlex.split("a 'b c'", posix=False) == ["a", "'b c'"]


def test_split_not_posix_keeps_escapes():
    assert shlex.split(r"a\b c", posix=False) == [r"a\b", "c"]


def test_split_open_quote():
    with pytest.raises(ValueError, match="No closing quotation"):
        shlex.split("a 'b")


def test_split_open_escape():
    with pytest.raises(ValueError, match="No escaped character"):
        shlex.split("a\\")


def test_split_words_of_other_alphabets():
    assert shlex.split("größe 'ä ö'") == ["größe", "ä ö"]


def test_quote_plain():
    assert shlex.quote("file-1_a.txt") == "file-1_a.txt"


def test_quote_nothing():
    assert shlex.quote("") == "''"


def test_quote_blank():
    assert shlex.quote("a b") == "'a b'"


def test_quote_a_quote():
    assert shlex.quote("it's") == "'it'\"'\"'s'"


def test_quote_what_a_shell_would_read():
    assert shlex.quote("$HOME;ls") == "'$HOME;ls'"


def test_join():
    assert shlex.join(["echo", "-n", "a b"]) == "echo -n 'a b'"


def test_join_and_split():
    words = ["a", "", "b c", "it's", '"q"', "\\"]
    assert shlex.split(shlex.join(words)) == words


def test_tokens_are_words_and_signs():
    assert tokens("a = b+1") == ["a", "=", "b", "+", "1"]


def test_tokens_of_a_stream():
    assert list(shlex.shlex(io.StringIO("one two"))) == ["one", "two"]


def test_tokens_keep_quotes():
    assert tokens("x 'y z'") == ["x", "'y z'"]


def test_tokens_posix_drop_quotes():
    assert tokens("x 'y z'", posix=True) == ["x", "y z"]


def test_tokens_skip_comments():
    assert tokens("a # b\nc") == ["a", "c"]


def test_tokens_split_at_whitespace_only():
    lexer = shlex.shlex("a=b c.d")
    lexer.whitespace_split = True
    assert list(lexer) == ["a=b", "c.d"]


def test_tokens_other_whitespace():
    lexer = shlex.shlex("a,b c", posix=True)
    lexer.whitespace = ","
    lexer.whitespace_split = True
    assert list(lexer) == ["a", "b c"]


def test_tokens_other_word_characters():
    lexer = shlex.shlex("a-b c")
    lexer.wordchars += "-"
    assert list(lexer) == ["a-b", "c"]


def test_tokens_without_comments():
    lexer = shlex.shlex("a # b")
    lexer.commenters = ""
    assert list(lexer) == ["a", "#", "b"]


def test_end_of_a_file_is_empty():
    lexer = shlex.shlex("a")
    assert [lexer.get_token(), lexer.get_token(), lexer.get_token()] == ["a", "", ""]


def test_end_of_a_posix_file_is_none():
    lexer = shlex.shlex("a", posix=True)
    assert [lexer.get_token(), lexer.get_token()] == ["a", None]


def test_push_token():
    lexer = shlex.shlex("b c")
    lexer.push_token("a")
    assert [lexer.get_token(), lexer.get_token()] == ["a", "b"]


def test_push_two_tokens():
    lexer = shlex.shlex("c")
    lexer.push_token("b")
    lexer.push_token("a")
    assert list(lexer) == ["a", "b", "c"]


def test_line_numbers():
    lexer = shlex.shlex("a\nb\n\nc")
    lines = []
    for _ in lexer:
        lines.append(lexer.lineno)
    assert lines == [2, 3, 4]


def test_line_number_behind_a_comment():
    lexer = shlex.shlex("# note\na b")
    assert lexer.get_token() == "a"
    assert lexer.lineno == 2


def test_error_leader():
    lexer = shlex.shlex("a\nb", "rules.txt")
    assert lexer.error_leader() == '"rules.txt", line 1: '


def test_error_leader_of_another_place():
    assert shlex.shlex("a").error_leader("x.sh", 7) == '"x.sh", line 7: '


def test_punctuation_stays_together():
    assert tokens("a && b || c; d", punctuation_chars=True) == ["a", "&&", "b", "||", "c", ";", "d"]


def test_punctuation_behind_a_word():
    assert tokens("ls>out", punctuation_chars=True) == ["ls", ">", "out"]


def test_punctuation_with_other_signs():
    assert tokens("a|b&&c", punctuation_chars="|") == ["a", "|", "b", "&", "&", "c"]


def test_punctuation_keeps_paths():
    assert tokens("cat ~/a-b.c", punctuation_chars=True) == ["cat", "~/a-b.c"]


def test_punctuation_and_split_at_whitespace():
    lexer = shlex.shlex("a=1;b 'c d'", posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    assert list(lexer) == ["a=1", ";", "b", "c d"]


def test_punctuation_cannot_be_set():
    with pytest.raises(AttributeError):
        shlex.shlex("a", punctuation_chars=True).punctuation_chars = "|"


def test_source_is_read_in_place():
    lexer = shlex.shlex("a include part b")
    lexer.source = "include"
    lexer.sourcehook = lambda name: (name, io.StringIO("x y"))
    assert list(lexer) == ["a", "x", "y", "b"]


def test_push_source():
    lexer = shlex.shlex("b")
    lexer.push_source("x y", "other.txt")
    assert lexer.infile == "other.txt"
    assert list(lexer) == ["x", "y", "b"]


def test_pop_source():
    lexer = shlex.shlex("b c", "first.txt")
    lexer.push_source("x y", "other.txt")
    assert lexer.get_token() == "x"
    lexer.pop_source()
    assert (lexer.infile, lexer.get_token()) == ("first.txt", "b")


def test_not_posix_quotes_part_words():
    assert tokens("'a'b") == ["'a'", "b"]


def test_open_quote_in_tokens():
    with pytest.raises(ValueError, match="No closing quotation"):
        tokens('a "b')
