"""Who looks up an attribute of a proxy: the test, or a library on its own account (pytest, inspect, copy ...).

Libraries look for special names and for pytest's own on whatever they meet. They are answered from here.
"""

from __future__ import annotations

import functools
import os
import sys

from ..wire import names

_HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The folder `inside`: pytest's plugin and whatever else of ours runs beside the tests."""
INSPECTORS = ("inspect", "typing", "functools", "annotationlib")
"""They look into functions and classes for somebody else."""
_PROBES = ("pytest", "_pytest", "setup_", "teardown_", "setUp", "tearDown")


def asker(depth: int = 2) -> str:
    """Return the name of the library module whose code called our caller; empty for the test's own code.

    `depth` counts frames from here.
    """
    space = sys._getframe(depth).f_globals
    name, file = space.get("__name__"), space.get("__file__")
    return name if type(name) is str and _is_library(name, file if type(file) is str else None) else ""


def for_the_test() -> bool:
    """Say whether it is the test that has a module of `INSPECTORS` look something up, and no other library."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        space = frame.f_globals
        file = space.get("__file__")
        if space.get("__name__") not in INSPECTORS and not (type(file) is str and file.startswith(_HERE)):
            return not _is_library(str(space.get("__name__")), file)
        frame = frame.f_back
    return False


@functools.lru_cache(maxsize=1024)
def _is_library(name: str, file: str | None) -> bool:
    if file is None:  # frozen into the interpreter, or code that a test made from text
        return name.partition(".")[0] in sys.stdlib_module_names - {"__main__", "test"}
    return file.startswith((names.STDLIB, _HERE)) or names.is_installed(file)


def is_probe(name: str) -> bool:
    """Say whether a test runner looks for this on everything it meets."""
    return name.startswith(_PROBES) or name == "__test__"
