"""Angelic values: where they can be forced, and expressions made from samples, of which none is believed."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any

import pytest

from selfheal_tui.sandbox.force import Forced, Sample, _read
from selfheal_tui.search.angelic import FORCED, Spot
from selfheal_tui.search.angelic.base import instrumented
from selfheal_tui.search.angelic.pieces import evaluate
from selfheal_tui.search.angelic.predicates import negated, predicates, together
from selfheal_tui.search.angelic.results import special_results
from selfheal_tui.search.angelic.samples import chosen, written
from selfheal_tui.search.angelic.words import weigher
from selfheal_tui.search.program.observations import Observations
from selfheal_tui.search.program.source import Source, parse_source
from selfheal_tui.search.weigh.fitted import fitted_marks

TEXT = '''\
def chosen(values, low, high):
    """Return '#' marks."""
    kept = []
    for value in values:
        if value > low and (value != high):
            kept.append(value * 2)
    other = [value for value in range(low) if value]
    return kept if kept else other
'''


def spots_of(text: str, kind: str) -> tuple[Source, list[Spot]]:
    source = parse_source("p.py", text)
    return source, [spot for node in source.nodes() for spot in FORCED[kind].spots(source, node)]


def test_a_program_that_asks_at_every_place_runs_as_before() -> None:
    source = parse_source("p.py", TEXT)
    spots = [
        spot
        for node in source.nodes()
        if source.function(node)
        for kind in FORCED.values()
        for spot in kind.spots(source, node)
    ]
    asked: set[int] = set()

    def force(number: int, value: Any) -> Any:
        asked.add(number)
        return value

    space: dict[str, Any] = {"__force__": force}
    exec(instrumented(TEXT, dict(enumerate(spots))), space)
    assert space["chosen"]([1, 5, 9], 2, 9) == [10]
    assert space["chosen"]([], 3, 9) == [1, 2]
    assert asked == set(range(len(spots)))


@pytest.mark.parametrize("kind", list(FORCED))
def test_each_kind_has_places(kind: str) -> None:
    text = TEXT.replace(" if value]", "]") if kind == "angelic_filter" else TEXT
    assert spots_of(text, kind)[1]


@pytest.mark.parametrize(
    ("condition", "opposite"),
    [
        ("a == b", "a != b"),
        ("a < b", "a >= b"),
        ("a in b", "a not in b"),
        ("a is None", "a is not None"),
        ("not a", "a"),
        ("a and b", "not (a and b)"),
        ("a.isdigit()", "not a.isdigit()"),
        ("(a - 1) < b", "(a - 1) >= b"),
        ("a == b or c < d", "not (a == b or c < d)"),
    ],
)
def test_the_opposite_of_a_condition(condition: str, opposite: str) -> None:
    assert negated(condition) == opposite


@pytest.mark.parametrize(
    ("one", "word", "other", "written_so"),
    [
        ("high >= n", "and", "low <= n", "low <= n <= high"),
        ("low > n", "or", "high < n", "n > high or n < low"),
        ("n < 2", "and", "m < 2", ""),
        ("n", "or", "m < n", ""),
    ],
)
def test_two_comparisons_of_one_value(one: str, word: str, other: str, written_so: str) -> None:
    assert together(one, word, other) == written_so


def test_a_condition_of_two_parts_is_made_from_samples() -> None:
    atoms = [("low", (4, 4, 4, 4, 1)), ("high", (9, 9, 9, 9, 5)), ("n", (3, 4, 9, 10, 3)), ("0", (0,) * 5)]
    wanted = [False, True, True, False, True]
    texts = [text for text, _ in predicates(atoms, wanted, [False] * 5, weigher(["low <= n"]))]
    assert texts
    for text in texts:
        rows = [{name: values[at] for name, values in atoms[:3]} for at in range(5)]
        assert [bool(eval(text, dict(row))) for row in rows] == wanted, text
    assert "low <= n <= high" in texts


def test_a_sample_that_is_free_binds_nothing_and_still_counts_a_little() -> None:
    atoms = [("n", (1, 2, 3)), ("m", (1, 5, 3)), ("2", (2, 2, 2))]
    texts = [text for text, _ in predicates(atoms, [True, False, False], [False, False, True], weigher([""]))]
    assert "n < 2" in texts and "m == n" in texts
    assert texts.index("n < 2") < texts.index("m == n")


def test_the_condition_as_it_is_gets_another_part() -> None:
    source, spots = spots_of("def f(a, b):\n    if a > 0:\n        return b\n    return 0\n", "angelic_condition")
    rows: list[tuple[bool, bool, Mapping[str, Any]]] = [
        (True, True, {"a": 1, "b": "x"}),
        (True, False, {"a": 7, "b": ""}),
        (False, False, {"a": -2, "b": "y"}),
        (False, False, {"a": -2, "b": ""}),
    ]
    ways = [Forced("t", 0, True, tuple(Sample(was, wanted, False, local) for was, wanted, local in rows))]
    texts = [splice.text for splice, _ in written(source, spots[0], ways)]
    assert "a > 0 and b" in texts


def test_samples_that_contradict_each_other_make_nothing() -> None:
    local = {"a": 1}
    ways = [
        Forced("t", 0, True, (Sample(False, True, False, local),)),
        Forced("u", 0, False, (Sample(False, False, False, local),)),
    ]
    assert list(chosen(ways)) == []
    free = Forced("u", 0, False, (Sample(False, False, True, local),))
    assert [[one.wanted for one in samples] for samples in chosen([ways[0], free])] == [[True]]


def test_a_value_that_is_wanted_becomes_an_expression() -> None:
    source, spots = spots_of("def f(xs):\n    n = len(xs)\n    return [n]\n", "angelic_value")
    rows = [(2, 1, [7, 8]), (3, 2, [7, 8, 9]), (1, 0, [3])]
    samples = tuple(Sample(was, wanted, False, {"xs": xs}) for was, wanted, xs in rows)
    spot = Spot(spots[0].node, "", "", spots[0].start, spots[0].end, spots[0].write, ("1",), spots[0].now)
    texts = [splice.text for splice, _ in written(source, spot, [Forced("t", 0, True, samples)])]
    assert "len(xs) - 1" in texts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("xs[i] % 2", 1),
        ("len(xs[1:])", 1),
        ("i + 1 < len(xs) and not self.done", True),
        ("name.lower().startswith('a')", True),
        ("-max(xs) // 2", -3),
    ],
)
def test_a_calculation_of_the_program(text: str, value: object) -> None:
    local = {"xs": [5, 3], "i": 0, "self.done": False, "name": "Ab"}
    assert evaluate(ast.parse(text, mode="eval").body, local) == value


@pytest.mark.parametrize(
    "text",
    ["__import__('os')", "xs.clear()", "open('x')", "'%9999999d' % 1", "[1] * 10**9", "xs.__class__", "f'{xs}'", "y"],
)
def test_nothing_else_is_calculated(text: str) -> None:
    xs = [1]
    with pytest.raises((TypeError, LookupError)):
        evaluate(ast.parse(text, mode="eval").body, {"xs": xs})
    assert xs == [1]


def test_a_special_result_is_made_from_what_returned() -> None:
    text = "def swapped(s):\n    res = s.swapcase()\n    return res\n"
    cases = {"a": ("aB", "Ab", "Ab"), "b": ("x1", "X1", "X1"), "c": ("12", "12", "21"), "d": ("#?!", "#?!", "!?#")}
    returns = {3: {case: {"s": repr(s), "res": repr(res)} for case, (s, res, _) in cases.items()}}
    expected = {case: repr(wanted) for case, (_, _, wanted) in cases.items()}
    source = parse_source("p.py", text, observations=Observations(returns=returns, expected=expected))
    texts = [splice.text for node in source.nodes() for splice, _ in special_results(source, node, failing=("c", "d"))]
    assert "    if res == s:\n        return s[::-1]\n" in texts


def test_words_of_the_program_cost_less() -> None:
    bits = weigher(["if low <= n and n <= high: total += n"])
    assert bits("low <= n") < bits("low <= m") < bits("len(m) % low")


def sample_row(**local: Any) -> list[Any]:
    return ["True", "False", False, {"n": "1", **local}]


@pytest.mark.parametrize(
    "text",
    ["__import__('os')", "[" * 250, "(" * 290, "9" * 301, "1e999if", "f()", "'\x00", "\\", 7, None, ["1"], {"a": "1"}],
    ids=repr,
)
def test_a_value_that_is_no_short_literal_is_left_out(text: object) -> None:
    way = _read({"t": "forced", "id": "t", "place": 0, "changed": True, "samples": [sample_row(bad=text)]}, 1)
    assert way is not None and dict(way.samples[0].local) == {"n": 1}
    wanted = _read({"t": "forced", "id": "t", "place": 0, "changed": True, "samples": [["0", text, True, {}]]}, 1)
    assert wanted is not None and wanted.samples == ()


@pytest.mark.parametrize(
    "frame",
    [
        {"id": "t", "place": 3, "changed": True, "samples": []},
        {"id": "t", "place": -1, "changed": True, "samples": []},
        {"id": ["t"], "place": 0, "changed": True, "samples": []},
        {"id": "t", "place": 0, "changed": "yes", "samples": []},
        {"id": "t", "place": 0, "changed": True, "samples": {"a": 1}},
        {},
    ],
    ids=repr,
)
def test_a_frame_that_is_none_is_left_out(frame: dict[str, Any]) -> None:
    assert _read({"t": "forced", **frame}, 1) is None


def test_names_and_rows_that_are_none_are_left_out() -> None:
    rows = [sample_row(**{"x; import os": "1", "self.n": "2", "a.b.c": "3", "é": "4"}), "row", [], [1, 2, 3, 4]]
    way = _read({"t": "forced", "id": "t", "place": 0, "changed": False, "samples": rows}, 1)
    assert way is not None and [dict(sample.local) for sample in way.samples] == [{"n": 1, "self.n": 2}]
    many = _read({"t": "forced", "id": "t", "place": 0, "changed": False, "samples": [sample_row()] * 1000}, 1)
    assert many is not None and len(many.samples) <= 80


def test_values_that_would_grow_are_not_calculated() -> None:
    big = "x" * 290
    atoms = [("s", (big, big[1:])), ("n", (10**250, 10**200)), ("0", (0, 0))]
    for text, bits in predicates(atoms, [True, False], [False, False], weigher([""])):
        assert math.isfinite(bits) and ast.parse(text, mode="eval")


def test_what_was_fitted_to_the_cases_is_marked() -> None:
    assert fitted_marks("comparison") == ()
    for name in ("angelic_condition", "comparison + angelic_value", "angelic_result"):
        (mark,) = fitted_marks(name)
        assert mark.kind == "fitted" and "worked out from what these cases need" in mark.why
