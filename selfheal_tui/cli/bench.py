"""`selfheal bench`: its actions, each in a file of its own; a suite alone is run."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import cast

from .parser import Command, Parser, add_actions

ACTIONS: dict[str, Command] = {
    "run": Command("bench_run", "run a suite: hidden tests judge what the loop repaired"),
    "matrix": Command("bench_matrix", "run a suite with each combination of models and settings"),
    "compare": Command("bench_compare", "compare two runs over the same tasks: which turned, how sure, at what cost"),
    "replay": Command("bench_replay", "put recorded programs of models through the loop"),
    "report": Command("bench_report", "write a run's report as an HTML page with charts"),
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
