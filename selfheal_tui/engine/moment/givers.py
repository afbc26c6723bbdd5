"""Who gives an answer on which repairs disagree: repairs by their numbers where they are listed, else counted. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from selfheal_tui.text import plural

from .state import Question, Repair, RivalAnswer


def givers_listed(question: Question, listed: Iterable[Repair]) -> dict[str, list[int]]:
    """Return answer -> numbers, from 1, of the listed repairs that give it; empty where one's answer is not known."""
    call, gives = question["call"], dict[str, list[int]]()
    for number, repair in enumerate(listed, 1):
        if call not in (answers := repair.get("answers", {})):
            if _is_complete(repair):
                return {}
            continue
        gives.setdefault(answers[call], []).append(number)
    counted = {answer["text"]: answer["repairs"] for answer in question["answers"]}
    if any(len(numbers) > counted.get(text, 0) for text, numbers in gives.items()):
        return {}
    return {text: gives.get(text, []) for text in counted} if gives else {}


def _is_complete(repair: Repair) -> bool:
    """Tell whether every case passes with a repair; of others only those that mend what the first does are asked."""
    report = repair.get("report")
    return report is not None and report["verdict"] == "passed"


def giver_words(answer: RivalAnswer, numbers: Sequence[int] | None = None) -> str:
    """Say who gives an answer: `repair 1, and 4 repairs not listed`; without `numbers` how many do."""
    if numbers is None:
        return plural(answer["repairs"], "repair")
    others = answer["repairs"] - len(numbers)
    words = f"{plural(others, 'repair')} not listed" if others else ""
    if not numbers:
        return words
    them = f"repair{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
    return f"{them}, and {words}" if words else them
