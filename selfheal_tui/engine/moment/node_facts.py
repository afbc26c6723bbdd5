"""What each node of the graph is called and what its end means: one table, compared with the graph by a test. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from selfheal_tui.text import one_line

from .review import ReviewKind


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """What there is to know of a node without running it."""

    name: str
    doing: str
    """What it does, to follow "is"."""
    done: str
    """The moment after it."""
    asks: ReviewKind | None = None
    """What it asks the human about; None for a node that computes."""
    in_tree: str = ""
    """The moment after it as the tree says it, where that differs from `done`."""
    by_hand: str = "changed by you"
    """The moment after it where a fork took its place."""
    folded: bool = False
    """The tree has no row for it, unless something else hangs on that moment."""
    folded_unasked: bool = False
    """The same, as long as nobody was asked: what it asks is only asked where every review is wanted."""
    brief: bool = False
    """Over at once: progress does not tell of it."""
    runs_cases: bool = False
    outdates_diagnosis: bool = False
    """After it the diagnosis is about an earlier program, or there is none."""

    @property
    def row(self) -> str:
        """The moment after it as the tree says it."""
        return self.in_tree or self.done


START = "start"
"""The moment before the first node."""
_FACTS = (
    NodeFacts(START, "starting", "start", folded=True),
    NodeFacts("write_spec_tests", "writing tests for the spec", "tests written", folded=True),
    NodeFacts("review_tests", "review of the tests", "tests decided", asks="tests", folded_unasked=True),
    NodeFacts("generate", "writing the code", "code written"),
    NodeFacts("review_code", "code review", "code decided", asks="code", folded_unasked=True),
    NodeFacts("write_adversarial_tests", "reading the code with hostile eyes", "hostile tests written", folded=True),
    NodeFacts("run_suite", "running the tests", "tests ran", runs_cases=True, outdates_diagnosis=True),
    NodeFacts("diagnose", "looking for the cause", "diagnosis made", in_tree="diagnosis"),
    NodeFacts(
        "review_diagnosis", "diagnosis review", "diagnosis decided", asks="diagnosis", by_hand="diagnosis changed"
    ),
    NodeFacts("plan", "choosing strategies", "strategies chosen", folded=True, brief=True),
    NodeFacts(
        "propose", "looking for repairs", "repairs proposed", in_tree="repairs drafted", folded=True, runs_cases=True
    ),
    NodeFacts("rank", "comparing the repairs", "repairs compared", in_tree="repair proposed"),
    NodeFacts("review_repair", "repair review", "repair decided", asks="repair"),
    NodeFacts("apply", "carrying out the decision", "repair applied", in_tree="applied", outdates_diagnosis=True),
    NodeFacts(
        "learn",
        "taking a lesson",
        "lesson taken",
        by_hand="code changed",
        folded=True,
        brief=True,
        outdates_diagnosis=True,
    ),
    NodeFacts("critique", "looking for what nobody checked", "criticised", folded=True, outdates_diagnosis=True),
    NodeFacts("security_review", "reviewing security", "security reviewed", folded=True, outdates_diagnosis=True),
    NodeFacts("quality", "reviewing quality", "quality reviewed", folded=True, outdates_diagnosis=True),
    NodeFacts("own_advice", "asking advisors of your own", "own advisors asked", folded=True, outdates_diagnosis=True),
    NodeFacts("review_end", "the last review", "end decided", asks="end", folded_unasked=True, outdates_diagnosis=True),
    NodeFacts("review_stalled", "review of the repetition", "repetition decided", asks="stalled"),
    NodeFacts("review_budget", "budget review", "budget decided", asks="budget"),
    NodeFacts("settle_budget", "changing the budget", "budget changed"),
    NodeFacts("conclude", "ending", "end", folded=True, brief=True),
)
NODE_FACTS: Mapping[str, NodeFacts] = {facts.name: facts for facts in _FACTS}
"""By the node's name; an advisory node that nobody has described here is called by its name."""


def facts_of(node: str) -> NodeFacts:
    """Return what is known of a node; one that is not in the table is called by its name, made safe."""
    facts = NODE_FACTS.get(node)
    if facts is None:
        words = one_line(node.replace("_", " "), 60)
        facts = NodeFacts(node, words, words)
    return facts


def was_passed_over(node: str, decision: Mapping[str, Any] | None) -> bool:
    """Tell whether a question that is only asked where every review is wanted was not asked."""
    return facts_of(node).folded_unasked and (decision is None or decision.get("by") == "policy")


def asked_by(nodes: Iterable[str]) -> ReviewKind | None:
    """Return what the first of these nodes asks that asks anything; None when none does."""
    return next((NODE_FACTS[node].asks for node in nodes if node in NODE_FACTS and NODE_FACTS[node].asks), None)
