"""Which providers exist and how a model is named (`provider:model`); a provider is imported when it is opened."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Protocol, cast

from selfheal_tui.errors import InputError, SettingsError
from selfheal_tui.extensions import disabled_words
from selfheal_tui.setting_values import AUTO, ROLES, SEARCH, WRITERS, nearest

from .base import Provider
from .plugged import open_plugged, plugged_names
from .service import Service
from .time_limits import TimeLimits

PROVIDERS: dict[str, str] = {
    SEARCH: "",
    "anthropic": "selfheal_tui.llm.anthropic:open_provider",
    "ollama": "selfheal_tui.llm.ollama:open_provider",
    "openai": "selfheal_tui.llm.openai:open_provider",
    "qwen": "selfheal_tui.llm.openai:open_qwen",
    "scripted": "selfheal_tui.llm.scripted:open_provider",
}
"""Provider name -> `module:function(model) -> Provider`; empty for the embedded search, which is not a model. Plug-ins
add others (`plugged.py`)."""


class _Opener(Protocol):
    def __call__(self, model: str, limits: TimeLimits | None = None) -> Provider: ...


_FOR_TESTS = "scripted"
"""A provider that answers as a file says."""


def split_model(spec: str) -> tuple[str, str]:
    """Split `provider:model`; the model may hold colons and may be empty."""
    provider, _, model = spec.partition(":")
    return provider, model


def provider_names() -> tuple[str, ...]:
    """Return the names of all providers that can be named now: those of here, and of the plug-ins that are enabled."""
    return (*PROVIDERS, *plugged_names(tuple(PROVIDERS)))


def check_model(spec: str) -> None:
    """Check the name of a model. Raises: SettingsError naming the nearest provider."""
    provider, model = split_model(spec)
    if spec == AUTO:
        raise SettingsError(f"{AUTO!r} is chosen where a run starts (--model {AUTO}), and not here.", "Name a model.")
    if provider not in (known := provider_names()):
        if off := disabled_words("provider", provider):
            raise SettingsError(*off)
        near = nearest(provider, [AUTO, *sorted(known)], "", repr)
        hint = f"{near} There are: {', '.join([AUTO, *sorted({*known} - {_FOR_TESTS})])}.".lstrip()
        raise SettingsError(f"There is no model provider {provider!r}.", hint)
    if provider == SEARCH and spec != SEARCH:
        raise SettingsError("The search has no models to choose from.", f"Write {SEARCH}.")
    if provider != SEARCH and not model:
        raise SettingsError(f"{provider!r} needs the name of a model.", f"Write {provider}:NAME.")


def check_role(role: str) -> None:
    """Check a role's name. Raises: SettingsError naming the nearest."""
    if role not in ROLES:
        hint = f"{nearest(role, ROLES, '', repr)} There are: {', '.join(ROLES)}.".lstrip()
        raise SettingsError(f"There is no role {role!r}.", hint)


def open_provider(spec: str, limits: TimeLimits | None = None) -> Provider:
    """Open the provider of `provider:model`; without limits it has its own. Raises: SettingsError, ProviderError."""
    check_model(spec)
    provider, model = split_model(spec)
    if provider not in PROVIDERS:
        return open_plugged(provider, model, limits)
    module, _, function = PROVIDERS[provider].partition(":")
    if not module:
        raise SettingsError("The search is not a model and cannot write text.", "Choose a model.")
    opener = cast(_Opener, getattr(importlib.import_module(module), function))
    return opener(model, limits)


def check_writers(models: Mapping[str, str]) -> None:
    """Check that models write tests and code for a spec. Raises: InputError."""
    if any(models.get(role, models["*"]) == SEARCH for role in WRITERS):
        raise InputError(
            "The search healer repairs code but cannot write it from a spec.",
            "Choose a model: PROVIDER:NAME (on the command line --model PROVIDER:NAME).",
        )


def check_ready(models: Iterable[str]) -> None:
    """Check that these can be asked as far as this machine knows: key, address, packages; nobody is asked.

    Raises: SettingsError.
    """
    for model in dict.fromkeys(models):
        if model != SEARCH:
            open_provider(model)


def other_url(provider: Provider) -> str:
    """Return where requests go when that is not the vendor's own address; empty otherwise."""
    service = getattr(provider, "service", None)
    return service.url if isinstance(service, Service) and not service.is_vendor else ""


def other_url_of(spec: str) -> str:
    """Return the same for `provider:model`; empty as well where the provider cannot be opened: a call will say so."""
    try:
        return other_url(open_provider(spec))
    except SettingsError:
        return ""
