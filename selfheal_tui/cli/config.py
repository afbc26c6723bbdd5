"""`selfheal config`: the settings in force, where each value came from, and which folders are trusted."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from pathlib import Path
from typing import Any

from selfheal_tui.environments import unused_words
from selfheal_tui.money import json_text
from selfheal_tui.sandbox.allowance import allowed_words
from selfheal_tui.sandbox.consents import Consents
from selfheal_tui.setting_values import setting_text
from selfheal_tui.settings import Settings, setting_names
from selfheal_tui.text import one_line, plural, strip_controls
from selfheal_tui.trust import Grants

from .options import RUN_SETTINGS, add_settings
from .trusting import load_from


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print one JSON object: name -> value, origin")
    parser.add_argument(
        "--keys", dest="bindings", action="store_true", help="list what can be rebound in the app, and its keys"
    )
    parser.add_argument(
        "--trusted", action="store_true", help="list the folders that are trusted, and what sessions may have"
    )
    parser.add_argument(
        "--forget",
        type=Path,
        metavar="FOLDER",
        help="do not trust this folder, or allow the session in it anything, any longer",
    )
    add_settings(parser, (*RUN_SETTINGS, "theme"))


def run(args: Namespace) -> int:
    """Print the settings."""
    if args.forget is not None:
        return _forget(args.forget)
    if args.trusted:
        return _print_trusted(args.json)
    settings = load_from(args)
    if args.bindings:
        return _print_keys(settings, args.json)
    values: dict[str, Any] = {name: getattr(settings, name) for name in setting_names()}
    printable = {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}
    if args.json:
        printable["hooks"] = {name: str(hook) for name, hook in settings.hooks.items()}
        print(json_text({name: {"value": v, "origin": settings.origins[name]} for name, v in printable.items()}))
        return 0
    texts = {name: setting_text(name, value) or "none" for name, value in printable.items()}
    if not settings.python and settings.sandbox == "local":
        texts["python"] = f"{one_line(sys.executable, 300)} (selfheal's own)"
    name_width, value_width = max(map(len, texts)), max(map(len, texts.values()))
    for name, text in texts.items():
        print(strip_controls(f"{name:<{name_width}}  {text:<{value_width}}  {settings.origins[name]}"))
    if not settings.python and (unused := unused_words(os.environ)):
        print(strip_controls(f"\n{unused}"))
    if count := len(Grants().all()[0]):
        print(f"\n{plural(count, 'folder')} trusted; list: selfheal config --trusted")
    return 0


def _forget(folder: Path) -> int:
    if Consents().forget(folder):
        print(strip_controls(f"Its tests are allowed no more than others: {folder}"))
        return 0
    Grants().forget(folder)
    print(strip_controls(f"Not trusted any longer: {folder}"))
    return 0


def _print_trusted(as_json: bool) -> int:
    grants, damaged = Grants().all()
    consents = Consents().all()
    if as_json:
        sessions = [{"folder": one.folder, **asdict(one.allowed)} for one in consents]
        print(json_text({"trusted": [asdict(grant) for grant in grants], "damaged": damaged, "sessions": sessions}))
        return 0
    for grant in grants:
        print(strip_controls(f"{grant.folder}  since {grant.at}"))
        for line in grant.brings:
            print(strip_controls(f"  {line}"))
    for sentence in damaged:
        print(strip_controls(sentence), file=sys.stderr)
    for one in consents:
        print(strip_controls(f"{one.folder}  its tests can {allowed_words(one.allowed.names())}"))
    if grants or consents:
        print("To trust one no longer: selfheal config --forget FOLDER")
    elif not damaged:
        print("No folder is trusted.")
    return 0


def _print_keys(settings: Settings, as_json: bool) -> int:
    from selfheal_tui.ui.kit.keymap import binding_ids, build_keymap

    keymap = build_keymap(settings.keys)
    bindings = {name: (keymap.get(name, key), words) for name, (key, words) in sorted(binding_ids().items())}
    if as_json:
        print(json_text({name: {"key": key, "does": words} for name, (key, words) in bindings.items()}))
        return 0
    for name, (key, words) in bindings.items():
        print(strip_controls(f"{name:<22} {key:<22} {words}"))
    return 0
