"""The provider as tests open it: with a worker that answers with entries instead of a model's words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import stand_in
from selfheal_transformers import local_process
from selfheal_transformers.local_model import Place
from selfheal_transformers.provider import TransformersProvider

from selfheal_tui.plugins.providers import Completion, Request, TimeLimits
from selfheal_tui.plugins.testing.providers import answer, question

FAST = TimeLimits(connect_s=2.0, first_s=0.3, piece_s=0.3, total_s=1.5)
"""For tests of time-outs."""
PATIENT = TimeLimits(connect_s=10.0, first_s=30.0, piece_s=30.0, total_s=60.0)
"""For all others: the machine may be busy."""
CODE = f"import sys; sys.path[:0] = [{str(Path(__file__).parent)!r}, *sys.argv[1:]]; import stand_in; stand_in.main()"
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["cause", "lines"],
    "properties": {
        "cause": {"type": "string", "minLength": 1, "maxLength": 2000},
        "lines": {"type": "array", "maxItems": 8, "items": {"type": "integer", "minimum": 1}},
    },
}

request = question


class Rig:
    """An open provider, and what came of its last call."""

    def __init__(self, provider: TransformersProvider) -> None:
        self.provider = provider
        self.pieces: list[str] = []

    async def ask(self, asked: Request | None = None) -> Completion:
        """Make one call and return its completion."""
        self.pieces = []
        return (await answer(self.provider, asked, self.pieces))[0]


def opened_with(patch: pytest.MonkeyPatch, *entries: Mapping[str, Any], limits: TimeLimits = PATIENT) -> Rig:
    """Open the provider with these entries; whoever takes it closes it."""
    patch.setattr(local_process, "_CODE", CODE)
    patch.setenv(stand_in.ENTRIES, json.dumps(entries))
    return Rig(TransformersProvider(Place(), limits))


@asynccontextmanager
async def local_rig(
    patch: pytest.MonkeyPatch, *entries: Mapping[str, Any], limits: TimeLimits = PATIENT
) -> AsyncIterator[Rig]:
    """Open the provider with these entries, and close it."""
    rig = opened_with(patch, *entries, limits=limits)
    yield rig
    await rig.provider.aclose()


async def until(holds: Callable[[], bool], time_s: float = 5.0) -> None:
    """Wait for what comes about by itself; fail when it does not."""
    async with asyncio.timeout(time_s):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


__all__ = ["FAST", "PATIENT", "SCHEMA", "Rig", "local_rig", "opened_with", "request", "until"]
