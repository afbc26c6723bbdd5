"""Candidates and their order."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from selfheal_tui.line_blocks import lines_before
from selfheal_tui.search.hunt import listing
from selfheal_tui.search.hunt.candidates import Candidate, build_candidates, changes_key
from selfheal_tui.search.hunt.second import at_line
from selfheal_tui.search.operators import OPERATORS, Family, Splice
from selfheal_tui.search.program.localise import Suspect
from selfheal_tui.search.program.source import Source
from selfheal_tui.search.weigh.joined import few_of_each
from selfheal_tui.search.weigh.rank import SHOWN, useful_first

PROGRAM = "def f(x, y):\n    a = x < y  # less\n    return a\n"
SUSPECTS = (Suspect("p.py", 2, 1.0, "runs in the failing case"),)


def worth_showing(judged: Iterable[Candidate]) -> tuple[Candidate, ...]:
    return few_of_each(useful_first(judged), SHOWN)


def texts(**options: object) -> list[str]:
    found = build_candidates({"p.py": PROGRAM}, ["assert f(1, 2)"], SUSPECTS, **options)  # type: ignore[arg-type]
    return [candidate.changes["p.py"] for candidate in found]


def judged(name: str, *, fixes: int, breaks: int = 0, complete: bool = False, cost: float = 1.0) -> Candidate:
    cases = tuple(f"c{n}" for n in range(9))
    return Candidate({"p.py": name}, name, "x", "p.py", 1, cost, 1, (), cases[:fixes], cases[:breaks], complete)


def test_cheapest_first_and_comments_kept() -> None:
    assert texts()[0] == "def f(x, y):\n    a = x <= y  # less\n    return a\n"


def test_no_family_is_asked_before_its_edits_may_be_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def watched(family: Family) -> Family:
        def edits(source: Source, node: ast.AST) -> Iterator[Splice]:
            asked.append(family.name)
            yield from family.edits(source, node)

        return replace(family, edits=edits)

    monkeypatch.setattr(listing, "families", lambda: {name: watched(family) for name, family in OPERATORS.items()})
    drawn = iter(build_candidates({"p.py": PROGRAM}, [], SUSPECTS))
    assert next(drawn).operator == "comparison"
    assert "comparison" in asked and "special_case" not in asked
    last = list(drawn)[-1]
    assert "special_case" in asked and last.cost >= 6.0


def test_every_candidate_compiles_and_none_is_a_double() -> None:
    shapes = [ast.dump(ast.parse(text)) for text in texts()]
    assert len(shapes) > 20
    assert len(set(shapes)) == len(shapes)
    assert ast.dump(ast.parse(PROGRAM)) not in shapes


def test_only_edits_that_begin_on_a_suspected_line_reach_others() -> None:
    beyond = {
        c.operator for c in build_candidates({"p.py": PROGRAM}, [], SUSPECTS) if "return a" not in c.changes["p.py"]
    }
    assert beyond <= {"exchange", "statement_order", "surplus"}


def test_a_hint_opens_a_line() -> None:
    assert any("return x" in text for text in texts(hints=[("p.py", 3)]))


def test_what_was_rejected_does_not_come_back() -> None:
    first, *others = texts()
    assert texts(exclude=[changes_key({"p.py": first})]) == others
    assert texts(exclude=[changes_key({"p.py": first, "q.py": ""})]) == [first, *others], "with others it was rejected"


def test_a_file_that_does_not_parse_yields_nothing() -> None:
    assert list(build_candidates({"p.py": "def f(:\n"}, [], SUSPECTS)) == []


def test_the_key_ignores_the_order_of_files() -> None:
    assert changes_key({"a": "1", "b": "2"}) == changes_key({"b": "2", "a": "1"})
    assert changes_key({"a": "1"}) != changes_key({"a": "2"})


def test_only_complete_ones_are_shown_when_there_are_any() -> None:
    shown = worth_showing(
        [judged("part", fixes=2), judged("dear", fixes=3, complete=True, cost=2), judged("all", fixes=3, complete=True)]
    )
    assert [c.summary for c in shown] == ["all", "dear"]


def test_partial_ones_must_break_nothing_and_more_fixes_win() -> None:
    found = [
        judged("one", fixes=1),
        judged("two", fixes=2, cost=9),
        judged("breaks", fixes=5, breaks=1),
        judged("no", fixes=0),
    ]
    assert [c.summary for c in worth_showing(found)] == ["two", "one"]


def test_what_mends_the_cases_that_are_left_is_not_crowded_out() -> None:
    alike = [replace(judged(f"three {n}", fixes=3), path=f"{n}.py") for n in range(4)]
    fewer = [replace(judged(f"few {n}", fixes=2), fixes=("c0", f"c{n}")) for n in (1, 2)]
    other = replace(judged("the rest", fixes=1, cost=9), fixes=("c8",))
    shown = [c.summary for c in few_of_each([*alike, *fewer, other], SHOWN)]
    assert shown == ["three 0", "the rest", "few 1", "few 2", "three 1"]


def test_at_most_five_are_shown_in_an_order_that_does_not_depend_on_arrival() -> None:
    found = [judged(name, fixes=1) for name in "hgfedcba"]
    assert worth_showing(found) == worth_showing(found[::-1])
    assert len(worth_showing(found)) == SHOWN


def test_the_second_of_two_edits_names_the_line_of_the_program_as_it_is() -> None:
    now = "a = 1\nb = 2\nc = 3\nd = 4\n"
    changed = "a = 1\nnew = 0\nnewer = 0\nb = 5\nc = 3\nd = 4\n"
    lines = lines_before(now, changed)
    assert lines == {1: 1, 2: 2, 3: 2, 4: 2, 5: 3, 6: 4}
    second = Candidate({"m.py": ""}, "m.py line 6: `4` becomes `5`", "value", "m.py", 6, 1.0, 1)
    moved = at_line(second, lines)
    assert (moved.line, moved.summary) == (4, "m.py line 4: `4` becomes `5`")
    assert at_line(second, None) is second
