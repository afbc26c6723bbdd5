"""Foreign text in an editor's messages: it reads as it was written, and is no link, picture or HTML."""

from __future__ import annotations

from selfheal_tui.acp.markup import block, code, prose


def test_prose_cannot_make_a_picture_a_link_or_html() -> None:
    assert prose("![x](http://a/b) <img src=y>") == r"!\[x\](http://a/b) \<img src=y>"
    assert prose("a __init__ and a snake_case *b*") == r"a \__init_\_ and a snake_case \*b\*"


def test_code_within_prose_stays_code_and_a_lone_backtick_opens_none() -> None:
    assert prose("line 8 `a[0]` becomes `[`, not ` or [x") == r"line 8 `a[0]` becomes `[`, not \` or \[x"
    assert code("`a` <b>\x1b[31m") == "`'a' <b>`"


def test_control_sequences_are_taken_out() -> None:
    assert prose("\x1b]0;title\x07red\x1b[31m\u202e") == "red\ufffd"
    assert "\x1b" not in block("print('\x1b[2J')")


def test_a_block_of_code_does_not_end_early() -> None:
    assert block("x = 1\n```\n![x](y)\n") == "````\nx = 1\n```\n![x](y)\n````"
