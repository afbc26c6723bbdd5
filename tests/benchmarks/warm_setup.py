"""What setup that is kept between candidates is worth: `python -m tests.benchmarks.warm_setup`.

A project whose session fixture takes half a second of CPU, once as it is, and once with the fixture as a generator,
which makes it one that is torn down after each case. Prints candidates for each second of CPU, which other work on the
machine hardly changes; starting the sandbox, collecting the cases and the first set-up of each process are in it.
"""

from __future__ import annotations

import asyncio
import resource
from contextlib import aclosing

from selfheal_tui.sandbox.base import Limits, Suite
from selfheal_tui.sandbox.local import LocalSandbox
from selfheal_tui.sandbox.sift import SiftLimits

_CANDIDATES = {"kept": 2000, "torn down": 20}
_WRONG = "def place(n):\n    return n + 1\n"
_TESTS = """import time

import pytest

from shop.places import place


@pytest.fixture(scope="session")
def squares():
    until = time.process_time() + 0.5
    numbers = {}
    while time.process_time() < until:
        numbers = {n: n * n for n in range(1000)}
    WAY numbers


def test_square(squares):
    assert squares[3] == place(3)


def test_one(squares):
    assert squares[1] == 1
"""


async def main() -> None:
    """Measure both ways."""
    for way, word in (("torn down", "yield"), ("kept", "return")):
        files = {"shop/__init__.py": "", "shop/places.py": _WRONG, "test_places.py": _TESTS.replace("WAY", word)}
        suite = Suite(files, ("test_places.py",), tuple(files)[:2], limits=Limits(time_s=600.0))
        variants = [
            {"shop/places.py": f"def place(n):\n    return n + {n}\n"} for n in range(10, 10 + _CANDIDATES[way])
        ]
        before_s, sandbox = _used_s(), LocalSandbox()
        try:
            judged = await _sift(sandbox, suite, variants)
        finally:
            await sandbox.aclose()
        used_s = _used_s() - before_s
        print(f"{way:<10} {judged:5} candidates, {used_s:6.2f} s of CPU, {judged / used_s:8.1f} a second of CPU")


async def _sift(sandbox: LocalSandbox, suite: Suite, variants: list[dict[str, str]]) -> int:
    cases = (["test_places.py::test_square"], ["test_places.py::test_one"])
    judged = 0
    async with aclosing(sandbox.sift(suite, variants, cases, SiftLimits(time_s=5.0))) as values:
        async for value in values:
            judged += value.judged
    return judged


def _used_s() -> float:
    """Return the CPU time of this process and of all that ended below it."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    asyncio.run(main())
