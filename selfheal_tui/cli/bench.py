"""`selfheal bench`: its actions, each in a file of its own; a suite alone is run."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import cast

from .parser import Command, Parser, add_actions

ACTIONS: dict[str, Command] = {
    "run": Command("bench_run", "run a suite: hidden tests judge what the loop repaired"),
    "merge": Command("bench_merge", "put the shards of a run together, from several machines"),
}

DEFAULT = "run"
"""What `selfheal bench SUITE` does; a suite whose name is an action's is written `./NAME`."""


def with_action(argv: list[str]) -> list[str]:
    """Put the default action before a suite or options that stand alone."""
    if argv and argv[0] in {*ACTIONS, "-h", "--help"}:
        return argv
    return [DEFAULT, *argv]


def add_arguments(parser: ArgumentParser) -> None:
    """Add the actions and their arguments."""
    parser.epilog = f"Without ACTION: {DEFAULT}. `selfheal bench {DEFAULT} --help` says what a run takes."
    add_actions(cast(Parser, parser), __package__, ACTIONS, "ACTION")
