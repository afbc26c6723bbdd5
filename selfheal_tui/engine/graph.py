"""The loop as a LangGraph: one flat graph, conditional edges, no Runtime in a route.

    spec mode: START -> write_spec_tests -> generate -> run_suite
    fix mode:  START -> run_suite

    run_suite -> diagnose -> review_diagnosis -> propose -> rehearse -> review_repair -> apply -> run_suite ...
                    ^------ reject ---'             ^------------ reject (human) -----------'
                    ^----------------------- reject (policy) -------------------------------'
    any node that names an outcome -> END
    diagnose, propose: out of budget -> review_budget -> settle_budget -> the same node again, or END

Node names are frozen: a renamed node would make a paused session look finished. A change of shape bumps
GRAPH_VERSION.
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

from .deps import Deps
from .nodes.apply import apply
from .nodes.diagnose import diagnose
from .nodes.generate import generate
from .nodes.propose import propose
from .nodes.rehearse import rehearse
from .nodes.review_budget import review_budget
from .nodes.review_diagnosis import review_diagnosis
from .nodes.review_repair import review_repair
from .nodes.run_suite import run_suite
from .nodes.settle_budget import settle_budget
from .nodes.write_spec_tests import write_spec_tests
from .state import HealState

NODES: tuple[Callable[..., Any], ...] = (
    write_spec_tests,
    generate,
    run_suite,
    diagnose,
    review_diagnosis,
    propose,
    rehearse,
    review_repair,
    apply,
    review_budget,
    settle_budget,
)
Graph = CompiledStateGraph[HealState, Deps, HealState, HealState]


def build_graph(saver: BaseCheckpointSaver[str]) -> Graph:
    """Compile the graph over a saver."""
    graph = StateGraph(HealState, context_schema=Deps)
    for node in NODES:
        graph.add_node(node.__name__, cast(Any, _stamped(node)))
    graph.add_conditional_edges(START, entry, ["write_spec_tests", "run_suite"])
    graph.add_edge("write_spec_tests", "generate")
    graph.add_edge("generate", "run_suite")
    graph.add_conditional_edges("run_suite", unless_ended("diagnose"), ["diagnose", END])
    graph.add_conditional_edges("diagnose", after_diagnose, ["review_diagnosis", "review_budget", END])
    graph.add_conditional_edges("review_diagnosis", after_diagnosis, ["propose", "diagnose", END])
    graph.add_conditional_edges("propose", after_propose, ["rehearse", "diagnose", "review_budget", END])
    graph.add_edge("rehearse", "review_repair")
    graph.add_conditional_edges("review_repair", unless_ended("apply"), ["apply", END])
    graph.add_conditional_edges("apply", after_apply, ["run_suite", "propose", "diagnose", END])
    graph.add_conditional_edges("review_budget", unless_ended("settle_budget"), ["settle_budget", END])
    graph.add_conditional_edges("settle_budget", after_budget, ["diagnose", "propose", END])
    return graph.compile(checkpointer=saver)


def entry(state: HealState) -> str:
    """Spec mode writes tests and code first."""
    return "write_spec_tests" if state["mode"] == "spec" else "run_suite"


def unless_ended(node: str) -> Callable[[HealState], str]:
    """Go on to `node` unless an outcome was named."""

    def route(state: HealState) -> str:
        return END if state.get("outcome") else node

    return route


def after_diagnose(state: HealState) -> str:
    """Without the means for a diagnosis, ask for more."""
    if state.get("outcome"):
        return END
    return "review_budget" if state.get("budget_ref") else "review_diagnosis"


def after_budget(state: HealState) -> str:
    """With room again, on to what was about to run."""
    return END if state.get("outcome") else state["budget_next"]


def after_diagnosis(state: HealState) -> str:
    """A rejected diagnosis is made afresh, with the reason."""
    if state.get("outcome"):
        return END
    decision = state.get("decision")
    return "diagnose" if decision and decision["verdict"] == "reject" else "propose"


def after_propose(state: HealState) -> str:
    """Without a candidate there is nothing to rehearse: the next iteration starts at a new diagnosis."""
    if state.get("outcome"):
        return END
    if state.get("budget_ref"):
        return "review_budget"
    return "rehearse" if state.get("candidates") else "diagnose"


def after_apply(state: HealState) -> str:
    """A repair rejected by the human is proposed afresh; one that did not help asks for a new diagnosis."""
    if state.get("outcome"):
        return END
    decision = state.get("decision")
    if not decision or decision["verdict"] != "reject":
        return "run_suite"
    return "propose" if decision["by"] == "human" else "diagnose"


def _stamped(node: Callable[..., Any]) -> Callable[..., Any]:
    """Let a node's update say which node wrote it, for the timeline."""
    if "runtime" in inspect.signature(node).parameters:

        @functools.wraps(node)
        async def with_runtime(state: HealState, runtime: Runtime[Deps]) -> HealState:
            return cast(HealState, {**await node(state, runtime), "node": node.__name__})

        return with_runtime

    @functools.wraps(node)
    async def alone(state: HealState) -> HealState:
        return cast(HealState, {**await node(state), "node": node.__name__})

    return alone
