"""The tables of nodes and of review kinds fit the graph, and the store reads node names as they do."""

from __future__ import annotations

from typing import get_args

import pytest

from selfheal_tui.engine.loop.graph import NODES
from selfheal_tui.engine.loop.reviews.table import REVIEWS
from selfheal_tui.engine.moment.node_facts import NODE_FACTS, START, asked_by, facts_of
from selfheal_tui.engine.moment.review import ReviewKind
from selfheal_tui.store.history import asked_kind

NAMES = [node.__name__ for node in NODES]


def test_every_node_is_described_and_nothing_else() -> None:
    assert set(NODE_FACTS) == {START, *NAMES}


def test_every_kind_of_question_has_its_spec_and_its_node() -> None:
    assert set(REVIEWS) == set(get_args(ReviewKind))
    assert {facts.asks: facts.name for facts in NODE_FACTS.values() if facts.asks} == {
        kind: spec.node for kind, spec in REVIEWS.items()
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_store_tells_by_the_name_what_the_table_tells(name: str) -> None:
    assert asked_kind(name) == (facts_of(name).asks or "")


def test_nodes_that_make_a_proposal_or_bring_a_question_back_exist() -> None:
    assert {node for spec in REVIEWS.values() for node in spec.made_in} <= set(NAMES)


def test_an_unknown_node_is_called_by_its_name() -> None:
    facts = facts_of("open_\x1b[31mmarks\nhere")
    assert (facts.doing, facts.row, facts.asks) == ("open marks here", "open marks here", None)
    assert asked_by(["review_nothing", "run_suite"]) is None
    assert asked_by(["run_suite", "review_end"]) == "end"
