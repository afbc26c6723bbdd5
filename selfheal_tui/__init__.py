"""selfheal: heal broken Python under human control, in the terminal and from Python.

What Python programs use is listed in `__all__` and told in docs/api.md. It is imported on first use: most processes
that import this package are commands, sandboxes or pytest plug-ins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api.answers import approve, edit, reject, stop
    from .api.healing import aheal, aresume, heal, resume
    from .api.result import Result
    from .api.review import Candidate, Review
    from .api.session import Session
    from .errors import InputError, ProviderError, SandboxError, SelfHealError, SessionError, SettingsError

__version__ = "0.1.0"

_FROM = {
    **dict.fromkeys(("approve", "edit", "reject", "stop"), "api.answers"),
    **dict.fromkeys(("aheal", "aresume", "heal", "resume"), "api.healing"),
    "Result": "api.result",
    **dict.fromkeys(("Candidate", "Review"), "api.review"),
    "Session": "api.session",
    **dict.fromkeys(
        ("InputError", "ProviderError", "SandboxError", "SelfHealError", "SessionError", "SettingsError"), "errors"
    ),
}
"""Name -> the module that has it."""

__all__ = [
    "Candidate",
    "InputError",
    "ProviderError",
    "Result",
    "Review",
    "SandboxError",
    "SelfHealError",
    "Session",
    "SessionError",
    "SettingsError",
    "__version__",
    "aheal",
    "approve",
    "aresume",
    "edit",
    "heal",
    "reject",
    "resume",
    "stop",
]


def __getattr__(name: str) -> Any:
    """Import what a program asks for."""
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_FROM[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
