"""The card that asks how to go on when a budget is used up."""

from __future__ import annotations

import math
from typing import Any

from textual.content import Content

from selfheal_tui.engine.moment.budget import BUDGETS, BudgetReached, amount, same_again, used
from selfheal_tui.text import strip_controls

from .review_card import Keys, ReviewCard

_DIM = "$foreground 60%"
UNITS = {"max_calls": "calls", "max_tokens": "tokens", "max_cost_usd": "dollars", "max_time_s": "seconds"}


class BudgetCard(ReviewCard):
    """Asks for more room, or for the end."""

    KIND = "budget"
    QUESTION = "the budget is used up, go on"
    TAB = "tests"

    @property
    def budget(self) -> BudgetReached | None:
        """What is used up."""
        return self.snapshot.budget if self.snapshot else None

    def keys(self) -> Keys:
        """Return the keys that answer."""
        return [
            ("a", "as much again", "approve"),
            ("e", "set it", "edit"),
            ("r", "finish with the best", "reject"),
            ("s", "stop", "stop_run"),
        ]

    def describe(self) -> Content:
        """Return what is used up, what more would mean, and the best so far."""
        budget = self.budget
        if budget is None:
            return Content("")
        more = same_again(budget["limits"], budget["spent"], budget["reached"])
        parts: list[tuple[str, str]] = [(strip_controls(budget["reason"]), "bold")]
        for name in BUDGETS:
            limit = budget["limits"].get(name)
            have = used(budget["spent"], name)
            if limit is None or have is None:
                continue
            if name in budget["reached"]:
                parts.append((f"\nAs much again makes it {amount(name, float(str(more.get(name))))}.", _DIM))
            else:
                parts.append((f"\nBesides, {amount(name, have)} of {amount(name, float(str(limit)))} used.", _DIM))
        parts.append((f"\n\nBest so far: iteration {budget['best_iteration']}, {budget['best_passed']} pass.", ""))
        return Content.assemble(*parts)

    def prompt(self) -> str:
        """Return what to ask for a new limit."""
        name = self._limit_name
        return f"New limit in {UNITS[name]}, for the whole run:"

    def limits_from(self, text: str) -> dict[str, Any]:
        """Return new limits from what was typed. Raises: ValueError for what is no number above 0."""
        number = float(text.strip().lstrip("$").replace(",", "").replace("_", ""))
        if not 0 < number < math.inf:
            raise ValueError(text)
        return {self._limit_name: int(number) if number == int(number) else number}

    @property
    def _limit_name(self) -> str:
        return self.budget["reached"][0] if self.budget and self.budget["reached"] else BUDGETS[0]
