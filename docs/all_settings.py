"""Write docs/all-settings.md, the page of all settings, from their fields: `python docs/all_settings.py`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from fields import code, sentence, table

from selfheal_tui.cli.options import RUN_SETTINGS, STORE_SETTINGS
from selfheal_tui.setting_values import setting_text
from selfheal_tui.settings import Settings, default_settings, setting_help, setting_names, setting_type

PAGE = Path(__file__).resolve().parent / "all-settings.md"
_START = """\
# All settings

Written from the program by `python docs/all_settings.py`. [Settings](settings.md) tells where a value comes from and
what a folder may set; `selfheal config` shows those in force.

A name is written so in `selfheal.yaml`. In the environment it is `SELFHEAL_` and the name in capitals:
`SELFHEAL_MAX_CALLS`. As a flag it is `--max-calls`, where the last column has one; not every command takes each
([All commands](commands.md))."""
_KINDS = {str: "text", int: "number", float: "number", bool: "yes or no", Path: "folder"}


def page() -> str:
    """Return the page."""
    of_app = [name for name in setting_names() if name not in (*RUN_SETTINGS, "role_models")]
    of_runs = [name for name in setting_names() if name in RUN_SETTINGS and name not in STORE_SETTINGS]
    of_sessions = [name for name in setting_names() if name in STORE_SETTINGS]
    parts = [_START]
    parts += _described("Of a run", [*of_runs[:1], "role_models", *of_runs[1:]])
    parts += _described("Of a session", of_sessions)
    parts += _described("Of the app", of_app)
    return "\n\n".join(parts) + "\n"


def _described(title: str, names: list[str]) -> Iterator[str]:
    sentences = setting_help()
    yield f"## {title}"
    yield table(
        ("name", "what it says", "values", "default", "flag"),
        [(f"`{name}`", sentence(sentences[name]), _kind(name), _default(name), _flag(name)) for name in names],
    )


def _kind(name: str) -> str:
    kind: Any = setting_type(name)
    if get_origin(kind) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(kind))
    if get_origin(kind) is tuple:
        return "list of texts"
    if isinstance(get_origin(kind), type) and issubclass(get_origin(kind), Mapping):
        return "mapping of texts"
    return _KINDS[kind]


def _default(name: str) -> str:
    if name == "sessions":
        return "[a folder of yours](settings.md)"
    value = {field.name: getattr(default_settings({}), field.name) for field in fields(Settings)}[name]
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = setting_text(name, value)
    return code(text) if text and text != "none" else "none"


def _flag(name: str) -> str:
    if name not in RUN_SETTINGS and name != "theme":
        return ""
    flag = name.replace("_", "-")
    return f"`--no-{flag}`" if name == "lessons" else f"`--{flag}`"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
