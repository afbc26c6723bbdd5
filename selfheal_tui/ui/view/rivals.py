"""A question to the human in words: a call, and what the programs that pass every case give for it."""

from __future__ import annotations

import string

from selfheal_tui.engine.moment.review import UNKNOWN
from selfheal_tui.engine.moment.state import Question, RivalAnswer
from selfheal_tui.steps import call_rows
from selfheal_tui.text import plural, value_line

_DIM = "$foreground 60%"
_MOST = 5
"""Answers that are shown; any value can be typed."""


def question_parts(question: Question) -> list[tuple[str, str]]:
    """Return (text, style) for a card: what is asked, and the key that answers."""
    call, *others = rows = call_rows(question["call"])
    steps = "".join(f"\n    {row}" for row in rows)
    if "now" not in question:
        head, text = "? they disagree ", f"on what the last line gives:{steps}\n  " if others else f"{call} is "
        right = f"{rivals(question)}. "
        return [(head, "bold $text-warning"), (text + right, ""), ("w", "bold"), (" says which is right", "")]
    text = f"what the last line gives:{steps}" if others else f"what {call} gives:"
    says = question.get("says")
    head = f"? the {says} does not agree on " if says else "? no test says "
    parts = [(head, "bold $text-warning"), (text, "")]
    for letter, answer in _lettered(question):
        words, givers = answer_words(answer["text"]), _givers(question, answer)
        parts += [(f"\n  {letter} ", "bold"), (words, ""), (f"  {givers}", _DIM)]
    return [
        *parts,
        ("\nw", "bold"),
        (" says what is right", ""),
        ("" if says else "; others are programs one edit away that pass every case too", _DIM),
    ]


def rivals(question: Question) -> str:
    """Return the answers with the letters that stand for them: `a: 6 (3 repairs) · b: 7 (1 repair)`.

    Those without a letter are counted: `2 other values (9 repairs)`.
    """
    words = [f"{letter}: {answer_words(one['text'])}{_aside(question, one)}" for letter, one in _lettered(question)]
    if unshown := question["answers"][_MOST:]:
        givers = plural(sum(one["repairs"] for one in unshown), "program" if "now" in question else "repair")
        words.append(f"{plural(len(unshown), 'other value')} ({givers})")
    return " · ".join(words)


def answer_from(question: Question, text: str) -> str:
    """Return the answer that was typed: the letter's, or the text itself."""
    return next((answer["text"] for letter, answer in _lettered(question) if letter == text), text)


def letters_at_once(question: Question) -> str:
    """Return the keys that answer without Enter; no letter that a value may begin with: `b'...'`."""
    begin = {answer["text"][:1] for answer in question["answers"]}
    return "".join(letter for letter, _ in _lettered(question) if letter not in begin) + UNKNOWN


def answer_words(text: str) -> str:
    """Return an answer for people: `raises ValueError` for `!ValueError`."""
    if text == "!":
        return "no answer in time"
    line = value_line(text, 60)
    return f"raises {line[1:]}" if line.startswith("!") else line


def _lettered(question: Question) -> list[tuple[str, RivalAnswer]]:
    return list(zip(string.ascii_lowercase, question["answers"][:_MOST], strict=False))


def _aside(question: Question, answer: RivalAnswer) -> str:
    if "now" not in question:
        return f" ({plural(answer['repairs'], 'repair')})"
    if answer["text"] == question["now"]:
        return " (now)"
    return f" ({question['says']})" if question.get("says") else ""


def _givers(question: Question, answer: RivalAnswer) -> str:
    if answer["text"] == question.get("now"):
        return "now"
    return question["says"] if question.get("says") else plural(answer["repairs"], "other")
