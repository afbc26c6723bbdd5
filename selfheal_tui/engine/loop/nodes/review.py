"""Nodes: one for each kind of question. Each asks and does nothing else: it runs again from its start on resume."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ...moment.review import ask
from ...moment.state import HealState
from ..reviews.spec import ReviewSpec
from ..reviews.table import REVIEWS
from .answer import answered

ReviewNode = Callable[[HealState], Awaitable[HealState]]


def review_node(spec: ReviewSpec) -> ReviewNode:
    """Make the node that asks the human, unless the run's autonomy or a rule answers, or there is nothing to ask."""

    async def review(state: HealState) -> HealState:
        if state.get("outcome") or (spec.needs and not state.get(spec.needs)):
            return {"decision": None}
        decision = spec.instead(state) or ask({"kind": spec.kind, "iteration": state.get("iteration", 0)})
        return answered(spec.kind, state, decision)

    review.__name__ = spec.node
    return review


REVIEW_NODES: tuple[ReviewNode, ...] = tuple(map(review_node, REVIEWS.values()))
