"""The short way through a plain suite says what pytest says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from selfheal_tui.sandbox.base import Limits, Outcome, Suite, run_through
from selfheal_tui.sandbox.local import LocalSandbox
from tests.dev_data import records, suite_of
from tests.warm import WarmSandbox

QUICK = Limits(time_s=20.0, case_time_s=0.4)
LONG_WAY = ("-p", "no:nothing")
"""Arguments for pytest, which the short way does not take."""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    opened = WarmSandbox()
    yield opened
    asyncio.run(opened.aclose())


async def both(sandbox: LocalSandbox, suite: Suite) -> tuple[Mapping[str, Outcome], Mapping[str, Outcome], bool, bool]:
    ways = []
    for asked in (suite, replace(suite, pytest_args=LONG_WAY)):
        ways += [verdict async for verdict in sandbox.judge(asked, [{}])]
    short, long = ways
    return short.outcomes, long.outcomes, short.all_passed, long.all_passed


BODIES = {
    "passes": "assert f(1) == 2",
    "fails": "assert f(1) == 3",
    "raises": "f(None)",
    "says": "assert f(1) == 3, 'no'",
    "skips": "pytest.skip('not now')",
    "skips as unittest": "import unittest\n    raise unittest.SkipTest('no')",
    "xfails": "pytest.xfail('known')",
    "fails by word": "pytest.fail('bad')",
    "expects": "with pytest.raises(TypeError):\n        f(None)",
    "expects in vain": "with pytest.raises(TypeError):\n        f(1)",
    "exits": "raise SystemExit(0)",
    "exits pytest": "pytest.exit('bye', returncode=0)",
    "is interrupted": "raise KeyboardInterrupt",
    "ends the process": "import os\n    os._exit(0)",
    "never ends": "while True:\n        pass",
    "returns": "return f(1) == 3",
    "recurses": "def g():\n        g()\n    g()",
    "closes a generator": "raise GeneratorExit",
    "is a group": "raise ExceptionGroup('two', [ValueError(1), SystemExit and TypeError(2)])",
}


@pytest.mark.parametrize("body", BODIES)
async def test_a_case_ends_alike(sandbox: LocalSandbox, body: str) -> None:
    tests = "import pytest\nfrom prog import f\n\ndef test_first():\n    assert f(0) == 1\n\n"
    tests += f"def test_body() -> None:\n    {BODIES[body]}\n\ndef test_last():\n    assert f(2) == 3\n"
    files = {"prog.py": "def f(x):\n    return x + 1\n", "test_prog.py": tests}
    short, long, short_passed, long_passed = await both(
        sandbox, Suite(files, ("test_prog.py",), ("prog.py",), limits=QUICK)
    )
    assert short == long and short_passed == long_passed


_COUNTED = """
def f(x):
    if x > 1:
        return 1
    return 2 if x else {}[x]
"""
_CALLS = "from prog import f\n\ndef test_a():\n    assert f(2) == 1\n\ndef test_b():\n    assert f(1) == 1\n"
_ENDS = "\ndef test_c():\n    import os\n    f(0.5)\n    os._exit(0)\n\ndef test_d():\n    assert f(3) == 1\n"


@pytest.mark.parametrize("more", ["", _ENDS, "\ndef test_c(tmp_path):\n    f(0)\n", "\ndef test_c(:\n"])
@pytest.mark.parametrize("program", [_COUNTED, "import nothing_such\n"])
async def test_lines_that_ran_and_outcomes_are_the_same_without_words(
    sandbox: LocalSandbox, program: str, more: str
) -> None:
    files = {"prog.py": program, "test_prog.py": _CALLS + more}
    suite = Suite(files, ("test_prog.py",), ("prog.py",), limits=QUICK, coverage=True)
    with_words, without = [await run_through(sandbox, replace(suite, explain=explain)) for explain in (True, False)]
    ended = [[(case["id"], case["outcome"]) for case in one.report["cases"]] for one in (with_words, without)]
    assert ended[0] == ended[1] and with_words.report["verdict"] == without.report["verdict"]
    assert with_words.coverage == without.coverage
    assert bool(without.coverage) is (program == _COUNTED and "(:" not in more)


@pytest.mark.parametrize(
    "program",
    [
        "def f(:\n",
        "import os\nos._exit(0)\n",
        "raise SystemExit\n",
        "import nothing_such\n",
        "while True:\n    pass\n",
        "",
    ],
)
async def test_a_program_that_cannot_be_imported_ends_alike(sandbox: LocalSandbox, program: str) -> None:
    files = {"prog.py": program, "test_prog.py": "from prog import f\n\ndef test_a():\n    assert f(1) == 2\n"}
    short, long, short_passed, long_passed = await both(
        sandbox, Suite(files, ("test_prog.py",), ("prog.py",), limits=QUICK)
    )
    assert short == long and not short_passed and not long_passed


@pytest.mark.parametrize("name", ["quixbugs", "humanevalfix", "ldb_mbpp"])
async def test_real_programs_end_alike(sandbox: LocalSandbox, name: str) -> None:
    for record in records(name)[::8]:
        for program in filter(None, (record["buggy_code"], record["reference_code"])):
            suite = suite_of(record, program, record["visible_tests"], QUICK)
            short, long, short_passed, long_passed = await both(sandbox, suite)
            assert short == long and short_passed == long_passed, record["id"]


async def test_the_same_tests_are_compiled_once_and_mean_the_same(sandbox: LocalSandbox) -> None:
    files = {"prog.py": "", "test_prog.py": "from prog import f\n\ndef test_a():\n    assert f(1) == 2\n"}
    suite = Suite(files, ("test_prog.py",), ("prog.py",), limits=QUICK)
    variants = [{"prog.py": f"def f(x):\n    return x + {n}\n"} for n in (1, 2, 1, 0, 1)]
    judged = {v.index: v.all_passed async for v in sandbox.judge(suite, variants)}
    assert [judged[n] for n in range(5)] == [True, False, True, False, True]


async def test_a_changed_test_is_not_the_compiled_one(sandbox: LocalSandbox) -> None:
    files = {
        "prog.py": "def f(x):\n    return x\n",
        "test_prog.py": "from prog import f\n\ndef test_a():\n    assert f(1) == 2\n",
    }
    suite = Suite(files, ("test_prog.py",), ("prog.py",), limits=QUICK)
    right = {"test_prog.py": "from prog import f\n\ndef test_a():\n    assert f(1) == 1\n"}
    judged = {v.index: v.all_passed async for v in sandbox.judge(suite, [{}, {}, right, right])}
    assert [judged[n] for n in range(4)] == [False, False, True, True]


@pytest.mark.parametrize("name", ["humaneval", "cruxeval"])
async def test_references_pass(sandbox: LocalSandbox, name: str) -> None:
    for record in records(name):
        suite = suite_of(record, record["reference_code"], record["hidden_tests"], Limits(time_s=20, case_time_s=10))
        (judged,) = [verdict async for verdict in sandbox.judge(suite, [{}])]
        assert judged.all_passed, (record["id"], judged)
    assert (await run_through(sandbox, suite)).report["verdict"] == "passed"
