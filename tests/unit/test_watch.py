"""Values at chosen lines: which, in what order, how many, and that the program does not suffer from it."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from selfheal_tui.sandbox.inside.coverage import MONITORING
from selfheal_tui.sandbox.inside.describe import CaseTimeout
from selfheal_tui.sandbox.inside.watch import Observation, Watcher

WORK = "/work/"


def program(source: str, name: str = "prog.py") -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "prog"}
    exec(compile(source, WORK + name, "exec"), names)
    return names


def watch(source: str, lines: set[int], function: str = "f", *arguments: Any, **more: Any) -> list[Observation]:
    names = program(source)
    watcher = Watcher(WORK, {"prog.py": lines}, **more)
    watcher.start()
    try:
        names[function](*arguments)
    except Exception:
        pass
    finally:
        seen = watcher.stop()
    assert json.loads(json.dumps(seen)) == seen
    return seen


def values(seen: list[Observation], name: str) -> list[str | None]:
    return [one["locals"].get(name) for one in seen]


LOOP = "def f(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n"


def test_locals_are_those_before_the_line() -> None:
    seen = watch(LOOP, {4, 5}, "f", 2)
    assert seen == [
        {"file": "prog.py", "line": 4, "function": "f", "locals": {"n": "2", "total": "0", "i": "0"}},
        {"file": "prog.py", "line": 4, "function": "f", "locals": {"n": "2", "total": "0", "i": "1"}},
        {"file": "prog.py", "line": 5, "function": "f", "locals": {"n": "2", "total": "1", "i": "1"}},
    ]


def test_no_more_than_asked_for_and_it_says_so() -> None:
    seen = watch(LOOP, {4}, "f", 50, most=3)
    assert values(seen[:-1], "i") == ["0", "1", "2"]
    assert seen[-1] == {"more": True}
    assert values(watch(LOOP, {4}, "f", 3, most=3), "i") == ["0", "1", "2"]
    assert watch(LOOP, set(), "f", 3) == []


def test_locals_are_few_and_short() -> None:
    many = "def f(a):\n" + "".join(f"    v{n} = {n}\n" for n in range(40)) + "    return a\n"
    (seen,) = watch(many, {42}, "f", "x" * 5000)
    assert len(seen["locals"]) == 20
    assert all(len(text) <= 200 for text in seen["locals"].values())
    assert seen["locals"]["a"].endswith("... (5000 in all)")
    (seen,) = watch("def f(*a):\n    return a\n", {2}, "f", range(10**9), "y" * 199, {"k": ["z" * 300]})
    assert len(seen["locals"]["a"]) == 199


@pytest.mark.parametrize(
    "value",
    [list(range(10**6)), tuple(range(10**6)), set(range(10**6)), frozenset(range(10**6)), dict.fromkeys(range(10**6))],
    ids=lambda value: type(value).__name__,
)
def test_long_containers_are_not_read_to_their_end(value: Any) -> None:
    (seen,) = watch("def f(a):\n    return 0\n", {2}, "f", value)
    assert seen["locals"]["a"].endswith("... (1000000 in all)")
    assert 150 < len(seen["locals"]["a"]) <= 200


def test_module_lines_watch_its_values() -> None:
    watcher = Watcher(WORK, {"prog.py": {5, 6}})
    watcher.start()
    program("import sys\ndef f(): pass\nclass C:\n    x = 1\n    y = x\nlimit = 3\nz = limit\n")
    body, module = watcher.stop()
    assert (body["function"], body["locals"]) == ("C", {"x": "1"})
    assert (module["function"], list(module["locals"])) == ("<module>", ["f", "C"])


HOSTILE = """\
class Endless:
    def __repr__(self):
        x = 1
        return 'E' * n(self)
    def __class__(self):
        raise KeyError
    __class__ = property(__class__)
def n(e):
    y = 2
    return 5
class Fails:
    def __repr__(self):
        raise SystemExit(3)
class Liar:
    def __repr__(self):
        return 7
class Recursive:
    def __repr__(self):
        return repr(self)
def f():
    a, b, c, d = Endless(), Fails(), Liar(), Recursive()
    g = 10 ** 10000
    done = 1
    return done
"""


def test_hostile_values_are_fenced_and_not_watched_themselves() -> None:
    seen = watch(HOSTILE, {3, 9, 13, 19, 24})
    assert [one["line"] for one in seen] == [24]
    texts = seen[0]["locals"]
    assert (texts["a"], texts["done"]) == ("EEEEE", "1")
    assert texts["b"] == "<Fails whose text cannot be had: SystemExit>"
    assert texts["c"] == "<Liar whose text cannot be had: TypeError>"
    assert texts["d"] == "<Recursive whose text cannot be had: RecursionError>"
    assert texts["g"] == "<int whose text cannot be had: ValueError>"


def test_a_timeout_inside_a_repr_ends_the_case() -> None:
    class Slow:
        def __repr__(self) -> str:
            raise CaseTimeout("no result within 1 s")

    with pytest.raises(CaseTimeout):
        watch("def f(a):\n    return 0\n", {2}, "f", Slow())


ERRORS = """\
def f():
    for x in g():
        pass
    try:
        h(x)
    except KeyError:
        seen = True
    return seen
def g():
    yield 1
def h(x):
    return {}[x]
"""


def test_what_a_watched_function_raises_is_told() -> None:
    seen = watch(ERRORS, {8})
    assert [(one["line"], one.get("raised")) for one in seen] == [(5, "KeyError"), (8, None)]
    seen = watch(ERRORS, {12})
    assert [(one["line"], one.get("raised")) for one in seen] == [(12, None), (12, "KeyError")]


def test_generators_and_nested_functions() -> None:
    source = (
        "def f():\n    k = 2\n    def g():\n        for i in range(2):\n            yield i * k\n    return list(g())\n"
    )
    seen = watch(source, {5})
    assert [(one["function"], one["locals"]) for one in seen] == [
        ("f.<locals>.g", {"i": "0", "k": "2"}),
        ("f.<locals>.g", {"i": "1", "k": "2"}),
    ]


def test_other_files_and_other_lines_are_left_alone() -> None:
    other = program("def f():\n    return 1\n", "other.py")["f"]
    watcher = Watcher(WORK, {"prog.py": {2}})
    watcher.start()
    other()
    exec("x = 1\ny = 2\n")
    assert watcher.stop() == []


def test_threads_are_watched() -> None:
    names = program(LOOP)
    watcher = Watcher(WORK, {"prog.py": {5}})
    watcher.start()
    thread = threading.Thread(target=names["f"], args=(3,))
    thread.start()
    thread.join()
    names["f"](2)
    assert values(watcher.stop(), "total") == ["3", "1"]


def test_a_case_after_a_case_starts_anew() -> None:
    names = program(LOOP)
    watcher = Watcher(WORK, {"prog.py": {5}}, most=1)
    for n, total in ((2, "1"), (3, "3")):
        watcher.start()
        names["f"](n)
        assert values(watcher.stop(), "total") == [total]
    watcher.start()
    names["f"](2)
    names["f"](2)
    assert watcher.stop()[-1] == {"more": True}
    names["f"](2)
    watcher.start()
    assert watcher.stop() == []


@pytest.mark.parametrize("most", [200, 1])
def test_nothing_is_left_behind(most: int) -> None:
    names = program("def g(n):\n    for i in range(n):\n        yield i\n")
    before = sys.gettrace(), threading.gettrace()
    watcher = Watcher(WORK, {"prog.py": {3}}, most)
    watcher.start()
    it = names["g"](9)
    assert [next(it), next(it)] == [0, 1]
    seen = watcher.stop()
    assert (sys.gettrace(), threading.gettrace()) == before
    assert list(it) == [2, 3, 4, 5, 6, 7, 8]
    assert watcher.stop() == seen
    if MONITORING:
        assert "selfheal" not in [MONITORING.get_tool(tool) for tool in range(6)]


def test_a_program_may_trace_itself() -> None:
    def own(*_: Any) -> None:
        calls.append(1)

    def run(function: Callable[[int], int]) -> None:
        before = sys.gettrace()
        function(2)
        sys.settrace(own)
        assert function(2) == 1
        sys.settrace(before)
        function(2)

    calls: list[int] = []
    names = program(LOOP)
    outer = sys.gettrace()
    watcher = Watcher(WORK, {"prog.py": {5}})
    watcher.start()
    run(names["f"])
    seen = watcher.stop()
    assert sys.gettrace() == outer
    assert calls
    assert values(seen, "total") == ["1"] * (3 if MONITORING else 2)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_says_nothing() -> None:
    names = program(LOOP)
    watcher = Watcher(WORK, {"prog.py": {5}})
    watcher.start()
    if (pid := os.fork()) == 0:
        try:
            names["f"](1)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    names["f"](2)
    assert values(watcher.stop(), "total") == ["1"]


@pytest.mark.skipif(MONITORING is None, reason="needs sys.monitoring")
def test_a_program_may_hold_or_take_tool_ids() -> None:
    MONITORING.use_tool_id(MONITORING.DEBUGGER_ID, "theirs")
    try:
        assert values(watch(LOOP, {5}, "f", 2), "total") == ["1"]
        assert MONITORING.get_tool(MONITORING.DEBUGGER_ID) == "theirs"
    finally:
        MONITORING.free_tool_id(MONITORING.DEBUGGER_ID)
    watcher = Watcher(WORK, {"prog.py": {5}})
    watcher.start()
    MONITORING.free_tool_id(MONITORING.DEBUGGER_ID)
    assert watcher.stop() == []
