"""A process that ends at an import: by the program or by the test file itself."""

from __future__ import annotations

from typing import Any, cast

import pytest

from selfheal_tui.engine.suites.ended_at_import import ended_words, program_ended_it
from selfheal_tui.sandbox.base import CaseResult

TEST = "from ex import double\n\n\ndef test():\n    assert double(1) == 2\n"
PROGRAM = "import os\nfrom os import abort\n\n\ndef double(n):\n    return n * 2\n\n\n"


def case(message: str = "the process ended while this file was imported (exit status 0)") -> CaseResult:
    facts: dict[str, Any] = {"id": "test_ex.py", "outcome": "error", "message": message}
    return cast(CaseResult, facts)


@pytest.mark.parametrize("call", ["os._exit(0)", "if True:\n    abort()", "os.kill(os.getpid(), 9)"])
def test_the_program_ended_it(call: str) -> None:
    files = {"ex.py": f"{PROGRAM}{call}\n", "test_ex.py": TEST}
    assert program_ended_it(case(), files, ["ex.py"])
    assert ended_words(case(), files, ["ex.py"]).startswith("ex.py ends the process (`")


@pytest.mark.parametrize(
    ("program", "test", "message"),
    [
        (PROGRAM, TEST, case()["message"]),
        (f"{PROGRAM}def stop():\n    os._exit(0)\n", TEST, case()["message"]),
        (f"{PROGRAM}os._exit(0)\n", f"import os\nos._exit(1)\n{TEST}", case()["message"]),
        (f"{PROGRAM}os._exit(0)\n", TEST, "NameError: name 'x' is not defined"),
        ("def broken(:\n", TEST, case()["message"]),
    ],
)
def test_it_did_not(program: str, test: str, message: str) -> None:
    assert not program_ended_it(case(message), {"ex.py": program, "test_ex.py": test}, ["ex.py"])
