"""What an edit operator promises: edits that change the text, stay within it, compile and are the same each time."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from random import Random

from selfheal_tui.search.hunt.families import family_flaw, splice_flaw
from selfheal_tui.search.operators import Family, Splice
from selfheal_tui.search.program.source import Source, parse_source

from .contract import Given, promise
from .programs import ODD

_OF_A_FAMILY = 4
"""Edits of a family at a node that are compiled."""
_SEEN = (7, "seen")
"""Values that the tests of a program mention."""


@promise("operator")
def says_what_it_mends(given: Given) -> None:
    """It has a cost, a sentence about the mistake it mends, and a docstring."""
    family: Family = given.loaded
    assert not (why := family_flaw(family)), f"{given.name}: {why}"
    assert family.edits.__doc__, f"{given.name}: write a docstring with an example"


@promise("operator")
def edits_of_odd_programs_compile(given: Given) -> None:
    """Every edit gives another program that compiles, whatever the program looks like."""
    for text in ODD:
        check_edits([given.loaded], text)


@promise("operator")
def edits_are_the_same_each_time(given: Given) -> None:
    """It is pure: the same edits for the same program, which it leaves as it was."""
    for text in ODD:
        source = parse_source("p.py", text, _SEEN)
        before = ast.dump(source.tree)
        first, second = (_all_edits(given.loaded, parse_source("p.py", text, _SEEN)) for _ in range(2))
        assert first == second, f"{given.name}: other edits the second time"
        assert first == _all_edits(given.loaded, source), f"{given.name}: other edits the third time"
        assert ast.dump(source.tree) == before, f"{given.name}: it changed the syntax tree"


@promise("operator")
def mends_what_its_author_says(given: Given) -> None:
    """Each broken program that its author gives has an edit that makes the mended one of it."""
    for broken, mended in given.mends:
        made = {_applied(broken, splice) for splice in _all_edits(given.loaded, parse_source("p.py", broken, _SEEN))}
        assert mended in made, f"{given.name}: no edit makes\n{mended}\nof\n{broken}"


def check_edits(families: Sequence[Family], text: str, seed: int = 1) -> None:
    """Check edits of a program: whether each is one, and whether a few of each family at each place compile."""
    source = parse_source("p.py", text, _SEEN)
    random = Random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        for family, splice in _drawn(families, source, random):
            changed = _applied(text, splice)
            try:
                compile(changed, "<edit>", "exec", dont_inherit=True)
            except SyntaxError as error:
                raise AssertionError(f"{family.name}: {error}: {splice.reason}\n{changed}") from error


def _drawn(families: Sequence[Family], source: Source, random: Random) -> Iterator[tuple[Family, Splice]]:
    for node in source.nodes():
        for family in families:
            splices = list(family.edits(source, node))
            for splice in splices:
                why = splice_flaw(family, splice, source.text)
                assert not why, f"{family.name}: {why}: {splice}\n{source.text}"
            for splice in random.sample(splices, min(_OF_A_FAMILY, len(splices))):
                yield family, splice


def _all_edits(family: Family, source: Source) -> list[Splice]:
    return [splice for node in source.nodes() for splice in family.edits(source, node)]


def _applied(text: str, splice: Splice) -> str:
    return text[: splice.start] + splice.text + text[splice.end :]
