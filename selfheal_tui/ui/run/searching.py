"""Search on the run screen: matches come while one types, arrows look at each, Enter shows it, Escape cancels."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from selfheal_tui.engine.moment.hits import Hit
from selfheal_tui.errors import SelfHealError

from ..kit.picker import Question
from ..view.picks import Pick
from ..view.search_rows import counted_words, hit_row
from .looking import Looking
from .picking import Picking
from .port import RunPort

_TABS = {"code": "code", "repair": "diff", "diagnosis": "diagnosis", "call": "calls"}
_LEAST = 2
"""Characters; less would match nearly everything."""


class Searching:
    """Asks what to look for, and shows where it is."""

    PAUSE_S: ClassVar[float] = 0.15
    """Seconds without a key before a search begins."""

    def __init__(
        self, port: RunPort, picking: Picking, looking: Looking, show_candidate: Callable[[int], None]
    ) -> None:
        self._port, self._picking, self._looking, self._show_candidate = port, picking, looking, show_candidate
        self._text = ""
        self._hits: dict[str, Hit] = {}
        self._from: str | None = None
        """The moment that was shown before; None for now."""
        self._tab = ""
        """The tab that was in front before."""

    def ask(self) -> None:
        """Open the search, with what was searched for last."""
        model = self._port.model
        self._from = model.past.checkpoint_id if model.past is not None else None
        self._hits, self._tab = {}, self._port.evidence.tabs.active
        question = Question(
            "Search moments, code and calls:",
            self._stay,
            enter="shows it",
            asked=self._search,
            moved=self._preview,
            left=self._go_back,
        )
        self._picking.ask(question, (), self._text)
        self._search(self._text)

    def _search(self, text: str) -> None:
        self._text = text
        self._port.start_work("search", partial(self._run, text))

    async def _run(self, text: str) -> None:
        session, picker = self._port.driver.saved, self._port.side.picker
        if session is None or len(text.strip()) < _LEAST:
            self._hits = {}
            picker.show((), "Type two letters or more." if session else "The session is not open yet.")
            return
        await asyncio.sleep(self.PAUSE_S)
        self._hits, rows = {}, list[Pick]()
        timeline, counts = self._port.model.timeline, Counter[str]()
        try:
            async for part in session.search(text):
                for hit in part.hits:
                    key = f"{len(rows)}"
                    self._hits[key] = hit
                    rows.append(hit_row(key, hit, timeline))
                    counts[hit.kind] += 1
                if part.hits or part.done < part.total:
                    done = f" · reading {part.done:,} of {part.total:,} moments" if part.done < part.total else ""
                    picker.show(tuple(rows), counted_words(counts) + done)
        except SelfHealError as error:
            picker.show(tuple(rows), str(error))
            return
        picker.show(tuple(rows), counted_words(counts) if rows else "Nothing holds that.")

    def _preview(self, row: Pick) -> None:
        hit = self._hits.get(row.value)
        if hit is not None:
            self._port.start_work("look", partial(self._show, hit, Looking.PAUSE_S, focus=False))

    async def _show(self, hit: Hit, after_s: float = 0.0, *, focus: bool = True) -> None:
        """Show the moment of a match, and the match in its tab."""
        await asyncio.sleep(after_s)
        await self._looking.go(hit.checkpoint_id)
        if focus or self._port.side.picker.is_open:
            # After the question of that moment, if it asks one, has brought its own tab to the front.
            self._port.call_after_refresh(partial(self._show_match, hit, focus))

    def _show_match(self, hit: Hit, focus: bool) -> None:
        label = hit.where.removeprefix("candidate ")
        if hit.kind == "repair" and label.isdecimal():
            self._show_candidate(int(label))
        self._port.evidence.show_match(_TABS.get(hit.kind, ""), hit.where, hit.number, focus=focus)

    async def _stay(self, value: str) -> None:
        hit = self._hits.get(value)
        if hit is None:
            return
        self._port.stop_work("search")
        self._port.stop_work("look")
        await self._show(hit)

    def _go_back(self) -> None:
        self._port.stop_work("search")
        self._port.evidence.tabs.active = self._tab
        if self._from is None:
            self._looking.stay_now()
        else:
            self._looking.look(self._from)
