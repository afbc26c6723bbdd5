"""Many candidates in one child: right marks, whatever the candidates before did to their process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from selfheal_tui.sandbox.base import Limits, Suite
from selfheal_tui.sandbox.local import LocalSandbox
from selfheal_tui.sandbox.sift import Mark, SiftLimits, Unfit
from selfheal_tui.search.angelic import FORCED
from selfheal_tui.search.angelic.samples import written
from selfheal_tui.search.program.source import parse_source
from tests.warm import WarmSandbox

WRONG = "def double(n):\n    total = 0\n    for step in range(n):\n        total += 3\n    return total\n"
RIGHT = WRONG.replace("3", "2")
TESTS = (
    "from prog import double\n\n\ndef test_zero():\n    assert double(0) == 0\n\n\n"
    "def test_two():\n    assert double(2) == 4\n\n\ndef test_three():\n    assert double(3) == 6\n"
)
SUITE = Suite(
    {"prog.py": WRONG, "test_prog.py": TESTS},
    ("test_prog.py",),
    ("prog.py",),
    limits=Limits(memory_bytes=128 << 20),
)
ZERO, TWO, THREE = (f"test_prog.py::test_{name}" for name in ("zero", "two", "three"))
CASES = ([TWO, THREE], [ZERO])
LIMITS = SiftLimits(time_s=0.3, fuel=1000)
HOSTILE = {
    "ends the process": "import os\nos._exit(0)\n",
    "ends the process in a case": "def double(n):\n    import os\n    os._exit(0)\n",
    "loops for ever": "def double(n):\n    while True:\n        pass\n",
    "loops for ever on one line": "def double(n):\n    while True: pass\n",
    "loops and swallows": "def double(n):\n    while True:\n        try:\n            n += 1\n"
    "        except BaseException:\n            pass\n",
    "loops in C": "def double(n):\n    return sum(range(10**13))\n",
    "takes all memory": "def double(n):\n    return ['x' * 2**20 for _ in range(2**20)]\n",
    "patches builtins": "import builtins\nbuiltins.range = None\nbuiltins.__import__ = None\ndel builtins.sum\n",
    "prints a lot": "print('x' * 10**8)\ndef double(n):\n    print('y' * 10**8)\n    return 0\n",
    "replaces what a test sees": "import sys\nsys.modules['test_prog'] = None\n"
    "sys.path.clear()\nsys.meta_path.clear()\n",
    "sets another alarm": "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
    "def double(n):\n    while True: pass\n",
    "forks": "import os\nos.fork()\n",
    "leaves a thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n",
    "raises SystemExit": "raise SystemExit(0)\n",
    "recurses": "def double(n):\n    return double(n)\n",
    "does not parse": "def double(n:\n",
}


@pytest.fixture
async def sandbox() -> AsyncIterator[LocalSandbox]:
    opened = WarmSandbox()
    yield opened
    await opened.aclose()


async def sifted(
    sandbox: LocalSandbox, suite: Suite, texts: Sequence[str], cases: tuple[Sequence[str], Sequence[str]] = CASES
) -> tuple[int, list[Mark]]:
    judged, marks = 0, []
    async with aclosing(sandbox.sift(suite, [{"prog.py": text} for text in texts], cases, LIMITS)) as values:
        async for value in values:
            judged += value.judged
            marks += value.marks
    return judged, sorted(marks, key=lambda mark: mark.index)


async def test_marks_say_what_passes(sandbox: LocalSandbox) -> None:
    some = "def double(n):\n    return 4\n"
    judged, marks = await sifted(sandbox, SUITE, [WRONG, RIGHT, some])
    assert judged == 3
    assert marks == [
        Mark(1, frozenset({TWO, THREE}), frozenset(), True),
        Mark(2, frozenset({TWO}), frozenset({ZERO}), False),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "    with pytest.raises(ValueError):\n        double(-1)\n",
        "    raise SystemExit(double(1))\n",
        "    pytest.skip('not here')\n",
    ],
)
async def test_a_case_that_ends_with_no_exception_of_its_own_says_nothing_of_the_others(
    body: str, sandbox: LocalSandbox
) -> None:
    tests = f"import pytest\n{TESTS}\n\ndef test_other():\n{body}"
    suite = replace(SUITE, files={"prog.py": WRONG, "test_prog.py": tests})
    cases = (["test_prog.py::test_other", TWO, THREE], [ZERO])
    _, marks = await sifted(sandbox, suite, [WRONG, RIGHT], cases)
    assert marks == [Mark(1, frozenset({TWO, THREE}), frozenset(), False)]


async def test_cases_that_are_named_for_a_candidate_run_before_it_is_given_up(sandbox: LocalSandbox) -> None:
    more = "".join(f"\n\ndef test_no{n}():\n    assert double(1) == {n}\n" for n in range(7, 12))
    suite = replace(SUITE, files={"prog.py": WRONG, "test_prog.py": TESTS + more})
    cases = ([*(f"test_prog.py::test_no{n}" for n in range(7, 12)), TWO, THREE], [ZERO])
    variants = [{"prog.py": WRONG}, {"prog.py": RIGHT}]
    for first, fixes in (((), []), (((), ()), []), (((), (6,)), [frozenset({TWO, THREE})])):
        async with aclosing(sandbox.sift(suite, variants, cases, LIMITS, first)) as values:
            assert [mark.fixes async for value in values for mark in value.marks] == fixes


@pytest.mark.parametrize("kind", HOSTILE)
async def test_a_hostile_candidate_costs_only_itself(kind: str, sandbox: LocalSandbox) -> None:
    judged, marks = await sifted(sandbox, SUITE, [RIGHT, HOSTILE[kind], f"{RIGHT}# again\n", WRONG])
    assert judged == 4
    assert [mark.index for mark in marks if mark.whole] == [0, 2]


async def test_no_file_outside_its_folder_can_be_read(sandbox: LocalSandbox, tmp_path: Path) -> None:
    secret = str(tmp_path / "secret")
    Path(secret).write_text("2")
    judged, marks = await sifted(sandbox, SUITE, [f"def double(n):\n    return n * int(open({secret!r}).read())\n"])
    assert (judged, marks) == (1, [])


async def test_a_package_is_loaded_anew_for_each_candidate(sandbox: LocalSandbox) -> None:
    files = {
        "prog.py": "from pkg import factor\n\n\ndef double(n):\n    return n * factor.VALUE\n",
        "pkg/__init__.py": "",
        "pkg/factor.py": "from .deep import three\nVALUE = three()\n",
        "pkg/deep.py": "def three():\n    return 3\n",
        "test_prog.py": TESTS,
    }
    suite = Suite(files, ("test_prog.py",), ("prog.py", "pkg/__init__.py", "pkg/factor.py", "pkg/deep.py"))
    variants = [{"pkg/deep.py": f"def three():\n    return {n}\n"} for n in (1, 2, 3, 2)]
    async with aclosing(sandbox.sift(suite, variants, CASES, LIMITS)) as values:
        marks = [mark async for value in values for mark in value.marks]
    assert sorted(mark.index for mark in marks if mark.whole) == [1, 3]


PYTEST_FILES = {
    "shop/__init__.py": "",
    "shop/prices.py": WRONG,
    "tests/conftest.py": "import pytest\nfrom shop import prices\n\n\n@pytest.fixture\ndef twice():\n"
    "    return lambda n: prices.double(n)\n",
    "tests/test_prices.py": "import unittest\n\nimport pytest\nimport shop.prices as p\nfrom shop.prices import *\n\n\n"
    "@pytest.mark.parametrize(('n', 'wanted'), [(0, 0), (2, 4)])\ndef test_each(n, wanted):\n"
    "    assert double(n) == wanted\n\n\ndef test_fixture(twice, tmp_path):\n    assert twice(3) == 6\n\n\n"
    "class Old(unittest.TestCase):\n    def test_unit(self):\n        self.assertEqual(p.double(4), 8)\n",
}


async def test_fixtures_parameters_and_classes(sandbox: LocalSandbox) -> None:
    suite = Suite(PYTEST_FILES, ("tests",), ("shop/__init__.py", "shop/prices.py"))
    zero, two, fixture, unit = (
        f"tests/test_prices.py::{name}"
        for name in ("test_each[0-0]", "test_each[2-4]", "test_fixture", "Old::test_unit")
    )
    endless = "def double(n):\n    while True:\n        pass\n"
    texts = [
        WRONG,
        RIGHT,
        endless,
        "def double(n):\n    return 6\n",
        f"{RIGHT}# again\n",
        "import os\nos._exit(0)\n",
        RIGHT,
    ]
    variants = [{"shop/prices.py": text} for text in texts]
    async with aclosing(sandbox.sift(suite, variants, ([two, fixture, unit], [zero]), LIMITS)) as values:
        marks = {mark.index: mark async for value in values for mark in value.marks}
    assert sorted(marks) == [1, 3, 4, 6]
    assert marks[1].whole and marks[4].whole and marks[6].whole
    assert marks[3] == Mark(3, frozenset({fixture}), frozenset({zero}), False)
    examined = await sandbox.examine(suite, LIMITS)
    assert examined.rounds == {zero: 1, two: 3, fixture: 4, unit: 5}
    assert await sandbox.ask(suite, variants[:2], ["double(5)", "p.double(1)"], LIMITS) == [["15", "3"], ["10", "2"]]


SUBTESTS = """
def pytest_configure():
    from _pytest.unittest import TestCaseFunction

    TestCaseFunction.addSubTest = lambda self, case, test, error: None
    TestCaseFunction.failfast = False
"""
"""What a plugin of subtests does: it keeps each failure for a report of its own, and the case goes on."""


async def test_a_case_with_a_failing_subtest_does_not_pass(sandbox: LocalSandbox) -> None:
    tests = (
        "import unittest\nfrom prog import double\n\n\nclass TestDouble(unittest.TestCase):\n    def test_all(self):\n"
        "        for n in (0, 2, 3):\n            with self.subTest(n=n):\n"
        "                self.assertEqual(double(n), 2 * n)\n"
    )
    case = "test_prog.py::TestDouble::test_all"
    suite = replace(SUITE, files={"prog.py": WRONG, "test_prog.py": tests, "conftest.py": SUBTESTS})
    marks: list[Mark] = []
    texts = [WRONG, WRONG.replace("3", "1"), RIGHT]
    async with aclosing(sandbox.sift(suite, [{"prog.py": text} for text in texts], ([case], []), LIMITS)) as values:
        async for value in values:
            marks += value.marks
    assert [mark.index for mark in marks] == [2]


UNIT = (
    "import sys, time, unittest\nfrom prog import double\n\n\nclass TestDouble(unittest.TestCase):\n"
    "    def test_a(self):\n        self.assertEqual(double(2), 4)\n\n"
    "    def test_b(self):\n        self.assertEqual(double(3), 6)\n\n"
    "    def test_c(self):\n        self.assertEqual(double(0), 0)\n\n"
    "    def test_d(self):\n        self.assertEqual(double(0), 0)\n"
)
COLD = (
    "\n    def setUp(self):\n        end = time.monotonic() + 0.4\n"
    "        while not hasattr(sys, 'is_warm') and time.monotonic() < end:\n            pass\n        sys.is_warm = 1\n"
)
A, B, C, D = (f"test_prog.py::TestDouble::test_{name}" for name in "abcd")


async def test_the_first_candidate_has_time_for_what_failing_cases_import(sandbox: LocalSandbox) -> None:
    first = WRONG.replace("total += 3", "total = 4")
    suite = Suite({"prog.py": WRONG, "test_prog.py": UNIT + COLD}, ("test_prog.py",), ("prog.py",))
    _, marks = await sifted(sandbox, suite, [first, first], ([B, A], [C, D]))
    assert marks == [Mark(n, frozenset({A}), frozenset(), False) for n in (0, 1)]


async def test_a_case_in_which_the_clock_rings_does_not_count_as_broken(sandbox: LocalSandbox) -> None:
    suite = Suite({"prog.py": WRONG, "test_prog.py": UNIT}, ("test_prog.py",), ("prog.py",))
    slow = "def double(n):\n    if n == 3:\n        while True: pass\n    return 2 * n\n"
    _, marks = await sifted(sandbox, suite, [RIGHT, slow], ([A], [B, C, D]))
    assert marks == [Mark(0, frozenset({A}), frozenset(), True), Mark(1, frozenset({A}), frozenset(), False)]


SPOILT = """
import pytest
from prog import double
from other import TABLE
LISTS = ("a", [[2], {"n": 2}])
class Holder:
    def __init__(self):
        self.values = [2]
        self.n = 2
HELD = Holder()

class TestAll:
    own = {2: [2]}
    def test_own(self):
        assert double(self.own[2]) == 4

@pytest.mark.parametrize("values", [[2]])
def test_parameter(values):
    assert double(values) == 4

def test_set():
    assert double(TABLE["set"]) == 4

def test_inner():
    assert double(LISTS[1][0]) == 4

def test_dict():
    assert double(LISTS[1][1]) == 4

def test_object():
    assert double(HELD.values) == 4 and HELD.n == 2

def test_attribute():
    assert double(HELD) == 4

def test_rest():
    assert TABLE["rest"] == [1]
"""
WHATEVER = (
    "def double(v):\n    {}\n    return {} * (v.n if hasattr(v, 'n') else v['n'] if isinstance(v, dict) else [*v][0])\n"
)


async def test_what_a_candidate_did_to_data_of_the_tests_is_put_back(sandbox: LocalSandbox) -> None:
    """All that follow in its process would be judged wrong."""
    wrong, right = WHATEVER.format("pass", 3), WHATEVER.format("pass", 2)
    spoils = WHATEVER.format("v.__dict__.clear() if hasattr(v, 'n') else v.clear()", 2)
    files = {"prog.py": wrong, "other.py": "TABLE = {'set': {2}, 'rest': [1]}\n", "test_prog.py": SPOILT}
    suite = Suite(files, ("test_prog.py",), ("prog.py", "other.py"))
    ids = ["TestAll::test_own", "test_parameter[values0]"]
    ids += [f"test_{name}" for name in ("set", "inner", "dict", "object", "attribute")]
    wanted = [f"test_prog.py::{name}" for name in ids]
    cases = (wanted, ["test_prog.py::test_rest"])
    hostile = "class Endless:\n    def __eq__(self, other):\n        while True: pass\n    def __hash__(self):\n"
    hostile += "        return 2\n" + WHATEVER.format("v.clear(), v.add(Endless()) if type(v) is set else v.clear()", 2)
    judged, marks = await sifted(sandbox, suite, [spoils, right, hostile, right], cases)
    assert judged == 4
    whole = [mark for mark in marks if mark.index in (1, 3)]
    assert whole == [Mark(number, frozenset(wanted), frozenset(), True) for number in (1, 3)]


async def test_a_parameter_keeps_its_class_whatever_is_imported_anew(sandbox: LocalSandbox) -> None:
    files = {
        "shop/__init__.py": "",
        "shop/kinds.py": "from shop import tools\n\n\nclass Item:\n    price = 2\n",
        "shop/tools.py": "import pickle\n\n\ndef checked(item):\n    pickle.dumps(item)\n    return item\n",
        "shop/prices.py": "from shop.tools import checked\n\n\ndef double(item):\n    return checked(item).price * 3\n",
        "tests/test_prices.py": "import pytest\nfrom shop.kinds import Item\nfrom shop.prices import double\n\n\n"
        "@pytest.mark.parametrize('item', [Item()])\ndef test_it(item):\n    assert double(item) == 4\n\n\n"
        "@pytest.mark.parametrize('item', [Item()])\ndef test_passes(item):\n    assert double(item) > 4\n",
    }
    suite = Suite(files, ("tests",), tuple(path for path in files if path.startswith("shop/")))
    failing, passing = "tests/test_prices.py::test_it[item0]", "tests/test_prices.py::test_passes[item0]"
    right = files["shop/prices.py"].replace("* 3", "* 2")
    tools = files["shop/tools.py"].replace("return item", "return type('I', (), {'price': 4 / 3})")
    variants = [
        {"shop/tools.py": files["shop/tools.py"] + "# again\n"},
        {"shop/prices.py": right},
        {"shop/tools.py": tools},
    ]
    async with aclosing(sandbox.sift(suite, variants, ([failing], [passing]), LIMITS)) as values:
        assert sorted(mark.index for value in [v async for v in values] for mark in value.marks) == [1, 2]
    examined = await sandbox.examine(suite, LIMITS)
    product = next(n for n, at in enumerate(examined.places) if at == ("shop/prices.py", (5, 11, 5, 34)))
    assert product in examined.evaluated[failing]


async def test_a_case_that_is_not_there_is_said(sandbox: LocalSandbox) -> None:
    tests = f"import pytest\n\n\n@pytest.fixture\ndef n():\n    return 1\n\n\n{TESTS}"
    files = {"prog.py": "import nowhere\n", "test_prog.py": tests}
    with pytest.raises(Unfit):
        await sifted(sandbox, Suite(files, SUITE.tests, SUITE.program), [RIGHT])


async def test_answers_and_a_variant_that_gives_none(sandbox: LocalSandbox) -> None:
    variants = [{}, {"prog.py": HOSTILE["ends the process in a case"]}, {"prog.py": RIGHT}]
    calls = ["double(2)", "double('x')", "double(10**9)"]
    answers = await sandbox.ask(SUITE, variants, calls, LIMITS)
    assert answers == [["6", "!TypeError", "!"], [], ["4", "!TypeError", "!"]]


@pytest.mark.parametrize("kind", ["does not parse", "raises SystemExit"])
async def test_a_variant_that_cannot_be_loaded_gives_no_answers(kind: str, sandbox: LocalSandbox) -> None:
    answers = await sandbox.ask(SUITE, [{"prog.py": HOSTILE[kind]}, {"prog.py": RIGHT}], ["double(2)"], LIMITS)
    assert answers == [[], ["4"]]


async def test_answers_are_told_as_a_test_would_write_them(sandbox: LocalSandbox) -> None:
    program = "import enum\n\n\nclass Color(enum.Enum):\n    RED = 1\n\n\ndef double(n):\n    return n * 3\n"
    program += "\n\ndef give(n):\n    return [Color.RED, {Color.RED, 2}, set(), [Color.RED], (Color.RED,), [1]][n]\n"
    calls = [f"give({n})" for n in range(6)]
    tests = {path: SUITE.files[path].replace("import double", "import double, give") for path in SUITE.tests}
    (answers,) = await sandbox.ask(
        Suite({"prog.py": program, **tests}, SUITE.tests, SUITE.program), [{}], calls, LIMITS
    )
    assert answers == ["Color.RED", "{2, Color.RED}", "set()", "[Color.RED]", "(Color.RED,)", "[1]"]


LEAKY = """class Room:
    seen = []

    def __init__(self, booked=[]):
        self.booked = booked

    def book(self, n):
        self.booked.append(n)
        self.seen.append(n)
        COUNT[0] += 1
        return len(self.booked), len(Room.seen), COUNT[0]


COUNT = [0]
"""


@pytest.mark.parametrize("fixture", ["", "import pytest\n\n\n@pytest.fixture\ndef n():\n    return 1\n\n\n"])
async def test_what_a_call_leaves_behind_is_no_answer_of_the_next(sandbox: LocalSandbox, fixture: str) -> None:
    tests = f"{fixture}from prog import Room\n\n\ndef test_a():\n    assert Room([]).book(2)\n"
    suite = Suite({"prog.py": LEAKY, "test_prog.py": tests}, ("test_prog.py",), ("prog.py",))
    calls = ["Room().book(1)", "[room := Room(), room.book(1), room.book(2)][-1]", "Room().book(3)"]
    wanted = ["(1, 1, 1)", "(2, 2, 2)", "(1, 1, 1)"]
    variants = [{}, {"prog.py": LEAKY.replace("append(n)", "append(n + 1)")}, {"prog.py": LEAKY + "\nX = 1\n"}]
    assert await sandbox.ask(suite, variants, calls, LIMITS) == [wanted] * 3


@pytest.mark.parametrize("fixture", ["", "import pytest\n\n\n@pytest.fixture\ndef n():\n    return 1\n\n\n"])
async def test_a_call_names_what_only_a_case_imports(sandbox: LocalSandbox, fixture: str) -> None:
    case = "def test_two():\n    from fractions import Fraction\n    from prog import double\n    import nowhere\n"
    case += "    assert double(2) == Fraction(4)\n"
    suite = Suite({"prog.py": SUITE.files["prog.py"], "test_prog.py": fixture + case}, SUITE.tests, SUITE.program)
    calls = ["double(Fraction(4).numerator)", "double(nowhere)"]
    assert await sandbox.ask(suite, [{}, {"prog.py": RIGHT}], calls, LIMITS) == [
        ["12", "!NameError"],
        ["8", "!NameError"],
    ]


async def test_what_expressions_are(sandbox: LocalSandbox) -> None:
    examined = await sandbox.examine(SUITE, LIMITS)
    at = {place: number for number, (path, place) in enumerate(examined.places) if path == "prog.py"}
    argument, result = at[3, 22, 3, 23], at[5, 11, 5, 16]
    assert examined.types[argument] == ("int",)
    assert set(examined.values[result]) == {0, 6, 9}
    assert examined.rounds == {ZERO: 1, TWO: 3, THREE: 4}
    assert at[4, 17, 4, 18] not in examined.evaluated[ZERO] and at[4, 17, 4, 18] in examined.evaluated[TWO]
    (returned,) = examined.returns[TWO]
    assert (returned.line, returned.local) == (5, {"n": "2", "total": "6", "step": "1"})


async def test_a_test_file_that_cannot_be_imported_hides_no_other(sandbox: LocalSandbox) -> None:
    files = {
        **SUITE.files,
        "gone.py": "import requestz\n",
        "test_gone.py": "import gone\n\n\ndef test_it():\n    gone.x()\n",
    }
    for plain, text in ((True, TESTS), (False, f"import pytest\n\n{TESTS}")):
        files["test_prog.py"] = text
        suite = Suite(files, ("test_gone.py", "test_prog.py"), ("prog.py", "gone.py"), limits=SUITE.limits)
        cases, marks = (["test_gone.py::test_it", TWO, THREE], [ZERO]), []
        async with aclosing(sandbox.sift(suite, [{"prog.py": WRONG}, {"prog.py": RIGHT}], cases, LIMITS)) as values:
            async for value in values:
                marks += value.marks
        assert marks == [Mark(1, frozenset({TWO, THREE}), frozenset(), False)], plain


async def test_a_module_beside_its_tests_in_a_folder_is_found(sandbox: LocalSandbox) -> None:
    files = {"sub/prog.py": WRONG, "sub/test_prog.py": TESTS}
    suite = Suite(files, ("sub/test_prog.py",), ("sub/prog.py",), limits=SUITE.limits)
    cases = ([f"sub/{TWO}", f"sub/{THREE}"], [f"sub/{ZERO}"])
    variants = [{"sub/prog.py": WRONG}, {"sub/prog.py": RIGHT}]
    async with aclosing(sandbox.sift(suite, variants, cases, LIMITS)) as values:
        marks = [mark async for value in values for mark in value.marks]
    assert [(mark.index, mark.whole) for mark in marks] == [(1, True)]


KEPT = """
import os, time
import pytest
from shop.prices import double


def made():
    return vars(os).setdefault("made", [])


def make(name, value):
    made().append(name)
    time.sleep(0.002)
    return value


def rate():
    return double(1)


@pytest.fixture(scope="session")
def table():
    return make("table", {"two": [4]})


@pytest.fixture(scope="module")
def more(table):
    return make("more", [*table["two"], 6])


@pytest.fixture(scope="session")
def spoilt():
    return make("spoilt", [])


@pytest.fixture(scope="session")
def of_program():
    return make("of_program", rate())


@pytest.fixture(scope="session")
def torn():
    yield make("torn", 1)


@pytest.fixture(scope="session")
def file(tmp_path_factory):
    return make("file", 1)


@pytest.fixture(scope="session")
def held():
    return make("held", open(os.devnull))


def test_all(table, more, torn, file, held, of_program):
    assert double(2) == more[0] == table["two"][0]
    assert of_program == 2


@pytest.mark.parametrize("name", ["table", "more", "spoilt", "of_program", "torn", "file", "held"])
def test_once(name):
    assert double(2) == 4 and made().count(name) == 1


def test_spoilt(spoilt):
    assert spoilt == [] and double(0) == 0
    spoilt.append(1)
"""


async def test_only_setup_that_cannot_hold_the_program_is_kept(sandbox: LocalSandbox) -> None:
    suite = Suite(
        {"shop/__init__.py": "", "shop/prices.py": WRONG, "tests/test_it.py": KEPT},
        ("tests",),
        ("shop/__init__.py", "shop/prices.py"),
    )
    case = "tests/test_it.py::test_"
    names = ("table", "more", "spoilt", "of_program", "torn", "file", "held")
    cases = ([f"{case}all", *(f"{case}once[{name}]" for name in names)], [f"{case}spoilt"])
    variants = [{"shop/prices.py": f"{RIGHT}# {n}\n"} for n in range(3)]
    async with aclosing(sandbox.sift(suite, variants, cases, LIMITS)) as values:
        last = max([mark async for value in values for mark in value.marks], key=lambda mark: mark.index)
    assert last == Mark(2, frozenset({f"{case}all", f"{case}once[table]", f"{case}once[more]"}), frozenset(), False)


GUARDED = """\
def kept(values, low, high):
    found = []
    for value in values:
        if __force__(0, value > 0):
            found.append(__force__(1, value))
    return found
"""
GUARDED_TESTS = """\
from prog import kept


def test_between():
    assert kept([1, 5, 12, 7, 30], 4, 10) == [5, 7]


def test_ends():
    assert kept([3, 4, 10, 11], 4, 10) == [4, 10]


def test_all():
    assert kept([5, 6], 1, 9) == [5, 6]
"""
GUARDED_CASES = (["test_prog.py::test_between", "test_prog.py::test_ends"], ["test_prog.py::test_all"])


@pytest.mark.parametrize("imports", ["", pytest.param("import pytest\n", marks=pytest.mark.deep)])
async def test_outcomes_with_which_failing_cases_pass(sandbox: LocalSandbox, imports: str) -> None:
    program = GUARDED.replace("__force__(0, value > 0)", "value > 0").replace("__force__(1, value)", "value")
    suite = Suite({"prog.py": program, "test_prog.py": imports + GUARDED_TESTS}, ("test_prog.py",), ("prog.py",))
    ways = await sandbox.force(suite, {"prog.py": GUARDED}, [[], ["0"]], GUARDED_CASES, LIMITS, 10.0)
    assert {(way.case.rpartition("_")[2], way.place, way.changed) for way in ways} == {
        ("between", 0, True),
        ("ends", 0, True),
        ("all", 0, False),
    }
    for way in ways:
        for sample in way.samples:
            value, low, high = (sample.local[name] for name in ("value", "low", "high"))
            assert sample.was is True and sample.wanted is (low <= value <= high) and not sample.is_free
    source = parse_source("prog.py", program)
    (spot,) = (spot for node in source.nodes() for spot in FORCED["angelic_condition"].spots(source, node))
    edits = [splice.text for splice, _ in written(source, spot, ways)]
    assert "low <= value <= high" in edits


@pytest.mark.parametrize(
    "hostile",
    [
        "__import__('os')._exit(0)",
        "__force__(7, 0), __force__(0, [[]] * 9), __force__('x', 0)",
        pytest.param("sum(range(10**13))", marks=pytest.mark.deep),
    ],
)
async def test_a_program_that_spoils_being_forced_tells_nothing(sandbox: LocalSandbox, hostile: str) -> None:
    suite = Suite({"prog.py": GUARDED, "test_prog.py": GUARDED_TESTS}, ("test_prog.py",), ("prog.py",))
    text = GUARDED.replace("    found = []", f"    found = []; {hostile}")
    assert await sandbox.force(suite, {"prog.py": text}, [[], []], GUARDED_CASES, LIMITS, 0.3) == []
