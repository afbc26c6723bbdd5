"""Failing cases grouped by what they run and how they fail: each group is often one fault. Pure.

A case belongs to the innermost frame of the program in its traceback. Where no program line raised (a wrong result),
it belongs to the function of the program that its failing line calls, else the last one called before that line. That
function is named only where nothing speaks against it: of several that all tests of the group call, the one that fewest
passing cases of the file call; where that is not one alone, the first test is named, and how many others there are.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from selfheal_tui.python_source import Definition, definitions, parse_or_none
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.text import one_line, plural

from ..moment.snapshot import Snapshot
from ..moment.state import GroupTurn
from ..moment.words import failing_cases

_FRAME = re.compile(r"(\S.*\.py):(\d+) in (.+)")
_ERROR = re.compile(r"[A-Za-z_][\w.]*(?=:|$)")
_TIMEOUT = "timeout"
_NOT_RAISED = "Failed"
"""What pytest calls a `with pytest.raises(...)` that nothing was raised in, before its message."""
_MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class CaseGroup:
    """Failing cases that run the same function and fail in the same way."""

    cases: tuple[str, ...]
    """Their ids, in the suite's order."""
    path: str
    """The program's file; that of the test where no function of the program is known."""
    function: str
    """Name within the file: `total`, `Cart.total`; empty for the module itself, and for a test."""
    is_raised_there: bool
    """The error comes from that function; else the failing test calls it."""
    error: str
    """Type of the exception; `timeout`, or `error` where there is none."""
    key: str = ""
    """What its cases have in common, `shop/cart.py total`, whatever they are called by."""


class _Frame(NamedTuple):
    path: str
    line: int
    name: str


class _Place(NamedTuple):
    path: str
    function: str
    is_raised_there: bool


class _Call(NamedTuple):
    name: str
    first: int
    last: int
    within: int
    """Line of the innermost `with` around it; 0 for none."""


class _File(NamedTuple):
    definitions: list[tuple[str, Definition]]
    calls: list[_Call]


def group_cases(report: Mapping[str, Any], program: Mapping[str, str], tests: Mapping[str, str]) -> list[CaseGroup]:
    """Group the failing cases of a report, the largest group first; `program` and `tests` are path -> text."""
    names = _Names(program, tests)
    cases: dict[tuple[_Place, str], list[str]] = {}
    for case in failing_cases(report):
        cases.setdefault((_place(case, names), _error(case)), []).append(case["id"])
    groups = [
        CaseGroup(
            tuple(ids),
            # What raised nothing is what stands in the `with`, whatever else the tests call.
            *(place if error == _NOT_RAISED else _shown(place, ids, report, names)),
            error,
            f"{place.path} {place.function}".rstrip(),
        )
        for (place, error), ids in cases.items()
    ]
    return sorted(groups, key=lambda group: -len(group.cases))


def failing_groups(snapshot: Snapshot) -> list[CaseGroup]:
    """Group what fails at a moment of a session."""
    return group_cases(snapshot.report, snapshot.program, snapshot.tests) if snapshot.report else []


def group_words(group: CaseGroup) -> str:
    """Say what a group is: `3 cases fail in shop/price.py total(): IndexError`."""
    one = len(group.cases) == 1
    how = "times out" if one else "time out"
    if group.error != _TIMEOUT:
        how = "fails" if one else "fail"
    file, is_test, name = group.path.partition("::")
    place = one_line(group.path, 80) + (f" {one_line(group.function, 60)}()" if group.function else "")
    if is_test:
        # A blank, so that a narrow card breaks the line there and not within a name.
        place = f"{one_line(name, 80)} ({one_line(file, 80)})"
    if not one and group.path == group.cases[0] and is_test:
        place += f" and {plural(len(group.cases) - 1, 'other')}"
    kind = "" if group.error == _TIMEOUT else f": {one_line(group.error, 60)}"
    return f"{plural(len(group.cases), 'case')} {how} {'in' if group.is_raised_there else 'calling'} {place}{kind}"


def group_turn(group: CaseGroup, *, picked: bool) -> GroupTurn:
    """Return the turn of a group, as a session keeps it."""
    words = one_line(group_words(group), 300)
    return {"words": words, "place": _place_of(group), "cases": list(group.cases), "picked": picked}


def has_moved(turn: GroupTurn, report: Mapping[str, Any], groups: Sequence[CaseGroup]) -> bool:
    """Tell whether a group's own fault is gone: some of its cases pass, and the others fail at other functions."""
    outcomes = {case["id"]: case["outcome"] for case in report["cases"]}
    mended = any(outcomes.get(case) == "passed" for case in turn["cases"])
    return mended and turn["place"] not in map(_place_of, groups)


def group_lines(words: Sequence[str]) -> list[str]:
    """Number the groups for people, and count those beyond the first few; nothing where there is only one group."""
    if len(words) < 2:
        return []
    lines = [f"{number}. {line}" for number, line in enumerate(words[:_MOST_SHOWN], 1)]
    more = len(words) - _MOST_SHOWN
    return [*lines, f"and {plural(more, 'other group')}"] if more > 0 else lines


def failing_lines(snapshot: Snapshot, report: SuiteReport | None) -> list[str]:
    """Return the numbered groups of what fails in a run of a moment's program, or of a candidate's."""
    groups = group_cases(report, snapshot.program, snapshot.tests) if report else []
    return group_lines([group_words(group) for group in groups])


def build_groups(groups: list[CaseGroup]) -> list[dict[str, Any]]:
    """Build the groups for `--json`."""
    return [
        {
            "cases": list(group.cases),
            "path": group.path,
            "function": group.function,
            "error": group.error,
            "in_one_line": group_words(group),
        }
        for group in groups
    ]


def _place_of(group: CaseGroup) -> str:
    return group.key or f"{group.path} {group.function}".rstrip()


def _place(case: Mapping[str, Any], names: _Names) -> _Place:
    rows = [match for row in case["traceback"].splitlines() if (match := _FRAME.fullmatch(row))]
    frames = [_Frame(match[1], int(match[2]), match[3]) for match in reversed(rows)]
    for frame in frames:
        if frame.path in names.program:
            return _Place(frame.path, names.qualified(frame), True)
    file, _, line = (case["location"] or "").rpartition(":")
    if file in names.program:
        return _Place(file, "", True)
    if not frames and line.isdecimal():
        frames = [_Frame(file, int(line), "")]
    called = (place for find in (names.called_at, names.called_before) for frame in frames if (place := find(frame)))
    return next(called, _Place(case["id"].partition("::")[0], "", True))


def _shown(place: _Place, ids: Sequence[str], report: Mapping[str, Any], names: _Names) -> _Place:
    """Return what to call a group by: a function that is only called by the tests needs more than the call."""
    if place.is_raised_there:
        return place
    lines = {case["id"]: _line_in_test(case) for case in report["cases"] if case["id"] in ids}
    # What stands below the line that failed was never called.
    each = [called for name in ids if (called := names.called_in(name, lines.get(name, 0)))]
    common = frozenset.intersection(*each) if each else frozenset()
    called = common or frozenset().union(*each)
    called = frozenset(one for one in called if not names.is_record(one)) or called
    if len(called) < 2:
        return next(iter(called), place) if names.is_record(place) else place
    passing = [case["id"] for case in report["cases"] if case["outcome"] == "passed"]
    uses = Counter(one for name in passing for one in names.called_in(name))
    fewest = min(uses[one] for one in called)
    least = [one for one in called if uses[one] == fewest]
    return least[0] if len(least) == 1 and fewest < max(uses.values()) else _Place(ids[0], "", True)


def _line_in_test(case: Mapping[str, Any]) -> int:
    """Return the line of its own file at which a case failed; 0 where that is not known."""
    path = case["id"].partition("::")[0]
    rows = [match for row in case["traceback"].splitlines() if (match := _FRAME.fullmatch(row)) and match[1] == path]
    file, _, line = (case["location"] or "").rpartition(":")
    if rows:
        return int(rows[0][2])
    return int(line) if file == path and line.isdecimal() else 0


def _error(case: Mapping[str, Any]) -> str:
    if case["outcome"] == _TIMEOUT:
        return _TIMEOUT
    if case["message"].startswith("assert "):
        return "AssertionError"
    named = _ERROR.match(case["message"])
    return named[0] if named else "error"


class _Names:
    """The functions of the program by name, and which of them the lines of tests call."""

    def __init__(self, program: Mapping[str, str], tests: Mapping[str, str]) -> None:
        self.program = program
        self._texts = {**tests, **program}
        self._parsed: dict[str, _File] = {}
        self._places: dict[str, list[_Place]] = {}
        self._called_in: dict[tuple[str, str, int], frozenset[_Place]] = {}

    def qualified(self, frame: _Frame) -> str:
        """Return a frame's function with its classes; of a changed or broken file its own name."""
        for name, node in self._file(frame.path).definitions:
            if node.name == frame.name and node.lineno <= frame.line <= (node.end_lineno or 0):
                return name
        return "" if frame.name.startswith("<") else frame.name

    def called_at(self, frame: _Frame) -> _Place | None:
        """Return the function of the program that a test's line calls, or that a `with` there is around."""
        calls = [call for call in self._file(frame.path).calls if call.first <= frame.line <= call.last]
        return self._first(calls) or self._first(
            [call for call in self._file(frame.path).calls if call.within == frame.line]
        )

    def called_before(self, frame: _Frame) -> _Place | None:
        """Return the function of the program that the same test called last before the line."""
        around = [node for _, node in self._file(frame.path).definitions if not isinstance(node, ast.ClassDef)]
        tests = [node for node in around if node.lineno <= frame.line <= (node.end_lineno or 0)]
        begin = tests[-1].lineno if tests else 1
        calls = [call for call in self._file(frame.path).calls if begin <= call.first < frame.line]
        return self._first(sorted(calls, key=lambda call: -call.first))

    def is_record(self, place: _Place) -> bool:
        """Tell whether a place is a class without a function: a test that makes one asks about something else."""
        found = (node for qualified, node in self._file(place.path).definitions if qualified == place.function)
        return any(
            isinstance(node, ast.ClassDef)
            and not any(isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) for part in node.body)
            for node in found
        )

    def called_in(self, case: str, until: int = 0) -> frozenset[_Place]:
        """Return the functions of the program that the code of a case calls; of files that were read already.

        With `until` those down to that line of its file.
        """
        path, _, rest = case.partition("::")
        if path not in self._parsed:
            return frozenset()
        name = rest.partition("[")[0].replace("::", ".")
        if (path, name, until) not in self._called_in:
            file = self._parsed[path]
            node = next((node for qualified, node in file.definitions if qualified == name), None)
            last = min(until or sys.maxsize, (node.end_lineno or 0) if node else 0)
            calls = [one for one in file.calls if node and node.lineno <= one.first <= last]
            places = [self._first([one]) for one in calls]
            self._called_in[path, name, until] = frozenset(place for place in places if place)
        return self._called_in[path, name, until]

    def _first(self, calls: Sequence[_Call]) -> _Place | None:
        """Return the first that is known; of several functions with one name nobody knows which is meant."""
        named = (self._named(call.name) for call in calls)
        return next((places[0] for places in named if len(places) == 1), None)

    def _named(self, name: str) -> list[_Place]:
        if name not in self._places:
            # Parsing a whole library takes seconds; few files define a name.
            paths = [path for path, text in self.program.items() if f"def {name}(" in text or f"class {name}" in text]
            self._places[name] = [
                _Place(path, qualified, False)
                for path in paths
                for qualified, node in self._file(path).definitions
                if node.name == name
            ]
        return self._places[name]

    def _file(self, path: str) -> _File:
        if path not in self._parsed:
            tree = parse_or_none(self._texts.get(path, ""))
            self._parsed[path] = _File([*definitions(tree)], _calls(tree)) if tree else _File([], [])
        return self._parsed[path]


def _calls(tree: ast.Module) -> list[_Call]:
    """Return the calls of a file, outer ones first."""
    around = {
        id(call): node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.With | ast.AsyncWith)
        for call in ast.walk(node)
    }
    return [
        _Call(name, node.lineno, node.end_lineno or node.lineno, around.get(id(node), 0))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and (name := getattr(node.func, "attr", getattr(node.func, "id", "")))
    ]
