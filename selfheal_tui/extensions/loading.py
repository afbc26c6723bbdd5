"""Import what an enabled plug-in names, once; whatever goes wrong there is one sentence that names the package."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from selfheal_tui.errors import SelfHealError, SettingsError
from selfheal_tui.text import one_line

from .enabled import enabled, note_problem
from .found import Plugin

T = TypeVar("T")
Checked = Callable[[Plugin, Any], T]
"""Returns what a plug-in's object is to a registry. Raises: SettingsError where it is none."""

_loaded: dict[Plugin, Any] = {}


def load(plugin: Plugin) -> Any:
    """Import what an enabled plug-in names, and return it. Raises: SettingsError."""
    if plugin not in _loaded:
        from importlib.metadata import EntryPoint  # takes 20 ms, and every command imports this module

        try:
            _loaded[plugin] = EntryPoint(plugin.name, plugin.target, plugin.group).load()
        except (Exception, SystemExit) as error:
            # A foreign module may raise anything while it is imported.
            raise broken(plugin, f"cannot be imported ({said_by(error)})") from error
    return _loaded[plugin]


def load_all(kind: str, check: Checked[T], taken: Collection[str] = ()) -> dict[str, T]:
    """Return name -> what each enabled plug-in of a kind is; one that does not load is noted and left out."""
    results: dict[str, T] = {}
    for name, plugin in enabled(kind, taken).items():
        try:
            results[name] = check(plugin, load(plugin))
        except SettingsError as error:
            note_problem(error.message, error.hint)
    return results


def broken(plugin: Plugin, what: str) -> SettingsError:
    """Return the error of a plug-in that `cannot be imported`, `is no function` ...: it names package and remedy."""
    words = plugin.words
    return SettingsError(
        f"{words[0].upper()}{words[1:]} {what}.",
        f"It is left out: update or remove {plugin.package}, or take {one_line(plugin.name, 60)} out of `plugins`.",
    )


def function_of(plugin: Plugin, loaded: Any) -> Callable[..., Any]:
    """Check that a plug-in is a function. Raises: SettingsError."""
    if not callable(loaded):
        raise broken(plugin, f"is no function ({plugin.target})")
    function: Callable[..., Any] = loaded
    return function


def guarded(plugin: Plugin, function: Callable[..., T], error: type[SelfHealError]) -> Callable[..., T]:
    """Return a plug-in's function, whatever it raises being an `error` with one sentence that names its package."""

    def call(*args: Any, **named: Any) -> T:
        try:
            return function(*args, **named)
        except SelfHealError:
            raise
        except Exception as raised:
            # A function of another package may raise anything.
            words = plugin.words
            raise error(
                f"{words[0].upper()}{words[1:]} failed: {said_by(raised)}.", f"Update or remove {plugin.package}."
            ) from raised

    return call


def said_by(error: BaseException) -> str:
    """Return an exception as one safe line."""
    return one_line(f"{type(error).__name__}: {error}", 160).rstrip(".: ")
