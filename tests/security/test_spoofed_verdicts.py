"""Programs that want to be judged right without being right; every one of them is wrong.

A program in the tests' own process can reach the tests' own machinery, which is why its verdict is `provisional`.
Those that win there must lose before the judge in another process.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfheal_tui.sandbox.base import Limits, Sandbox, Suite, SuiteFinished, SuiteReport
from selfheal_tui.sandbox.registry import open_sandbox
from tests.processes import descendants

TESTS = "from prog import f\n\ndef test_one():\n    assert f(1) == 2\n\ndef test_two():\n    assert f(2) == 3\n"
WRONG = "\ndef f(x):\n    return None\n"

STOPPED = {
    "prints_success": "print('TEST_PASSED\\nSANDBOX_RESULT:PASS\\n2 passed in 0.01s')" + WRONG,
    "exits_on_import": "import os\nos._exit(0)" + WRONG,
    "exits_in_the_case": "import os\ndef f(x):\n    os._exit(0)\n",
    "exits_in_the_last_case": "import os\ndef f(x):\n    if x == 2:\n        os._exit(0)\n    return x + 1\n",
    "sys_exit_on_import": "import sys\nsys.exit(0)" + WRONG,
    "sys_exit_in_the_case": "import sys\ndef f(x):\n    sys.exit(0)\n",
    "raises_keyboard_interrupt": "def f(x):\n    raise KeyboardInterrupt\n",
    "raises_generator_exit": "def f(x):\n    raise GeneratorExit\n",
    "pytest_exit": "import pytest\ndef f(x):\n    pytest.exit('all good', returncode=0)\n",
    "pytest_skip": "import pytest\ndef f(x):\n    pytest.skip('not today')\n",
    "atexit": "import atexit, os\natexit.register(os._exit, 0)" + WRONG,
    "kills_itself": "import os\ndef f(x):\n    os.kill(os.getpid(), 9)\n",
    "becomes_another_program": "import os\ndef f(x):\n    os.execv('/bin/true', ['true'])\n",
    "closes_everything": "import os\ndef f(x):\n    os.closerange(0, 100)\n",
    "writes_everywhere": (
        "import os\ndef f(x):\n    for fd in range(3, 20):\n        try:\n"
        '            os.write(fd, b\'\\0\\0\\0\\x10{"t": "done"}    \')\n'
        "        except OSError:\n            pass\n    return x\n"
    ),
    "endless_json": (
        "import os\ndef f(x):\n    body = b'[' * 100_000\n"
        "    os.write(4, len(body).to_bytes(4, 'big') + body)\n    return x\n"
    ),
    "huge_frame": "import os\ndef f(x):\n    os.write(4, b'\\xff' * 64)\n    return x\n",
    "forks_twins": "import os\ndef f(x):\n    os.fork()\n    return x\n",
    "leaves_in_a_thread": (
        "import os, threading, time\ndef f(x):\n    threading.Thread(target=os._exit, args=(0,)).start()\n"
        "    time.sleep(3)\n"
    ),
    "stops_the_clock": (
        "import signal\ndef f(x):\n    signal.setitimer(signal.ITIMER_REAL, 0)\n    while True:\n        pass\n"
    ),
    "patches_pytest": "from _pytest.python import Function\nFunction.runtest = lambda self: None" + WRONG,
    "shadows_pytest": "import sys, types\nsys.modules['pytest'] = types.ModuleType('pytest')" + WRONG,
}

CONDEMNED = {"patches_pytest"}
"""Every case seems to pass; the control that must fail does too."""

WINS_INSIDE = {
    "equals_everything": "class Any:\n    def __eq__(self, other):\n        return True\ndef f(x):\n    return Any()\n",
    "rewrites_the_tests": (
        "def nothing(): pass\ndef f(x):\n    import test_prog\n"
        "    test_prog.test_two.__code__ = nothing.__code__\n    return 2\n"
    ),
    "speaks_for_the_plugin": (
        "import os, signal\ndef f(x):\n    thing = signal.getsignal(signal.SIGALRM).__self__\n"
        "    thing._send_case()\n    thing.send('start', id='test_prog.py::test_two')\n"
        "    thing.send('case', id='test_prog.py::test_two', outcome='passed')\n"
        "    thing.control = 'failed'\n    thing.finish()\n    os._exit(0)\n"
    ),
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    opened = open_sandbox("local")
    yield opened
    asyncio.run(opened.aclose())


async def report_of(sandbox: Sandbox, program: str, verify: bool = False) -> SuiteReport:
    limits = Limits(time_s=15.0, case_time_s=0.4)
    suite = Suite(
        {"prog.py": program, "test_prog.py": TESTS}, ("test_prog.py",), ("prog.py",), limits=limits, verify=verify
    )
    async for event in sandbox.run(suite):
        if isinstance(event, SuiteFinished):
            return event.report
    raise AssertionError("the run ended without its report")


async def test_the_honest_program_passes(sandbox: Sandbox) -> None:
    report = await report_of(sandbox, "def f(x):\n    return x + 1\n", verify=True)
    assert (report["verdict"], report["trust"], report["not_verified"]) == ("passed", "verified", None)


@pytest.mark.parametrize("trick", STOPPED)
async def test_a_trick_does_not_pass(sandbox: Sandbox, trick: str) -> None:
    report = await report_of(sandbox, STOPPED[trick])
    assert report["verdict"] != "passed"
    assert trick in CONDEMNED or any(case["outcome"] != "passed" for case in report["cases"])
    assert (await report_of(sandbox, "def f(x):\n    return x + 1\n"))["verdict"] == "passed"


@pytest.mark.parametrize("trick", STOPPED)
async def test_judging_is_no_easier_to_deceive(sandbox: Sandbox, trick: str) -> None:
    limits = Limits(time_s=15.0, case_time_s=0.4)
    suite = Suite({"prog.py": "", "test_prog.py": TESTS}, ("test_prog.py",), ("prog.py",), limits=limits)
    judged = [verdict async for verdict in sandbox.judge(suite, [{"prog.py": STOPPED[trick]}])]
    assert [verdict.all_passed for verdict in judged] == [False]


@pytest.mark.parametrize("trick", WINS_INSIDE)
async def test_what_wins_inside_loses_before_the_judge(sandbox: Sandbox, trick: str) -> None:
    inside = await report_of(sandbox, WINS_INSIDE[trick])
    assert (inside["verdict"], inside["trust"]) == ("passed", "provisional")
    assert (await report_of(sandbox, WINS_INSIDE[trick], verify=True))["verdict"] != "passed"


async def test_what_ended_early_is_an_error_that_says_so(sandbox: Sandbox) -> None:
    report = await report_of(sandbox, STOPPED["exits_in_the_case"])
    assert [case["outcome"] for case in report["cases"]] == ["error", "error"]
    assert report["cases"][0]["message"] == "the process ended before this case finished (exit status 0)"


async def test_a_forged_frame_condemns_the_run(sandbox: Sandbox) -> None:
    report = await report_of(sandbox, STOPPED["writes_everywhere"])
    assert report["verdict"] == "error"
    assert "does not add up" in str(report["error"])


def test_nothing_outlives_a_killed_host(tmp_path: Path) -> None:
    """The host dies without a word: the server and what it runs see the end of the socket."""
    tests = "def test_a():\n    pass\ndef test_b():\n    sum(iter(int, 1))\n"
    host = (
        "import asyncio, tempfile\nfrom selfheal_tui.sandbox.base import Limits, Suite\n"
        "from selfheal_tui.sandbox.registry import open_sandbox\n"
        f"tempfile.tempdir = {str(tmp_path)!r}\n"
        "async def main():\n"
        f"    suite = Suite({{'test_a.py': {tests!r}}}, ('test_a.py',), limits=Limits(60, 60))\n"
        "    async for _ in open_sandbox('local').run(suite):\n        print('one', flush=True)\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen([sys.executable, "-c", host], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"one\n"
        started = descendants(process.pid)
        assert len(started) >= 3
        process.send_signal(signal.SIGKILL)
    for pid in started:
        wait_until_gone(pid)
    assert list(tmp_path.iterdir()) == []


def wait_until_gone(pid: int) -> None:
    """Wait for the end of a process that is not our child."""
    try:
        watch = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    poll = select.poll()
    poll.register(watch, select.POLLIN)
    ended = poll.poll(5000)
    os.close(watch)
    assert ended, f"process {pid} lives on"
