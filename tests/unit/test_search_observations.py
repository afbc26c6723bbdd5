"""Observations of runs: by place, by variable, by case."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from selfheal_tui.sandbox.examine import Examined, Returned
from selfheal_tui.search.program.localise import Suspect
from selfheal_tui.search.program.location import Location
from selfheal_tui.search.program.observations import Observations, compatible
from selfheal_tui.search.program.observe import build_observations
from selfheal_tui.search.program.source import parse_source, place
from tests.unit.test_search_localise import case, report

TEXT = "def f(x):\n    y = [x for x in x]\n    return len(y) + 1\n"
TESTS = "from p import f\ndef test_a():\n    assert f([1]) == 2\ndef test_b():\n    assert not f([])\n"


def node_of(text: str) -> ast.expr:
    """Return the last expression of the program that is written so."""
    nodes = (n for n in ast.walk(ast.parse(TEXT)) if isinstance(n, ast.expr))
    return [n for n in nodes if ast.get_source_segment(TEXT, n) == text][-1]


def observations() -> Observations:
    places = [("p.py", place(node_of(text))) for text in ("y", "len(y)", "len(y) + 1")] + [("q.py", (1, 0, 1, 1))]
    examined = Examined(
        places=places,
        types={1: ("int",), 2: ("int",), 3: ("str",)},
        values={1: (0, 1)},
        evaluated={"t.py::test_a": (1, 2)},
        returns={"t.py::test_a": (Returned("p.py", 3, {"x": "[1]"}),)},
    )
    told = report(
        case("test_a", "failed", "AssertionError: assert", actual="'2'", expected="2"),
        case("test_b", "error", "NameError: name 'z' is not defined", location="p.py:3"),
    )
    return build_observations(examined, told, {"p.py": TEXT}, {"t.py": TESTS})["p.py"]


def test_what_a_program_showed() -> None:
    found = observations()
    assert found.types[place(node_of("len(y)"))] == {"int"}
    assert found.values[place(node_of("len(y)"))] == (0, 1)
    assert place(node_of("y")) in found.watched and place(node_of("y")) not in found.types
    assert found.returns == {3: {"t.py::test_a": {"x": "[1]"}}}
    assert found.expected == {"t.py::test_a": "2", "t.py::test_b": "False"}
    assert found.mismatches == {("str", "int")}
    assert found.errors == (("NameError", "name 'z' is not defined", 3),)


def test_a_place_that_no_failing_case_evaluated_is_left() -> None:
    source = parse_source("p.py", TEXT, (), replace(observations(), errors=()))
    here = Location(source, [Suspect("p.py", 3, 1.0, "runs")], ["t.py::test_a"])
    nodes = {ast.unparse(n): n for n in source.nodes() if isinstance(n, ast.expr) and n.lineno == 3}
    assert here.bits(nodes["len(y)"]) == (0.0, "line 3 runs")
    assert here.bits(nodes["y"]) is None
    hinted = Location(source, [Suspect("p.py", 3, 1.0, "runs")], ["t.py::test_a"], [3])
    assert hinted.bits(nodes["y"]) is not None
    half = Location(source, [Suspect("p.py", 3, 0.5, "runs")], [])
    assert half.bits(nodes["y"]) == (1.5, "line 3 runs")


def test_what_raises_has_no_value_and_is_a_place_all_the_same() -> None:
    suspects = [Suspect("p.py", 3, 1.0, "runs")]

    def bits(seen: Observations, text: str) -> object:
        source = parse_source("p.py", TEXT, (), seen)
        node = next(n for n in source.nodes() if isinstance(n, ast.expr) and n.lineno == 3 and ast.unparse(n) == text)
        return Location(source, suspects, ["t.py::test_a"]).bits(node)

    assert bits(observations(), "y") is not None, "the exception names its line"
    places = {"t.py::test_a": frozenset({place(node_of("y"))})}
    entered = replace(observations(), errors=(), evaluated=places)
    assert bits(entered, "len(y) + 1") is not None, "a part of it has a value"
    assert bits(replace(entered, evaluated={"t.py::test_a": frozenset()}), "len(y) + 1") is None


@pytest.mark.parametrize(
    ("some", "others", "fits"),
    [("int", "int", True), ("int", "float", True), ("int", "bool", False), ("str", "list", False), ("", "int", None)],
)
def test_kinds_that_fit(some: str, others: str, fits: bool | None) -> None:
    assert compatible(frozenset(some.split()), frozenset(others.split())) is fits
