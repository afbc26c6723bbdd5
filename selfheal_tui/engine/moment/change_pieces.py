"""The pieces of a change: which lines go and which come, each where it stands. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from selfheal_tui.line_blocks import same_ends

TOKEN = re.compile(r"\w+|\s+|[<>=!+\-*/%&|^~]+|.")
"""A part of a line that is changed as one."""
_MOST_LINES = 12
"""Lines of a block that are set against each other; a longer one is a piece as it is."""

_LONGEST = 1000
"""Characters of such a line."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of one file that go and those that come instead."""

    path: str
    line: int
    """The first line that goes, or before which it inserts, from 1."""
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def lines(self) -> str:
        """`24`, or `29-30` where several lines go."""
        return f"{self.line}" if len(self.old) < 2 else f"{self.line}-{self.line + len(self.old) - 1}"


def pieces_of(before: Mapping[str, str], changes: Mapping[str, str]) -> list[Piece]:
    """Return the pieces of a change (path -> new text), file by file in the order of their lines."""
    return [piece for path, text in changes.items() for piece in _pieces(path, before.get(path, ""), text)]


def _pieces(path: str, old: str, new: str) -> list[Piece]:
    a, b = old.splitlines(), new.splitlines()
    head, tail = same_ends(a, b)
    a_part, b_part = a[head : len(a) - tail], b[head : len(b) - tail]
    codes = SequenceMatcher(None, a_part, b_part, autojunk=False).get_opcodes()
    blocks = [(head + i + 1, a_part[i:j], b_part[k:m]) for tag, i, j, k, m in codes if tag != "equal"]
    return [Piece(path, at, tuple(gone), tuple(come)) for block in blocks for at, gone, come in _line_by_line(*block)]


_Block = tuple[int, Sequence[str], Sequence[str]]
"""Number of the first old line, old lines, new lines."""


def _line_by_line(number: int, old: Sequence[str], new: Sequence[str]) -> list[_Block]:
    """Part a block into its lines where each of them stays and is changed within; new ones may stand between."""
    if not old or len(new) < max(len(old), 2) or len(new) > _MOST_LINES:
        return [(number, old, new)]
    parts: list[_Block] = []
    at = 0
    for offset, line in enumerate(old):
        own = next((n for n in range(at, len(new)) if _is_still(line, new[n])), None)
        if own is None:
            return [(number, old, new)]
        if own > at:
            parts.append((number + offset, (), new[at:own]))
        parts.append((number + offset, [line], [new[own]]))
        at = own + 1
    return [*parts, (number + len(old), (), new[at:])] if at < len(new) else parts


def _is_still(old: str, new: str) -> bool:
    """Tell whether a line was changed within: more than half of its tokens are left, in their order."""
    if max(len(old), len(new)) > _LONGEST:
        return False
    a, b = ([token for token in TOKEN.findall(line) if not token.isspace()] for line in (old, new))
    kept = sum(block.size for block in SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks())
    return 2 * kept > len(a)
