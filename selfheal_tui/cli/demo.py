"""`selfheal demo`: heal a bundled buggy program."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from selfheal_tui.engine.task.demos import DEFAULT_DEMO, list_demos, load_demo
from selfheal_tui.money import json_text

from .completers import completes, demo_names
from .folding import hanging
from .options import RUN_SETTINGS, add_headless, add_settings
from .start import start_session


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    name = parser.add_argument(
        "name", nargs="?", metavar="NAME", default=DEFAULT_DEMO, help=f"which one (default: {DEFAULT_DEMO})"
    )
    completes(name, demo_names)
    parser.add_argument("--list", action="store_true", help="name the bundled programs and what is wrong with them")
    add_headless(parser)
    add_settings(parser, RUN_SETTINGS)


def run(args: Namespace) -> int:
    """List the demos or heal one."""
    if args.list:
        _print_list(args.json)
        return 0
    return start_session(args, lambda _: load_demo(args.name))


def _print_list(as_json: bool) -> None:
    demos = list_demos()
    if as_json:
        print(json_text([asdict(demo) for demo in demos]))
        return
    width = max((len(demo.name) for demo in demos), default=0)
    for demo in demos:
        note = "" if demo.healable else " (needs a model: the search alone cannot heal it)"
        print(hanging(f"{demo.name:<{width}}  ", f"{demo.title} [{demo.category}]{note}", sys.stdout))
        print(hanging(" " * (width + 2), demo.story, sys.stdout))
