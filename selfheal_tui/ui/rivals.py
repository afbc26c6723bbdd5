"""A question to the human in words: a call, and what the programs that pass every case give for it."""

from __future__ import annotations

import string

from selfheal_tui.engine.state import Question, RivalAnswer
from selfheal_tui.text import one_line, plural, strip_controls

_MOST = 5
"""Answers that are shown; any value can be typed."""


def question_parts(question: Question) -> list[tuple[str, str]]:
    """Return (text, style) for a card: what is asked, and the key that answers."""
    call = strip_controls(question["call"])
    if "now" in question:
        head, text = "? no test says what this gives ", f"{call}: {rivals(question)}. "
    else:
        head, text = "? they disagree ", f"{call} is {rivals(question)}. "
    return [(head, "bold $text-warning"), (text, ""), ("w", "bold"), (" says which is right", "")]


def rivals(question: Question) -> str:
    """Return the answers with the letters that stand for them: `a: 6 (3 repairs) · b: 7 (1 repair)`."""
    return " · ".join(
        f"{letter}: {answer_words(answer['text'])} ({_givers(question, answer)})"
        for letter, answer in _lettered(question)
    )


def answer_from(question: Question, text: str) -> str:
    """Return the answer that was typed: the letter's, or the text itself."""
    return next((answer["text"] for letter, answer in _lettered(question) if letter == text), text)


def answer_words(text: str) -> str:
    """Return an answer for people: `raises ValueError` for `!ValueError`."""
    if text == "!":
        return "no answer in time"
    return f"raises {text[1:]}" if text.startswith("!") else one_line(text, 60)


def _lettered(question: Question) -> list[tuple[str, RivalAnswer]]:
    return list(zip(string.ascii_lowercase, question["answers"][:_MOST], strict=False))


def _givers(question: Question, answer: RivalAnswer) -> str:
    if "now" not in question:
        return plural(answer["repairs"], "repair")
    if answer["text"] == question["now"]:
        return "the program now"
    return f"{plural(answer['repairs'], 'program')} one edit away"
