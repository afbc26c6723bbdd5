"""A file as lines, and a change of some of them. Lines end at line feeds only, so that joined they give the file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise


class Misplaced(ValueError):
    """It is not clear where a change belongs; the message tells the model why, and what would be right."""


@dataclass(frozen=True, slots=True)
class Splice:
    """Lines of a file and what takes their place."""

    start: int
    """Index of the first line, from 0."""
    end: int
    """Index behind the last line."""
    lines: tuple[str, ...]
    forgiven: str = ""
    """Which blanks had to be overlooked to find the place; empty for none."""


def lines_of(text: str) -> list[str]:
    """Return a file's lines; a file that ends with a line feed has an empty last one."""
    return text.split("\n")


def block_of(text: str) -> list[str]:
    """Return the lines of a block that a model wrote: none for no text; one line feed at its end is no line."""
    return text.removesuffix("\n").split("\n") if text else []


def spliced(lines: Sequence[str], splices: Iterable[Splice]) -> str:
    """Return the file's text after all splices. Raises: Misplaced when two of them change the same lines."""
    ordered = sorted(splices, key=lambda splice: (splice.start, splice.end))
    for one, other in pairwise(ordered):
        if other.start < one.end or (one.start, one.end) == (other.start, other.end):
            raise Misplaced(
                f"two changes overlap in {numbers(max(one.start, other.start), min(one.end, other.end))}; "
                "make one of them"
            )
    result = list(lines)
    for splice in reversed(ordered):
        result[splice.start : splice.end] = with_line_ends(lines, splice) if splice.forgiven else splice.lines
    return "\n".join(result)


def with_line_ends(lines: Sequence[str], splice: Splice) -> list[str]:
    """Return the lines of a splice with the carriage returns of a file that has one at the end of each line."""
    if len(lines) < 2 or not all(line.endswith("\r") for line in lines[:-1]):
        return list(splice.lines)
    ended = [f"{line.removesuffix(chr(13))}\r" for line in splice.lines]
    if ended and splice.end == len(lines):
        ended[-1] = ended[-1].removesuffix("\r")
    return ended


def numbers(start: int, end: int) -> str:
    """Name the lines `start` to before `end` (indices from 0) as a human counts them: `lines 3 to 5`."""
    return f"line {start + 1}" if end <= start + 1 else f"lines {start + 1} to {end}"
