"""What a step did, in few words: `took 3: line 24 `<` -> `<=``. Written by nodes and forks into the state. Pure.

The tree and `sessions show` read it from the facts beside each checkpoint (`store/saver.py:timeline_facts`); a
session of before has none, and shows what the node is called.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from selfheal_tui.line_blocks import same_ends
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import one_line, plural

from .change_pieces import TOKEN, Piece, pieces_of
from .state import Diagnosis, Repair
from .steering import NOTHING_CLOSED, at_line, avoid_words, avoided, place_labels, place_words
from .workspace import Workspace

LONGEST = 160
"""Characters that are kept of what a step did."""
_OPERATION = re.compile(r"[-+*/%|&^<>=]|and\b|or\b|if\b")
_TERM = re.compile(
    r"(?<![\w.])(?!(?:return|in|not|and|or|if|else|is|yield|await|lambda)\b)[\w.]+(?:\[[^\[\]]*\]|\([^()]*\))*\)*(?=\s*$)"
)
"""What an operation that is added works on: `blocks[-1][1]`."""
_PREFIXES = frozenset(("-", "~", "not", "*", "**", "await"))
_NEXT_TERM = re.compile(r"\s*((?!(?:in|is|if|else|and|or|not)\b)([\w.]+)(?:\[[^\[\]]*\]|\([^()]*\))*)")
_WORD_END = re.compile(r"[\w.]*$")
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")
_SHORT = 24
_ALSO = 40
"""Characters that are kept for the further places of a change."""
_NAMES = 3
ANEW = "written anew"
"""What is said of a piece that a few words cannot say."""


@dataclass(frozen=True, slots=True)
class ChangeGist:
    """A piece of a change, and how many more there are."""

    path: str
    line: int
    """The first line that it replaces, or before which it inserts; 0 of a new file."""
    words: str
    """`` `<` -> `<=` ``; empty where a few words cannot say it."""
    gone: str = ""
    """What is replaced within the line; empty where a line is not changed within."""
    come: str = ""
    """What stands there instead."""
    more: int = 0


def change_gist(before: Mapping[str, str], changes: Mapping[str, str]) -> ChangeGist | None:
    """Return the first piece of a change (path -> new text) in parts; None where nothing changes."""
    pieces = pieces_of(before, changes)
    if not pieces:
        return None
    first, more = pieces[0], len(pieces) - 1
    if not before.get(first.path):
        return ChangeGist(first.path, 0, "a new file", more=more)
    gone, come = differing_tokens(first.old[0], first.new[0]) if len(first.old) == len(first.new) == 1 else ("", "")
    words = piece_words(first)
    return ChangeGist(first.path, first.line, "" if words == ANEW else words, gone, come, more)


def change_pieces(before: Mapping[str, str], changes: Mapping[str, str]) -> list[str]:
    """Say each piece of a change: `line 24 `0` -> `-1``, where there are several files `shop.py:24 `0` -> `-1``."""
    return [_placed_words(piece, piece.path if len(before) > 1 else "") for piece in pieces_of(before, changes)]


def change_places(before: Mapping[str, str], changes: Mapping[str, str]) -> list[tuple[str, int]]:
    """Return the file and first line of each piece of a change, in the order of `change_pieces`."""
    return [(piece.path, piece.line) for piece in pieces_of(before, changes)]


def also_words(pieces: Sequence[Piece], path: str, room: int) -> str:
    """Name further places of a change that begins in `path`: `, also at 8, 12-13, shop.py:3 and 2 more`.

    Where `room` characters do not hold it the folders go first; then the last ones are counted.
    """
    full = [one.lines if one.path == path else f"{one_line(one.path, 60)}:{one.lines}" for one in pieces]
    for shown in range(len(full), 0, -1):
        for names in (full, [name.rpartition("/")[2] for name in full]):
            rest = f" and {len(names) - shown} more" if shown < len(names) else ""
            words = f", also at {', '.join(names[:shown])}{rest}"
            if len(words) <= room:
                return words
    return f" and {plural(len(names), 'more place')}" if full else ""


def change_words(before: Mapping[str, str], changes: Mapping[str, str]) -> str:
    """Say where a change is and what it does: `line 24 `<` -> `<=``; the number is that of the line before it."""
    pieces = pieces_of(before, changes)
    if not pieces:
        return "changes nothing"
    path = pieces[0].path
    if not before.get(path):
        return one_line(f"writes {path}", LONGEST)
    first = one_line(_placed_words(pieces[0], path if len(before) > 1 else ""), LONGEST - _ALSO)
    return first + also_words(pieces[1:], path, LONGEST - len(first))


def taken_words(
    repair: Repair, label: str, workspace: Workspace, *, edited: bool = False, in_part: bool = False
) -> str:
    """Say which candidate was taken, or how much of it, and what it changes."""
    name = f"a part of {label}" if in_part else "your edit" if edited else label
    test = "a test, " if repair.get("of_test") else ""
    return one_line(f"took {name}: {test}{_repair_words(repair, workspace)}", LONGEST)


def refused_words(candidates: Sequence[Repair], workspace: Workspace) -> str:
    """Say what was refused: the first candidate, and how many more."""
    more = f" and {plural(len(candidates) - 1, 'other')}" if len(candidates) > 1 else ""
    return one_line(f"not {_repair_words(candidates[0], workspace)}", LONGEST - len(more)) + more


def round_words(ranked: Sequence[Repair], workspace: Workspace) -> str:
    """Say how many candidates there are, and what the first changes."""
    return one_line(f"{plural(len(ranked), 'candidate')}, 1: {_repair_words(ranked[0], workspace)}", LONGEST)


def diagnosis_words(diagnosis: Diagnosis) -> str:
    """Say where the cause is and what it is, in its first sentence."""
    cause = re.split(r"(?<=[.!?])\s", one_line(diagnosis["cause"], 400))[0].rstrip(".")
    by_search = diagnosis.get("by") == SEARCH and re.search(r"\bline \d", cause)
    names_line = not diagnosis["evidence"] or cause.casefold().startswith("line ") or by_search
    at = "" if names_line else f"line {diagnosis['evidence'][0]['line']}: "
    blame = "" if diagnosis["fault"] == "code" else f"the {diagnosis['fault']} is wrong: "
    return one_line(f"{blame}{at}{cause}", LONGEST)


def suite_words(before: SuiteReport | None, after: SuiteReport) -> str:
    """Say what changed since the run before: `was 6/8; now pass: a; not run: b`; empty after the first run."""
    if before is None:
        return ""
    old, new = ({case["id"]: case["outcome"] for case in report["cases"]} for report in (before, after))
    fixed = [case for case in new if new[case] == "passed" and case in old and old[case] != "passed"]
    broken = [case for case in new if new[case] not in ("passed", "skipped") and old.get(case) == "passed"]
    fresh = [case for case in new if case not in old]
    total = sum(before[name] for name in ("passed", "failed", "errors", "timeouts"))
    gone = [case for case in old if case not in new]
    parts = [f"was {before['passed']}/{total}"]
    if not (fixed or broken or fresh or gone):
        return f"{parts[0]}: the same cases"
    for label, cases in (("now pass", fixed), ("now fail", broken), ("new", fresh), ("not run", gone)):
        if cases:
            parts.append(f"{label}: {_names(cases)}")
    return one_line("; ".join(parts), LONGEST)


def fork_words(
    changes: Mapping[str, Any], diagnosis: Diagnosis | None = None, program: Mapping[str, str] | None = None
) -> str:
    """Say what a fork changed: `model: ollama:qwen3`, `look first at shop.py:8`; `run again` where nothing is.

    `diagnosis` and `program` (path -> text) are those of the moment that was forked.
    """
    words = (
        _steering_words(name, value, diagnosis, program or {}) or _field_words(name, value)
        for name, value in changes.items()
    )
    return one_line("; ".join(words) or "run again", LONGEST)


def _repair_words(repair: Repair, workspace: Workspace) -> str:
    files = workspace.test_texts if repair.get("of_test") else workspace.program_texts
    return change_words(files, repair["changes"])


def _steering_words(name: str, value: Any, diagnosis: Diagnosis | None, program: Mapping[str, str]) -> str:
    """Say where the search looks first, or what it leaves alone; empty for other fields."""
    if name == "place" and (label := str(value).strip()) in place_labels(diagnosis) and diagnosis is not None:
        return f"look first at {place_words(diagnosis['evidence'][int(label) - 1])}"
    if name == "place" and diagnosis is not None and (line := at_line(diagnosis, str(value), program)) is not None:
        return f"look first at {place_words(line['evidence'][0])}"
    if name == "avoid" and value in (NOTHING_CLOSED, [NOTHING_CLOSED]):
        return "all is open to the search again"
    if name == "avoid" and program:
        return avoid_words(avoided(value if isinstance(value, list) else [str(value)], program))
    return ""


def _field_words(name: str, value: Any) -> str:
    match name:
        case "afresh":
            return "asked afresh"
        case "diagnosis":
            return "another diagnosis"
        case "code" | "tests" if isinstance(value, Mapping):
            return f"{name} of {', '.join(map(str, value))}"
        case "model" if isinstance(value, Mapping):
            models = (str(model) if role == "*" else f"{role}={model}" for role, model in value.items())
            return f"model: {' '.join(models)}"
        case "drop" | "pin" | "unpin" | "take_in":
            return f"{name.replace('_', ' ')} {_names([value] if isinstance(value, str) else list(value))}"
    words = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return f"{name.replace('_', ' ')}: {words}"


def _names(case_ids: Sequence[str]) -> str:
    shown = [one_line(case.partition("::")[2] or case, 40).removeprefix("test_") for case in case_ids[:_NAMES]]
    more = len(case_ids) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _placed_words(piece: Piece, path: str) -> str:
    return f"{piece_where(piece, path)} {piece_words(piece)}"


def piece_where(piece: Piece, path: str = "") -> str:
    """Say where a piece is: `line 24`, `before lines 8-9`, in a `path` of several `shop.py:24`."""
    where = f"{path}:{piece.lines}" if path else f"{'line' if len(piece.old) < 2 else 'lines'} {piece.lines}"
    return where if piece.old else f"before {where}"


def piece_words(piece: Piece) -> str:
    """Say what happens to some lines, without where they are; `ANEW` where a few words cannot say it."""
    old, new = piece.old, piece.new
    if len(old) == len(new) == 1:
        return _token_words(old[0], new[0])
    if not old:
        one = next((line.strip() for line in new if line.strip()), "a blank line")
        more = f" and {plural(len(new) - 1, 'more line')}" if len(new) > 1 else ""
        return f"adds `{one_line(one, 60)}`{more}"
    return ANEW if new else "removed"


def _token_words(old: str, new: str) -> str:
    """Say what changed within a line, as narrowly as its tokens tell it."""
    gone, come = differing_tokens(old, new)
    if not gone and not come:
        return "indented anew" if old.strip() == new.strip() else f"-> `{one_line(new.strip(), 60)}`"
    if come == "return":
        return f"-> `{one_line(new.strip(), 60)}`"  # `adds return` would be another statement
    if not gone and come == "not" and old.strip()[_alike(old.strip(), new.strip()) :].startswith("in "):
        return "`in` -> `not in`"
    if not gone:
        return f"adds `{one_line(come, 60)}`{_beside(come, old.strip(), new.strip())}"
    if not come:
        return f"drops `{one_line(gone, 60)}`"
    if len(gone) > _SHORT or len(come) > _SHORT:
        return f"-> `{line_from(new.strip(), _alike(old.strip(), new.strip()))}`"
    return f"`{gone}` -> `{come}`"


def _beside(come: str, old: str, new: str) -> str:
    """Say what an operation that is added works on: `` after `x` `` for `+ 1`, `` before `now` `` for `-`."""
    at = _alike(old, new)
    if _OPERATION.match(come) and (before := _TERM.search(old[:at])):
        return f" after `{one_line(before[0], _SHORT)}`"
    if come in _PREFIXES and (after := _NEXT_TERM.match(old[at:])):
        return f" before `{after[1] if len(after[1]) <= _SHORT else after[2]}`"
    return ""


def line_from(line: str, differs: int, room: int = 60) -> str:
    """Return a line in so many characters, from the word on that is `differs` characters in where all is too long."""
    if len(line) <= room:
        return line
    start = len(_WORD_END.sub("", line[:differs]))
    return ("…" if start else "") + one_line(line[start:], room)


def _alike(old: str, new: str) -> int:
    """Return how many characters both lines begin with."""
    return next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))


def differing_tokens(old: str, new: str) -> tuple[str, str]:
    """Return the tokens of a line that go and those that come, without what both lines begin and end with."""
    a, b = TOKEN.findall(old.strip()), TOKEN.findall(new.strip())
    head, tail = _whole(a, b, *same_ends(a, b))
    return "".join(a[head : len(a) - tail]).strip(), "".join(b[head : len(b) - tail]).strip()


def _whole(a: Sequence[str], b: Sequence[str], head: int, tail: int) -> tuple[int, int]:
    """Return how much of both ends is left out so that no bracket stands alone: `len(a) + len(b)`, not `a) + len(b`."""
    while True:
        sides = [_alone(side[head : len(side) - tail]) for side in (a, b)]
        opened, closed = sum(one for one, _ in sides), sum(other for _, other in sides)
        if closed and head:
            head -= 1
            while head and closed == 1 and a[head] in _OPENING and (a[head - 1].isidentifier() or a[head - 1] == "."):
                head -= 1
        elif opened and tail:
            tail -= 1
        else:
            return head, tail


def _alone(tokens: Sequence[str]) -> tuple[int, int]:
    """Count brackets that are opened and not closed, and those that are closed and not opened."""
    opened = closed = 0
    for token in tokens:
        if token in _OPENING:
            opened += 1
        elif token in _CLOSING:
            closed, opened = (closed, opened - 1) if opened else (closed + 1, 0)
    return opened, closed
