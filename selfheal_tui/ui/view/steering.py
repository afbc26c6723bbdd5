"""What a person may close to the search when refusing a diagnosis or a repair of it. Pure."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import Repair
from selfheal_tui.engine.moment.steering import avoid_words, avoided, offered
from selfheal_tui.errors import InputError
from selfheal_tui.setting_values import SEARCH

_NUMBERS = re.compile(r"\d(?:[\s,]*\d)*")


def closable(snapshot: Snapshot, pick: str = "") -> list[tuple[str, str]]:
    """Return (what `Answer.avoid` takes, the same in words) for the repair or the place that is shown.

    Nothing where a model made the proposal: it reads reasons.
    """
    if repair := snapshot.candidates.get(pick) or next(iter(snapshot.candidates.values()), None):
        place = _changed(snapshot, repair) if SEARCH in repair["strategy"] else None
    elif snapshot.diagnosis is not None and snapshot.diagnosis["by"] == SEARCH:
        evidence = snapshot.diagnosis["evidence"]
        at = int(pick) - 1 if pick.isdigit() and 0 < int(pick) <= len(evidence) else 0
        place = (evidence[at]["file"], evidence[at]["line"]) if evidence else None
    else:
        place = None
    if place is None or not 0 < place[1] <= len(snapshot.program.get(place[0], "").splitlines()):
        return []
    texts = offered(snapshot.program, *place)
    return [(text, avoid_words(avoided([text], snapshot.program))) for text in texts]


def closed_by(text: str, choices: list[tuple[str, str]]) -> list[str]:
    """Return what a typed answer closes: numbers of choices, or their words; nothing where it is a reason.

    Raises: InputError for a number that no choice has.
    """
    if _NUMBERS.fullmatch(text.strip()):
        numbers = [int(digit) for digit in text if digit.isdigit()]
        if wrong := [n for n in numbers if choices and not 0 < n <= len(choices)]:
            raise InputError(f"There is no choice {wrong[0]}.", f"Type 1 to {len(choices)}, or a reason in words.")
        return [choices[n - 1][0] for n in numbers] if choices else []
    return [flag for flag, words in choices if text.strip().lower() == words.lower()]


def _changed(snapshot: Snapshot, repair: Repair) -> tuple[str, int] | None:
    """Return the first line that a repair changes; of lines that it adds, the one that they stand before."""
    for path, text in repair["changes"].items():
        old = snapshot.program.get(path, "").splitlines()
        steps = SequenceMatcher(None, old, text.splitlines(), autojunk=False).get_opcodes()
        first = next((begin for kind, begin, *_ in steps if kind != "equal"), None)
        if first is not None and old:
            return path, min(first, len(old) - 1) + 1
    return None
