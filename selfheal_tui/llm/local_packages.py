"""The packages that the provider `transformers` needs, looked for without importing any of its family."""

from __future__ import annotations

import importlib.util

PACKAGES = ("transformers", "torch", "accelerate")
INSTALL = "pip install 'selfheal-tui[transformers]'"


def missing_packages() -> list[str]:
    """Return which packages of the extra are not installed; imports none of them."""
    return [package for package in PACKAGES if importlib.util.find_spec(package) is None]
