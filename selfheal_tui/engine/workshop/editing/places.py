"""Find the lines that a model wants to change. It gives them as it read them; they must fit one place, never two.

Blanks are forgiven in this order, each step only when the one before found no place:

1. nothing: the lines are there exactly;
2. blanks at the ends of lines;
3. the indentation, when all lines are shifted by the same blanks; the new lines are shifted back;
4. blanks inside lines.

From step 2 on, lines that the change keeps stay as the file has them. What fits no place, or several, is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher, get_close_matches

from .splices import Misplaced, Splice, block_of, numbers

_STEPS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("", lambda line: line),
    ("blanks at the end of lines", str.rstrip),
    ("the indentation", str.strip),
    ("blanks inside lines", lambda line: "".join(line.split())),
)
_MOST_PLACES = 6
_MOST_SHOWN = 24
_MOST_COMPARED = 20_000
_LONGEST_SHOWN = 200


def placed(lines: Sequence[str], find: str, replace: str) -> Splice:
    """Return the change of the one place where the lines of `find` are. Raises: Misplaced."""
    wanted, new = block_of(find), block_of(replace)
    if not any(line.strip() for line in wanted):
        if not any(line.strip() for line in lines) and lines:
            return Splice(0, len(lines), (*new, ""))
        raise Misplaced("the lines to find are empty; give whole lines that stand in the file once")
    for forgiven, form in _STEPS:
        shifts = _matches(lines, wanted, form, indented=forgiven in ("", _STEPS[1][0]))
        if len(shifts) > 1:
            raise Misplaced(_several(list(shifts), len(wanted)))
        for start, (added, cut) in shifts.items():
            end = start + len(wanted)
            if not forgiven:
                return Splice(start, end, tuple(new))
            return Splice(start, end, tuple(_kept(lines[start:end], wanted, new, added, cut)), forgiven)
    raise Misplaced(_absent(lines, wanted))


def _matches(
    lines: Sequence[str], wanted: Sequence[str], form: Callable[[str], str], indented: bool
) -> dict[int, tuple[str, str]]:
    """Return where the lines fit in this form -> the blanks that the file has more in front of each, or less."""
    here, sought = [form(line) for line in lines], [form(line) for line in wanted]
    places: dict[int, tuple[str, str]] = {}
    for start in range(len(here) - len(sought) + 1):
        if here[start] != sought[0] or here[start : start + len(sought)] != sought:
            continue
        shift = ("", "") if indented else _shift(lines[start : start + len(sought)], wanted)
        if shift is not None:
            places[start] = shift
    return places


def _shift(there: Sequence[str], wanted: Sequence[str]) -> tuple[str, str] | None:
    """Return the blanks to add in front of each wanted line, or to cut there; None when lines differ in that."""
    shifts: set[tuple[str, str]] = set()
    for line, other in zip(there, wanted, strict=True):
        if not line.strip():
            continue
        has, gives = _indent(line), _indent(other)
        if not (has.endswith(gives) or gives.endswith(has)):
            return None
        shifts.add((has.removesuffix(gives), "") if len(has) >= len(gives) else ("", gives.removesuffix(has)))
    return shifts.pop() if len(shifts) == 1 else None


def _kept(there: Sequence[str], wanted: Sequence[str], new: Sequence[str], added: str, cut: str) -> list[str]:
    """Return the new lines, shifted; those that were also to be found stay as the file has them. Raises: Misplaced."""
    if added or cut:
        _check_shift(*([line.rstrip() for line in part] for part in (there, wanted, new)))
    result: list[str] = []
    for tag, first, last, start, end in SequenceMatcher(None, wanted, new, autojunk=False).get_opcodes():
        if tag == "equal":
            result += there[first:last]
            continue
        for line in new[start:end]:
            if line.strip() and not line.startswith(cut):
                raise Misplaced("the lines to find and the lines to put differ in their indentation from the file's")
            result.append(added + line.removeprefix(cut) if line.strip() else line)
    return result


def _check_shift(there: Sequence[str], old: Sequence[str], new: Sequence[str]) -> None:
    """Refuse a shift that only the lines to find have: the new ones would end up too deep. Raises: Misplaced."""
    ours, theirs = [line for line in old if line], [line for line in new if line]
    shared = not set(ours).isdisjoint(theirs)
    unshifted = set(theirs) & set(there) - set(ours) - {""}
    if theirs and (unshifted or not (shared or _indent(ours[0]) == _indent(theirs[0]))):
        raise Misplaced(
            "the lines to find are indented otherwise than in the file, and the lines to put are not shifted with "
            "them; copy them as they stand, with their blanks"
        )


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _several(starts: Sequence[int], count: int) -> str:
    places = "; ".join(numbers(start, start + count) for start in starts[:_MOST_PLACES])
    more = f" and {len(starts) - _MOST_PLACES} more" if len(starts) > _MOST_PLACES else ""
    return f"the lines to find stand in {len(starts)} places ({places}{more}); give more lines around the one you mean"


def _absent(lines: Sequence[str], wanted: Sequence[str]) -> str:
    start, end = nearest(lines, wanted)
    if end <= start:
        return "the lines to find are not in the file, nor anything like them"
    shown = "\n".join(line[:_LONGEST_SHOWN] for line in lines[start:end])
    return f"the lines to find are not in the file; the nearest are {numbers(start, end)}:\n{shown}"


def nearest(lines: Sequence[str], wanted: Sequence[str]) -> tuple[int, int]:
    """Return the part of the file (indices) that is most like the wanted lines; an empty one when nothing is."""
    here = [line.strip() for line in lines[:_MOST_COMPARED]]
    sought = [line.strip() for line in wanted]
    size = min(len(sought), _MOST_SHOWN)
    longest = max(range(len(sought)), key=lambda index: len(sought[index]))
    known = {line: index for index, line in reversed(list(enumerate(sought))) if line}
    votes: dict[int, float] = {}
    like = {line: known[line] for line in here if line in known}
    if sought[longest] not in like:
        like |= dict.fromkeys(get_close_matches(sought[longest], sorted({*here} - {""}), 1, 0.5), longest)
    for number, line in enumerate(here):
        if line in like:
            start = max(0, number - like[line])
            votes[start] = votes.get(start, 0) + len(line) + 1
    if not votes:
        return 0, 0
    start = max(votes, key=lambda place: (votes[place], -place))
    return max(0, start - 1), min(len(lines), start + size + 1)
