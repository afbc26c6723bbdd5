"""Whole sessions on a real store and a real sandbox, with a scripted model where one is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from selfheal_tui.engine.session.workbench import Workbench

collect_ignore = ["data"]
"""Programs to heal, with tests that fail."""


@pytest.fixture
async def workbench(tmp_path: Path) -> AsyncIterator[Workbench]:
    bench = Workbench(tmp_path / "sessions")
    yield bench
    await bench.aclose()
