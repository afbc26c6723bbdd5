"""What a person may close to the search when refusing a diagnosis or a repair of it. Pure."""

from __future__ import annotations

import re

from selfheal_tui.engine.moment.gist import change_places
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

_MOST_CHOICES = 9
"""Each has a digit of its own."""


def closable(snapshot: Snapshot, pick: str = "") -> list[tuple[str, str]]:
    """Return (what `Answer.avoid` takes, the same in words) for each place of the repair or diagnosis that is shown.

    Nothing where a model made the proposal: it reads reasons.
    """
    texts = dict.fromkeys(
        text
        for path, line in _places(snapshot, pick)
        if 0 < line <= len(snapshot.program.get(path, "").splitlines())
        for text in offered(snapshot.program, path, line)
    )
    places = [text for text in texts if text != "data"][: _MOST_CHOICES - ("data" in texts)]
    flags = [*places, *(text for text in texts if text == "data")]
    words = [avoid_words(avoided([flag], snapshot.program)) for flag in flags]
    return [
        (flag, f"{said} of {flag.split(':')[1]}" if words.count(said) > 1 else said)
        for flag, said in zip(flags, words, strict=True)
    ]


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

    Raises: InputError for a number that no choice has, for words that begin as a choice does and are none, and for
    those that may be several choices.
    """
    if _NUMBERS.fullmatch(text.strip()):
        numbers = [int(digit) for digit in text if digit.isdigit()]
        if wrong := [n for n in numbers if choices and not 0 < n <= len(choices)]:
            raise InputError(f"There is no choice {wrong[0]}.", f"Type 1 to {len(choices)}, or a reason in words.")
        return [choices[n - 1][0] for n in numbers] if choices else []
    plain = _plain(text)
    meant = [flag for flag, words in choices if plain == _plain(words)]
    meant = meant or [flag for flag, _ in choices if plain in _names(flag)]
    if len(meant) == 1:
        return meant
    if meant:
        names = " · ".join(f"{number} {words}" for number, (flag, words) in enumerate(choices, 1) if flag in meant)
        raise InputError(f"That may be one of several: {names}.", "Type its number.")
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


def _places(snapshot: Snapshot, pick: str) -> list[tuple[str, int]]:
    """Return file and line of each place that the search proposes to change."""
    if repair := snapshot.candidates.get(pick) or next(iter(snapshot.candidates.values()), None):
        return _changed(snapshot, repair) if SEARCH in repair["strategy"] else []
    if snapshot.diagnosis is None or snapshot.diagnosis["by"] != SEARCH or not snapshot.diagnosis["evidence"]:
        return []
    evidence = snapshot.diagnosis["evidence"]
    place = evidence[int(pick) - 1 if pick.isdigit() and 0 < int(pick) <= len(evidence) else 0]
    return [(place["file"], place["line"]), *((also["file"], also["line"]) for also in place.get("also", []))]


def _changed(snapshot: Snapshot, repair: Repair) -> list[tuple[str, int]]:
    """Return the first line of each piece of a repair; of lines that it adds, the one that they stand before."""
    places = change_places(snapshot.program, repair["changes"])
    return [(path, min(line, len(snapshot.program.get(path, "").splitlines()))) for path, line in places]
