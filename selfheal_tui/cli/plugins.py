"""What `selfheal doctor` says of plug-ins: where each comes from, whether it is enabled, and whether it works."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from selfheal_tui.errors import SettingsError
from selfheal_tui.extensions import Plugin, enabled, installed, load, take_problems
from selfheal_tui.extensions.enabled import BUNDLED, how_to_enable
from selfheal_tui.extensions.loading import function_of
from selfheal_tui.text import one_line


@dataclass(frozen=True, slots=True)
class PluginState:
    """One plug-in as it is here."""

    plugin: Plugin
    is_enabled: bool
    works: bool
    """Enabled, and usable."""
    why_not: str
    """A sentence about what is wrong or missing; empty for nothing."""

    @property
    def words(self) -> str:
        """One line for people."""
        said = "enabled" if self.is_enabled else "not enabled"
        named = f"{one_line(self.plugin.name, 60)}: {self.plugin.kind} of {self.plugin.origin}, {said}"
        return f"{named}. {self.why_not}" if self.why_not else named

    def as_json(self) -> dict[str, Any]:
        """Return where it comes from, for programs."""
        one = self.plugin
        origin = {"package": one.package, "version": one.version, "group": one.group, "name": one.name}
        return {**origin, "enabled": self.is_enabled}


def plugin_states() -> list[PluginState]:
    """Return the state of everything that is installed; imports what is enabled."""
    states = []
    all_installed = installed()
    counting = {one.kind: enabled(one.kind, _names_of_ours(one.kind)) for one in all_installed}
    take_problems()  # each is said beside its plug-in
    for one in all_installed:
        same_name = {other.package for other in all_installed if other.name == one.name}
        if one in counting[one.kind].values():
            why = _flaw(one)
            states.append(PluginState(one, True, not why, why))
        elif one.name in _names_of_ours(one.kind):
            states.append(PluginState(one, False, False, "Selfheal has one of that name itself, so it is left out."))
        else:
            name = one.name if len(same_name) == 1 else f"{one.package}:{one.name}"
            states.append(PluginState(one, False, False, how_to_enable(name)))
    return states


def not_installed() -> list[str]:
    """Return a line for each plug-in of selfheal's own that is not installed."""
    there = {(one.kind, one.name) for one in installed()}
    return [
        f"{name}: {kind}, not installed ({how})" for (kind, name), how in BUNDLED.items() if (kind, name) not in there
    ]


def _flaw(plugin: Plugin) -> str:
    try:
        checked: Any = _CHECKS[plugin.kind](plugin, load(plugin))
    except SettingsError as error:
        return str(error)
    if plugin.kind != "provider":
        return ""
    missing = [name for name in checked.needs if importlib.util.find_spec(name) is None]
    how = f" ({checked.install})" if checked.install else ""
    return f"Not installed: {', '.join(missing)}{how}." if missing else ""


def _operator(plugin: Plugin, loaded: Any) -> Any:
    from selfheal_tui.search.hunt.families import checked_operator

    return checked_operator(plugin, loaded)


def _provider(plugin: Plugin, loaded: Any) -> Any:
    from selfheal_tui.llm.plugged import checked_provider

    return checked_provider(plugin, loaded)


def _suite(plugin: Plugin, loaded: Any) -> Any:
    from selfheal_tui.bench.suites.named import checked_suite

    return checked_suite(plugin, loaded)


_CHECKS: dict[str, Callable[[Plugin, Any], Any]] = {
    "operator": _operator,
    "provider": _provider,
    "advisor": function_of,
    "suite": _suite,
    "metric": function_of,
    "exporter": function_of,
}


def _names_of_ours(kind: str) -> Collection[str]:
    """Return the names of a kind that selfheal has itself; a plug-in cannot take one."""
    match kind:
        case "operator":
            from selfheal_tui.search.operators import OPERATORS

            return OPERATORS
        case "provider":
            from selfheal_tui.llm.registry import PROVIDERS

            return PROVIDERS
        case "advisor":
            from selfheal_tui.engine.loop.advisors import ADVISORS

            return ADVISORS
        case "suite":
            from selfheal_tui.bench.suites.named import SUITES

            return SUITES
        case "exporter":
            from selfheal_tui.engine.out.export.plugged import FORMATS

            return FORMATS
    return ()
