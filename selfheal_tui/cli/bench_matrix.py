"""`selfheal bench matrix`: a suite with each combination of models and settings, and one table of all of them."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfheal_tui.bench.matrix.file import Cell, MatrixPlan, read_plan
from selfheal_tui.bench.matrix.folder import open_matrix, unfinished_matrix
from selfheal_tui.bench.matrix.report import build_matrix, matrix_markdown
from selfheal_tui.bench.running.shelf import FOLDER as REPLIES
from selfheal_tui.bench.running.shelf import Shelf, paid
from selfheal_tui.bench.saved.finished import read_run
from selfheal_tui.bench.saved.journal import DEFAULT_PARENT, HEADER, new_folder, read_header, vouch
from selfheal_tui.errors import ProviderError, SelfHealError
from selfheal_tui.money import json_text
from selfheal_tui.text import plural, strip_controls

from . import CANCELLED
from .bench_progress import tell
from .bench_run import SuiteRun, opened_run, run_arguments
from .compose import build_startable_options
from .options import STORE_SETTINGS, add_json, add_settings
from .trusting import load_from, without_hooks

if TYPE_CHECKING:
    from selfheal_tui.bench.matrix.folder import MatrixFolder
    from selfheal_tui.settings import Settings

_SETTINGS = tuple(name for name in STORE_SETTINGS if name not in ("sessions", "prompts"))
"""What is the same for all cells, and says nothing of how the loop works; the file says the rest."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="YAML: a suite, and axes or cells of settings")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help=f"a folder for each cell goes here (default: new in {DEFAULT_PARENT}/)"
    )
    parser.add_argument("--resume", action="store_true", help="go on with the matrix in --out, or else with the newest")
    add_json(parser)
    add_settings(parser, _SETTINGS)


def run(args: Namespace) -> int:
    """Run every cell, then print the table; 0 when each task of each cell has its verdict."""
    plan = read_plan(args.file)
    base = without_hooks(load_from(args))
    settings = {cell.name: _settings(base, cell) for cell in plan.cells}
    if args.out is not None:
        folder = args.out
    else:
        folder = unfinished_matrix() if args.resume else new_folder(f"matrix-{args.file.stem}")
    header = {"suite": Path(plan.suite).name, "file": str(args.file), "cells": [cell.name for cell in plan.cells]}
    with open_matrix(folder, header, resume=args.resume, trusted=bool(args.trust)) as matrix:
        return _Matrix(args, plan, settings, matrix).to_end()


def _settings(base: Settings, cell: Cell) -> Settings:
    """Return the settings of a cell, checked before any cell runs. Raises: SettingsError naming the cell."""
    settings = replace(base, **cell.values)
    try:
        # A model that is not there, or has no key, is told before anything is paid.
        build_startable_options(settings, "fix")
    except SelfHealError as error:
        error.message = f"{error.message.rstrip('.')} (cell {cell.name})."
        raise
    return settings


class _Matrix:
    """The cells of a matrix, one after the other."""

    def __init__(
        self, args: Namespace, plan: MatrixPlan, settings: Mapping[str, Settings], folder: MatrixFolder
    ) -> None:
        self._args = args
        self._plan = plan
        self._settings = settings
        self._folder = folder
        self._selected: dict[str, int] = {}
        self._failed: dict[str, str] = {}
        self._exit_code = 0

    def to_end(self) -> int:
        tell(f"selfheal: results in {self._folder.path}")
        try:
            for number, cell in enumerate(self._plan.cells, 1):
                tell(f"selfheal: cell {number} of {len(self._plan.cells)}: {cell.name}")
                self._run(cell)
        except KeyboardInterrupt:
            self._say_how_to_go_on("cancelled", self._report())
            return CANCELLED
        except SelfHealError:
            self._say_how_to_go_on("stopped", self._report())
            raise
        report = self._report()
        text = json_text(report) if self._args.json else strip_controls(matrix_markdown(report).rstrip("\n"))
        print(text, flush=True)
        if self._failed:
            self._say_how_to_go_on("some tasks could not go on", report)
        return self._exit_code

    def _run(self, cell: Cell) -> None:
        folder = self._folder.path / cell.name
        begun = (folder / HEADER).exists()
        recorded = read_header(folder) if begun else None
        if begun:
            vouch(folder, bool(self._args.trust))
        shelf = Shelf(self._folder.path / REPLIES, cell.name)
        with opened_run(folder, self._arguments(folder), self._settings[cell.name], recorded, shelf) as bench:
            self._selected[cell.name] = bench.selected
            if bench.is_done:
                return
            self._work(cell, bench)

    def _work(self, cell: Cell, bench: SuiteRun) -> None:
        try:
            bench.work()
        except ProviderError as error:
            # The next cell may have another model.
            self._failed[cell.name] = str(error)
            self._exit_code = self._exit_code or error.exit_code
        for failure in list(bench.failed.values())[:1]:
            self._failed.setdefault(cell.name, str(failure))
            self._exit_code = self._exit_code or failure.exit_code

    def _arguments(self, folder: Path) -> Namespace:
        """Return what `selfheal bench run` would have been given for a cell."""
        plan = self._plan
        return run_arguments(
            suite=plan.suite,
            data=plan.data,
            tests=plan.tests,
            limit=plan.limit,
            seed=plan.seed,
            ids=plan.ids or None,
            tries=plan.tries,
            jobs=plan.jobs,
            out=folder,
        )

    def _report(self) -> dict[str, Any]:
        folders = {cell.name: self._folder.path / cell.name for cell in self._plan.cells}
        runs = {name: read_run(folder) for name, folder in folders.items() if (folder / HEADER).exists()}
        report = build_matrix(
            {**self._folder.header, "planned": len(self._plan.cells)},
            runs,
            self._selected,
            paid(self._folder.path / REPLIES),
            self._failed,
        )
        self._folder.write_report(report, matrix_markdown(report))
        return report

    def _say_how_to_go_on(self, ending: str, report: Mapping[str, Any]) -> None:
        done = sum(cell["complete"] for cell in report["cells"])
        file, out = shlex.quote(str(self._args.file)), shlex.quote(str(self._folder.path))
        tell(
            f"selfheal: {ending}; {done} of {plural(len(self._plan.cells), 'cell')} finished; "
            f"go on with: selfheal bench matrix {file} --out {out} --resume"
        )
