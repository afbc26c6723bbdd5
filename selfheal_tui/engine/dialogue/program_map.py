"""The program as a prompt shows it: whole while it is short, else what matters whole and the rest as signatures.

Shown whole are the functions of the focus (lines that diagnosis, tracebacks, coverage and tests name), the most
important first, and the imports. The signatures, each with the first line of its docstring, are shown of what else is
in focus, of what those functions use, and of what is near them. Each gap is named with its lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..workshop.prompt_room import Shrinkable
from .describe import numbered, plain
from .outline import Outline

WHOLE_UP_TO = 24_000
"""Characters (some 6,000 tokens, 700 lines) of all program files: up to here they are shown whole."""
_SUSPECTS = 10_000
"""Characters of what is shown whole in a longer program."""
_SIGNATURES = 4_000
_IMPORTS = 1_500
_SCALES = (1.0, 0.5, 0.25, 0.1)
"""Of these sizes: what is shown to models with less and less context."""
_SMALL_GAP = 2
_START = 40
"""First lines of a file of which nothing else is worth showing."""

Place = tuple[str, int]
"""A path and a line, from 1."""


@dataclass(frozen=True, slots=True)
class ShownProgram:
    """The program's text for a prompt."""

    text: str
    in_part: frozenset[str] = frozenset()
    """Paths of the files of which something is left out."""


@dataclass(frozen=True, slots=True)
class ProgramSizes(Shrinkable):
    """The program in several sizes, the largest first; the first that fits the model's context is shown."""

    def text(self, dropped: int = 0) -> str:
        """Return the program in the size after so many that were too large."""
        return self.pieces[dropped]

    def left_out(self, dropped: int) -> list[str]:
        """Return what the largest size has more, in words."""
        return ["parts of the program"] if dropped else []


def show_to_fit(
    files: Mapping[str, str], focus: Sequence[Place], *, with_numbers: bool = False
) -> tuple[ProgramSizes, frozenset[str]]:
    """Return the program as `show_program` does, in smaller sizes too, and the paths that any of them shows in part."""
    sizes = [show_program(files, focus, with_numbers=with_numbers, scale=scale) for scale in _SCALES]
    texts = tuple(dict.fromkeys(size.text for size in sizes))
    goes = tuple((number, "size") for number in range(len(texts) - 1))
    return ProgramSizes(texts, goes), frozenset().union(*(size.in_part for size in sizes))


def is_long(files: Mapping[str, str]) -> bool:
    """Tell whether the program is shown in part."""
    return sum(map(len, files.values())) > WHOLE_UP_TO


def show_program(
    files: Mapping[str, str], focus: Iterable[Place] = (), *, with_numbers: bool = False, scale: float = 1.0
) -> ShownProgram:
    """Return the program, with line numbers if asked for; `focus` begins with what matters most.

    A `scale` below 1 shows a short program in part too, and of a long one that much less.
    """
    if not is_long(files) and scale == 1.0:
        return ShownProgram(numbered(files) if with_numbers else plain(files))
    outlines = {path: Outline(text) for path, text in files.items()}
    shown = _shown(outlines, list(dict.fromkeys(focus)), scale)
    texts = [f"--- {path}\n{_text(one.lines, shown[path], with_numbers)}" for path, one in outlines.items()]
    in_part = frozenset(path for path, one in outlines.items() if len(shown[path]) < len(one.lines))
    return ShownProgram("\n".join(texts), in_part)


def _shown(outlines: Mapping[str, Outline], focus: Sequence[Place], scale: float) -> dict[str, set[int]]:
    """Return path -> the numbers of the lines that are shown."""
    shown: dict[str, set[int]] = {path: set() for path in outlines}

    def show(path: str, lines: Iterable[int], left: int) -> int:
        """Show lines if they fit into what is left; return what is left then."""
        fresh = set(lines) - shown[path]
        cost = sum(len(outlines[path].lines[line - 1]) + 1 for line in fresh)
        if cost > left:
            return left
        shown[path] |= fresh
        return left - cost

    left = int(_SUSPECTS * scale)
    for path, line in focus:
        if path in outlines and line not in shown[path]:
            before = left
            left = show(path, outlines[path].unit(line), left)
            if left == before:
                left = show(path, outlines[path].window(line), left)
    rank = {path: number for number, path in enumerate(dict.fromkeys(path for path, _ in focus))}
    paths = sorted(outlines, key=lambda path: (not shown[path], rank.get(path, len(rank))))
    used = {name for path, one in outlines.items() for name in one.names_in(shown[path])}
    left = int(_SIGNATURES * scale)
    for path, line in focus:
        if path in outlines and shown[path].isdisjoint(signature := outlines[path].signature(line)):
            left = show(path, signature, left)
    opened = [path for path in paths if shown[path]]
    for path in opened:
        show(path, outlines[path].imports, int(_IMPORTS * scale))
    own = {name for path in opened for name in outlines[path].names & used}
    for path in paths:
        # `get` is defined in half of the files: that of an opened one is meant.
        for lines in outlines[path].defining(used if shown[path] else used - own):
            left = show(path, lines, left)
    for path in opened or paths:
        for lines in outlines[path].signatures_near(shown[path]):
            left = show(path, lines, left)
    for path in paths[:1]:
        if not shown[path]:
            show(path, range(1, min(_START, len(outlines[path].lines)) + 1), _SUSPECTS)
    return shown


def _text(lines: Sequence[str], shown: set[int], with_numbers: bool) -> str:
    """Return the shown lines, and for each gap its lines in square brackets; a gap of a blank line or two is shown."""
    missing: list[int] = []
    result: list[str] = []

    def add(numbers: Iterable[int]) -> None:
        result.extend(f"{number:4} {lines[number - 1]}" if with_numbers else lines[number - 1] for number in numbers)

    for number in range(1, len(lines) + 2):
        if number not in shown and number <= len(lines):
            missing.append(number)
            continue
        if len(missing) <= _SMALL_GAP and not any(lines[one - 1].strip() for one in missing):
            shown.update(missing)
            add(missing)
        elif missing:
            result.append(f"[{missing[0]}-{missing[-1]}]")
        missing = []
        add([number] if number <= len(lines) else [])
    if not shown:
        return f"[left out, {len(lines):,} lines]"
    if len(shown) < len(lines):
        head = f"[shown in part, {len(shown):,} of {len(lines):,} lines; a line as [10-25] stands for lines left out]"
        result.insert(0, head)
    return "\n".join(result)
