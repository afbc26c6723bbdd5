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
_WITH_REASON = re.compile(r"(\d(?:\s*,\s*\d|\s+\d)*)(?:\s*[,.:;)]\s*|\s+)(?=[^\W\d])(.+)", re.DOTALL)
"""Numbers of choices, and then words: `2 the size check is fine`."""
_ORDER = re.compile(r"(?:not in|not line|avoid|leave)\b")
"""How one begins who wants something left alone; whoever gives a reason begins otherwise."""
_LEADING = re.compile(r"(?:not in|not|avoid|leave)\b")


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


def closed_and_why(text: str, choices: list[tuple[str, str]]) -> tuple[list[str], str]:
    """Return what a typed answer closes, and its reason: `2, it is right` is the second choice with `it is right`.

    Of a choice alone the reason is empty. Raises: as `closed_by`.
    """
    match = _WITH_REASON.fullmatch(text.strip())
    if match is not None and choices and all(0 < int(n) <= len(choices) for n in match[1] if n.isdigit()):
        return closed_by(match[1], choices), match[2]
    avoid = closed_by(text, choices)
    return avoid, "" if avoid else text


def closed_by(text: str, choices: list[tuple[str, str]]) -> list[str]:
    """Return what a typed answer closes: numbers of choices, or their words; nothing where it is a reason.

    `not in this function` is the choice of a function, `that line` that of a line, `data` that of tables.

    Raises: InputError for a number that no choice has, and for words that begin as a choice does and are none.
    """
    if _NUMBERS.fullmatch(text.strip()):
        numbers = [int(digit) for digit in text if digit.isdigit()]
        if wrong := [n for n in numbers if choices and not 0 < n <= len(choices)]:
            raise InputError(f"There is no choice {wrong[0]}.", f"Type 1 to {len(choices)}, or a reason in words.")
        return [choices[n - 1][0] for n in numbers] if choices else []
    plain = _plain(text)
    if meant := [flag for flag, words in choices if plain in (_plain(words), *_names(flag))]:
        return meant
    if choices and _ORDER.match(text.strip().lower()):
        names = " · ".join(f"{number} {words}" for number, (_, words) in enumerate(choices, 1))
        raise InputError(
            f"The search cannot read that; it can leave alone: {names}.",
            "Type a number, or a reason that begins otherwise.",
        )
    return []


def _plain(text: str) -> str:
    """Return words as they are compared: `Not in merge().` is `merge`."""
    words = " ".join(re.sub(r"[`'\".()]", " ", text.lower()).split())
    return _LEADING.sub("", words, count=1).strip() if _LEADING.match(words) else words


def _names(flag: str) -> list[str]:
    """Return what else one calls a choice."""
    what, _, rest = flag.partition(":")
    if what == "function":
        name = rest.rpartition(":")[2]
        return ["this function", "that function", "the function", _plain(name), _plain(name.rpartition(".")[2])]
    if what == "line":
        return ["this line", "that line", "here", f"line {rest.rpartition(':')[2]}"]
    return ["data", "the data", "constants", "tables"]


def _changed(snapshot: Snapshot, repair: Repair) -> tuple[str, int] | None:
    """Return the first line that a repair changes; of lines that it adds, the one that they stand before."""
    for path, text in repair["changes"].items():
        old = snapshot.program.get(path, "").splitlines()
        steps = SequenceMatcher(None, old, text.splitlines(), autojunk=False).get_opcodes()
        first = next((begin for kind, begin, *_ in steps if kind != "equal"), None)
        if first is not None and old:
            return path, min(first, len(old) - 1) + 1
    return None
