"""What the tests leave open about a repair that was taken: other repairs pass every case too. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from selfheal_tui.steps import call_words, raised_where
from selfheal_tui.text import one_line, plural, value_line

from .opinion import opinion_sentence
from .state import Question, Repair, Unsettled

if TYPE_CHECKING:
    from .snapshot import Snapshot

_MOST_VALUES = 3
_VALUE = 60


def unsettled_by(question: Question | None, taken: Repair) -> Unsettled | None:
    """Return the call on which other repairs that pass every case differ from the one that was taken.

    None where there is no such call, or where the answer of `taken` to it is not known.
    """
    if question is None or taken["report"]["verdict"] != "passed":
        return None
    own = taken.get("answers", {}).get(question["call"])
    others = [one for one in question["answers"] if one["text"] != own]
    if own is None or not others:
        return None
    named = others[:_MOST_VALUES]
    unsettled: Unsettled = {
        "call": question["call"],
        "taken": own,
        "others": [one["text"] for one in named],
        "repairs": sum(one["repairs"] for one in named),
        "passing": max(1, sum(one["repairs"] for one in question["answers"]) - 1),
    }
    return _with_opinion(unsettled, question)


def unsettled_in_program(question: Question | None) -> Unsettled | None:
    """Return the call on which programs one edit away that pass every case differ from the program that is kept."""
    if question is None or (own := question.get("now")) is None:
        return None
    others = [one for one in question["answers"] if one["text"] != own]
    if not others or "says" in question:
        return None
    unsettled: Unsettled = {
        "call": question["call"],
        "taken": own,
        "others": [one["text"] for one in others[:_MOST_VALUES]],
        "repairs": sum(one["repairs"] for one in others),
        "of_program": True,
    }
    return _with_opinion(unsettled, question)


def _with_opinion(unsettled: Unsettled, question: Question) -> Unsettled:
    return {**unsettled, "opinion": question["opinion"]} if "opinion" in question else unsettled


def question_about(unmet: Unsettled) -> Question:
    """Return the question whether the program is right, or the example that it does not give."""
    now, wanted = unmet["taken"], unmet["others"][0]
    return {
        "call": unmet["call"],
        "answers": [{"text": text, "repairs": 0, "share": 0.5} for text in (wanted, now)],
        "now": now,
        "says": unmet.get("says", ""),
    }


def unsettled_words(unsettled: Unsettled) -> str:
    """Say it: `5 other repairs pass every case too: with 2 of them area(1, 2) gives 3 or -1; now it gives 2.`."""
    asked = unsettled["call"]
    call, taken = call_words(asked, 2 * _VALUE), answer_words(unsettled["taken"], asked)
    others = [answer_words(text, asked) for text in unsettled["others"]]
    if says := unsettled.get("says"):
        return f"The {says} says that {call} {others[0]}, and it {taken}."
    number = unsettled["repairs"]
    values = _listed(others)
    if unsettled.get("of_program"):
        programs = "1 program that passes" if number == 1 else f"{number} programs that pass"
        return (
            f"No case says what {call} gives: it {taken} now, and {values} in {programs} every case too, one edit away."
            f"{_opinion_words(unsettled)}"
        )
    passing = max(number, unsettled.get("passing", number))
    passes = "passes" if passing == 1 else "pass"
    with_them = f"with {number} of them" if number < passing else "with it" if passing == 1 else "with them"
    rivals = plural(passing, "other repair")
    return f"{rivals} {passes} every case too: {with_them} {call} {values}; now it {taken}.{_opinion_words(unsettled)}"


def _opinion_words(unsettled: Unsettled) -> str:
    """Return ` The model says 5 (2 of 3).`; nothing where no model has an opinion."""
    if not (opinion := unsettled.get("opinion")) or not opinion["text"]:
        return ""
    return f" {opinion_sentence(opinion)}"


def rest_of_examples(more: int, untried: int, number: int) -> str:
    """Say how many more of the examples of a text do not hold than are told, and how many of all have no result."""
    unmet = (
        f"{plural(more, 'more documented example')} {'does' if more == 1 else 'do'} not hold either." if more else ""
    )
    known = "whether it holds is not known" if untried == 1 else "whether they hold is not known"
    of_all = plural(number, "documented example")
    silent = f"{untried} of {of_all} gave no result in time: {known}." if untried else ""
    return " ".join(filter(None, [unmet, silent]))


def doubt_words(
    doubts: Sequence[str], unsettled: Unsettled | None, unmet: Sequence[Unsettled] = (), rest: str = ""
) -> list[str]:
    """Return all that speaks against a program that passes every case.

    `unmet` are examples that it does not give, `rest` what else is to be said of examples.
    """
    of_examples = [*map(unsettled_words, unmet), *([rest] if rest else [])]
    return [*doubts, *of_examples, *([unsettled_words(unsettled)] if unsettled else [])]


def doubts_of_snapshot(snapshot: Snapshot) -> list[str]:
    """Return `doubt_words` of a saved moment."""
    return doubt_words(snapshot.doubts, snapshot.unsettled, snapshot.unmet, snapshot.unmet_rest)


def answer_words(text: str, call: str = "") -> str:
    """Say what a call gives, from a repr, `!Name` or `!`: `gives 3`, `raises KeyError`, `does not end in time`.

    Where the `call` has steps before it, any of them may raise.
    """
    if text == "!":
        return "does not end in time"
    line = value_line(text, _VALUE)
    return f"raises {one_line(line[1:])}{raised_where(call)}" if line.startswith("!") else f"gives {line}"


def _listed(answers: Sequence[str]) -> str:
    """Join answers: `gives 2, -1 or raises KeyError`."""
    parts = [answers[0]]
    for before, answer in pairwise(answers):
        both_give = answer.startswith("gives ") and before.startswith("gives ")
        parts.append(answer.removeprefix("gives ") if both_give else answer)
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"
