"""Edits made from a diff of two programs give the second one; with damaged blanks they give it too, or are refused."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from selfheal_tui.engine.workshop.editing.places import placed
from selfheal_tui.engine.workshop.editing.splices import Misplaced, lines_of, spliced
from tests.examples import examples
from tests.line_edits import Edit, edits_between

LINE = st.sampled_from(
    ["", "    ", "a = 1", "b  = 2", "    a = 1", "        return a", "    return b ", "\tx", "if a:", "é"]
)
PROGRAM = st.lists(LINE, min_size=1, max_size=25)
steady = settings(deadline=None, max_examples=examples(300))


def applied(old: list[str], edits: list[Edit]) -> str:
    lines = lines_of("\n".join(old))
    return spliced(lines, [placed(lines, find, new) for find, new in edits])


@steady
@given(PROGRAM, PROGRAM)
def test_edits_of_a_diff_give_the_second_program(old: list[str], new: list[str]) -> None:
    edits = edits_between(old, new)
    assume(all(find.strip() for find, _ in edits))
    assert applied(old, edits) == "\n".join(new)


def _lose_ends(text: str, _: Random) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.split("\n")[:-1])


def _add_ends(text: str, random: Random) -> str:
    return "".join(f"{line}{' ' * random.randrange(3)}\n" for line in text.split("\n")[:-1])


def _deeper(text: str, _: Random) -> str:
    return "".join(f"    {line}\n" if line.strip() else f"{line}\n" for line in text.split("\n")[:-1])


def _less_deep(text: str, _: Random) -> str:
    return "".join(f"{line.removeprefix('    ')}\n" for line in text.split("\n")[:-1])


def _inner(text: str, random: Random) -> str:
    return "".join(
        f"{line[: len(line) - len(line.lstrip())]}{(' ' * random.randrange(3)).join(line.split())}\n"
        for line in text.split("\n")[:-1]
    )


Damage = Callable[[str, Random], str]
ALIKE: list[Damage] = [_deeper, _less_deep]
"""Done to the lines to find and to the lines to put."""
ALONE: list[Damage] = [_lose_ends, _add_ends, _inner]
"""Done to the lines to find only."""


@steady
@given(PROGRAM, PROGRAM, st.sampled_from([*ALIKE, *ALONE]), st.integers(0, 1000))
def test_damaged_blanks_give_the_second_program_or_are_refused(
    old: list[str], new: list[str], damage: Damage, seed: int
) -> None:
    # Two blank lines of which one has lost its blanks cannot be told apart.
    assume(not {"", "    "} <= {*old, *new})
    edits = edits_between(old, new)
    assume(all(find.strip() for find, _ in edits))
    # Without their blanks they stand in one place: damaged lines that another place holds exactly name that one.
    assume(all(_places(old, find) == 1 for find, _ in edits))
    # Where the change itself is one of blanks, or a line cannot lose what all others lose, nobody can tell.
    assume(all(_tells(find, put) for find, put in edits))
    if damage is _less_deep:
        lines = [line for pair in edits for part in pair for line in part.split("\n") if line]
        assume(all(line.startswith("    ") and line.strip() for line in lines))
    random = Random(seed)
    damaged = [(damage(find, random), damage(put, random) if damage in ALIKE else put) for find, put in edits]
    try:
        result = applied(old, damaged)
    except Misplaced:
        return
    assert result == "\n".join(new)


def _places(old: list[str], find: str) -> int:
    """Count where the lines to find stand when no blank counts."""
    here, sought = ([line.replace(" ", "").replace("\t", "") for line in part] for part in (old, find.split("\n")[:-1]))
    return sum(here[at : at + len(sought)] == sought for at in range(len(here)))


def _tells(find: str, put: str) -> bool:
    """Tell whether lines that differ between the two differ in more than blanks."""
    before, after = find.split("\n")[:-1], put.split("\n")[:-1]
    squeezed = {"".join(line.split()) for line in set(before) - set(after)}
    return squeezed.isdisjoint("".join(line.split()) for line in set(after) - set(before))


@steady
@given(PROGRAM, st.text("ab=1 \n\t", max_size=20), st.text("ab=1 \n\t", max_size=20))
def test_no_edit_touches_a_line_outside_its_place(old: list[str], find: str, put: str) -> None:
    lines = lines_of("\n".join(old))
    try:
        splice = placed(lines, find, put)
    except Misplaced:
        return
    new = spliced(lines, [splice]).split("\n")
    assert new[: splice.start] == lines[: splice.start]
    assert new[len(new) - (len(lines) - splice.end) :] == lines[splice.end :]
    assert len(new) == len(lines) - (splice.end - splice.start) + len(splice.lines) or new == [""]
