"""A candidate in one line, and what parts it from the first: the card and the command line say the same. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from selfheal_tui.search.program.git_had import brought_back
from selfheal_tui.search.program.recent import At, RecentChange
from selfheal_tui.steps import call_words
from selfheal_tui.text import one_line, plural

from .candidate_pieces import LONGEST, ToldPiece, parting_first, told_pieces
from .change_pieces import Piece
from .gist import also_words, change_gist, change_pieces
from .state import Repair
from .sureness import is_doubted
from .unsettled import answer_words

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
    first: ToldPiece | None = None
    """The piece of `where`; None where nothing changes."""
    pieces: tuple[ToldPiece, ...] = ()
    """The other pieces of the change, those first that part it from the most other candidates."""

    @property
    def head(self) -> str:
        """What may be shortened, in full."""
        return ", ".join((self.start, *(piece.text for piece in self.pieces)))

    @property
    def all_pieces(self) -> tuple[ToldPiece, ...]:
        """The pieces, that of `where` first."""
        return (self.first, *self.pieces) if self.first is not None else ()

    @property
    def start(self) -> str:
        """The first piece."""
        return f"{self.where} {self.change}".lstrip()

    def head_in(self, room: int) -> str:
        """Return `head` in about `room` characters: the last places are only named then, or counted.

        What the first piece does is cut before that. In full the pieces stand in the order of their lines.
        """
        first = self.start
        if len(self.head) <= room or self.first is None or not self.pieces:
            said = {piece.number: piece.text for piece in self.pieces}
            if self.first is not None:
                said[self.first.number] = first
            return ", ".join(said[number] for number in sorted(said)) or first
        for count in range(len(self.pieces) - 1, 0, -1):
            said_first = ", ".join((first, *(piece.text for piece in self.pieces[:count])))
            if len(said_first) < room:
                also = also_words(self._rest(count), self.path, room - len(said_first))
                if len(said_first + also) <= room and " and " not in also:  # every place is named
                    return said_first + also
        # Where the change goes on is worth more than all of what it does first.
        least = len(self.where) + (_LEAST if len(self.pieces) > 1 else _LEAST_OF_TWO)
        also = also_words(self._rest(0), self.path, max(room - min(len(first), least), room // 2))
        return one_line(first, max(len(self.where) + 2, room - len(also))) + also

    def begun_with(self, number: int) -> CandidateLine:
        """Return it with the piece of this number first."""
        at = next((n for n, piece in enumerate(self.pieces) if piece.number == number), None)
        if at is None or self.first is None:
            return self
        first, rest = self.pieces[at], (*self.pieces[:at], *self.pieces[at + 1 :])
        others = (replace(self.first, where=self.where, words=self.change), *rest)
        return replace(self, where=first.where, change=first.words, path=first.piece.path, first=first, pieces=others)

    def _rest(self, said: int) -> list[Piece]:
        """Return the pieces after the first `said`, in the order of their lines."""
        return [piece.piece for piece in sorted(self.pieces[said:], key=lambda piece: piece.number)]

    @property
    def text(self) -> str:
        """All of it: `` line 8 `<` -> `<=`: fixes 2, breaks 0, 1 doubt ``."""
        return f"{self.head_in(_LINE)}: " + ", ".join(filter(None, (self.fixes, self.breaks, self.doubts)))


def candidate_line(
    repair: Repair,
    program: Mapping[str, str],
    tests: Mapping[str, str],
    recent: Mapping[At, RecentChange] | None = None,
) -> CandidateLine:
    """Return a candidate in words; `program` and `tests` are path -> text before it.

    What takes back `recent` changes of the program says so.
    """
    return candidate_lines([repair], program, tests, recent)[0]


def candidate_lines(
    repairs: Sequence[Repair],
    program: Mapping[str, str],
    tests: Mapping[str, str],
    recent: Mapping[At, RecentChange] | None = None,
) -> list[CandidateLine]:
    """Return candidates in words, each beginning with what parts it from most of the others."""
    told = told_pieces(repairs, program, tests)
    had = [{one.piece for one in row} for row in told]
    return [
        _line(repair, parting_first(told[n], [*had[:n], *had[n + 1 :]]), program, recent or {}, repairs)
        for n, repair in enumerate(repairs)
    ]


def _line(
    repair: Repair,
    pieces: Sequence[ToldPiece],
    program: Mapping[str, str],
    recent: Mapping[At, RecentChange],
    listed: Collection[Repair],
) -> CandidateLine:
    """Return a candidate with its pieces in this order; `listed` are the repairs among which it stands."""
    first = pieces[0] if pieces else None
    change = first.words if first is not None else one_line(repair["summary"], LONGEST)
    back = brought_back(program, repair["changes"], recent)
    if back.words and back.words not in change:
        change = f"{'all ' if back.whole and len(pieces) > 1 else ''}{back.words}, {change}"
    fixes, breaks = _counts(repair)
    doubts = len(repair.get("marks", [])) + is_doubted(repair, listed)
    return CandidateLine(
        first.where if first is not None else "",
        change,
        fixes,
        breaks,
        plural(doubts, "doubt") if doubts else "",
        first.piece.path if first is not None else "",
        first,
        tuple(pieces[1:]),
    )


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
    """Say what parts a candidate from the first: `` f(2) gives 3, repair 1 gives 4; same line, `<` instead of `>` ``.

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
    return f"{call_words(call, _VALUE)} {answer_words(two[call], call)}, repair 1 {answer_words(one[call], call)}"


def _names(case_ids: Collection[str]) -> str:
    names = [one_line(case.partition("::")[2] or case, _VALUE) for case in list(case_ids)[:_NAMES]]
    more = len(case_ids) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")
