"""How precise a repair is: how much of it was needed, and how much lies where the reference changes the program.

After edit-level precision and bug-level recall of PDB (arXiv 2604.17338), where what counts is the smallest part of an
edit that passes the tests. Here the hidden tests say what is needed, and a reference, where a record has one, says
where the mistake was.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict

from selfheal_tui.edit_size import EditSize, edit_size, shared_size
from selfheal_tui.engine.task.task import GENERATED_PATH
from selfheal_tui.sandbox.base import Sandbox
from selfheal_tui.search.minimise import build_pieces, minimise

from ..suites.cases import build_verdict, is_project
from ..suites.records import BenchRecord

UNITS = ("lines", "tokens")


class EditFigures(TypedDict):
    """Sizes of one right repair."""

    size: EditSize
    needed: EditSize
    """Of its smallest part that passes the hidden tests."""
    reference: EditSize | None
    """Of the reference's change; None without a reference."""
    shared: EditSize | None
    """Of what the repair changes where the reference changes something too."""


async def edit_figures(
    sandbox: Sandbox, record: BenchRecord, given: Mapping[str, str], program: Mapping[str, str]
) -> EditFigures:
    """Return the sizes of a repair that passes the hidden tests, from `given` to `program` (path -> text).

    Raises: SandboxError.
    """
    changes = {path: text for path, text in program.items() if given.get(path) != text}
    least = changes
    if len(build_pieces(given, changes)) > 1:
        suite = replace(build_verdict(record, given, "hidden"), verify=False)
        least = await minimise(sandbox, suite, changes)
    fixed = fixed_program(record)
    return {
        "size": edit_size(given, changes),
        "needed": edit_size(given, least),
        "reference": edit_size(given, fixed) if fixed else None,
        "shared": shared_size(given, changes, fixed) if fixed else None,
    }


def fixed_program(record: BenchRecord) -> dict[str, str]:
    """Return path -> text of what the reference changes; empty where the record has none."""
    if is_project(record):
        return dict(record.fixed_files)
    return {record.program_path or GENERATED_PATH: record.reference_code} if record.reference_code else {}


def precision(edits: Iterable[EditFigures]) -> dict[str, Any] | None:
    """Return the mean shares over right repairs, JSON-ready; None when there is none.

    `needed`: of what a repair changes. `precision`: of what it changes, and `recall`: of what the reference changes,
    how much both change; None without references.
    """
    sizes = list(edits)
    if not sizes:
        return None
    both = [(one["size"], one["shared"], one["reference"]) for one in sizes if one["shared"] and one["reference"]]
    return {
        "repairs": len(sizes),
        "with_reference": len(both),
        "needed": _means([(one["needed"], one["size"]) for one in sizes]),
        "precision": _means([(shared, size) for size, shared, _ in both]),
        "recall": _means([(shared, reference) for _, shared, reference in both]),
    }


def _means(pairs: Sequence[tuple[EditSize, EditSize]]) -> dict[str, float] | None:
    """Return the mean share of the one size in the other, by unit."""
    return {unit: _mean(pairs, unit) for unit in UNITS} if pairs else None


def _mean(pairs: Sequence[tuple[EditSize, EditSize]], unit: str) -> float:
    shares = [part[unit] / whole[unit] for part, whole in pairs if whole[unit]]  # type: ignore[literal-required]
    return round(statistics.fmean(shares), 4) if shares else 1.0
