"""A scripted model whose repairer waits at a gate: what is interrupted there is never over too soon."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from selfheal_tui.llm.base import Completion, Request, TextDelta
from selfheal_tui.llm.scripted import ScriptedProvider
from selfheal_tui.llm.time_limits import TimeLimits
from tests.engine.driving import ANSWERS


class Gate:
    """Closed until `opened` is set; counts who came to it."""

    def __init__(self) -> None:
        self.opened = asyncio.Event()
        self.arrived = 0


gates: list[Gate] = []
"""The gate of the test that runs; its last entry holds."""


class GatedProvider(ScriptedProvider):
    """Answers as `ANSWERS` say; the repairer only once the gate is open."""

    async def stream(self, request: Request) -> AsyncIterator[TextDelta | Completion]:
        if request.role == "repairer":
            gates[-1].arrived += 1
            await gates[-1].opened.wait()
        async for part in super().stream(request):
            yield part


def open_provider(model: str, limits: TimeLimits | None = None) -> GatedProvider:
    """Open it; `model` and the limits change nothing."""
    return GatedProvider(ANSWERS)
