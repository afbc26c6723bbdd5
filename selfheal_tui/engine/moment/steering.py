"""Where the human says that the search must not edit: a function, a line, constants in data. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

from selfheal_tui.errors import InputError
from selfheal_tui.python_source import parse_python
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import and_list, one_line

if TYPE_CHECKING:
    from .state import Diagnosis, Evidence

_FORMS = "Write function:NAME, line:FILE:N or data."
UNREAD = "The search cannot read reasons; it only avoids these repairs."
"""What a reason is answered with."""
_SAME_REASON, _SAME_REASON_FIRST = " (for the same reason)", "for the same reason: "
"""What stands behind a line's code whose reason was given for another line; the second, before it, is of older ones."""
NOTHING_CLOSED = "none"
"""Value of `avoid` with which a fork opens to the search again all that was closed."""
TAKE_BACK = "Take these answers back, the newest first: selfheal sessions undo SESSION, or the key for undo in the app."
"""How one goes on where nothing is left to edit."""


class AvoidLine(TypedDict):
    """One of several lines that must not be edited together."""

    file: str
    line: int
    text: str
    """As of `Avoid`."""


class Avoid(TypedDict):
    """Something that the search must leave as it is."""

    what: Literal["function", "line", "data", "together"]
    file: NotRequired[str]
    """Program path of the function or line."""
    name: NotRequired[str]
    """Qualified name of the function: `Cache.get`."""
    line: NotRequired[int]
    """1-based, in the program as it was then."""
    text: NotRequired[str]
    """The line's text then, without blanks around it: how it is found again after other lines have moved."""
    lines: NotRequired[list[AvoidLine]]
    """Of `together`: each may be edited, and not all of them in one repair."""
    cases: NotRequired[list[str]]
    """Ids of the failing cases that it was said about; absent where it holds whatever fails."""


def avoided(texts: Sequence[str], program: Mapping[str, str]) -> list[Avoid]:
    """Read `function:NAME`, `line:FILE:N`, `together:FILE:N+FILE:N` and `data`; `program` is path -> text.

    Raises: InputError where a text is none of these, or names what the program does not have.
    """
    return list({avoid_words([one]): one for text in texts for one in _read(text.strip(), program)}.values())


def avoid_words(avoid: Sequence[Avoid]) -> str:
    """Say what is left alone: `not in Cache.get, not line 12 of lru.py, not in tables of constants`."""
    return ", ".join(_words(one) for one in avoid)


def offered(program: Mapping[str, str], file: str, line: int) -> list[str]:
    """Return what `avoided` reads for a place: its innermost function, its line, and data, where there are such."""
    around = [(name, lines) for name, lines in _functions(program.get(file, "")) if line in lines]
    names = [name for name, lines in sorted(around, key=lambda one: len(one[1]))[:1]]
    return [
        *(f"function:{file}:{name}" for name in names),
        f"line:{file}:{line}",
        *(["data"] if holds_data(program) else []),
    ]


def holds_data(program: Mapping[str, str]) -> bool:
    """Tell whether the program (path -> text) holds tables of constants."""
    from selfheal_tui.search.program.avoid import has_data

    return any(has_data(text) for text in program.values())


def place_labels(diagnosis: Mapping[str, Any] | None) -> list[str]:
    """Return the numbers of the places that one may choose from, from 1; a model's evidence is no choice."""
    if diagnosis is None or diagnosis.get("by") != SEARCH:
        return []
    return [str(number) for number, _ in enumerate(diagnosis.get("evidence", []), 1)]


def edited_lines(place: Evidence) -> list[tuple[str, int]]:
    """Return (path, 1-based line) of a place and of the edits that go with it, each once, its own first."""
    return list(dict.fromkeys((one["file"], one["line"]) for one in (place, *place.get("also", ()))))


def place_words(one: Evidence) -> str:
    """Say a place and what goes with it: `shop.py:12, with 17`."""
    path, also = one["file"], one.get("also", [])
    others = [str(other["line"]) if other["file"] == path else f"{other['file']}:{other['line']}" for other in also]
    together = f", with {', '.join(others)}" if others else ""
    return f"{one_line(path, 40)}:{one['line']}{one_line(together, 60)}"


def at_place(diagnosis: Diagnosis, label: str) -> Diagnosis:
    """Return the diagnosis for another place than the first, which is then the human's."""
    place = diagnosis["evidence"][int(label) - 1]
    where, why = f"You chose line {place['line']} of {place['file']}", place["why"].rstrip(".")
    # Which reason is the same, only the other places say, and they are left out.
    code = why.removeprefix(_SAME_REASON_FIRST).removesuffix(_SAME_REASON)
    cause = f"{where}, {code}." if code != why else f"{where}. {why}."
    # What the first place's edit is, and what it mends, is not said of another.
    chosen: Diagnosis = {**diagnosis, "category": "unknown"}
    for of_first in ("fixes", "slip", "edits"):
        chosen.pop(of_first, None)  # type: ignore[misc]
    return {
        **chosen,
        "cause": cause,
        "evidence": [place],
        "strategy": "Look at this line first, and rank repairs here above all others.",
        "confidence": 1.0,
        "by": "human",
    }


def is_chosen_place(diagnosis: Diagnosis) -> bool:
    """Tell whether the human chose a place of the search's diagnosis, and wrote no cause."""
    evidence = diagnosis["evidence"]
    return len(evidence) == 1 and diagnosis["cause"] == at_place(diagnosis, "1")["cause"]


def at_line(diagnosis: Diagnosis, text: str, program: Mapping[str, str]) -> Diagnosis | None:
    """Return the diagnosis for a line that is named as `shop.py:12`, which is then the human's; None for no such line.

    So a candidate's place can be chosen that the diagnosis does not name.
    """
    file, _, digits = text.strip().rpartition(":")
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 9 else 0
    if not 0 < number <= len(program.get(file, "").splitlines()):
        return None
    place: Evidence = {"file": file, "line": number, "why": "It is a place of a candidate, or one that you named."}
    return at_place({**diagnosis, "evidence": [place]}, "1")


def unread_words(decision: Mapping[str, Any] | None) -> str:
    """Say what the search makes of a rejection with a reason that it cannot read; empty where there is none."""
    if not decision or decision["verdict"] != "reject" or decision["by"] != "human" or not decision["note"]:
        return ""
    words = avoid_words(decision.get("avoid", ()))
    if not words:
        return UNREAD
    return "" if decision["note"] == words else f"The search cannot read reasons; it goes by: {words}."


def _read(text: str, program: Mapping[str, str]) -> list[Avoid]:
    what, _, rest = text.partition(":")
    match what:
        case "data" if not rest:
            return [{"what": "data"}]
        case "line":
            file, _, digits = rest.rpartition(":")
            rows = program[file].splitlines() if file in program else []
            number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 9 else 0
            if not 0 < number <= len(rows):
                raise InputError(f"There is no line {one_line(rest, 80)!r} in the program.", "Write line:FILE:N.")
            return [{"what": "line", "file": file, "line": number, "text": rows[number - 1].strip()}]
        case "together" if "+" in rest:
            lines = [one for text in rest.split("+") for one in _read(f"line:{text}", program)]
            of_lines: list[AvoidLine] = [
                {"file": one["file"], "line": one["line"], "text": one["text"]} for one in lines
            ]
            return [{"what": "together", "lines": of_lines}]
        case "function" if rest:
            file, _, name = rest.rpartition(":")
            found: list[Avoid] = [
                {"what": "function", "file": path, "name": full}
                for path, source in program.items()
                for full, _ in _functions(source)
                if file in ("", path) and (full == name or full.endswith(f".{name}"))
            ]
            if not found:
                raise InputError(f"The program has no function {one_line(rest, 80)!r}.", "Write function:NAME.")
            return found
    raise InputError(f"{one_line(text, 80)!r} is nothing that the search can avoid.", _FORMS)


def _words(one: Avoid) -> str:
    match one["what"]:
        case "function":
            return f"not in {one_line(one.get('name', ''), 80)}"
        case "line":
            return f"not line {one.get('line')} of {one_line(one.get('file', ''), 80)}"
        case "together":
            return f"not {_lines_words(one.get('lines', ()))} in one repair"
        case _:
            return "not in tables of constants"


def _lines_words(lines: Sequence[AvoidLine]) -> str:
    """Name lines of one file or several: `lines 22 and 35 of report.py`, `a.py:3 and b.py:9`."""
    files = {one["file"] for one in lines}
    if len(files) > 1:
        return and_list([f"{one_line(one['file'], 60)}:{one['line']}" for one in lines])
    numbers = [str(number) for number in sorted({one["line"] for one in lines})]
    return f"lines {and_list(numbers)} of {one_line(next(iter(files)), 80)}"


def _functions(text: str) -> Iterator[tuple[str, range]]:
    from selfheal_tui.search.program.avoid import functions_of

    try:
        tree: ast.Module = parse_python(text)
    except SyntaxError:
        return
    yield from functions_of(tree)
