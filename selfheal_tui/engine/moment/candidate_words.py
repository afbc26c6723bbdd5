"""A candidate in one line, and what parts it from the first: the card and the command line say the same. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from selfheal_tui.search.program.git_had import brought_back
from selfheal_tui.search.program.recent import At, RecentChange
from selfheal_tui.steps import call_words
from selfheal_tui.text import one_line, plural

from .gist import ANEW, also_words, change_gist, change_pieces, change_places
from .state import Repair
from .sureness import is_doubted
from .unsettled import answer_words

_CHANGE = 100
"""Most characters of what a candidate changes."""
_LINE = 200
"""Characters of a line that stands by itself, before its places are counted."""
_VALUE = 60
_LEAST, _LEAST_OF_TWO = 14, 5
"""Characters of what the first piece does that stay beside several other places, and beside one."""
_NAMES = 3


@dataclass(frozen=True, slots=True)
class CandidateLine:
    """One candidate in words that stand side by side."""

    where: str
    """`line 8`, or `shop.py:8` where the program has several files; empty when nothing changes."""
    change: str
    """`` `<` -> `<=` ``, or the summary where a few words cannot say it."""
    fixes: str
    """`fixes 2`; why nobody knows, when it could not be run."""
    breaks: str
    """`breaks 0`; empty when it could not be run."""
    doubts: str
    """`1 doubt`: how many marks speak for a coincidence, and one where the search is little sure; empty for none."""
    path: str = ""
    """The file of `where`."""
    pieces: tuple[str, ...] = ()
    """The other pieces of the change, `` line 12 `0` -> `1` ``, those first that the fewest other candidates have."""
    places: tuple[tuple[str, int], ...] = ()
    """File and line of each of `pieces`."""
    numbers: tuple[int, ...] = (0,)
    """Which piece of the change `where` and each of `pieces` is, from 0 in the order of their lines."""

    @property
    def head(self) -> str:
        """What may be shortened, in full."""
        return ", ".join((f"{self.where} {self.change}".lstrip(), *self.pieces))

    def head_in(self, room: int) -> str:
        """Return `head` in about `room` characters: the last places are only named then, or counted.

        What the first piece does is cut before that. In full the pieces stand in the order of their lines.
        """
        first = f"{self.where} {self.change}".lstrip()
        if len(self.head) <= room or not self.pieces:
            of_number = dict(zip(self.numbers, (first, *self.pieces), strict=True))
            return ", ".join(of_number[number] for number in sorted(of_number))
        for count in range(len(self.pieces) - 1, 0, -1):
            said = ", ".join((first, *self.pieces[:count]))
            if len(said) < room:
                also = also_words(self._rest(count), self.path, room - len(said))
                if len(said + also) <= room and " and " not in also:  # every place is named
                    return said + also
        # Where the change goes on is worth more than all of what it does first.
        least = len(self.where) + (_LEAST if len(self.places) > 1 else _LEAST_OF_TWO)
        also = also_words(self._rest(0), self.path, max(room - min(len(first), least), room // 2))
        return one_line(first, max(len(self.where) + 2, room - len(also))) + also

    def _rest(self, said: int) -> list[tuple[str, int]]:
        """Return the places after the first `said`, in the order of their lines."""
        numbered = sorted(zip(self.numbers[1 + said :], self.places[said:], strict=True))
        return [place for _, place in numbered]

    @property
    def text(self) -> str:
        """All of it: `` line 8 `<` -> `<=`: fixes 2, breaks 0, 1 doubt ``."""
        return f"{self.head_in(_LINE)}: " + ", ".join(filter(None, (self.fixes, self.breaks, self.doubts)))


_HEAD_OF_SEVERAL = re.compile(r"^\d+ independent edits: ")
_PARTS = re.compile(r"(?:; |, and )(?=(?:[^\s:`]+:|line )\d+: )")
"""Where the summary of several edits goes on with the next."""


def candidate_line(
    repair: Repair,
    program: Mapping[str, str],
    tests: Mapping[str, str],
    first: int = 0,
    recent: Mapping[At, RecentChange] | None = None,
    listed: Collection[Repair] = (),
    shares: Mapping[str, int] | None = None,
) -> CandidateLine:
    """Return a candidate in words; `program` and `tests` are path -> text before it.

    `first` is the number of the piece of its change that is named first, from 0. What takes back `recent` changes of
    the program says so. `listed` are the repairs among which it stands, `shares` how many of them have each piece.
    """
    of_test = bool(repair.get("of_test"))
    before = tests if of_test else program
    gist = change_gist(before, repair["changes"], first)
    text = repair["summary"]
    for name in before:
        text = text.replace(f"{name} line ", f"{name}:")  # as the other pieces are named
    summary = one_line(text, _CHANGE)
    where, change, own_path = "", summary, ""
    pieces, places = change_pieces(before, repair["changes"]), change_places(before, repair["changes"])
    others = sorted((n for n in range(len(pieces)) if n != first), key=lambda n: (shares or {}).get(pieces[n], 0))
    if gist is not None:
        own_path, path = gist.path, one_line(gist.path, _VALUE)
        named = of_test or len(program) > 1 or not gist.line
        where = (f"{path}:{gist.line}" if gist.line else path) if named else f"line {gist.line}"
        change = one_line(gist.words or _part_at(text, (gist.path, gist.line), places), _CHANGE)
    back = brought_back(program, repair["changes"], recent or {})
    if back.words and back.words not in change:
        change = f"{'all ' if back.whole and len(pieces) > 1 else ''}{back.words}, {change}"
    fixes, breaks = _counts(repair)
    doubts = len(repair.get("marks", [])) + is_doubted(repair, listed)
    return CandidateLine(
        where,
        change,
        fixes,
        breaks,
        plural(doubts, "doubt") if doubts else "",
        own_path,
        tuple(one_line(_said_of(pieces[number], text, places[number], places), _CHANGE) for number in others),
        tuple(places[number] for number in others),
        (first, *others),
    )


def candidate_lines(
    repairs: Sequence[Repair],
    program: Mapping[str, str],
    tests: Mapping[str, str],
    recent: Mapping[At, RecentChange] | None = None,
) -> list[CandidateLine]:
    """Return candidates in words; those that would begin the same begin with the piece that the fewest of them have."""
    pieces = [change_pieces(tests if one.get("of_test") else program, one["changes"]) for one in repairs]
    had = Counter(piece for one in pieces for piece in set(one))
    lines = [candidate_line(repair, program, tests, 0, recent, repairs, had) for repair in repairs]
    starts = [(line.where, line.change) for line in lines]
    differing = list(lines)
    begun: set[str] = set()
    for number, start in enumerate(starts):
        alike = [n for n, other in enumerate(starts) if other == start]
        shares = Counter(piece for n in alike for piece in set(pieces[n]))
        rare_first = sorted(range(len(pieces[number])), key=lambda place: shares[pieces[number][place]])
        own = [place for place in rare_first if shares[pieces[number][place]] < len(alike)]
        if len(alike) > 1 and own:
            first = next((place for place in own if pieces[number][place] not in begun), own[0])
            begun.add(pieces[number][first])
            differing[number] = candidate_line(repairs[number], program, tests, first, recent, repairs, had)
    for number, line in enumerate(differing):
        same = next((n for n, other in enumerate(differing[:number]) if other.head == line.head), None)
        if same is not None:
            words = _beside(repairs[same], repairs[number], {**tests, **program})
            differing[number] = replace(line, change=f"{words}: {line.change}" if words else line.change)
    return differing


def _part_at(summary: str, at: tuple[str, int], places: Sequence[tuple[str, int]]) -> str:
    """Return what a summary of several edits says of the piece that begins `at` (path, line), to the next of `places`.

    All of it where it does not name the place.
    """
    parts = _PARTS.split(_HEAD_OF_SEVERAL.sub("", summary))
    others = {label for place in places if place != at for label in _labels(*place)}
    own = _labels(*at)
    first = next((n for n, part in enumerate(parts) if part.startswith(own)), None)
    if first is None:
        return summary
    rest = takewhile(lambda part: not part.startswith(tuple(others)), parts[first + 1 :])
    return "; ".join([next(parts[first].removeprefix(one) for one in own if parts[first].startswith(one)), *rest])


def _labels(path: str, line: int) -> tuple[str, str]:
    return f"line {line}: ", f"{path}:{line}: "


def _said_of(piece: str, summary: str, at: tuple[str, int], places: Sequence[tuple[str, int]]) -> str:
    """Return a piece in words; where a few cannot say it, in those of the summary."""
    where = piece.removesuffix(f" {ANEW}")
    said = _part_at(summary, at, places) if where != piece else summary
    return f"{where} {said}" if said != summary else piece


def _beside(one: Repair, other: Repair, before: Mapping[str, str]) -> str:
    """Say in what a candidate differs from another whose line reads the same."""
    texts = {**before, **one["changes"]}
    between = change_gist(texts, {path: {**before, **other["changes"]}.get(path, "") for path in texts})
    if between is None:
        return ""
    gone, come = one_line(between.gone, _VALUE), one_line(between.come, _VALUE)
    return f"with `{come}`" if come else f"without `{gone}`" if gone else one_line(between.words, _VALUE)


def _counts(repair: Repair) -> tuple[str, str]:
    report = repair.get("report")
    if report is None:
        return "not rehearsed", ""
    if not _can_run(repair):
        return "cannot run", ""
    return f"fixes {len(repair.get('fixes', []))}", f"breaks {len(repair.get('breaks', []))}"


def difference_words(first: Repair, other: Repair, before: Mapping[str, str]) -> str:
    """Say what parts a candidate from the first: `` f(2) gives 3, with 1 it gives 4; same line, `<` instead of `>` ``.

    `before` is path -> text of the program and its tests.
    """
    return "; ".join(filter(None, (_answer(first, other), _place(first, other, before), *_cases(first, other))))


def _place(first: Repair, other: Repair, before: Mapping[str, str]) -> str:
    if other.get("part_of") and other.get("part_of") == first.get("key"):
        return "a part of 1"
    one, two = change_gist(before, first["changes"]), change_gist(before, other["changes"])
    if one is None or two is None:
        return ""
    if (one.path, one.line) != (two.path, two.line):
        return "another place"
    texts = {**before, **first["changes"]}
    between = change_gist(texts, {path: {**before, **other["changes"]}[path] for path in texts if path in before})
    if between is None or between.more or (between.path, between.line) != (one.path, one.line):
        return _pieces(before, first, other)
    gone, come = one_line(between.gone, _VALUE), one_line(between.come, _VALUE)
    if gone and come:
        return f"same line, `{come}` instead of `{gone}`"
    return f"same line, with `{come}`" if come else f"same line, without `{gone}`" if gone else "same line"


def _pieces(before: Mapping[str, str], first: Repair, other: Repair) -> str:
    """Say in which pieces two changes differ that begin at the same line."""
    texts = {path: text for path, text in before.items() if path in {**first["changes"], **other["changes"]}}
    one, two = change_pieces(texts, first["changes"]), change_pieces(texts, other["changes"])
    come = [piece for piece in two if piece not in one]
    gone = [piece for piece in one if piece not in two]
    if not come and not gone:
        words = _beside(first, other, before)
        return f"begins at the same line, but {words}" if words else "begins at the same line"
    return " ".join(
        filter(
            None,
            (
                _piece_list(come),
                f"instead of {_piece_list(gone)}" if come and gone else "",
                f"without {_piece_list(gone)}" if gone and not come else "",
            ),
        )
    )


def _piece_list(pieces: Sequence[str]) -> str:
    places = [piece.partition(" `")[0] for piece in pieces[_NAMES:]]
    return ", ".join([*(one_line(piece, _VALUE) for piece in pieces[:_NAMES]), *places])


def _cases(first: Repair, other: Repair) -> list[str]:
    if not _can_run(first) or not _can_run(other):
        return []
    one, two = _passing(first), _passing(other)
    if one == two:
        return ["passes the same cases"]
    more, less = sorted(two - one), sorted(one - two)
    return [
        *([f"also passes {_names(more)}"] if more else []),
        *([f"does not pass {_names(less)}"] if less else []),
    ]


def _can_run(repair: Repair) -> bool:
    """Tell whether it was run: a file that cannot be collected beside cases that pass with it says nothing of it."""
    return "report" in repair and (not repair["report"]["error"] or bool(repair.get("fixes")))


def _passing(repair: Repair) -> set[str]:
    return {case["id"] for case in repair["report"]["cases"] if case["outcome"] == "passed"}


def _answer(first: Repair, other: Repair) -> str:
    """Say on which call they part, where the search has asked both."""
    one, two = first.get("answers", {}), other.get("answers", {})
    call = next((call for call in two if call in one and one[call] != two[call]), None)
    if call is None:
        return ""
    return f"{call_words(call, _VALUE)} {answer_words(two[call], call)}, with 1 it {answer_words(one[call], call)}"


def _names(case_ids: Collection[str]) -> str:
    names = [one_line(case.partition("::")[2] or case, _VALUE) for case in list(case_ids)[:_NAMES]]
    more = len(case_ids) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")
