"""The pieces of a candidate in words, each at its own place, and in which order they part it from others. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from selfheal_tui.text import one_line

from .change_pieces import Piece, pieces_of
from .gist import ANEW, line_from, piece_where, piece_words
from .state import Repair

LONGEST = 100
"""Most characters of what a candidate changes."""
_VALUE = 60
_HEAD_OF_SEVERAL = re.compile(r"^\d+ independent edits: ")
_PARTS = re.compile(r"(?:; |, and )(?=(?:[^\s:`]+:|line )\d+: )")
"""Where the summary of several edits goes on with the next."""


@dataclass(frozen=True, slots=True)
class ToldPiece:
    """A piece of a change in words."""

    number: int
    """Which it is, from 0 in the order of their lines."""
    piece: Piece
    where: str
    """`line 8`, or `shop.py:8` where the program has several files."""
    words: str
    """`` `<` -> `<=` ``."""

    @property
    def text(self) -> str:
        return f"{self.where} {self.words}".lstrip()


def told_pieces(
    repairs: Sequence[Repair], program: Mapping[str, str], tests: Mapping[str, str]
) -> list[list[ToldPiece]]:
    """Return the pieces of each repair in the order of their lines; `program` and `tests` are path -> text before it.

    No two that change the same lines differently read the same.
    """
    told = [_told(repair, program, tests) for repair in repairs]
    alike: defaultdict[tuple[str, str, str], dict[Piece, None]] = defaultdict(dict)
    for one in (piece for row in told for piece in row):
        alike[one.piece.path, one.where, one.words][one.piece] = None
    return [[_apart(one, [*alike[one.piece.path, one.where, one.words]]) for one in row] for row in told]


def parting_first(own: Sequence[ToldPiece], others: Sequence[Collection[Piece]]) -> list[ToldPiece]:
    """Return the pieces of one candidate, those first that part it from the most of the `others` not yet parted."""
    had = Counter(piece for other in others for piece in set(other))
    left, alike, order = list(own), [set(other) for other in others], list[ToldPiece]()
    while left:
        parted = [sum(one.piece not in other for other in alike) for one in left]
        at = max(range(len(left)), key=lambda n: (parted[n], -had[left[n].piece], -left[n].number))
        order.append(left.pop(at))
        alike = [other for other in alike if order[-1].piece in other]
    return order


def _told(repair: Repair, program: Mapping[str, str], tests: Mapping[str, str]) -> list[ToldPiece]:
    of_test = bool(repair.get("of_test"))
    before = tests if of_test else program
    pieces = pieces_of(before, repair["changes"])
    summary = repair["summary"]
    for name in before:
        summary = summary.replace(f"{name} line ", f"{name}:")  # as the pieces are named
    told = []
    for number, piece in enumerate(pieces):
        path = one_line(piece.path, _VALUE)
        if not before.get(piece.path):
            told.append(ToldPiece(number, piece, path, "a new file"))
            continue
        where = piece_where(piece, path if of_test or len(program) > 1 else "")
        words = piece_words(piece)
        if words == ANEW:
            words = _part_at(summary, piece, pieces) or (summary if len(pieces) == 1 else ANEW)
        told.append(ToldPiece(number, piece, where, one_line(words, LONGEST)))
    return told


def _part_at(summary: str, own: Piece, pieces: Sequence[Piece]) -> str:
    """Return what a summary of several edits says of one of the pieces, to the next of them; empty where nothing."""
    parts = _PARTS.split(_HEAD_OF_SEVERAL.sub("", summary))
    others = tuple(label for piece in pieces if piece != own for label in _labels(piece))
    labels = _labels(own)
    first = next((n for n, part in enumerate(parts) if part.startswith(labels)), None)
    if first is None:
        return ""
    rest = takewhile(lambda part: not part.startswith(others), parts[first + 1 :])
    return "; ".join([next(parts[first].removeprefix(one) for one in labels if parts[first].startswith(one)), *rest])


def _labels(piece: Piece) -> tuple[str, str]:
    return f"line {piece.line}: ", f"{piece.path}:{piece.line}: "


def _apart(one: ToldPiece, alike: Sequence[Piece]) -> ToldPiece:
    """Return a piece whose words tell it from others that change the same lines and read the same."""
    if len(alike) < 2:
        return one
    texts = [[line.strip() for line in piece.new] for piece in alike]
    own = texts[alike.index(one.piece)]
    if any(len(text) != 1 for text in texts):
        at = next((n for n, line in enumerate(own) if any(text[n : n + 1] != [line] for text in texts)), None)
        return one if at is None else replace(one, words=one_line(f"with `{own[at]}`: {one.words}", LONGEST))
    columns = enumerate(zip(*(text[0] for text in texts), strict=False))
    differs = next((n for n, characters in columns if len(set(characters)) > 1), min(len(text[0]) for text in texts))
    return replace(one, words=f"-> `{line_from(own[0], differs, _VALUE)}`")
