"""Calls of functions that no test names, with what the tests' own calls hand to them."""

from __future__ import annotations

from selfheal_tui.search.program.calls import compared_calls
from selfheal_tui.search.weigh.helper_calls import Helper, as_tests, calls_seen, unnamed_helpers
from selfheal_tui.search.weigh.seeds import seeds_of

TEXT = '''def fields(line, sep):
    """Split it."""
    return line.split(sep)


def rows(lines):
    return [fields(line, ",") for line in lines]


def odd(*lines):
    return lines
'''
TESTS = {"test_it.py": "from it import rows\n\n\ndef test_it():\n    assert rows(['a,b']) == [['a', 'b']]\n"}
PLACES = {("it.py", line) for line in range(1, 13)}
FIELDS = {"fields": Helper("it.py", 3, ("line", "sep"))}


def test_only_a_function_that_is_edited_and_that_no_test_names_is_asked() -> None:
    assert unnamed_helpers({"it.py": TEXT}, TESTS, PLACES) == FIELDS, "no *lines, and the tests name `rows`"
    assert unnamed_helpers({"it.py": TEXT}, TESTS, {("it.py", 8)}) == {}
    module = {"test_it.py": "import it\n\n\ndef test_it():\n    assert it.fields('a', ',') == ['a']\n"}
    assert "fields" not in unnamed_helpers({"it.py": TEXT}, module, PLACES)
    twice = {"it.py": TEXT, "at.py": TEXT}
    assert unnamed_helpers(twice, TESTS, {*PLACES, ("at.py", 3)}) == {}, "which of the two would be asked?"


def test_what_it_was_handed_makes_calls_and_seeds() -> None:
    def seen(line: str, sep: str = "','", at: int = 3, function: str = "fields") -> dict[str, object]:
        return {"file": "it.py", "line": at, "function": function, "locals": {"line": line, "sep": sep}}

    watched = [seen("'a,b,c'"), seen("'a,b'"), seen("'a,b'"), seen("<object>"), seen("'x'", at=1), seen("'y'", "")]
    watched += [seen("'z'", function="Row.fields"), {"more": True}, seen(repr("a" * 200))]
    calls = calls_seen(FIELDS, watched)
    assert calls == ["fields('a,b', ',')", "fields('a,b,c', ',')"], "the shortest first, each once, plain values only"
    tests = {"seen": as_tests(calls)}
    assert [*seeds_of(tests)] == [("fields", ["a,b", ","]), ("fields", ["a,b,c", ","])]
    assert len([*compared_calls(tests)]) == 2
