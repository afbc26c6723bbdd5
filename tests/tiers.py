"""Sandboxes of one tier, for tests; skipped where the machine does not allow the tier."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from selfheal_tui.errors import SandboxError
from selfheal_tui.sandbox.local import LocalSandbox


def opened(layers: str) -> Iterator[LocalSandbox]:
    """Yield a sandbox of this tier and close it."""
    sandbox = LocalSandbox(layers=layers)
    try:
        asyncio.run(sandbox.layers())
    except SandboxError as error:
        pytest.skip(error.message)
    yield sandbox
    asyncio.run(sandbox.aclose())
