"""Advisory nodes: they read the program once every case passes, and say what they found; they never decide.

One of your own is a file in `nodes/` and a name here: docs/advisory-node.md.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

ADVISORS = (
    "security_review",
    "quality",
)
"""Names of the nodes and of their files, in the order they run; each runs only where the run's policy names it."""


def load_advisors() -> dict[str, Callable[..., Any]]:
    """Return name -> node. Nodes import LangGraph, names do not: they are checked before it is there."""
    return {name: getattr(import_module(f".nodes.{name}", __package__), name) for name in ADVISORS}
