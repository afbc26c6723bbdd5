"""What the server imports ahead for every run, and what makes a run the same each time."""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Collection, Mapping

HEAVY: Mapping[str, tuple[str, ...]] = {
    "hypothesis": ("hypothesis",),
    "numpy": ("numpy", "numpy.random"),
    "pandas": ("pandas", "numpy.random"),
    "scipy": ("scipy", "numpy.random"),
}
"""Package -> modules to import; numpy loads `numpy.random` late, which would cost every run 12 ms."""

COMMON = (
    *("abc", "array", "ast", "base64", "bisect", "cmath", "collections", "contextlib", "copy", "dataclasses"),
    *("datetime", "decimal", "enum", "fractions", "functools", "hashlib", "heapq", "inspect", "io", "itertools"),
    *("json", "math", "numbers", "operator", "pprint", "queue", "random", "re", "statistics", "string", "struct"),
    *("textwrap", "threading", "time", "types", "typing", "typing_extensions"),
)
"""What small programs import; pytest brings most of it along, a server without pytest imports it ahead."""


def preload(packages: Collection[str]) -> None:
    """Import packages; one that is not installed, or fails, is left for the program to find out."""
    for module in [module for package in packages for module in HEAVY.get(package, (package,))]:
        try:
            importlib.import_module(module)
        except Exception:  # foreign code; the run that imports it says what is wrong
            continue
    if "hypothesis" in sys.modules:
        settings = sys.modules["hypothesis"].settings
        settings.register_profile("selfheal", derandomize=True, database=None, deadline=None)
        settings.load_profile("selfheal")


def seed() -> None:
    """Start the random generators of a run where they always start; PYTHONHASHSEED is set for the server."""
    random.seed(0)
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed(0)
