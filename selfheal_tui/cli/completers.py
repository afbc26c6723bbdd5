"""What a shell may put after a word of the command line: found without a network, and nothing is said on failure."""

from __future__ import annotations

from argparse import Action, Namespace
from collections.abc import Callable, Iterable
from typing import Any, get_args, get_origin

from selfheal_tui.errors import SelfHealError
from selfheal_tui.setting_values import AS_IT_COMES, AUTO, EFFORTS, ROLES, SEARCH
from selfheal_tui.settings import setting_type

Completer = Callable[..., Iterable[str]]
"""Called with `prefix` and `parsed_args`, as argcomplete does."""
_LARGEST_READ = 1_000_000
"""Bytes of a program file whose functions are offered."""
WITH_COMMAS = ("strategies", "advisors")
"""Settings that hold several names."""


def completes(action: Action, completer: Completer) -> None:
    """Let a shell complete the values of an argument."""
    action.completer = completer  # type: ignore[attr-defined]


def session_ids(parsed_args: Namespace, **_: Any) -> list[str]:
    """Return the ids of all sessions, the newest first."""
    from selfheal_tui.store.sessions import SessionStore

    from .trusting import Standing

    try:
        return SessionStore(Standing(parsed_args).settings().sessions).ids()
    except (SelfHealError, OSError):
        return []


def branch_names(parsed_args: Namespace, **_: Any) -> list[str]:
    """Return the branches of the session that was named."""
    from selfheal_tui.store import history
    from selfheal_tui.store.integrity import UNREADABLE, open_reading
    from selfheal_tui.store.sessions import SessionStore

    from .trusting import Standing

    try:
        store = SessionStore(Standing(parsed_args).settings().sessions)
        with open_reading(store.folder(store.find(parsed_args.session))) as connection:
            return history.branch_names(connection)
    except (SelfHealError, *UNREADABLE, OSError):
        return []


def demo_names(**_: Any) -> list[str]:
    """Return the names of the bundled programs."""
    from selfheal_tui.engine.task.demos import list_demos

    return [demo.name for demo in list_demos()]


def model_names(prefix: str, **_: Any) -> list[str]:
    """Return what can follow `--model`: the names that are known without asking anybody."""
    from selfheal_tui.llm.auto import BY_KEY
    from selfheal_tui.llm.registry import PROVIDERS

    models = [SEARCH, AUTO, *BY_KEY.values(), *(f"{name}:" for name in PROVIDERS if name != SEARCH)]
    role, equals, _model = prefix.partition("=")
    return [f"{role}={model}" for model in models] if equals else [*models, *(f"{role}=" for role in ROLES)]


def values_of(name: str) -> list[str]:
    """Return the words that a setting can have; empty where any text, number or path will do."""
    declared = setting_type(name)
    if get_origin(declared) is not None and name != "effort":
        return [str(choice) for choice in get_args(declared) if isinstance(choice, str)]
    match name:
        case "effort":
            return [*EFFORTS, AS_IT_COMES]
        case "sandbox":
            from selfheal_tui.sandbox.registry import SANDBOXES

            return list(SANDBOXES)
        case "strategies":
            from selfheal_tui.engine.moment.state import STRATEGIES

            return list(STRATEGIES)
        case "advisors":
            from selfheal_tui.engine.loop.advisors import ADVISORS

            return list(ADVISORS)
        case "theme":
            from textual.theme import BUILTIN_THEMES

            from selfheal_tui.ui.kit.themes import CONTRAST

            return sorted([*BUILTIN_THEMES, CONTRAST.name])
    return []


def completer_of(name: str) -> Completer | None:
    """Return what completes the values of a setting's flag; None leaves it to the shell, which knows files."""
    if name == "model":
        return model_names
    if setting_type(name) in (int, float, bool) or name in ("sessions", "prompts", "python", "prices"):
        return None

    def values(prefix: str, **_: Any) -> list[str]:
        before, comma, _last = prefix.rpartition(",") if name in WITH_COMMAS else ("", "", prefix)
        role, equals, _level = prefix.rpartition("=") if name == "effort" else ("", "", prefix)
        return [f"{before}{comma}{role}{equals}{value}" for value in values_of(name)]

    return values


def wrong_calls(parsed_args: Namespace, **_: Any) -> list[str]:
    """Return the beginning of what can be wrong, for each function at the top of the files that were named."""
    from pathlib import Path

    from selfheal_tui.python_source import callables_in

    calls: list[str] = []
    for path in map(Path, getattr(parsed_args, "paths", ())):
        if path.suffix == ".py" and path.is_file() and path.stat().st_size <= _LARGEST_READ:
            try:
                calls += [f"{name}(" for name in sorted(callables_in(path.read_text("utf-8")))]
            except (OSError, UnicodeDecodeError):
                continue
    return calls
