"""What every sandbox of the registry must do, over real processes."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from selfheal_tui.errors import SandboxError, SettingsError
from selfheal_tui.sandbox.base import (
    CaseFinished,
    CaseResult,
    Limits,
    Sandbox,
    Suite,
    SuiteFinished,
    SuiteReport,
    VariantJudged,
)
from selfheal_tui.sandbox.local import LocalSandbox
from selfheal_tui.sandbox.registry import open_sandbox
from tests.processes import children, descendants
from tests.tiers import opened

QUICK = Limits(time_s=20.0, case_time_s=0.4)


@pytest.fixture(scope="module", params=["namespaces", "landlock"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[LocalSandbox]:
    yield from opened(request.param)


def suite(program: str, tests: str, limits: Limits = QUICK, **more: object) -> Suite:
    files = {"prog.py": program, "test_prog.py": tests, **more.pop("files", {})}  # type: ignore[dict-item]
    return Suite(files, ("test_prog.py",), ("prog.py",), limits=limits, **more)  # type: ignore[arg-type]


async def finish(sandbox: Sandbox, asked: Suite) -> SuiteFinished:
    cases = []
    async for event in sandbox.run(asked):
        if isinstance(event, CaseFinished):
            cases.append(event.case)
        else:
            assert sorted(case["id"] for case in cases) == sorted(case["id"] for case in event.report["cases"])
            return event
    raise AssertionError("the run ended without its report")


async def report_of(sandbox: Sandbox, program: str, tests: str, **more: object) -> SuiteReport:
    return (await finish(sandbox, suite(program, tests, **more))).report  # type: ignore[arg-type]


def outcomes(report: SuiteReport) -> dict[str, str]:
    return {case["id"].partition("::")[2]: case["outcome"] for case in report["cases"]}


def only(report: SuiteReport) -> CaseResult:
    (case,) = report["cases"]
    return case


ADD = "def add(a, b):\n    return a + b\n"
SUBTRACT = "def add(a, b):\n    return a - b\n"
TEST_ADD = "from prog import add\n\ndef test_add():\n    assert add(1, 2) == 3\n"


async def test_a_correct_program_passes(sandbox: Sandbox) -> None:
    report = await report_of(sandbox, ADD, TEST_ADD)
    assert report["verdict"] == "passed"
    assert report["error"] is None
    assert (report["passed"], report["failed"]) == (1, 0)
    assert report["trust"] == "provisional"
    assert report["not_verified"]
    assert report["isolation"] == list(sandbox.isolation)


async def test_a_failure_shows_both_sides_and_where(sandbox: Sandbox) -> None:
    report = await report_of(sandbox, SUBTRACT, TEST_ADD)
    case = only(report)
    assert report["verdict"] == "failed"
    assert case["outcome"] == "failed"
    assert (case["expected"], case["actual"]) == ("3", "-1")
    assert case["message"] == "assert -1 == 3"
    assert case["location"] == "test_prog.py:4"
    assert "assert add(1, 2) == 3" in case["traceback"]


async def test_what_is_looked_for_in_a_thing_is_not_what_it_should_have_been(sandbox: Sandbox) -> None:
    for claim, message in (("7 in [add(1, 2)]", "assert 7 in [-1]"), ("add(1, 2) > 2", "assert -1 > 2")):
        case = only(
            await report_of(sandbox, SUBTRACT, f"from prog import add\n\ndef test_add():\n    assert {claim}\n")
        )
        assert (case["message"], case["expected"], case["actual"]) == (message, None, None)
        assert "compared" not in case


async def test_an_exception_is_placed_in_the_program(sandbox: Sandbox) -> None:
    program = "def add(a, b):\n    return inner(a)\n\ndef inner(a):\n    return a + 'x'\n"
    case = only(await report_of(sandbox, program, TEST_ADD))
    assert case["outcome"] == "failed"
    assert case["location"] == "prog.py:5"
    assert case["message"].startswith("TypeError: unsupported operand")
    assert case["expected"] is None
    assert [line for line in case["traceback"].splitlines() if " in " in line][-1] == "prog.py:5 in inner"
    assert "_pytest" not in case["traceback"]


async def test_the_words_of_an_assertion_come_with_its_comparison(sandbox: Sandbox) -> None:
    tests = "from prog import add\ndef test_add():\n    assert add(1, 2) == 3, 'sums are wrong'\n"
    case = only(await report_of(sandbox, SUBTRACT, tests))
    assert case["message"] == "AssertionError: sums are wrong (assert -1 == 3)"


async def test_long_and_hostile_reprs_are_capped(sandbox: Sandbox) -> None:
    tests = (
        "class Bad:\n    def __repr__(self):\n        raise ValueError(0)\n\n"
        "def test_long():\n    assert 'x' * 5000 == ''\n\ndef test_bad():\n    assert Bad() == 1\n"
    )
    long, bad = (await report_of(sandbox, "", tests))["cases"]
    assert len(long["compared"][0]) <= 400
    assert bad["outcome"] == "failed"
    assert bad["compared"][0] == "<Bad whose text cannot be had: ValueError>"


async def test_a_broken_fixture_is_an_error_of_its_case(sandbox: Sandbox) -> None:
    tests = (
        "import pytest\n@pytest.fixture\ndef broken():\n    raise ValueError('no')\n\n"
        "def test_a(broken):\n    pass\n\ndef test_b(missing):\n    pass\n\ndef test_c():\n    pass\n"
    )
    report = await report_of(sandbox, "", tests)
    assert outcomes(report) == {"test_a": "error", "test_b": "error", "test_c": "passed"}
    assert report["cases"][0]["message"] == "ValueError: no"
    assert "fixture 'missing' not found" in report["cases"][1]["message"]
    assert report["verdict"] == "failed"


async def test_a_slow_case_is_a_timeout_and_the_others_run(sandbox: Sandbox) -> None:
    tests = "def test_a():\n    pass\n\ndef test_b():\n    while True:\n        pass\n\ndef test_c():\n    pass\n"
    report = await report_of(sandbox, "", tests)
    assert outcomes(report) == {"test_a": "passed", "test_b": "timeout", "test_c": "passed"}
    assert report["cases"][1]["message"] == "no result within 0.4 s"
    assert report["timeouts"] == 1


async def test_a_bare_except_does_not_swallow_the_timeout(sandbox: Sandbox) -> None:
    tests = (
        "import time\ndef test_a():\n    while True:\n        try:\n            time.sleep(9)\n"
        "        except BaseException:\n            pass\n\n"
        "def test_b():\n    try:\n        time.sleep(9)\n    except BaseException:\n        pass\n\n"
        "def test_c():\n    pass\n"
    )
    report = await report_of(sandbox, "", tests)
    assert outcomes(report) == {"test_a": "timeout", "test_b": "timeout", "test_c": "passed"}


async def test_a_loop_in_c_is_killed_and_the_others_run(sandbox: Sandbox) -> None:
    tests = (
        "def test_a():\n    pass\n\ndef test_b():\n    print('before')\n    sum(iter(int, 1))\n\n"
        "def test_c():\n    print('after')\n"
    )
    report = await report_of(sandbox, "", tests)
    assert outcomes(report) == {"test_a": "passed", "test_b": "timeout", "test_c": "passed"}
    assert [case["output"] for case in report["cases"]] == ["", "before\n", "after\n"]


async def test_the_suite_ends_at_its_deadline(sandbox: Sandbox) -> None:
    tests = "def test_a():\n    pass\n\ndef test_b():\n    sum(iter(int, 1))\n\ndef test_c():\n    pass\n"
    report = await report_of(sandbox, "", tests, limits=Limits(time_s=1.0, case_time_s=60.0))
    assert outcomes(report) == {"test_a": "passed", "test_b": "timeout", "test_c": "timeout"}
    assert "1 s were over" in report["cases"][1]["message"]


async def test_an_endless_import_is_stopped(sandbox: Sandbox) -> None:
    report = await report_of(sandbox, "while True:\n    pass\n", TEST_ADD)
    assert report["verdict"] == "error"
    assert report["error"] == "test_prog.py cannot be collected: no result within 0.4 s"
    report = await report_of(sandbox, "sum(iter(int, 1))\n", TEST_ADD)
    assert only(report)["message"] == "no result within 0.4 s"


async def test_parametrize_classes_and_fixtures(sandbox: Sandbox) -> None:
    tests = (
        "import pytest\nfrom prog import add\n\n"
        "@pytest.mark.parametrize('a, b', [(1, 2), (3, 4)], ids=['small', 'big'])\n"
        "def test_add(a, b, base):\n    assert add(a, b) == a + b + base\n\n"
        "class TestMore:\n    def test_zero(self, tmp_path, capsys, monkeypatch):\n        print('seen')\n"
        "        assert capsys.readouterr().out == 'seen\\n'\n        (tmp_path / 'x').write_text('y')\n\n"
        "@pytest.mark.skip(reason='later')\ndef test_later():\n    assert False\n\n"
        "@pytest.mark.xfail\ndef test_known():\n    assert False\n"
    )
    conftest = "import pytest\n@pytest.fixture\ndef base():\n    return 0\n"
    report = await report_of(sandbox, ADD, tests, files={"conftest.py": conftest})
    assert outcomes(report) == {
        "test_add[small]": "passed",
        "test_add[big]": "passed",
        "TestMore::test_zero": "passed",
        "test_later": "skipped",
        "test_known": "skipped",
    }
    assert report["verdict"] == "passed"


async def test_unittest_and_folders(sandbox: Sandbox) -> None:
    tests = (
        "import unittest\nfrom pkg.core import one\n\nclass Case(unittest.TestCase):\n"
        "    def test_one(self):\n        self.assertEqual(one(), 1)\n"
        "    def test_two(self):\n        self.assertEqual(one(), 2)\n"
    )
    asked = Suite(
        {"src/pkg/__init__.py": "", "src/pkg/core.py": "def one():\n    return 1\n", "tests/test_core.py": tests},
        ("tests",),
        ("src/pkg/core.py",),
        limits=QUICK,
    )
    report = (await finish(sandbox, asked)).report
    assert outcomes(report) == {"Case::test_one": "passed", "Case::test_two": "failed"}
    assert report["cases"][1]["message"] == "AssertionError: 1 != 2"


async def test_a_program_may_be_named_like_a_loaded_module(sandbox: Sandbox) -> None:
    asked = Suite(
        {"queue.py": "ANSWER = 42\n", "test_queue.py": "import queue\ndef test_it():\n    assert queue.ANSWER == 42\n"},
        ("test_queue.py",),
        ("queue.py",),
    )
    assert (await finish(sandbox, asked)).report["verdict"] == "passed"


async def test_coverage_is_per_case_and_leaves_imports_out(sandbox: Sandbox) -> None:
    program = "LIMIT = 2\n\ndef f(x):\n    if x > LIMIT:\n        return 'big'\n    return 'small'\n"
    tests = (
        "from prog import f\ndef test_big():\n    assert f(3) == 'big'\ndef test_small():\n    assert f(1) == 'small'\n"
    )
    end = await finish(sandbox, suite(program, tests, coverage=True))
    assert end.coverage == {
        "test_prog.py::test_big": {"prog.py": frozenset({4, 5})},
        "test_prog.py::test_small": {"prog.py": frozenset({4, 6})},
    }
    assert (await finish(sandbox, suite(program, tests))).coverage == {}


async def test_a_program_that_does_not_parse(sandbox: Sandbox) -> None:
    report = await report_of(sandbox, "def add(a, b):\n    x = 1\n    return a +\n", TEST_ADD)
    assert report["verdict"] == "error"
    assert report["error"] == "prog.py does not parse, line 3: invalid syntax"
    assert only(report)["id"] == "test_prog.py"
    assert only(report)["outcome"] == "error"
    assert only(report)["location"] == "prog.py:3"


async def test_a_file_that_cannot_be_collected_spares_the_others(sandbox: Sandbox) -> None:
    asked = Suite(
        {"prog.py": ADD, "test_a.py": "from prog import missing\n", "test_b.py": TEST_ADD, "b/test_b.py": TEST_ADD},
        ("test_a.py", "test_b.py", "b/test_b.py"),
        ("prog.py",),
    )
    report = (await finish(sandbox, asked)).report
    assert report["verdict"] == "error"
    assert report["error"] is not None
    assert report["error"].startswith("test_a.py cannot be collected: ImportError: cannot import name 'missing'")
    assert [(case["id"], case["outcome"]) for case in report["cases"]] == [
        ("test_a.py", "error"),
        ("b/test_b.py", "error"),
        ("test_b.py::test_add", "passed"),
    ]
    assert "test_b.py has the same name, and pytest takes both for one module: " in report["cases"][1]["message"]


async def test_a_suite_in_several_processes_is_reported_as_in_one(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("selfheal_tui.sandbox.local.cores", lambda: 2)
    where = "import os\ndef test_where():\n    open('seen', 'x')\n"
    asked = Suite(
        {
            "prog.py": ADD,
            "test_a.py": TEST_ADD,
            "test_b.py": "",
            "test_c.py": where,
            "test_d.py": "1 / 0",
            "b/test_a.py": "",
        },
        ("test_a.py", "test_b.py", "test_c.py", "test_d.py"),
        ("prog.py",),
        coverage=True,
    )
    one, several = await finish(sandbox, asked), await finish(sandbox, replace(asked, pytest_args=("-n", "auto")))
    assert several.coverage == one.coverage

    def told(report: SuiteReport) -> list[object]:
        cases = [(case["id"], case["outcome"], case["message"]) for case in report["cases"]]
        return [cases, report["verdict"], report["error"], report["passed"], report["errors"]]

    assert told(several.report) == told(one.report) and len(one.report["cases"]) == 3
    green = replace(asked, tests=asked.tests[:2])
    for args in ((), ("-n2",)):
        report = (await finish(sandbox, replace(green, pytest_args=args, verify=True))).report
        assert (report["verdict"], report["trust"], report["passed"]) == ("passed", "verified", 1), report
    nothing = replace(asked, files={**asked.files, "test_a.py": ""}, tests=asked.tests[:2], pytest_args=("-n2",))
    assert (await finish(sandbox, nothing)).report["error"] == "no test was found in test_a.py, test_b.py"


async def test_an_exception_on_import_says_where(sandbox: Sandbox) -> None:
    report = await report_of(sandbox, "x = 1\ny = x / 0\n", TEST_ADD)
    assert report["error"] == "test_prog.py cannot be collected: ZeroDivisionError: division by zero"
    assert only(report)["location"] == "prog.py:2"
    assert "y = x / 0" in only(report)["traceback"]


async def test_a_broken_conftest_is_named(sandbox: Sandbox) -> None:
    report = await report_of(sandbox, ADD, TEST_ADD, files={"conftest.py": "1 / 0\n"})
    assert report["verdict"] == "error"
    assert report["error"] == "conftest.py cannot be collected: ZeroDivisionError: division by zero"


@pytest.mark.parametrize(
    ("tests", "error"),
    [
        ("x = 1\n", "no test was found in test_prog.py"),
        ("import pytest\n@pytest.mark.skip\ndef test_a(): pass\n", "every test was skipped, so nothing was checked"),
    ],
)
async def test_nothing_checked_is_no_success(sandbox: Sandbox, tests: str, error: str) -> None:
    report = await report_of(sandbox, ADD, tests)
    assert (report["verdict"], report["error"]) == ("error", error)


async def test_a_missing_test_file_is_an_error(sandbox: Sandbox) -> None:
    report = (await finish(sandbox, Suite({"prog.py": ADD}, ("test_gone.py",)))).report
    assert report["verdict"] == "error"
    assert "test_gone.py" in str(report["error"])
    assert report["cases"] == []


async def test_text_arrives_whole_and_safe(sandbox: Sandbox) -> None:
    tests = "def test_a():\n    print('\\x1b[31mgrün\\x07', '日本', '\\u202e')\n    assert 'ä\\x1b[2J' == 'ö'\n"
    case = only(await report_of(sandbox, "", tests))
    assert case["output"] == "grün\ufffd 日本 \ufffd\n"
    assert "\x1b" not in repr(case)
    assert case["compared"][1] == "'ö'"


async def test_files_are_written_as_given(sandbox: Sandbox) -> None:
    tests = "def test_a():\n    assert open('data.txt', 'rb').read() == 'a\\r\\nö\\n'.encode()\n"
    assert (await report_of(sandbox, "", tests, files={"data.txt": "a\r\nö\n"}))["verdict"] == "passed"


LOUD = """import sys
print("loading the tables \\x1b[31m")
print("on stderr", file=sys.stderr)
print("left in the buffer", end="")

def add(a, b):
    print("adding")
    return a + b
"""


@pytest.mark.parametrize("fixture", ["", "pytestmark = []\n"], ids=["fast path", "pytest"])
async def test_what_is_printed_on_import_is_in_the_report(sandbox: Sandbox, fixture: str) -> None:
    report = await report_of(sandbox, LOUD, fixture + TEST_ADD, verify=True)
    assert report["verdict"] == "passed"
    assert sorted(report["output"].splitlines()) == ["left in the buffer", "loading the tables ", "on stderr"]
    assert only(report)["output"] == "adding\n"


@pytest.mark.parametrize("fixture", ["", "pytestmark = []\n"], ids=["fast path", "pytest"])
async def test_a_quiet_suite_prints_nothing(sandbox: Sandbox, fixture: str) -> None:
    assert (await report_of(sandbox, ADD, fixture + TEST_ADD))["output"] == ""


async def test_what_is_printed_before_an_import_fails_is_in_the_report(sandbox: Sandbox) -> None:
    for end in ("raise ValueError('no table')\n", "import os\nsys.stdout.flush()\nos._exit(3)\n"):
        report = await report_of(sandbox, LOUD + end, TEST_ADD)
        assert report["verdict"] == "error" and "left in the buffer" in report["output"]


async def test_what_is_printed_on_import_is_capped_and_told_once(sandbox: Sandbox) -> None:
    program = "print('head' + 'x' * 100_000 + 'tail')\n" + ADD
    report = await report_of(sandbox, program, TEST_ADD)
    assert report["truncated"] and len(report["output"]) < 20_000
    assert report["output"].startswith("head") and report["output"].endswith("tail\n")
    tests = (
        TEST_ADD
        + "\ndef test_crash():\n    import os\n    os._exit(1)\n\ndef test_after():\n    assert add(1, 1) == 2\n"
    )
    report = await report_of(sandbox, LOUD, tests)
    assert outcomes(report) == {"test_add": "passed", "test_crash": "error", "test_after": "passed"}
    assert report["output"].count("loading") == 1


@pytest.mark.parametrize("deep", ["-" * 200_000 + "1", "1+" * 60_000 + "1", "1" + " if 1 else 1" * 30_000])
async def test_code_nested_too_deeply_is_named(sandbox: Sandbox, deep: str) -> None:
    report = await report_of(sandbox, f"# tables\nx = {deep}\n{ADD}", TEST_ADD)
    assert report["error"] == "prog.py does not parse: it is nested too deeply"
    case = only(report)
    assert (case["outcome"], case["location"]) == ("error", "prog.py:1")
    assert case["message"] == "SyntaxError: it is nested too deeply"


async def test_output_keeps_head_and_tail(sandbox: Sandbox) -> None:
    tests = (
        "def test_a():\n    print('first')\n    print('x' * 100_000)\n    print('last')\n\n"
        "def test_b():\n    print('b')\n"
    )
    report = await report_of(sandbox, "", tests, limits=Limits(case_time_s=5, output_bytes=4096))
    first, second = report["cases"]
    assert report["truncated"]
    assert report["verdict"] == "passed"
    assert first["output"].startswith("first\n")
    assert first["output"].endswith("last\n")
    assert len(first["output"]) < 4200
    assert second["outcome"] == "passed"


async def test_a_flood_of_output_is_stopped(sandbox: Sandbox) -> None:
    tests = "def test_a():\n    while True:\n        print('x' * 10_000)\n\ndef test_b():\n    pass\n"
    report = await report_of(sandbox, "", tests, limits=Limits(time_s=20, case_time_s=10))
    assert report["truncated"]
    assert outcomes(report) == {"test_a": "error", "test_b": "passed"}
    assert report["cases"][0]["message"] == "the program printed more than 8 MiB"


async def test_a_memory_bomb_fails_its_case_only(sandbox: Sandbox) -> None:
    tests = "def test_a():\n    x = bytearray(1 << 33)\n\ndef test_b():\n    pass\n"
    report = await report_of(sandbox, "", tests, limits=Limits(memory_bytes=256 << 20))
    assert outcomes(report) == {"test_a": "failed", "test_b": "passed"}
    assert report["cases"][0]["message"] == "MemoryError"


async def test_a_crash_is_an_error_of_its_case(sandbox: Sandbox) -> None:
    tests = "import ctypes\ndef test_a():\n    ctypes.string_at(0)\n\ndef test_b():\n    pass\n"
    report = await report_of(sandbox, "", tests)
    assert outcomes(report) == {"test_a": "error", "test_b": "passed"}
    assert report["cases"][0]["message"] == "the process ended before this case finished (killed by SIGSEGV)"


@pytest.mark.parametrize("dies", ["os.kill(os.getpid(), signal.SIGTERM)", "os.abort()"])
async def test_a_case_has_a_parent_and_dies_of_the_signals_that_it_sends_itself(
    sandbox: LocalSandbox, dies: str
) -> None:
    await report_of(sandbox, "", "def test_a():\n    pass\n")
    unseen = "assert '1' not in os.listdir('/proc')" if "namespaces" in sandbox.isolation else "pass"
    tests = f"import os, signal\ndef test_a():\n    assert os.getppid()\n    {dies}\n\ndef test_b():\n    {unseen}\n"
    report = await report_of(sandbox, "", tests)
    assert outcomes(report) == {"test_a": "error", "test_b": "passed"}
    name = "SIGABRT" if "abort" in dies else "SIGTERM"
    assert report["cases"][0]["message"] == f"the process ended before this case finished (killed by {name})"


async def test_a_grandchild_that_holds_the_pipe_is_not_waited_for(sandbox: LocalSandbox) -> None:
    if sandbox.isolation and "namespaces" not in sandbox.isolation:
        pytest.skip("this tier starts no processes at all")
    tests = (
        "import subprocess\n\n@__import__('pytest').mark.parametrize('own', [False, True])\ndef test_a(own):\n"
        "    child = subprocess.Popen(['sleep', '4321'], start_new_session=own)\n    print('pid', child.pid)\n"
        "    child.returncode = 0\n"
    )
    report = await report_of(sandbox, "", tests)
    assert report["verdict"] == "passed"
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert b"sleep\x004321\x00" not in commands


async def test_the_environment_is_built_from_nothing(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    await sandbox.aclose()
    tests = (
        "import os, sys\ndef test_a():\n    assert 'ANTHROPIC_API_KEY' not in os.environ\n"
        "    for pid in (1, os.getpid(), os.getppid()):\n        try:\n"
        "            assert b'secret' not in open(f'/proc/{pid}/environ', 'rb').read()\n"
        "        except OSError:\n            pass\n"
        "    assert os.getcwd() == os.environ['HOME']\n    assert sys.stdin.read() == ''\n"
        "    held = []\n    for fd in range(256):\n        try:\n            os.fstat(fd)\n"
        "            held.append(fd)\n        except OSError:\n            pass\n    assert max(held) <= 4, held\n"
    )
    case = only(await report_of(sandbox, "", tests))
    assert case["outcome"] == "passed", case


async def test_what_files_the_machine_holds_in_memory_is_neither_told_nor_changed(sandbox: Sandbox) -> None:
    """The answer is that of a kernel too old to know the call, so that libraries fall back."""
    program = """
import ctypes, mmap, os, sys

def refused(act):
    try:
        act()
    except OSError as error:
        return error.errno
    return 0

def f():
    libc = ctypes.CDLL(None, use_errno=True)
    with open("own", "w+b") as own, open(os.__file__, "rb") as library:
        os.pwritev(own.fileno(), [b"text"], 0)
        own.flush()
        os.fsync(own.fileno())
        os.fdatasync(own.fileno())
        os.sync()
        pages = mmap.mmap(library.fileno(), 0, prot=mmap.PROT_READ)
        pages.madvise(mmap.MADV_WILLNEED)
        pages.madvise(mmap.MADV_RANDOM)
        return [
            os.preadv(own.fileno(), [bytearray(4)], 0),
            refused(lambda: os.preadv(own.fileno(), [bytearray(4)], 0, os.RWF_NOWAIT)),
            refused(lambda: os.preadv(library.fileno(), [bytearray(4)], 0, os.RWF_HIPRI)),
            refused(lambda: os.pwritev(own.fileno(), [b"text"], 0, os.RWF_DSYNC)),
            refused(lambda: os.posix_fadvise(own.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)),
            refused(lambda: pages.madvise(21)),
            (libc.syncfs(own.fileno()), ctypes.get_errno()),
        ]
"""
    tests = """import errno
from prog import f

def test_f():
    old = errno.EOPNOTSUPP
    assert f() == [4, old, old, old, errno.ENOSYS, errno.EINVAL, (-1, errno.EPERM)]
"""
    report = await report_of(sandbox, program, tests)
    assert report["verdict"] == "passed", report["cases"]


async def test_a_path_outside_the_folder_is_refused(sandbox: Sandbox) -> None:
    with pytest.raises(SandboxError, match="outside"):
        await finish(sandbox, Suite({"../x.py": ""}, ("test.py",)))


async def test_stop_on_failure_ends_at_the_first(sandbox: Sandbox) -> None:
    tests = "def test_a():\n    pass\ndef test_b():\n    assert 0\ndef test_c():\n    pass\n"
    report = await report_of(sandbox, "", tests, stop_on_failure=True)
    assert outcomes(report) == {"test_a": "passed", "test_b": "failed"}
    assert report["verdict"] == "failed"
    crash = tests.replace("assert 0", "__import__('os')._exit(0)")
    assert outcomes(await report_of(sandbox, "", crash, stop_on_failure=True)) == {
        "test_a": "passed",
        "test_b": "error",
    }


async def test_judge_tells_the_right_program(sandbox: Sandbox) -> None:
    asked = suite(SUBTRACT, TEST_ADD + "\ndef test_zero():\n    assert add(0, 0) == 0\n")
    variants = [{}, {"prog.py": ADD}, {"prog.py": "def add(a, b:\n"}, {"prog.py": "def add(a, b):\n    return 3\n"}]
    judged = {verdict.index: verdict async for verdict in sandbox.judge(asked, variants)}
    assert [judged[i].all_passed for i in range(4)] == [False, True, False, False]
    assert judged[0].outcomes == {"test_prog.py::test_add": "failed", "test_prog.py::test_zero": "passed"}
    assert judged[2].outcomes == {"test_prog.py": "error"}
    assert judged[3].outcomes == {"test_prog.py::test_add": "passed", "test_prog.py::test_zero": "failed"}


@pytest.mark.parametrize("extra", [{}, {"conftest.py": "import pytest\n"}], ids=["template", "own settings"])
async def test_judge_and_run_agree(sandbox: Sandbox, extra: dict[str, str]) -> None:
    tests = (
        "import pytest, unittest\nfrom prog import add\n\n"
        "@pytest.mark.parametrize('a', [0, 1])\ndef test_add(a, tmp_path, capsys):\n    assert add(a, 0) == a\n"
        "    assert add(0, a) == a\n\n"
        "class TestMore(unittest.TestCase):\n    def test_two(self):\n        self.assertEqual(add(2, 2), 0)\n\n"
        "@pytest.mark.skip\ndef test_later():\n    pass\n\ndef test_broken(nothing):\n    pass\n\n"
        "def test_endless():\n    while add:\n        pass\n\ndef test_last():\n    pass\n"
    )
    files = {"prog.py": SUBTRACT, "tests/test_prog.py": tests, "test_more.py": "import nothing_such\n", **extra}
    asked = Suite(files, ("tests", "test_more.py"), ("prog.py",), limits=QUICK)
    report = (await finish(sandbox, asked)).report
    judged = [verdict async for verdict in sandbox.judge(asked, [{}])]
    assert [verdict.outcomes for verdict in judged] == [{case["id"]: case["outcome"] for case in report["cases"]}]
    assert sorted(judged[0].outcomes.values()) == sorted(
        ["error", "passed", "failed", "passed", "skipped", "error", "timeout", "passed"]
    )


async def test_judge_stops_at_the_first_failure_when_asked(sandbox: Sandbox) -> None:
    tests = "from prog import add\ndef test_a():\n    assert add(1, 1) == 2\ndef test_b():\n    pass\n"
    asked = suite(SUBTRACT, tests, stop_on_failure=True)
    judged = {verdict.index: verdict async for verdict in sandbox.judge(asked, [{}, {"prog.py": ADD}])}
    assert judged[0].outcomes == {"test_prog.py::test_a": "failed"}
    assert judged[1].all_passed


async def test_settings_above_the_work_folder_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "conftest.py").write_text("1 / 0\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\npython_functions = check_*\n")
    own = LocalSandbox()
    try:
        assert (await report_of(own, ADD, TEST_ADD))["verdict"] == "passed"
        assert [verdict.all_passed async for verdict in own.judge(suite(ADD, TEST_ADD), [{}])] == [True]
    finally:
        await own.aclose()


async def test_judge_draws_lazily_and_stops_when_closed(sandbox: Sandbox) -> None:
    drawn = []

    def endless() -> Iterator[dict[str, str]]:
        while True:
            drawn.append(1)
            yield {"prog.py": ADD}

    verdicts = sandbox.judge(suite(SUBTRACT, TEST_ADD), endless())
    first = await anext(verdicts)
    assert isinstance(first, VariantJudged)
    assert first.all_passed
    await verdicts.aclose()  # type: ignore[attr-defined]
    assert len(drawn) <= 2 * (os.cpu_count() or 1) + 2


async def test_closing_a_run_kills_it(sandbox: LocalSandbox) -> None:
    await report_of(sandbox, ADD, TEST_ADD)
    spares = len(descendants(os.getpid()))
    tests = "def test_a():\n    pass\ndef test_b():\n    sum(iter(int, 1))\n"
    events = sandbox.run(suite("", tests, limits=Limits(time_s=60, case_time_s=60)))
    await anext(events)
    assert len(descendants(os.getpid())) > spares
    await events.aclose()  # type: ignore[attr-defined]
    assert len(descendants(os.getpid())) == spares


async def test_runs_go_side_by_side(sandbox: Sandbox) -> None:
    programs = [ADD, SUBTRACT] * 3
    reports = await asyncio.gather(*(report_of(sandbox, program, TEST_ADD) for program in programs))
    assert [report["verdict"] for report in reports] == ["passed", "failed"] * 3


async def test_every_run_starts_alike(sandbox: Sandbox) -> None:
    tests = "import random\n\ndef test_a():\n    print(random.random(), {'a', 'b', 'c', 'd'}, hash('x'))\n"
    said = [only(await report_of(sandbox, "", tests))["output"] for _ in range(3)]
    await sandbox.aclose()
    assert said == [only(await report_of(sandbox, "", tests))["output"]] * 3


async def test_heavy_packages_are_imported_ahead_and_once() -> None:
    own = LocalSandbox()
    loaded = "import sys\nfirst = 'hypothesis' in sys.modules\nimport hypothesis\n\ndef test_a():\n    assert first\n"
    try:
        assert (await report_of(own, "", "def test_a():\n    pass\n"))["verdict"] == "passed"
        for tests in (loaded, "def test_a():\n    pass\n", loaded):
            assert (await report_of(own, "", tests))["verdict"] == "passed"
    finally:
        await own.aclose()


async def test_a_hundred_at_once_leave_nothing_behind(
    sandbox: LocalSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await report_of(sandbox, ADD, TEST_ADD)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = descendants(os.getpid()), len(os.listdir("/proc/self/fd")), Path("/proc/self/mounts").read_text()
    messy = "import os\nopen('left', 'w').write('x' * 9999)\nos.open('/dev/null', 0)\n" + ADD
    reports = await asyncio.gather(*(report_of(sandbox, messy, TEST_ADD) for _ in range(100)))
    assert {report["verdict"] for report in reports} == {"passed"}
    # What a test before this one had killed may be gone by now.
    assert len(descendants(os.getpid())) <= len(before[0])
    assert len(os.listdir("/proc/self/fd")) <= before[1]
    assert Path("/proc/self/mounts").read_text() == before[2]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
async def test_a_server_that_a_program_harmed_is_replaced(sandbox: Sandbox, number: int) -> None:
    harm = f"import os, time\ndef test_a():\n    os.kill(os.getppid(), {number:d})\n    time.sleep(99)\n"
    tests = harm + "def test_b():\n    pass\n"
    report = await report_of(sandbox, "", tests, limits=Limits(time_s=2, case_time_s=0.4))
    assert report["verdict"] != "passed"
    assert outcomes(report)["test_a"] != "passed"
    assert (await report_of(sandbox, ADD, TEST_ADD))["verdict"] == "passed"


@pytest.mark.parametrize("layers", ["namespaces", "landlock"])
async def test_closing_leaves_neither_process_nor_folder(
    layers: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    own = LocalSandbox(layers=layers)
    before = children(os.getpid())
    tests = "import os\ndef test_a():\n    os.mkdir('closed')\n    os.chmod('closed', 0)\n"
    assert (await report_of(own, "", tests))["verdict"] == "passed"
    # The sandbox that the other tests share may start processes at any moment.
    servers = children(os.getpid()) - before
    started = servers.union(*map(descendants, servers))
    assert servers < started
    await own.aclose()
    assert list(tmp_path.iterdir()) == []
    assert not any(Path(f"/proc/{pid}").exists() for pid in started)


def test_an_unknown_name_tells_the_nearest() -> None:
    with pytest.raises(SettingsError, match="local"):
        open_sandbox("locale")


async def test_values_at_a_line_are_seen(sandbox: Sandbox) -> None:
    program = "def total(items):\n    s = 0\n    for item in items:\n        s += item\n    return s\n"
    tests = "from prog import total\n\ndef test_a():\n    assert total([1, 2]) == 3\n\ndef test_b():\n    pass\n"
    finished = await finish(sandbox, suite(program, tests, watch={"prog.py": (4, 5)}))
    seen = finished.watched["test_prog.py::test_a"]
    assert [(entry["line"], entry["locals"]["s"]) for entry in seen] == [(4, "0"), (4, "1"), (5, "3")]
    assert seen[0]["file"] == "prog.py" and seen[0]["locals"]["item"] == "1"
    assert finished.watched["test_prog.py::test_b"] == []
    assert (await finish(sandbox, suite(program, tests))).watched == {}
