"""The versions that decide about results: they must be the same on all machines of a run."""

from __future__ import annotations

import importlib.metadata
import platform

from selfheal_tui import __version__

_PACKAGES = ("langgraph", "pytest")


def versions() -> dict[str, str]:
    """Return the versions here of what decides about results."""
    return {
        "selfheal": __version__,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in _PACKAGES},
    }
