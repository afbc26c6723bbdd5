"""What a model says a call should give, beside the question about it: read as values, counted, and said. Pure.

Its text is hostile: it is read as a literal of limited length and depth, and never run.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from typing import Any

from selfheal_tui.python_source import parse_expression
from selfheal_tui.text import value_line

from .state import Opinion, Question

_LONGEST = 2000
"""Characters of an answer that is read."""
_VALUE = 60


def build_opinion(question: Question, replies: Sequence[str], asked: int, by: str) -> Opinion:
    """Return what more than half of `asked` replies say; a reply that is no value, or that did not come, says nothing.

    A value that an option of the question has is told in the option's words.
    """
    options = [answer["text"] for answer in question["answers"]]
    texts: dict[object, str] = {}
    votes: dict[object, int] = {}
    for reply in replies:
        if text := _as_option(reply.strip().strip("`").strip(), options):
            key = _key(text)
            texts.setdefault(key, text)
            votes[key] = votes.get(key, 0) + 1
    most = max(votes, key=lambda key: votes[key], default=None)
    if most is None or 2 * votes[most] <= asked:
        return {"text": "", "agree": 0, "asked": asked, "by": by}
    return {"text": texts[most], "agree": votes[most], "asked": asked, "by": by}


def opinion_words(opinion: Opinion) -> str:
    """Say it: `the model says 5 (3 of 3)`, `the model says it raises KeyError (2 of 3)`."""
    if not (text := opinion["text"]):
        return f"the model has no opinion (asked {_times(opinion['asked'])})"
    line = value_line(text, _VALUE)
    says = f"it raises {line[1:]}" if line.startswith("!") else line
    return f"the model says {says} ({opinion['agree']} of {opinion['asked']})"


def opinion_sentence(opinion: Opinion) -> str:
    """Say it as a sentence: `The model says 5 (3 of 3).`"""
    return f"The {opinion_words(opinion).removeprefix('the ')}."


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _as_option(text: str, options: Sequence[str]) -> str:
    """Return the option that has this value, else the value as Python writes it; empty for what is none.

    An option of the same type comes before one that is only equal, as 5 and 5.0 are.
    """
    if text.startswith("!"):
        return text if text[1:].isidentifier() and len(text) <= _LONGEST else ""
    if (own := _literal(text)) is None:
        return ""
    values = [(option, value) for option in options if (value := _literal(option)) is not None]
    same = [option for option, value in values if _typed(value[0]) == _typed(own[0])]
    equal = [option for option, value in values if value[0] == own[0]]
    return next(iter((*same, *equal, own[1])))


def _key(text: str) -> object:
    value = _literal(text)
    return text if value is None else _typed(value[0])


def _literal(text: str) -> tuple[Any, str] | None:
    """Return a literal's value and how Python writes it; None for other text, and for one too long or too deep."""
    if len(text) > _LONGEST:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = parse_expression(text)
            return ast.literal_eval(tree), ast.unparse(tree)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return None


def _typed(value: Any) -> object:
    """Return what two values have in common only where their types are the same, inside of containers too."""
    match value:
        case list() | tuple():
            return type(value), tuple(map(_typed, value))
        case set():
            return set, frozenset(map(_typed, value))
        case dict():
            return dict, frozenset((_typed(key), _typed(one)) for key, one in value.items())
    return type(value), repr(value)
