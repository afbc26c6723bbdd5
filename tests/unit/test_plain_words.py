"""Plain mode: what can be typed at each kind of question, and what a typed line means."""

from __future__ import annotations

import pytest

from selfheal_tui.cli.plain_words import at_question, at_rest, in_plain_words, numbered, understood
from selfheal_tui.engine.loop.reviews.table import REVIEWS
from selfheal_tui.errors import InputError

REPAIR = at_question("repair", ["1", "2"], asks_call=True)


@pytest.mark.parametrize(
    ("line", "word", "rest"),
    [
        ("approve", "approve", ""),
        ("1", "approve", ""),
        ("2. 2", "candidate", "2"),
        ("Reject  it breaks the total", "reject", "it breaks the total"),
        ("r no", "reject", "no"),
        ("answer [1, 2]", "answer", "[1, 2]"),
        ("edit hunks 1,3", "edit", "hunks 1,3"),
        ("avoid line:shop.py:3", "avoid", "line:shop.py:3"),
        (" quit ", "quit", ""),
    ],
)
def test_a_line_is_a_number_or_a_word_and_what_belongs_to_it(line: str, word: str, rest: str) -> None:
    choice, behind = understood(line, REPAIR)
    assert (choice.word, behind) == (word, rest)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("99", "There is no choice 99. Type a number from 1 to 16, or a word."),
        ("0", "There is no choice 0."),
        ("aprove", "There is no choice 'aprove'. Did you mean approve?"),
        ("write", "'write' does nothing here."),
        ("\x1b[A", "There is no choice ''."),
    ],
)
def test_anything_else_does_nothing_and_says_why(line: str, why: str) -> None:
    with pytest.raises(InputError) as refused:
        understood(line, REPAIR)
    assert str(refused.value).startswith(why)


@pytest.mark.parametrize("kind", REVIEWS)
def test_every_kind_of_question_can_be_approved_rejected_and_stopped(kind: str) -> None:
    words = [choice.word for choice in at_question(REVIEWS[kind].kind, [], asks_call=False)]  # type: ignore[index]
    assert {"approve", "reject", "stop", "undo", "quit"} <= {*words} and "candidate" not in words
    assert len(words) == len({*words})


def test_the_choices_are_numbered_lines() -> None:
    lines = numbered(at_rest(paused=True, failed=False, can_write=True))
    assert lines[:3] == [
        "1. go on: from the last saved moment",
        "2. stop: end the run here, unhealed, after a yes",
        "3. write: the change into your files, after a yes",
    ]
    assert understood("go on", at_rest(paused=True, failed=False, can_write=False))[0].word == "go on"


def test_what_a_question_says_of_commands_is_said_as_it_is_typed_here() -> None:
    assert in_plain_words("    reject --avoid WHAT") == "    avoid WHAT"
    assert in_plain_words("    edit --answer VALUE") == "    answer VALUE"
