"""A change that heals and does more is cut down; what no case ran stays, and so does what makes it sound."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from selfheal_tui.sandbox.base import Suite
from selfheal_tui.sandbox.local import LocalSandbox
from selfheal_tui.search.minimise import minimise
from selfheal_tui.search.weigh.remains import Named
from tests.warm import WarmSandbox

OLD = {
    "prog.py": "def double(n):\n    m = n\n    return m * 3\n\n\ndef half(n):\n    return n // 3\n",
    "more.py": "SIZE = 1\n",
    "test_prog.py": "from prog import double, half\n\n\ndef test_double():\n    assert double(2) == 4\n\n\n"
    "def test_half():\n    assert half(4) == 2\n",
}
SUITE = Suite(OLD, ("test_prog.py",), ("prog.py", "more.py"))
RIGHT = OLD["prog.py"].replace("m * 3", "m * 2").replace("n // 3", "n // 2")


@pytest.fixture
async def sandbox() -> AsyncIterator[LocalSandbox]:
    opened = WarmSandbox()
    yield opened
    await opened.aclose()


async def test_what_a_case_ran_and_does_not_need_goes(sandbox: LocalSandbox) -> None:
    noisy = RIGHT.replace("def double(n):\n", "def double(n):\n    n += 0\n    n -= 0\n")
    assert await minimise(sandbox, SUITE, {"prog.py": noisy}) == {"prog.py": RIGHT}


async def test_what_no_case_ran_stays(sandbox: LocalSandbox) -> None:
    kept = "import os\n\n# Halves and doubles.\n" + RIGHT + "\n\ndef idle(n):\n    return n\n"
    changes = {"prog.py": kept.replace("m = n\n", "m = n + 0\n"), "more.py": "SIZE = 2\n"}
    assert await minimise(sandbox, SUITE, changes) == {"prog.py": kept, "more.py": "SIZE = 2\n"}


@pytest.mark.parametrize(
    "guard",
    [
        "    if n < 0:\n        raise ValueError(n)\n",
        "    if n < 0: raise ValueError(n)\n",
        "    try:\n        n + 0\n    except TypeError:\n        return 0\n",
        '    """Return half of it."""\n',
        "    # Rounds down.\n",
    ],
)
async def test_a_guard_that_no_case_enters_stays(sandbox: LocalSandbox, guard: str) -> None:
    guarded = RIGHT.replace("def half(n):\n", f"def half(n):\n{guard}")
    noisy = guarded.replace("m = n\n", "m = n + 0\n")
    assert await minimise(sandbox, SUITE, {"prog.py": noisy}) == {"prog.py": guarded}


async def test_no_code_is_left_that_cannot_be_reached(sandbox: LocalSandbox) -> None:
    """Every case passes with the old `return` behind the new one, and without the docstring."""
    right = OLD["prog.py"].replace("    m = n\n    return m * 3\n", '    """Twice n."""\n    return n + n\n')
    right = right.replace("n // 3", "n // 2")
    assert await minimise(sandbox, SUITE, {"prog.py": right}) == {"prog.py": right}


async def test_what_is_named_is_not_undone(sandbox: LocalSandbox) -> None:
    """A case runs `half` and does not say what is right."""
    files = {**OLD, "test_prog.py": OLD["test_prog.py"].replace("half(4) == 2", "half(4)")}
    suite, noisy = Suite(files, SUITE.tests, SUITE.program), RIGHT.replace("m = n\n", "m = n + 0\n")
    double = RIGHT.replace("n // 2", "n // 3")
    assert await minimise(sandbox, suite, {"prog.py": noisy}) == {"prog.py": double}
    for named in (Named(words=frozenset({"half"})), Named(lines=frozenset({("prog.py", 7)}))):
        assert await minimise(sandbox, suite, {"prog.py": noisy}, named) == {"prog.py": RIGHT}


async def test_a_change_that_does_not_pass_stays(sandbox: LocalSandbox) -> None:
    changes = {"prog.py": OLD["prog.py"].replace("m * 3", "m * 2")}
    assert await minimise(sandbox, SUITE, changes) == changes
