"""Providers of other packages: what a plug-in says of the provider that it brings, and which are enabled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from selfheal_tui.errors import SettingsError
from selfheal_tui.extensions import Plugin, enabled, load, load_all
from selfheal_tui.extensions.loading import broken, guarded

from .base import Provider


@dataclass(frozen=True, slots=True)
class ProviderPlugin:
    """A provider, as the entry point of a package names it."""

    open_provider: Callable[..., Provider]
    """`(model, limits) -> Provider`: `limits` are `TimeLimits`, or None for its own. Imports nothing heavy and asks
    nobody; raises SettingsError for what is missing here, as a package or a key."""
    on_this_machine: bool = False
    """The model runs here: nothing leaves this machine, and calls cost nothing."""
    whole_functions: bool = False
    """Its models copy lines badly, so they are asked for whole functions instead of edits of lines."""
    needs: tuple[str, ...] = ()
    """Packages that it imports on use; `selfheal doctor` says which are missing."""
    install: str = ""
    """The command that installs them."""
    secrets: tuple[str, ...] = ()
    """Environment variables that hold its keys: no export, log or process of selfheal's own gets their values."""


def plugged_names(taken: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the names of the providers that enabled plug-ins bring; nothing is imported."""
    return tuple(enabled("provider", taken))


def plugged(name: str) -> ProviderPlugin | None:
    """Return what an enabled plug-in says of its provider; None for any other name, and for one that does not load."""
    return load_all("provider", checked_provider).get(name) if name in enabled("provider") else None


def open_plugged(name: str, model: str, limits: object) -> Provider:
    """Open the provider of an enabled plug-in. Raises: SettingsError, also where it breaks the contract."""
    plugin = enabled("provider")[name]
    said = checked_provider(plugin, load(plugin))
    provider = guarded(plugin, said.open_provider, SettingsError)(model, limits)
    if not all(callable(getattr(provider, method, None)) for method in ("stream", "aclose")):
        raise broken(plugin, "opens no provider: it lacks `stream` or `aclose`")
    if getattr(provider, "name", None) != name:
        raise broken(plugin, f"opens a provider of another name, {getattr(provider, 'name', None)!r}")
    return provider


def checked_provider(plugin: Plugin, loaded: Any) -> ProviderPlugin:
    """Return what an entry point names: a `ProviderPlugin`, or a function that opens a provider."""
    if isinstance(loaded, ProviderPlugin):
        return loaded
    if callable(loaded):
        return ProviderPlugin(cast(Callable[..., Provider], loaded))
    raise broken(plugin, "is neither a ProviderPlugin nor a function that opens a provider")
