"""The second opinion: what it proves, what it cannot, and who does not get past it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from selfheal_tui.sandbox.base import Limits, Suite, SuiteReport, run_through
from selfheal_tui.sandbox.local import LocalSandbox
from tests.tiers import opened

QUICK = Limits(time_s=20.0, case_time_s=1.0)


@pytest.fixture(scope="module", params=["namespaces", "landlock"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[LocalSandbox]:
    yield from opened(request.param)


async def judged(sandbox: LocalSandbox, program: str, tests: str, **files: str) -> SuiteReport:
    texts = {"prog.py": program, "test_prog.py": tests, **files}
    own = tuple(path for path in texts if path.endswith(".py") and path != "test_prog.py")
    suite = Suite(texts, ("test_prog.py",), own, limits=QUICK, verify=True)
    return (await run_through(sandbox, suite)).report


VERIFIED: dict[str, tuple[Any, ...]] = {
    "values": (
        "def f(x):\n    return {'a': [x, (1.5, None)], 'b': {x}}\n",
        "from prog import f\ndef test_a():\n    assert f(2) == {'a': [2, (1.5, None)], 'b': {2}}\n",
    ),
    "exceptions": (
        "class Bad(ValueError):\n    pass\ndef f(x):\n    raise Bad('no', x)\n",
        "import pytest, prog\ndef test_a():\n"
        "    with pytest.raises(prog.Bad, match='no') as caught:\n        prog.f(3)\n"
        "    assert caught.value.args == ('no', 3)\ndef test_b():\n"
        "    with pytest.raises(ValueError):\n        prog.f(1)\n",
    ),
    "generators": (
        "def count():\n    n = 0\n    while True:\n        yield n\n        n += 1\n",
        "from itertools import islice\nfrom prog import count\ndef test_a():\n"
        "    assert list(islice(count(), 3)) == [0, 1, 2]\n",
    ),
    "callbacks": (
        "def apply(g, items):\n    return [g(item) for item in items]\n",
        "from prog import apply\ndef test_a():\n    assert apply(lambda x: x * 2, [1, 2]) == [2, 4]\n",
    ),
    "changes in place": (
        "def push(items):\n    items.append(1)\n    items[0]['x'] = 2\n",
        "from prog import push\ndef test_a():\n    items = [{}]\n    push(items)\n    assert items == [{'x': 2}, 1]\n",
    ),
    "printing": (
        "def hello():\n    print('hello')\n",
        "from prog import hello\ndef test_a(capsys):\n    hello()\n    assert capsys.readouterr().out == 'hello\\n'\n",
    ),
    "objects and their attributes": (
        "class Box:\n    def __init__(self, n):\n        self.n = n\n"
        "    def more(self):\n        return Box(self.n + 1)\n",
        "from prog import Box\ndef test_a():\n    box = Box(1).more()\n"
        "    assert isinstance(box, Box) and box.n == 2\n",
    ),
    "named tuples": (
        "from collections import namedtuple\nP = namedtuple('P', 'x y')\ndef f():\n    return P(1, 2)\n",
        "from prog import f\ndef test_a():\n    assert f() == (1, 2) and f().y == 2\n",
    ),
    "parameters and fixtures": (
        "def f(x):\n    return x + 1\n",
        "import pytest, prog\n@pytest.fixture\ndef one():\n    return 1\n@pytest.mark.parametrize('n', [1, 2])\n"
        "def test_a(n, one):\n    assert prog.f(n) == n + one\n",
    ),
    "a class that holds several": (
        "class Stack:\n    def __init__(self):\n        self.items = []\n    def push(self, x):\n"
        "        self.items.append(x)\n    def __len__(self):\n        return len(self.items)\n"
        "    def __iter__(self):\n        return iter(self.items)\n    def __getitem__(self, at):\n"
        "        return self.items[at]\n",
        "from prog import Stack\ndef test_a():\n    s = Stack()\n    s.push(1)\n    s.push(2)\n"
        "    assert len(s) == 2 and list(s) == [1, 2] and s[0] == 1\n    s.push(3)\n"
        "    assert sum(s) == 6 and len(s) == 3\n",
    ),
    "subclasses of data": (
        "import enum\nfrom fractions import Fraction\nclass Money(int):\n    def __add__(self, other):\n"
        "        return Money(int(self) + int(other))\nclass Part(Fraction):\n    pass\nclass Level(enum.IntEnum):\n"
        "    LOW = 1\n    HIGH = 2\nclass Rows(list):\n    def append(self, row):\n        super().append(row)\n",
        "from fractions import Fraction\nfrom prog import Level, Money, Part, Rows\ndef test_a():\n"
        "    assert Money(5) + Money(3) == 8 and Part(8, 3) - 1 == Fraction(5, 3)\n"
        "    assert Level.LOW < Level.HIGH and list(Level) == [1, 2] and Level.LOW in Level and len(Level) == 2\n"
        "    rows = Rows()\n    rows.append(1)\n    assert rows == [1]\n",
    ),
    "skipped here and there": (
        "def f(x):\n    return x + 1\n",
        "import pytest, prog\n@pytest.mark.skip(reason='later')\ndef test_a():\n    assert prog.f(1) == 3\n"
        "def test_b():\n    assert prog.f(1) == 2\n",
    ),
    "examples beside the program": (
        "def f(name):\n    with open(name) as file:\n        return sum(map(int, file))\n",
        "from prog import f\ndef test_a():\n    assert f('numbers.txt') == 3\n",
        {"numbers.txt": "1\n2\n"},
    ),
    "a file named like one of Python's": (
        "from colorsys import row\ndef f(x):\n    return row(x)\n",
        "import math\nfrom prog import f\ndef test_a():\n    assert math.isclose(f(1)[0], 1)\n",
        {"colorsys.py": "def row(x):\n    return (x,)\n"},
    ),
    "files named like what the run itself uses": (
        "from queue import VALUE\ndef f(x):\n    return x + VALUE\n",
        "import pytest\nfrom prog import f\ndef test_a():\n    assert f(1.5) == pytest.approx(2.5)\n",
        dict.fromkeys(
            ("types.py", "queue.py", "inspect.py", "warnings.py", "collections.py", "math.py", "unittest.py"),
            "VALUE = 1\n",
        ),
    ),
    "unittest": (
        "def f(x):\n    return x + 1\n",
        "import unittest\nfrom prog import f\nclass T(unittest.TestCase):\n    def test_a(self):\n"
        "        self.assertEqual(f(1), 2)\n",
    ),
}


@pytest.mark.parametrize("name", VERIFIED)
async def test_an_honest_program_is_verified(sandbox: LocalSandbox, name: str) -> None:
    program, tests, *more = VERIFIED[name]
    report = await judged(sandbox, program, tests, **(more[0] if more else {}))
    assert (report["verdict"], report["trust"], report["not_verified"]) == ("passed", "verified", None), report


async def test_modules_are_found_from_the_folders_that_pytest_finds_them_from(sandbox: LocalSandbox) -> None:
    one, two = "import size\ndef f(x):\n    return size.BY * x\n", "def g(x):\n    return x\n"
    files = {
        "sub/prog.py": one,
        "sub/size.py": "BY = 2\n",
        "lib/other.py": two,
        "pytest.ini": "[pytest]\npythonpath=lib\n",
    }
    program = tuple(path for path in files if path.endswith(".py"))
    files["sub/test_prog.py"] = "import other, prog\ndef test_a():\n    assert prog.f(other.g(2)) == 4\n"
    suite = Suite(files, ("sub/test_prog.py",), program, limits=QUICK, verify=True)
    report = (await run_through(sandbox, suite)).report
    assert (report["verdict"], report["trust"]) == ("passed", "verified"), report


async def test_a_conftest_that_only_names_the_folder_of_the_program_hinders_nothing(sandbox: LocalSandbox) -> None:
    files = {
        "lib/prog.py": "import size\ndef f(x):\n    return size.BY * x\n",
        "lib/size.py": "BY = 2\n",
        "tests/conftest.py": "import os\nimport sys\nHERE = os.path.dirname(os.path.abspath(__file__))\n"
        "sys.path.insert(0, os.path.join(HERE, '..', 'lib'))\n",
    }
    program = ("lib/prog.py", "lib/size.py")
    files["tests/test_prog.py"] = "import prog\ndef test_a():\n    assert prog.f(2) == 4\n"
    suite = Suite(files, ("tests",), program, limits=QUICK, verify=True)
    report = (await run_through(sandbox, suite)).report
    assert (report["verdict"], report["trust"]) == ("passed", "verified"), report


NOT_VERIFIED: dict[str, tuple[Any, ...]] = {
    "a fixture of one process": (
        "def f(x):\n    return x\n",
        "from prog import f\ndef test_a(tmp_path):\n    assert f(1) == 1\n",
        "test_prog.py uses `tmp_path`. A pass rests on the program's own process",
    ),
    "a module of one process": (
        "def f(x):\n    return x\n",
        "import os\nfrom prog import f\ndef test_a():\n    assert f(1) == 1 and os.environ\n",
        "test_prog.py uses `os`",
    ),
    "objects of the test's own": (
        "def name(thing):\n    return thing.name\n",
        "from prog import name\nclass Thing:\n    name = 'x'\ndef test_a():\n    assert name(Thing()) == 'x'\n",
        "1 case could run only in one process with the program",
    ),
    "a case that is only skipped apart": (
        "import os\napart = not os.path.exists('test_prog.py')\ndef f(x):\n    return x\n",
        "import pytest\nfrom prog import apart, f\n@pytest.mark.skipif(apart, reason='not here')\ndef test_a():\n"
        "    assert f(1) == 1\ndef test_b():\n    assert f(2) == 2\n",
        "test_prog.py::test_a was skipped apart from it",
    ),
    "a case that is only there inside": (
        "import os\nhere = os.path.exists('test_prog.py')\ndef f(x):\n    return x\n",
        "from prog import here, f\nif here:\n    def test_a():\n        assert f(1) == 1\ndef test_b():\n"
        "    assert f(2) == 2\n",
        "test_prog.py::test_a was not found apart from it",
    ),
    "a limit that the test swallows": (
        "def f(x):\n    return x\n",
        "import pytest\nfrom prog import f\nclass Own:\n    pass\ndef test_a():\n"
        "    with pytest.raises(TypeError):\n        f(Own(), 1)\n",
        "passes an object of type Own",
    ),
    "operators of the program's own": (
        "class Vector(tuple):\n    def __add__(self, other):\n        return Vector(map(sum, zip(self, other)))\n",
        "from prog import Vector\ndef test_a():\n    assert Vector((1, 2)) + Vector((3, 4)) == (4, 6)\n",
        "what __add__ gives for Vector objects",
    ),
    "data of a strict class": (
        "class Money(int):\n    def __eq__(self, other):\n"
        "        return type(other) is Money and int(self) == int(other)\n"
        "    def __ne__(self, other):\n        return not self == other\n    __hash__ = int.__hash__\n",
        "from prog import Money\ndef test_a():\n"
        "    assert Money(5) != 5 and not Money(5) == 5 and Money(5) == Money(5)\n",
        "equality of Money objects",
    ),
    "a context that swallows": (
        "class Quiet:\n    def __enter__(self):\n        return self\n"
        "    def __exit__(self, *_):\n        return True\n",
        "from prog import Quiet\ndef test_a():\n    with Quiet():\n        raise ValueError\n",
        "was swallowed by a Quiet of the program",
    ),
    "a module of Python's or of the program": (
        "def f(x):\n    return x\n",
        "import colorsys\nfrom prog import f\ndef test_a():\n    assert f(1) == 1\n",
        "imports colorsys, which may be Python's own",
        {"colorsys.py": "def push(x):\n    return x\n"},
    ),
    "what the program logs": (
        "import logging\ndef f(x):\n    logging.warning('%s', x)\n",
        "import unittest\nfrom prog import f\nclass T(unittest.TestCase):\n    def test_a(self):\n"
        "        with self.assertLogs():\n            f(1)\n",
        "uses `assertLogs()`",
    ),
    "what the program writes": (
        "def f(x):\n    with open('out.txt', 'w') as file:\n        file.write(x)\n",
        "from pathlib import Path\nfrom prog import f\ndef test_a():\n    f('a')\n"
        "    assert Path('out.txt').read_text() == 'a'\n",
        "uses `read_text()`",
    ),
    "a list within lists": (
        "def f(n):\n    found = []\n    for _ in range(n):\n        found = [found]\n    return found\n",
        "from prog import f\ndef test_a():\n    assert len(f(150)) == 1\n",
        "nested deeper than 100",
    ),
    "answers in a file": (
        "def f(x):\n    return 2\n",
        "from pathlib import Path\nfrom prog import f\ndef test_a():\n"
        "    with Path('expected.txt').open() as file:\n        assert f(1) == int(file.read())\n",
        "calls open(), which may read files",
        {"expected.txt": "2"},
    ),
    "equality of the program's own": (
        "class Money:\n    def __init__(self, n):\n        self.n = n\n    def __eq__(self, other):\n"
        "        return self.n == (other.n if isinstance(other, Money) else other)\n",
        "from prog import Money\ndef test_a():\n    assert Money(5) == 5\n",
        "rests on the program's word",
    ),
}


@pytest.mark.parametrize("name", NOT_VERIFIED)
async def test_what_cannot_be_judged_says_why(sandbox: LocalSandbox, name: str) -> None:
    program, tests, words, *more = NOT_VERIFIED[name]
    report = await judged(sandbox, program, tests, **(more[0] if more else {}))
    assert (report["verdict"], report["trust"]) == ("passed", "provisional")
    assert words in str(report["not_verified"])


CAUGHT = {
    "equals everything": "class Any:\n    def __eq__(self, other):\n        return True\ndef f(x):\n    return Any()\n",
    "an int that equals everything": (
        "class Any(int):\n    def __eq__(self, other):\n        return True\n    __hash__ = None\n"
        "def f(x):\n    return Any(0)\n"
    ),
    "reads the tests": (
        "import re\nfrom pathlib import Path\nsource = Path('test_prog.py').read_text()\nclass F:\n"
        "    known = dict(re.findall(r'f\\((\\d+)\\) == (\\d+)', source))\ndef f(x):\n    return int(F.known[str(x)])\n"
    ),
    "finds the test in its frames": (
        "import sys\ndef f(x):\n    frame = sys._getframe(1)\n    constants = frame.f_code.co_consts\n"
        "    return next(c for c in constants if isinstance(c, int) and c == x + 1)\n"
    ),
    "patches the interpreter": (
        "import builtins\nclass Calm(Exception):\n    pass\ndef f(x):\n    import test_prog\n"
        "    test_prog.test_1.__code__ = test_prog.test_0.__code__ = (lambda: None).__code__\n    return 1\n"
    ),
    "leaves cases out": (
        "import sys\nclass Gone(dict):\n    pass\ndef f(x):\n    return 1\n"
        "frame = sys._getframe()\n"
        "while frame and frame.f_globals.get('__name__') != 'test_prog':\n    frame = frame.f_back\n"
        "import threading\n"
        "def later():\n    pass\n"
        "import atexit\n"
        "class Hook:\n    def __set_name__(self, owner, name):\n        pass\n"
        "def drop():\n    if frame:\n        frame.f_globals['test_1'] = None\n"
        "sys.setprofile(lambda f, event, arg: drop() if event == 'return' and f is frame else None)\n"
    ),
}
TWO = "from prog import f\ndef test_0():\n    assert f(0) == 1\ndef test_1():\n    assert f(1) == 2\n"


@pytest.mark.parametrize("name", CAUGHT)
async def test_a_deceiver_is_not_green(sandbox: LocalSandbox, name: str) -> None:
    assert (await judged(sandbox, CAUGHT[name], TWO))["verdict"] != "passed"


async def test_the_judge_has_not_the_program_and_the_program_not_the_tests(sandbox: LocalSandbox) -> None:
    program = "from pathlib import Path\ndef files():\n    return sorted(p.name for p in Path('.').iterdir())\n"
    tests = "from prog import files\ndef test_a():\n    assert 'prog.py' in files()\n"
    assert (await judged(sandbox, program, tests, **{"data.txt": "x"}))["trust"] == "verified"
    tests = "from prog import files\ndef test_a():\n    assert 'test_prog.py' in files()\n"
    assert (await judged(sandbox, program, tests))["verdict"] == "failed"
