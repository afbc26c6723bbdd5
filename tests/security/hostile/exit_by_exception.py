# rule: not-passed
# does: raises what ends a program or a test run politely, a different one in each case.
import asyncio
import sys

import pytest


def f(x):
    raise (
        SystemExit(0),
        KeyboardInterrupt(),
        GeneratorExit(),
        pytest.exit.Exception("all good", returncode=0),
        asyncio.CancelledError(),
        StopIteration(1),
        BaseExceptionGroup("both", [SystemExit(0), KeyboardInterrupt()]),
        BaseException(),
        sys.exit if x == 8 else SystemExit(None),
        SystemExit("0"),
    )[x]
