"""`selfheal bench compare`: two runs over the same tasks, and how sure their difference is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from selfheal_tui.bench.compare.comparison import SEED, build_comparison
from selfheal_tui.bench.compare.text import comparison_markdown
from selfheal_tui.bench.saved.finished import read_run
from selfheal_tui.errors import InputError
from selfheal_tui.money import json_text
from selfheal_tui.text import strip_controls

from .options import add_json, whole_number


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    parser.add_argument("a", type=Path, metavar="A", help="folder of the first run")
    parser.add_argument("b", type=Path, metavar="B", help="folder of the second run, over the same data")
    parser.add_argument(
        "--seed", type=whole_number, default=SEED, metavar="N", help=f"seed of the bootstrap (default: {SEED})"
    )
    add_json(parser)


def run(args: Namespace) -> int:
    """Print the comparison."""
    if args.a.resolve() == args.b.resolve():
        raise InputError(f"{args.a} and {args.b} are the same folder.", "Name two runs.")
    comparison = build_comparison(read_run(args.a), read_run(args.b), args.seed)
    text = json_text(comparison) if args.json else strip_controls(comparison_markdown(comparison).rstrip("\n"))
    print(text, flush=True)
    return 0
