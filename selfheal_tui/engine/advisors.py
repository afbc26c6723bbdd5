"""Advisory nodes: they read the program once every case passes, and say what they found; they never decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .nodes.quality import quality
from .nodes.security_review import security_review

ADVISORS: dict[str, Callable[..., Any]] = {node.__name__: node for node in (security_review, quality)}
"""Node name -> node, in the order they run; each does nothing unless the run's policy names it."""
