"""The loop as a LangGraph: one flat graph, conditional edges, no Runtime in a route.

    spec mode: START -> write_spec_tests -> review_tests -> generate -> review_code -> write_adversarial_tests
                     -> review_tests -> run_suite
    fix mode:  START -> run_suite

    run_suite -- fails --> diagnose -> review_diagnosis -> plan -> propose xN (Send) -> rank -> review_repair -> apply
                              ^---------- reject ---'                                                            |
              ^------------------------- taken ------- learn <---------------------------------------------------'
                                                         |--- refused by the human: plan, by the policy: diagnose
    rank: nothing new -> diagnose; again nothing new -> review_stalled
    run_suite -- passes --> critique -- confirmed objection --> run_suite
                               '--> security_review -> quality -> own_advice -> review_end
    review_end -- reject --> diagnose
    review_repair, a question answered: apply -> learn -> run_suite -> plan; review_end: the same -> diagnose
    diagnose, plan: out of budget -> review_budget -> settle_budget -> the same node again
    any node that names an outcome -> conclude -> END

Node names are frozen: a renamed node would make a paused session look finished. A change of shape bumps
GRAPH_VERSION. A further advisory node is one file and one line in advisors.py.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, cast

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from ..moment.state import HealState
from ..workshop.deps import Deps
from .advisors import load_advisors
from .nodes.apply import apply
from .nodes.conclude import conclude
from .nodes.critique import critique
from .nodes.diagnose import diagnose
from .nodes.generate import generate
from .nodes.learn import learn
from .nodes.own_advice import own_advice
from .nodes.plan import plan
from .nodes.propose import propose
from .nodes.rank import rank
from .nodes.review import REVIEW_NODES
from .nodes.run_suite import run_suite
from .nodes.settle_budget import settle_budget
from .nodes.write_adversarial_tests import write_adversarial_tests
from .nodes.write_spec_tests import write_spec_tests
from .own_advisors import OWN
from .routes import (
    after_apply,
    after_budget,
    after_code,
    after_critique,
    after_diagnose,
    after_diagnosis,
    after_end,
    after_plan,
    after_rank,
    after_run,
    after_stalled,
    after_tests,
    entry,
    next_advisor,
    unless_ended,
)

_ADVISORS = load_advisors()
NODES: tuple[Callable[..., Any], ...] = (
    write_spec_tests,
    generate,
    write_adversarial_tests,
    run_suite,
    diagnose,
    plan,
    propose,
    rank,
    apply,
    learn,
    critique,
    *_ADVISORS.values(),
    own_advice,
    *REVIEW_NODES,
    settle_budget,
    conclude,
)
_ALWAYS = {
    "write_spec_tests": "review_tests",
    "generate": "review_code",
    "write_adversarial_tests": "review_tests",
    "propose": "rank",
    "apply": "learn",
}
"""Node -> the one that follows it, unless the run was stopped there."""
Graph = CompiledStateGraph[HealState, Deps, HealState, HealState]


def build_graph(saver: BaseCheckpointSaver[str]) -> Graph:
    """Return the graph over a saver."""
    return _compiled().copy({"checkpointer": saver})


@functools.cache
def _compiled() -> Graph:
    """Compile the graph, once in a process: that takes 12 ms, and a copy of it for one session next to nothing."""
    graph: StateGraph[HealState, Deps, HealState, HealState] = StateGraph(HealState, context_schema=Deps)
    for node in NODES:
        graph.add_node(node.__name__, cast(Any, _stamped(node)))
    to = graph.add_conditional_edges
    to(START, entry, ["write_spec_tests", "write_adversarial_tests", "run_suite", "conclude"])
    for name, following in _ALWAYS.items():
        to(name, unless_ended(following), [following, "conclude"])
    to(
        "review_tests",
        after_tests,
        ["write_spec_tests", "write_adversarial_tests", "generate", "run_suite", "conclude"],
    )
    to("review_code", after_code, ["generate", "write_adversarial_tests", "run_suite", "conclude"])
    to("run_suite", after_run, ["diagnose", "plan", "critique", "conclude"])
    to("diagnose", after_diagnose, ["review_diagnosis", "review_budget", "conclude"])
    to("review_diagnosis", after_diagnosis, ["plan", "diagnose", "conclude"])
    to("plan", after_plan, ["propose", "review_budget", "conclude"])
    to("rank", after_rank, ["review_repair", "diagnose", "review_stalled", "conclude"])
    to("review_repair", unless_ended("apply"), ["apply", "conclude"])
    to("learn", after_apply, ["run_suite", "plan", "diagnose", "conclude"])
    advisors = (*_ADVISORS, OWN)
    to("critique", after_critique(advisors), ["run_suite", *advisors, "review_end", "conclude"])
    for place, advisor in enumerate(advisors, 1):
        to(advisor, next_advisor(advisors[place:]), [*advisors[place:], "review_end", "conclude"])
    to("review_end", after_end, ["diagnose", "apply", "conclude"])
    to("review_stalled", after_stalled, ["diagnose", "conclude"])
    to("review_budget", unless_ended("settle_budget"), ["settle_budget", "conclude"])
    to("settle_budget", after_budget, ["diagnose", "plan", "conclude"])
    graph.add_edge("conclude", END)
    return graph.compile()


def _stamped(node: Callable[..., Any]) -> Callable[..., Any]:
    """Let a node's update say which node wrote it, and nothing of what an earlier one told: for the timeline."""
    if "runtime" in inspect.signature(node).parameters:

        @functools.wraps(node)
        async def with_runtime(state: HealState, runtime: Runtime[Deps]) -> HealState:
            return cast(HealState, {"gist": "", **await node(state, runtime), "node": node.__name__})

        return with_runtime

    @functools.wraps(node)
    async def alone(state: HealState) -> HealState:
        return cast(HealState, {"gist": "", **await node(state), "node": node.__name__})

    return alone
