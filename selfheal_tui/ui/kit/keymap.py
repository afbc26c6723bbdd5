"""Rebinding keys: what the `keys` setting may say, checked against every binding of the app before any is used."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import KEY_NAME_REPLACEMENTS, Keys, format_key
from textual.screen import Screen

from selfheal_tui import ui
from selfheal_tui.errors import SettingsError
from selfheal_tui.setting_values import nearest
from selfheal_tui.text import one_line

_WHERE_IDS = "`?` in the app lists them, `selfheal config --keys` too."
_NAMES = frozenset(key.value for key in Keys)
_MODIFIERS = ("ctrl", "alt", "shift", "super", "hyper", "meta")
_NEVER_ANSWERS = frozenset({"enter", "ctrl+m", "space"})
"""Typed in passing: they never answer a question."""
_NEVER = frozenset({"ctrl+c", "ctrl+q", "ctrl+p", "tab", "shift+tab", "ctrl+i"})
"""The way out, the palette and the way round."""


class _Owned(NamedTuple):
    owner: type[DOMNode]
    binding: Binding


def build_keymap(keys: Mapping[str, str]) -> dict[str, str]:
    """Return binding id -> keys as Textual names them, several with commas.

    Raises: SettingsError for an id or a key that does not exist, and for a key that does something else there.
    """
    if not keys:
        return {}
    owned = list(_all_bindings())
    binding_names = sorted({o.binding.id for o in owned if o.binding.id})
    keymap = {}
    for name, key_list in keys.items():
        if name not in binding_names:
            raise SettingsError(
                f"There is no key binding {one_line(name, 40)!r} (keys).", nearest(name, binding_names, _WHERE_IDS)
            )
        keymap[name] = ",".join(dict.fromkeys(_key(name, part.strip()) for part in key_list.split(",")))
    _check_clashes(owned, keymap)
    return keymap


def binding_ids() -> dict[str, tuple[str, str]]:
    """Return binding id -> (its keys without rebinding, what it does), for all that can be rebound."""
    return {o.binding.id: (o.binding.key, o.binding.tooltip) for o in _all_bindings() if o.binding.id}


def shown_key(keymap: Mapping[str, str], binding: Binding) -> str:
    """Return the key of a binding as people write it: `a`, `?`, `^s`, `esc`."""
    rebound = keymap.get(binding.id or "")
    if rebound is None and binding.key_display:
        return binding.key_display
    return " ".join(key_words(key) for key in (rebound or binding.key).split(","))


def key_of(app: App[Any], binding_id: str, default: str) -> str:
    """Return the key of a binding as people write it, for sentences that name it."""
    keymap: Mapping[str, str] = getattr(app, "keymap", {})
    return " ".join(key_words(key) for key in keymap.get(binding_id, default).split(","))


def key_words(key: str) -> str:
    """Return one key's name as people write it."""
    *modifiers, last = key.split("+")
    word = {"escape": "esc"}.get(last) or format_key(last)
    return "".join("^" if modifier == "ctrl" else f"{modifier}+" for modifier in modifiers) + word


def _key(name: str, key: str) -> str:
    """Return Textual's name of a key: `?` is `question_mark`. Raises: SettingsError."""
    *modifiers, last = [*key[:-1].split("+")[:-1], "+"] if key.endswith("+") else key.split("+")
    if len(last) == 1 and not last.isalnum():
        full = unicodedata.name(last, "").lower().replace("-", "_").replace(" ", "_")
        last = KEY_NAME_REPLACEMENTS.get(full, full)
    word = "+".join([*modifiers, last])
    if not last or not all(m in _MODIFIERS for m in modifiers) or not (word in _NAMES or _is_key(last)):
        raise SettingsError(
            f"There is no key {one_line(key, 30)!r} ({name} in keys).", "As: a, A, f5, ctrl+y, question_mark, comma."
        )
    if word in _NEVER or (name.startswith("review.") and name != "review.hunk" and word in _NEVER_ANSWERS):
        raise SettingsError(f"{key!r} cannot be the key of {name}.", "It leaves, moves on or is typed in passing.")
    return word


def _is_key(last: str) -> bool:
    if len(last) == 1:
        return last.isprintable() and not last.isspace()
    originals = {short: full for full, short in KEY_NAME_REPLACEMENTS.items()}
    try:
        unicodedata.lookup(originals.get(last, last).replace("_", " "))
    except KeyError:
        try:
            unicodedata.lookup(originals.get(last, last).replace("_", "-"))
        except KeyError:
            return last in _NAMES
    return True


def _check_clashes(owned: list[_Owned], keymap: Mapping[str, str]) -> None:
    for mine in owned:
        if (rebound := keymap.get(mine.binding.id or "")) is None:
            continue
        keys = set(rebound.split(","))
        for other in owned:
            if other.binding.id == mine.binding.id or not _meet(mine.owner, other.owner):
                continue
            theirs = keymap.get(other.binding.id or "", other.binding.key).split(",")
            if shared := keys & set(theirs):
                raise SettingsError(
                    f"The key {key_words(min(shared))!r} of {mine.binding.id} is that of "
                    f"{other.binding.id or other.binding.action} too ({other.binding.tooltip or 'of the app itself'}).",
                    "Choose another, or rebind that one as well.",
                )


def _meet(one: type[DOMNode], other: type[DOMNode]) -> bool:
    """Tell whether both can hear a key at one moment: one screen and what is on it."""
    if issubclass(one, other) or issubclass(other, one):
        return True
    if issubclass(one, Screen) == issubclass(other, Screen):
        return False
    screen, widget = (one, other) if issubclass(one, Screen) else (other, one)
    if _room(screen) == "run":
        return _room(widget) in ("run", "kit")
    # A screen's module names what is on it.
    return vars(sys.modules[screen.__module__]).get(widget.__name__) is widget


def _room(owner: type[DOMNode]) -> str:
    """Return the folder of ui/ that a class lies in."""
    return owner.__module__.removeprefix(f"{ui.__name__}.").partition(".")[0]


def _all_bindings() -> Iterator[_Owned]:
    """Yield every binding of the app's own screens and widgets."""
    for module in pkgutil.walk_packages(ui.__path__, f"{ui.__name__}."):
        importlib.import_module(module.name)
    for owner in _subclasses(DOMNode):
        if owner.__module__.startswith(f"{ui.__name__}."):
            yield from (_Owned(owner, b) for b in owner.__dict__.get("BINDINGS", ()) if isinstance(b, Binding))


def _subclasses(parent: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for child in parent.__subclasses__():
        yield child
        yield from _subclasses(child)
