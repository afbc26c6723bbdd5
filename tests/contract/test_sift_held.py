"""What the tests hold of the program since they were collected never makes a right candidate look wrong for sure."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from selfheal_tui.sandbox.base import Suite, run_through
from selfheal_tui.sandbox.local import LocalSandbox
from selfheal_tui.sandbox.sift import SiftLimits
from tests.warm import WarmSandbox

RIGHT = """\
class Box:
    limit = 3

    def __init__(self, size=2):
        self.size = size

    def double(self, n):
        if n > self.limit:
            raise ValueError(n)
        return n * self.size

    @classmethod
    def made(cls):
        return cls()


def made():
    return Box()


NUMBERS = [1]
"""
WRONG = {"default": RIGHT.replace("size=2", "size=4"), "attribute": RIGHT.replace("limit = 3", "limit = 2")}
LIMITS = SiftLimits(time_s=1.0, fuel=5000)
IMPORTS = "import functools\nimport unittest\n\nimport pytest\nimport box\nfrom box import Box\n\n\n"
UNIT = (
    "    def test_three(self):\n        assert self.{make}.double(3) == 6\n\n"
    "    def test_none(self):\n        assert self.{make}.double(0) == 0\n"
)
PARAMETERS = (
    "@pytest.mark.parametrize('one', [{one}])\n@pytest.mark.parametrize('n', [3, 0])\n"
    "def test_it(one, n):\n    assert {make}.double(n) == 2 * n\n"
)
BOUND = {
    "a class attribute": "class Test(unittest.TestCase):\n    kind = Box\n\n" + UNIT.format(make="kind()"),
    "a static method": "class Test(unittest.TestCase):\n    made = staticmethod(box.made)\n\n"
    + UNIT.format(make="made()"),
    "a class method": "class Test(unittest.TestCase):\n    made = Box.made\n\n" + UNIT.format(make="made()"),
    "a module": "class Test(unittest.TestCase):\n    module = box\n\n" + UNIT.format(make="module.Box()"),
    "a mixin": "class Mixin:\n    kind = None\n\n"
    + UNIT.format(make="kind()")
    + "\n\nclass Test(Mixin, unittest.TestCase):\n    kind = Box\n",
    "a parameter": PARAMETERS.format(one="Box", make="one()"),
    "a list among the parameters": PARAMETERS.format(one="[Box]", make="one[0]()"),
    "a fixture's parameter": "@pytest.fixture(params=[Box])\ndef one(request):\n    return request.param\n\n\n"
    + PARAMETERS.partition("\n")[2].format(make="one()"),
    "a table": "KINDS = {'box': [Box]}\n\n\n" + PARAMETERS.format(one="'box'", make="KINDS[one][0]()"),
    "another name": "Alias = Box\n\n\n" + PARAMETERS.format(one="1", make="Alias()"),
}
NOT_BOUND = {
    "an object": PARAMETERS.format(one="Box()", make="one"),
    "an object of the module": "BOX = Box()\n\n\n" + PARAMETERS.format(one="1", make="BOX"),
    "a subclass": "class Mine(Box):\n    pass\n\n\n" + PARAMETERS.format(one="1", make="Mine()"),
    "a tuple": PARAMETERS.format(one="(Box,)", make="one[0]()"),
    "a partial": PARAMETERS.format(one="functools.partial(Box)", make="one()"),
    "a default": "def make(kind=Box):\n    return kind()\n\n\n" + PARAMETERS.format(one="1", make="make()"),
    "a closure": "def maker(kind):\n    return lambda: kind()\n\n\nmake = maker(Box)\n\n\n"
    + PARAMETERS.format(one="1", make="make()"),
    "a generator": "boxes = (Box for _ in range(99))\n\n\n" + PARAMETERS.format(one="1", make="next(boxes)()"),
    "a foreign container": "import types\nkinds = __import__('collections').ChainMap({'box': Box})\n\n\n"
    + PARAMETERS.format(one="1", make="kinds['box']()"),
    "an object beside one that answers nothing": "class Rude:\n    __slots__ = ()\n\n    def __getattr__(self, name):\n"
    "        raise RuntimeError\n\n\nRUDE = [Rude()]\n\n\n" + PARAMETERS.format(one="Box()", make="one"),
    "what was computed": "DOUBLED = [Box().size * n if n <= Box().limit else 0 for n in range(4)]\n\n\n"
    "@pytest.mark.parametrize('n', [3, 0])\ndef test_it(n):\n    assert DOUBLED[n] == 2 * n\n",
}


@pytest.fixture
async def sandbox() -> AsyncIterator[LocalSandbox]:
    opened = WarmSandbox()
    yield opened
    await opened.aclose()


async def judged(sandbox: LocalSandbox, wrong: str, tests: str, right: str = RIGHT) -> tuple[bool, bool]:
    """Return whether the right program passes everything in a batch, and whether all is sure."""
    suite = Suite({"box.py": wrong, "test_box.py": IMPORTS + tests}, ("test_box.py",), ("box.py",))
    cases = (await run_through(sandbox, suite)).report["cases"]
    failing = [case["id"] for case in cases if case["outcome"] != "passed"]
    passing = [case["id"] for case in cases if case["outcome"] == "passed"]
    assert len(failing) == len(passing) == 1, cases
    variants = [{"box.py": text} for text in (wrong.replace("[1]", "[2]"), right)]
    async with aclosing(sandbox.sift(suite, variants, (failing, passing), LIMITS)) as values:
        found = [value async for value in values]
    marks = {mark.index: mark for value in found for mark in value.marks}
    unsure = {index for value in found for index in value.unsure}
    assert 0 not in marks and unsure <= {0, 1}
    return 1 in marks and marks[1].whole, not unsure


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("way", BOUND)
async def test_what_is_held_by_its_name_is_the_candidates(way: str, wrong: str, sandbox: LocalSandbox) -> None:
    assert await judged(sandbox, WRONG[wrong], BOUND[way]) == (True, True)


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("way", NOT_BOUND)
async def test_what_is_held_otherwise_is_not_judged_for_sure(way: str, wrong: str, sandbox: LocalSandbox) -> None:
    passes, is_sure = await judged(sandbox, WRONG[wrong], NOT_BOUND[way])
    assert passes or not is_sure


@pytest.mark.parametrize(
    "tests",
    [
        "@pytest.mark.parametrize('limit', [Box.limit])\n@pytest.mark.parametrize('n', [3, 0])\n"
        "def test_it(n, limit):\n    assert n <= limit\n",
        "from box import *\nlimits = [Box.limit]\n\n\n@pytest.mark.parametrize('n', [3, 0])\n"
        "def test_it(n):\n    assert n <= limits[0]\n",
        "class Test(unittest.TestCase):\n    limit = box.Box.limit\n\n    def test_three(self):\n"
        "        assert self.limit >= 3\n\n    def test_none(self):\n        assert self.limit >= 0\n",
        "def fits(n, limit=box.Box.limit):\n    return n <= limit\n\n\n@pytest.mark.parametrize('n', [3, 0])\n"
        "def test_it(n):\n    assert fits(n)\n",
    ],
)
async def test_a_value_that_was_read_as_the_tests_were_imported_is_not_judged_for_sure(
    tests: str, sandbox: LocalSandbox
) -> None:
    passes, is_sure = await judged(sandbox, WRONG["attribute"], tests)
    assert passes or not is_sure


async def test_a_changed_body_reaches_whatever_is_held(sandbox: LocalSandbox) -> None:
    wrong = RIGHT.replace("return n * self.size", "return n + self.size")
    tests = PARAMETERS.format(one="Box()", make="one").replace("[3, 0]", "[3, 2]")
    passes, _ = await judged(sandbox, wrong, tests)
    assert passes
