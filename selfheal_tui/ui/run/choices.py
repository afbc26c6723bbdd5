"""What the user chose at a question about repairs and did not send: for its card, and with the session for later."""

from __future__ import annotations

from functools import partial

from selfheal_tui.engine.moment.review import UnsentChoice

from .port import RunPort
from .unsent import LeftUnsent


class Choices:
    """Keeps the hunks that are left out and the candidates that are marked; each change is written at once."""

    def __init__(self, port: RunPort) -> None:
        self._port = port
        self._disk = LeftUnsent[UnsentChoice](port, lambda session: session.choices)
        self._kept: dict[str, dict[str, UnsentChoice]] = {}
        """Checkpoint of a question -> label of a candidate -> what was chosen of it."""
        self._begun: dict[tuple[str, str], frozenset[int]] = {}
        """(checkpoint, label) -> the hunks that are left out where nothing was chosen."""
        self._loaded: set[str] = set()

    def ready(self, checkpoint_id: str) -> bool:
        """Tell whether the choices of a question are known; else they are loaded, and the screen is drawn again."""
        if checkpoint_id in self._loaded or self._port.driver.session is None:  # who only looks on has none
            return True
        self._port.start_work("choices", partial(self._load, checkpoint_id))
        return False

    async def _load(self, checkpoint_id: str) -> None:
        choices = await self._disk.load(checkpoint_id)
        self._loaded.add(checkpoint_id)
        self._kept[checkpoint_id] = {one["label"]: one for one in choices} | self._kept.get(checkpoint_id, {})
        self._port.show(self._port.model)

    def left_out(self, checkpoint_id: str, label: str) -> frozenset[int] | None:
        """Return the numbers of the hunks that are left out of a candidate; None where nothing was chosen of it."""
        numbers = self._of(checkpoint_id, label).get("left_out")
        return self._begun.get((checkpoint_id, label)) if numbers is None else frozenset(numbers)

    def begin_with(self, checkpoint_id: str, label: str, numbers: frozenset[int]) -> None:
        """Leave out these hunks until others are chosen; nothing is written of who only looks."""
        self._begun[checkpoint_id, label] = numbers

    def marked(self, checkpoint_id: str) -> frozenset[str]:
        """Return the labels of the candidates that are marked to be taken together."""
        return frozenset(label for label, one in self._kept.get(checkpoint_id, {}).items() if one.get("marked"))

    def leave_out(self, checkpoint_id: str, label: str, numbers: frozenset[int]) -> None:
        """Choose the hunks of a candidate."""
        self._keep(checkpoint_id, {**self._of(checkpoint_id, label), "left_out": sorted(numbers)})

    def mark(self, checkpoint_id: str, label: str, marked: bool) -> None:
        """Mark a candidate, or take its mark back."""
        self._keep(checkpoint_id, {**self._of(checkpoint_id, label), "marked": marked})

    def _of(self, checkpoint_id: str, label: str) -> UnsentChoice:
        return self._kept.get(checkpoint_id, {}).get(label, {"label": label})

    def _keep(self, checkpoint_id: str, choice: UnsentChoice) -> None:
        self._kept.setdefault(checkpoint_id, {})[choice["label"]] = choice
        self._disk.save_beside(checkpoint_id, [*self._kept[checkpoint_id].values()])

    async def save(self, checkpoint_id: str) -> None:
        """Write the choices of a question as they are now, before its answer is sent."""
        if kept := self._kept.get(checkpoint_id):
            await self._disk.save(checkpoint_id, [*kept.values()])

    def forget(self) -> None:
        """Read them anew when a question is asked again: an undo may have given some back."""
        for known in (self._kept, self._begun, self._loaded):
            known.clear()
