"""`selfheal bench report`: a run's report as an HTML page, made from what lies in its folder."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path

from selfheal_tui.bench.html.page import page
from selfheal_tui.bench.saved.journal import PAGE
from selfheal_tui.bench.saved.run import SavedRun, load_run
from selfheal_tui.errors import InputError
from selfheal_tui.text import plural, strip_controls
from selfheal_tui.walled import named_report
from selfheal_tui.whole_file import not_written, write_named


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="the run's folder")
    parser.add_argument("--html", type=Path, metavar="FILE", help=f"write the page there (default: DIR/{PAGE})")


def run(args: Namespace) -> int:
    """Write the page; a run that goes on, or was stopped, is told as far as it is."""
    if not args.folder.is_dir():
        raise InputError(f"{args.folder} is no folder.", "Name a run's folder: one in bench-results/.")
    saved = load_run(args.folder)
    if saved.damage:
        raise InputError(f"{args.folder} holds no run that can be shown: {saved.damage}")
    target = named_report(args.html or args.folder / PAGE)
    try:
        write_named(target, page(as_report(saved)).encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise not_written(target, error) from error
    left_out = f"; {plural(saved.not_read, 'line')} of its results left out as damaged" if saved.not_read else ""
    print(strip_controls(f"{plural(len(saved.results), 'task')} in {target}{left_out}"))
    return 0


def as_report(saved: SavedRun) -> Mapping[str, object]:
    """Return a run's folder as the report that its page is made from."""
    return {
        **saved.header,
        **{
            name: saved.report[name]
            for name in ("not_tried", "not_read", "failed", "isolation")
            if name in saved.report
        },
        "complete": saved.complete,
        "selected": saved.selected,
        "tasks": list(saved.results),
    }
