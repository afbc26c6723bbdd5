"""`selfheal bench merge`: put the shards of a run together."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from selfheal_tui.bench.figures.report import build_report, markdown
from selfheal_tui.bench.saved.journal import open_journal
from selfheal_tui.bench.saved.merging import load_part, merge
from selfheal_tui.errors import InputError
from selfheal_tui.money import json_text
from selfheal_tui.text import strip_controls

from .bench_run import percent


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="a folder that `bench --shard` wrote")
    parser.add_argument("--out", type=Path, metavar="DIR", required=True, help="the folder for the whole run")
    parser.add_argument("--partial", action="store_true", help="accept that shards or tasks are missing")
    parser.add_argument("--fail-under", type=percent, metavar="PERCENT", help="exit 1 when fewer are repaired")
    parser.add_argument("--json", action="store_true", help="print the results as one JSON object, not as Markdown")


def run(args: Namespace) -> int:
    """Merge; 0 when the whole run is written (and enough are repaired, with --fail-under)."""
    if args.out.resolve() in {folder.resolve() for folder in args.folders}:
        raise InputError(f"{args.out} is one of the folders that are merged.", "Choose another --out DIR.")
    merged = merge([load_part(folder) for folder in args.folders], partial=args.partial)
    with open_journal(args.out, merged.header, resume=False, own=merged.own) as journal:
        journal.write_results(merged.results)
        report = build_report(
            merged.header,
            merged.results,
            selected=merged.selected,
            not_tried=merged.not_tried,
            not_read=merged.not_read,
            failed=merged.failed,
            isolation=merged.isolation,
        )
        journal.write_report(report, markdown(report))
    text = json_text(report) if args.json else strip_controls(markdown(report, listed=0).rstrip("\n"))
    print(text, flush=True)
    rate = report["summary"]["repaired"]["rate"]
    return 1 if args.fail_under is not None and (rate or 0.0) * 100 < args.fail_under else 0
