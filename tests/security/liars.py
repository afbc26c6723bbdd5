"""Programs that pass their tests without knowing one answer, by class, and what the second opinion makes of them.

The files in `liars/` hold them as text: `== name`, the program, then parts that begin with `--`: `test` (statements of
one case), `module` (the whole of test_prog.py), `data NAME` (a file of neither), a path below `tests/` (one of the
tests') or another path (one of the program's).

    python -m tests.security.liars --layers namespaces [--as UID]      prints a JSON line for each
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import textwrap
from pathlib import Path
from typing import Any

from selfheal_tui.errors import SandboxError
from selfheal_tui.sandbox.base import Limits, Suite, SuiteReport, run_through
from selfheal_tui.sandbox.local import LocalSandbox

_FOLDER = Path(__file__).parent / "liars"
_LIMITS = Limits(time_s=20.0, case_time_s=2.0)
_TOP = "import math, unittest\nimport pytest\nfrom prog import f\ndef test_a():\n"


def corpus() -> dict[str, Suite]:
    """Return every program with its tests, by class and name."""
    found = {}
    for path in sorted(_FOLDER.glob("*.txt")):
        for entry in path.read_text("utf-8").split("\n== "):
            name, _, text = entry.removeprefix("== ").partition("\n")
            found[f"{path.stem}: {name}"] = _suite(text)
    return found


def _suite(text: str) -> Suite:
    program, *parts = ("\n" + text).split("\n-- ")
    files, tests, own = {"prog.py": program + "\n"}, [], ["prog.py"]
    for part in parts:
        head, _, body = part.partition("\n")
        name = "test_prog.py" if head in ("test", "module") else head.removeprefix("data ")
        files[name] = _TOP + textwrap.indent(body, "    ") if head == "test" else body + "\n"
        if name.rpartition("/")[2].startswith("test_"):
            tests.append(name)
        elif name.endswith(".py") and not name.startswith("tests/"):
            own.append(name)
    return Suite(files, tuple(tests), tuple(own), limits=_LIMITS)


async def opinions(sandbox: LocalSandbox, suite: Suite) -> tuple[SuiteReport, SuiteReport]:
    """Return the report of the program's own process, and the one after the second opinion."""
    inside = (await run_through(sandbox, suite)).report
    return inside, await sandbox.verify(suite, inside)


async def _main(layers: str) -> None:
    sandbox = LocalSandbox(layers=layers)
    try:
        for name, suite in corpus().items():
            print(json.dumps({"name": name, **_facts(*await opinions(sandbox, suite))}), flush=True)
    except SandboxError as error:
        print(json.dumps({"skip": error.message}))
    finally:
        await sandbox.aclose()


def _facts(inside: SuiteReport, after: SuiteReport) -> dict[str, Any]:
    failed = [case["message"] for case in after["cases"] if case["outcome"] not in ("passed", "skipped")]
    return {
        "bites": inside["verdict"] == "passed",
        "verified": after["verdict"] == "passed" and after["trust"] == "verified",
        "said": inside["error"] or after["error"] or next(iter(failed), None) or after["not_verified"],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", default="auto")
    parser.add_argument("--as", dest="user", type=int)
    given = parser.parse_args()
    if given.user is not None:
        os.setgroups([])
        os.setresgid(given.user, given.user, given.user)
        os.setresuid(given.user, given.user, given.user)
        os.environ["HOME"] = "/tmp"
    asyncio.run(_main(given.layers))
