"""`selfheal config`: the settings in force, and where each value came from."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from selfheal_tui.setting_values import setting_text
from selfheal_tui.settings import Settings, setting_names
from selfheal_tui.text import strip_controls

from .options import RUN_SETTINGS, add_settings, load_from


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print one JSON object: name -> value, origin")
    parser.add_argument(
        "--keys", dest="bindings", action="store_true", help="list what can be rebound in the app, and its keys"
    )
    add_settings(parser, (*RUN_SETTINGS, "theme"))


def run(args: Namespace) -> int:
    """Print the settings."""
    settings = load_from(args)
    if args.bindings:
        return _print_keys(settings, args.json)
    values: dict[str, Any] = {name: getattr(settings, name) for name in setting_names()}
    shown = {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}
    if args.json:
        print(json.dumps({name: {"value": v, "origin": settings.origins[name]} for name, v in shown.items()}))
        return 0
    texts = {name: setting_text(name, value) or "none" for name, value in shown.items()}
    name_width, value_width = max(map(len, texts)), max(map(len, texts.values()))
    for name, text in texts.items():
        print(strip_controls(f"{name:<{name_width}}  {text:<{value_width}}  {settings.origins[name]}"))
    return 0


def _print_keys(settings: Settings, as_json: bool) -> int:
    from selfheal_tui.ui.keymap import binding_ids, build_keymap

    keymap = build_keymap(settings.keys)
    bindings = {name: (keymap.get(name, key), words) for name, (key, words) in sorted(binding_ids().items())}
    if as_json:
        print(json.dumps({name: {"key": key, "does": words} for name, (key, words) in bindings.items()}))
        return 0
    for name, (key, words) in bindings.items():
        print(strip_controls(f"{name:<22} {key:<22} {words}"))
    return 0
