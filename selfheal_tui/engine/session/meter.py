"""What a run uses, noted while it runs: each node's time, and what its model calls took."""

from __future__ import annotations

import time
from functools import partial

from selfheal_tui.store.usage import UsageLog

from ..moment.events import CallFinished, CallWaits


class Meter:
    """Notes the usage of one run on one branch."""

    def __init__(self, log: UsageLog, branch: str) -> None:
        self._log = log
        self._branch = branch
        self._node = ""
        self._began = 0.0

    def started(self, node: str, began_s: float | None = None) -> None:
        """A node begins, or began at `began_s`; of several side by side the first counts for all."""
        if not self._node:
            self._node, self._began = node, time.monotonic() if began_s is None else began_s

    async def saved(self) -> None:
        """A checkpoint ends the node; write down what was noted."""
        if self._node:
            self._log.add(self._branch, self._node, runs=1, time_s=time.monotonic() - self._began)
            self._node = ""
        await self._log.flush()

    def heard(self, event: object) -> None:
        """Note what an event says of a model call."""
        add = partial(self._log.add, self._branch, self._node)
        match event:
            case CallWaits():
                add(event.role, event.model, retries=1)
            case CallFinished(replayed=True):
                add(event.role, event.model, replayed_calls=1)
            case CallFinished(usage=used):
                add(
                    event.role,
                    event.model,
                    calls=1,
                    input_tokens=used.input_tokens,
                    output_tokens=used.output_tokens,
                    cost_usd=used.cost_usd or 0.0,
                    unpriced_calls=used.cost_usd is None,
                    degraded=bool(event.degraded),
                )
