"""The promises of a kind of plug-in: functions that get one and raise AssertionError with a sentence.

selfheal's own tests run the same functions over its own registries, so a promise is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from selfheal_tui.llm.base import Provider


@dataclass(frozen=True, slots=True)
class Given:
    """What is put to the test, and what its author gives for that."""

    name: str
    loaded: Any
    """What the entry point names: a Family, a ProviderPlugin, a NamedSuite or a function."""
    target: str = ""
    """`module:object` of the entry point; empty for one of selfheal's own."""
    mends: Sequence[tuple[str, str]] = ()
    """Of an operator: programs before and after one of its edits."""
    opens: Callable[[], Provider] | None = field(default=None)
    """Of a provider: opens it with a stand-in for its model."""


Promise = Callable[[Given], None]

_promises: dict[str, dict[str, Promise]] = {}


def promise(kind: str) -> Callable[[Promise], Promise]:
    """Register a promise of a kind, under the function's name."""

    def register(function: Promise) -> Promise:
        _promises.setdefault(kind, {})[function.__name__] = function
        return function

    return register


def promises(kind: str) -> Mapping[str, Promise]:
    """Return name -> promise of a kind."""
    from . import exporters, functions, operators, providers, suites  # noqa: F401 - each registers its own

    return _promises.get(kind, {})
