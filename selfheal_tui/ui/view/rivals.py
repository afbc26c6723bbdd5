"""A question to the human in words: a call, and what the programs that pass every case give for it."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence

from selfheal_tui.engine.moment.givers import giver_words, givers_listed
from selfheal_tui.engine.moment.opinion import opinion_words
from selfheal_tui.engine.moment.review import UNKNOWN
from selfheal_tui.engine.moment.state import Question, Repair, RivalAnswer
from selfheal_tui.steps import call_rows, raised_where
from selfheal_tui.text import plural, value_line

_DIM = "$foreground 60%"
_OF_A_CALL = re.compile(
    r"[A-Za-z_][\w.]*(?:\(.*\)\s*(?:should\b|==|raises?\b)|\s*=[^=].*;.*\b(?:should|raises?)\b)", re.DOTALL
)
_MOST = 5
"""Answers that are shown; any value can be typed."""


def question_parts(question: Question, listed: Sequence[Repair] = ()) -> list[tuple[str, str]]:
    """Return (text, style) for a card: what is asked, and the key that answers.

    `listed` are the repairs that stand on it, in the order of their numbers.
    """
    opinion = _opinion(question)
    call, *others = rows = call_rows(question["call"])
    steps = "".join(f"\n    {row}" for row in rows)
    if "now" not in question:
        head, text = "? they disagree", f" on what the last line gives:{steps}\n  " if others else f": {call} is "
        right = f"{rivals(question, listed)}." + " " * (not opinion)
        asked = [(f"\n· {opinion}; ", _DIM)] if opinion else []
        return [(head, "bold $text-warning"), (text + right, ""), *asked, ("w", "bold"), (" says which is right", "")]
    text = f"what the last line gives:{steps}" if others else f"what {call} gives:"
    says = question.get("says")
    head = f"? the {says} does not agree on " if says else "? no test says "
    parts = [(head, "bold $text-warning"), (text, "")]
    for letter, answer in _lettered(question):
        words, givers = answer_words(answer["text"], question["call"]), _givers(question, answer)
        parts += [(f"\n  {letter} ", "bold"), (words, ""), (f"  {givers}", _DIM)]
    return [
        *parts,
        *([(f"\n· {opinion}", _DIM)] if opinion else []),
        ("\nw", "bold"),
        (" says what is right", ""),
        ("" if says else "; others are programs one edit away that pass every case too", _DIM),
    ]


def rivals(question: Question, listed: Sequence[Repair] = ()) -> str:
    """Return the answers with the letters that stand for them: `a: 6 (repair 1, and 4 repairs not listed) · b: 7 ...`.

    Those are the numbers of the `listed` repairs; where it is not known what each of them gives, they are counted:
    `a: 6 (3 repairs)`. Answers without a letter are counted too: `2 other values (9 repairs)`.
    """
    numbers = givers_listed(question, listed)
    words = [
        f"{letter}: {answer_words(one['text'], question['call'])}{_aside(question, one, numbers.get(one['text']))}"
        for letter, one in _lettered(question)
    ]
    if unshown := question["answers"][_MOST:]:
        givers = plural(sum(one["repairs"] for one in unshown), "program" if "now" in question else "repair")
        words.append(f"{plural(len(unshown), 'other value')} ({givers})")
    return " · ".join(words)


def options_line(question: Question, listed: Sequence[Repair] = ()) -> str:
    """Return all that there is to choose from in one line, and what a model says of it."""
    return " · ".join(filter(None, [rivals(question, listed), f"{UNKNOWN}: I do not know", _opinion(question)]))


def answer_from(question: Question, text: str) -> str:
    """Return the answer that was typed: the letter's, or the text itself."""
    return next((answer["text"] for letter, answer in _lettered(question) if letter == text), text)


def letters_at_once(question: Question) -> str:
    """Return the keys that answer without Enter; no letter that a value may begin with: `b'...'`."""
    begin = {answer["text"][:1] for answer in question["answers"]}
    return "".join(letter for letter, _ in _lettered(question) if letter not in begin) + UNKNOWN


def says_of_a_call(text: str) -> bool:
    """Tell whether a text says what some call should give, and is no value: `f(3) should be 5`, also after steps."""
    return _OF_A_CALL.match(text) is not None


def answer_words(text: str, call: str = "") -> str:
    """Return an answer for people: `raises ValueError` for `!ValueError`; any step of the `call` may be what raises."""
    if text == "!":
        return "no answer in time"
    line = value_line(text, 60)
    return f"raises {line[1:]}{raised_where(call)}" if line.startswith("!") else line


def _opinion(question: Question) -> str:
    return opinion_words(question["opinion"]) if "opinion" in question else ""


def _lettered(question: Question) -> list[tuple[str, RivalAnswer]]:
    return list(zip(string.ascii_lowercase, question["answers"][:_MOST], strict=False))


def _aside(question: Question, answer: RivalAnswer, numbers: Sequence[int] | None = None) -> str:
    if "now" not in question:
        return f" ({giver_words(answer, numbers)})"
    if answer["text"] == question["now"]:
        return " (now)"
    return f" ({question['says']})" if question.get("says") else ""


def _givers(question: Question, answer: RivalAnswer) -> str:
    if answer["text"] == question.get("now"):
        return "now"
    return question["says"] if question.get("says") else plural(answer["repairs"], "other")
