"""A change that heals and does more is cut down to what heals; one that does not heal comes back as it is."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from selfheal_tui.sandbox.base import Suite
from selfheal_tui.sandbox.local import LocalSandbox
from selfheal_tui.search.minimise import minimise
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


async def test_what_does_nothing_goes(sandbox: LocalSandbox) -> None:
    noisy = "import os\n" + RIGHT.replace("m = n\n", "m = n + 0\n") + "\n\ndef unused():\n    pass\n"
    changes = {"prog.py": noisy, "more.py": "SIZE = 2\n"}
    assert await minimise(sandbox, SUITE, changes) == {"prog.py": RIGHT}


async def test_a_change_that_does_not_pass_stays(sandbox: LocalSandbox) -> None:
    changes = {"prog.py": OLD["prog.py"].replace("m * 3", "m * 2")}
    assert await minimise(sandbox, SUITE, changes) == changes
