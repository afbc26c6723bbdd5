"""Check and convert one setting's value; text is accepted for every type, because flags and variables are text."""

from __future__ import annotations

import difflib
import math
import os
import typing
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from selfheal_tui.errors import SettingsError
from selfheal_tui.hook_settings import hooks_text, parse_hooks
from selfheal_tui.text import one_line

ROLES = ("spec_tester", "generator", "adversary", "debugger", "repairer", "critic", "summarizer", "oracle")
WRITERS = ("spec_tester", "generator")
"""Roles that write tests and code for a spec: the search cannot."""
SEARCH: Final = "search"
"""Stands for the embedded search where a model is named; also the name of its strategy."""
AUTO: Final = "auto"
"""Stands for the model that is chosen when a run starts: by the keys that are set, else a local Ollama's."""
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""Levels of thinking, the least first; not every model knows each."""
AS_IT_COMES = "auto"
"""The effort that leaves it to the model how much it thinks."""
EFFORT_BY_ROLE: Final = {"debugger": "high", "repairer": "medium", "summarizer": "low"}
"""What holds where the user says nothing; the other roles' models think as much as they do by themselves."""
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_LARGEST = 2**53
_NEAR = 0.6
"""Ratio of difflib from which a word is taken for a slip of the keys: `full` is 0.62 of `full_auto`."""
_MAY_BE_ZERO = ("debug_steps", "min_confidence", "near_miss_s", "oracle_calls")
_WORDS = {Path: "a path", str: "text", bool: "true or false"}


def parse_value(name: str, wanted: Any, value: Any, where: str, base: Path) -> Any:
    """Return the value as the `wanted` type; each setting that is a mapping has a form of its own.

    Relative paths are taken from `base`. Raises: SettingsError saying `where`.
    """
    if isinstance(value, str) and not _is_usable(value):
        raise SettingsError(f"{name} holds characters that a setting cannot have ({where}).")
    if typing.get_origin(wanted) is tuple:
        return _parse_names(name, value, where) if name == "plugins" else _parse_paths(name, value, where, base)
    if name == "hooks":
        return parse_hooks(value, where, base)
    if typing.get_origin(wanted) not in (None, Literal):
        return _MAPPINGS[name](value, where)
    if wanted is Path and isinstance(value, str) and value.strip():
        return Path(os.path.abspath(base / Path(value).expanduser()))
    if wanted is str and isinstance(value, str) and value.strip():
        return value.strip()
    if wanted is bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in (*_TRUE, *_FALSE):
            return value.lower() in _TRUE
    if typing.get_origin(wanted) is Literal:
        choices = typing.get_args(wanted)
        if value in choices:
            return value
        raise _wrong(name, value, where, "one of " + ", ".join(choices), nearest(str(value), choices, ""))
    if wanted in (int, float):
        return _parse_number(name, value, where, wanted)
    raise _wrong(name, value, where, _WORDS.get(wanted, "text"))


def _parse_paths(name: str, value: Any, where: str, base: Path) -> tuple[str, ...]:
    """Read a list of paths, or a text of them with colons between, as in PATH."""
    paths = [path for path in value.split(os.pathsep) if path.strip()] if isinstance(value, str) else value
    if not isinstance(paths, list | tuple) or not all(isinstance(path, str) and path.strip() for path in paths):
        raise _wrong(name, value, where, "a list of paths")
    if not all(map(_is_usable, paths)):
        raise SettingsError(f"{name} holds characters that a path cannot have ({where}).")
    return tuple(os.path.abspath(base / Path(path).expanduser()) for path in paths)


def _parse_names(name: str, value: Any, where: str) -> tuple[str, ...]:
    """Read a list of names, or a text of them with commas between."""
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(one, str) and _is_usable(one) for one in names):
        raise _wrong(name, value, where, "a list of names")
    return tuple(dict.fromkeys(one.strip() for one in names if one.strip()))


def _is_usable(text: str) -> bool:
    """Tell whether a text can be a name or a path: without control characters and lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return not any(ord(character) < 32 or ord(character) == 127 for character in text)


def _parse_number(name: str, value: Any, where: str, wanted: type[int] | type[float]) -> int | float:
    zero = name in _MAY_BE_ZERO
    wanted_words = f"a {'whole ' * (wanted is int)}number {'from' if zero else 'above'} 0"
    try:
        whole = wanted is float or isinstance(value, str | int)
        number = wanted(value) if whole and not isinstance(value, bool) else None
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or not math.isfinite(number) or not 0 <= number < _LARGEST or not (number or zero):
        raise _wrong(name, value, where, wanted_words)
    return number


def _parse_roles(value: Any, where: str) -> dict[str, str]:
    if isinstance(value, str):
        pairs = [part.partition("=") for part in value.split(",") if part.strip()]
        value = {role.strip(): model.strip() for role, _, model in pairs}
    if not isinstance(value, dict):
        raise _wrong("role_models", value, where, "a mapping of roles to models")
    for role, model in value.items():
        if role not in ROLES:
            raise SettingsError(f"There is no role {one_line(str(role), 40)!r} ({where}).", nearest(str(role), ROLES))
        if not isinstance(model, str) or not model.strip():
            raise _wrong(f"role_models.{role}", model, where, "PROVIDER:NAME")
    return dict(value)


def parse_effort(value: Any, where: str) -> dict[str, str]:
    """Read `LEVEL` and `ROLE=LEVEL` (with commas), or a mapping; return role -> level, `*` for all other roles.

    Without a level for all, EFFORT_BY_ROLE holds for the roles that are not named. Raises: SettingsError.
    """
    if isinstance(value, str):
        pairs = [part.rpartition("=") for part in value.split(",") if part.strip()]
        value = {role.strip() or "*": level.strip() for role, _, level in pairs}
    if not isinstance(value, dict):
        raise _wrong("effort", value, where, "a level, or a mapping of roles to levels")
    for role, level in value.items():
        if role not in (*ROLES, "*"):
            raise SettingsError(f"There is no role {one_line(str(role), 40)!r} ({where}).", nearest(str(role), ROLES))
        levels = (*EFFORTS, AS_IT_COMES)
        if level not in levels:
            hint = nearest(str(level), levels, "")
            raise _wrong("effort", level, where, "one of " + ", ".join(levels), hint)
    return dict(value) if "*" in value else {**EFFORT_BY_ROLE, **value}


def _parse_prices(value: Any, where: str) -> dict[str, str]:
    """Read PROVIDER:NAME -> price, as text `PROVIDER:NAME=PRICE` with commas."""
    if isinstance(value, str):
        pairs = [part.rpartition("=") for part in value.split(",") if part.strip()]
        value = {model.strip(): price.strip() for model, _, price in pairs}
    if not isinstance(value, dict):
        raise _wrong("prices", value, where, "a mapping of PROVIDER:NAME to prices")
    for model, price in value.items():
        provider, colon, name = str(model).partition(":")
        if not (provider and colon and name):
            raise _wrong("prices", model, where, "a mapping of PROVIDER:NAME to prices")
        try:
            price_numbers(price if isinstance(price, str) else "")
        except ValueError:
            wanted = "INPUT/OUTPUT, INPUT/OUTPUT/CACHED or INPUT/OUTPUT/CACHED/WRITTEN in dollars a million tokens"
            raise _wrong(f"prices.{one_line(str(model), 60)}", price, where, wanted) from None
    return {str(model): str(price) for model, price in value.items()}


def price_numbers(text: str) -> list[float]:
    """Read the two to four numbers of a price, each from 0. Raises: ValueError."""
    numbers = [float(part) for part in text.split("/")]
    if not 2 <= len(numbers) <= 4 or not all(0 <= number < _LARGEST for number in numbers):
        raise ValueError(text)
    return numbers


def _parse_keys(value: Any, where: str) -> dict[str, str]:
    """Read binding id -> keys, as text `ID=KEY ID=KEY`; the app knows which ids and keys there are."""
    if isinstance(value, str):
        pairs = [part.partition("=") for part in value.split()]
        value = {binding.strip(): key.strip() for binding, _, key in pairs}
    if not isinstance(value, dict):
        raise _wrong("keys", value, where, "a mapping of key bindings to keys")
    for binding, key in value.items():
        if isinstance(key, int) and not isinstance(key, bool) and 0 <= key <= 9:
            value = {**value, binding: str(key)}
        elif not isinstance(key, str) or not key.strip():
            raise _wrong(f"keys.{binding}", key, where, "a key, in quotes where YAML would read something else")
    return {str(binding): str(key) for binding, key in value.items()}


_MAPPINGS: Final[Mapping[str, Callable[[Any, str], dict[str, str]]]] = {
    "effort": parse_effort,
    "keys": _parse_keys,
    "prices": _parse_prices,
    "role_models": _parse_roles,
}


def split_models(items: Iterable[str], where: str) -> tuple[str, dict[str, str]]:
    """Split items into the model for all roles (may be empty) and role -> model (`ROLE=PROVIDER:NAME`)."""
    everyone = ""
    roles: dict[str, str] = {}
    for item in items:
        role, equals, model = item.partition("=")
        if equals and ":" not in role:
            roles |= _parse_roles({role.strip(): model.strip()}, where)
        elif item.strip():
            everyone = item.strip()
        else:
            raise _wrong("model", item, where, "PROVIDER:NAME")
    return everyone, roles


def _wrong(name: str, value: Any, where: str, wanted: str, hint: str = "") -> SettingsError:
    value_text = repr(value) if isinstance(value, str | int | float) or value is None else type(value).__name__
    return SettingsError(f"{name} must be {wanted}, not {one_line(value_text, 60)} ({where}).", hint)


def setting_text(name: str, value: Any) -> str:
    """Return a value as text that `parse_value` reads back; empty for none."""
    if value is None:
        return ""
    if name == "hooks":
        return hooks_text(value)
    if isinstance(value, Mapping):
        return (" " if name == "keys" else ", ").join(f"{key}={one}" for key, one in value.items())
    if isinstance(value, tuple):
        return (", " if name == "plugins" else os.pathsep).join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def nearest(word: str, names: Iterable[str], otherwise: str | None = None, shown_as: Callable[[str], str] = str) -> str:
    """Return a hint for a mistyped word: the name that is meant, else `otherwise` (None: all names).

    A name is meant that begins with the word, or is nearly the same; `foo` means nothing.
    """
    begun = [name for name in names if len(word) > 1 and name.startswith(word)]
    near = begun[:1] if len(begun) == 1 else difflib.get_close_matches(word, list(names), n=1, cutoff=_NEAR)
    if near:
        return f"Did you mean {shown_as(near[0])}?"
    return "There are: " + ", ".join(names) + "." if otherwise is None else otherwise
