"""`verdict` says what `run` says, sooner: of programs that cheat, that die, that need pytest, and of honest ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from selfheal_tui.sandbox.base import Limits, Suite, run_through
from selfheal_tui.sandbox.local import LocalSandbox
from tests.contract.test_verify import CAUGHT, NOT_VERIFIED, TWO, VERIFIED
from tests.security.test_spoofed_verdicts import STOPPED, TESTS, WINS_INSIDE
from tests.tiers import opened

_LIMITS = Limits(time_s=8.0, case_time_s=1.0)
_HONEST = {"right": "def f(x):\n    return x + 1\n", "wrong": "def f(x):\n    return 0\n", "broken": "def f(x)\n"}
_TRICKS = {**_HONEST, **STOPPED, **WINS_INSIDE}
_SLOW = "the time limit of a case is over before either is told"
"""Why a program is left out: it takes seconds, and another of its kind is there."""
_LEFT_OUT = {"stops_the_clock": _SLOW}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    yield from opened("namespaces")


def suites() -> dict[str, Suite]:
    """Return what both are asked about."""
    found = {
        name: Suite({"prog.py": text, "test_prog.py": TESTS}, ("test_prog.py",), ("prog.py",))
        for name, text in _TRICKS.items()
        if name not in _LEFT_OUT
    }
    some = list((VERIFIED | NOT_VERIFIED).items())[::3]  # the other tests of these tables run all of them
    known = {name: (entry[0], entry[1]) for name, entry in some if len(entry) < 4}
    for name, (program, tests) in {**known, **{name: (text, TWO) for name, text in CAUGHT.items()}}.items():
        found[name] = Suite({"prog.py": program, "test_prog.py": tests}, ("test_prog.py",), ("prog.py",))
    return {name: replace(suite, limits=_LIMITS, verify=True) for name, suite in found.items()}


SUITES = suites()


@pytest.mark.parametrize("name", SUITES)
async def test_both_say_the_same(sandbox: LocalSandbox, name: str) -> None:
    long, short = (await run_through(sandbox, SUITES[name])).report, await sandbox.verdict(SUITES[name])
    facts = [
        (
            report["verdict"],
            report["trust"],
            report["not_verified"],
            [(case["id"], case["outcome"]) for case in report["cases"]],
        )
        for report in (long, short)
    ]
    assert facts[0] == facts[1]
    assert name not in STOPPED or short["verdict"] != "passed"
