"""Texts of the editor and of the form that were not sent: in memory for the card, and with the session for later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from selfheal_tui.engine.moment.review import UnsentText

from .port import RunPort
from .unsent import LeftUnsent


class DraftKey(NamedTuple):
    """Names a text: what is edited, of it which candidate, and which of its hunks."""

    checkpoint_id: str
    label: str
    part: str = ""


class Drafts:
    """Keeps what the user left unsent; each change is written to the session at once."""

    def __init__(self, port: RunPort) -> None:
        self._disk = LeftUnsent[UnsentText](port, lambda session: session.texts)
        self._port = port
        self._kept: dict[str, dict[DraftKey, Mapping[str, str]]] = {}
        """Checkpoint of a question -> its texts, once they were loaded."""
        self._parts: dict[DraftKey, str] = {}
        """What a text is of, where it is a part: `hunk 1`."""

    def of(self, checkpoint_id: str) -> Mapping[DraftKey, Mapping[str, str]] | None:
        """Return the texts of a question; None before they are loaded."""
        return self._kept.get(checkpoint_id)

    def get(self, key: DraftKey) -> Mapping[str, str] | None:
        """Return a text that was left; None where there is none."""
        return self._kept.get(key.checkpoint_id, {}).get(key)

    def part_words(self, key: DraftKey) -> str:
        """Name the hunks, or the candidates together, that a text is of; empty for none, and where it is not known."""
        return self._parts.get(key, "")

    async def load(self, checkpoint_id: str) -> None:
        """Read what an earlier visit left, once."""
        if self._port.driver.session is None or checkpoint_id in self._kept:
            return
        texts = await self._disk.load(checkpoint_id)
        read = {DraftKey(checkpoint_id, one["label"], one["part"]): one["texts"] for one in texts}
        self._parts |= {DraftKey(checkpoint_id, one["label"], one["part"]): one.get("of", "") for one in texts}
        self._kept.setdefault(checkpoint_id, {**read})

    def keep(self, key: DraftKey, texts: Mapping[str, str] | None, of: str = "") -> None:
        """Keep a text as it is now; None: it is as it began, and nothing is left of it. `of` as in `UnsentText`."""
        if key.checkpoint_id not in self._kept or texts == self.get(key):
            return
        kept = self._kept[key.checkpoint_id]
        kept.pop(key, None)
        if texts is not None:
            kept[key] = dict(texts)
            self._parts[key] = of
        self._disk.save_beside(key.checkpoint_id, self._unsent_at(key.checkpoint_id))

    async def save(self, checkpoint_id: str) -> None:
        """Write the texts of a question as they are now; nothing once they were sent."""
        if checkpoint_id in self._kept:
            await self._disk.save(checkpoint_id, self._unsent_at(checkpoint_id))

    def _unsent_at(self, checkpoint_id: str) -> list[UnsentText]:
        return [self._unsent(key, texts) for key, texts in self._kept[checkpoint_id].items()]

    def _unsent(self, key: DraftKey, texts: Mapping[str, str]) -> UnsentText:
        unsent: UnsentText = {"label": key.label, "part": key.part, "texts": dict(texts)}
        return {**unsent, "of": words} if (words := self.part_words(key)) else unsent

    async def sent(self, checkpoint_id: str) -> None:
        """Leave the texts of a question to its answer, which takes them from the disk and gives them back if undone."""
        await self.save(checkpoint_id)
        self._kept.pop(checkpoint_id, None)

    def forget(self) -> None:
        """Read them anew when a question is asked again: an undo may have given some back."""
        self._kept.clear()
