"""Which repairs stand in a healed program, and what each of them mended. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from selfheal_tui.line_blocks import Block, blocks, split_lines
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import CUT, one_line, plural

from .state import Evidence, Record, Taken

_SHOWN = 12
_LONGEST_LINE = 200
_COUNTED = re.compile(r"With .+? edits?\b.*? case(?:s pass|s? passes)(?:, but some that passed break)?(?=: )")
"""The part of a cause of the search's that quotes no code."""

Line = tuple[str, str]
"""(path, `-` or `+` and the line)."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One change of the final diff: that of a repair, or what no repair alone explains."""

    cause: str
    """Empty where only the lines are known."""
    by: str
    evidence: tuple[Evidence, ...]
    """Those at lines that the final diff changes."""
    rows: tuple[str, ...]
    """`- old`, `+ new`: the lines that it changes, the last ones counted."""
    by_hand: bool
    in_part: bool = False
    """Some hunks of what was proposed, as they were."""
    doubt: str = ""
    """What speaks against it."""

    @property
    def whole_cause(self) -> str:
        """The cause; of one of the search's that quotes code in part, its first part, or nothing."""
        if self.by != SEARCH or CUT not in self.cause:
            return self.cause
        return f"{match[0]}." if (match := _COUNTED.match(self.cause)) else ""

    @property
    def lines(self) -> str:
        """`- old; + new`."""
        return "; ".join(self.rows)


def standing_repairs(records: Sequence[Record], base: Mapping[str, str], program: Mapping[str, str]) -> list[Standing]:
    """Return what the final diff consists of, in order; `records` are the newest first.

    A repair stands when all its lines are in the diff: `<` that became `>` and then `<=` was mended by neither step.
    """
    changed, touched = changed_lines(base, program), touched_lines(base, program)
    left = Counter(changed)
    standing = []
    for taken in _whole_or_in_steps(records, left):
        lines = _lines(taken)
        if not lines or not Counter(lines) <= left:
            continue
        left -= Counter(lines)
        near = tuple(one for one in taken["evidence"] if (one["file"], one["line"]) in touched)
        # The search's words name each line; a model's may stand though some of its evidence is elsewhere.
        is_told = len(near) == len(taken["evidence"]) if taken["by"] == SEARCH else near or not taken["by_hand"]
        cause = taken["cause"] if is_told else ""
        standing.append(
            Standing(
                cause,
                taken["by"],
                near if cause else (),
                line_rows(lines),
                taken["by_hand"],
                taken.get("in_part", False),
                taken.get("doubt", ""),
            )
        )
    if rest := _remaining(changed, left):
        standing.append(Standing("", "", (), line_rows(rest), by_hand=False))
    return standing


def _whole_or_in_steps(records: Sequence[Record], changed: Counter[Line]) -> Iterator[Taken]:
    """Yield what was taken, the oldest first; of a joined repair that is not all in the diff, each of its steps."""
    for record in reversed(records):
        if taken := record.get("taken"):
            steps = taken.get("steps", []) if not Counter(_lines(taken)) <= changed else []
            if steps:
                *first, last = (step["taken"] for step in steps)
                # What speaks against all of its edits together is said once all of them are in.
                yield from first
                yield {**last, "doubt": taken.get("doubt", "")}
            else:
                yield taken


def _lines(taken: Taken) -> list[Line]:
    return [(path, line) for path, line in taken["lines"]]


def _remaining(changed: Sequence[Line], left: Counter[Line]) -> list[Line]:
    """Return the lines that are left, each as often as it is; the last ones of those that are alike."""
    left, rest = left.copy(), []
    for line in reversed(changed):
        if left[line] > 0:
            left[line] -= 1
            rest.append(line)
    return rest[::-1]


def changed_lines(old: Mapping[str, str], new: Mapping[str, str]) -> list[Line]:
    """Return the lines that go and come, with their path: those of a place together, first those that go."""
    lines: list[Line] = []
    for path, before, after, block in _changes(old, new):
        lines += [(path, f"-{line}") for line in before[block.old_from : block.old_to]]
        lines += [(path, f"+{line}") for line in after[block.new_from : block.new_to]]
    return lines


def touched_lines(old: Mapping[str, str], new: Mapping[str, str]) -> set[tuple[str, int]]:
    """Return (path, 1-based line of the old text) of lines that change, and of those beside an insertion."""
    touched: set[tuple[str, int]] = set()
    for path, _, _, block in _changes(old, new):
        numbers = range(block.old_from + 1, block.old_to + 1) or (block.old_from, block.old_from + 1)
        touched |= {(path, number) for number in numbers}
    return touched


def _changes(
    old: Mapping[str, str], new: Mapping[str, str]
) -> Iterator[tuple[str, Sequence[str], Sequence[str], Block]]:
    for path in sorted({*old, *new}):
        if old.get(path, "") != new.get(path, ""):
            before, after = split_lines(old.get(path, "")), split_lines(new.get(path, ""))
            yield from ((path, before, after, block) for block in blocks(before, after) if block.hunk)


def line_rows(lines: Sequence[Line]) -> tuple[str, ...]:
    """Return changed lines: `- return 1`, `+ return 2`; the last ones are counted."""
    rows = [f"{line[0]} {_whole_line(line[1:])}" for _, line in lines[:_SHOWN]]
    more = len(lines) - _SHOWN
    return (*rows, *([f"and {plural(more, 'more line')}"] if more > 0 else []))


def _whole_line(line: str) -> str:
    words = one_line(line, len(line) + 1).strip()
    return words if len(words) <= _LONGEST_LINE else f"(a line of {len(words)} characters)"
