"""The records of a suite: checked here, so that all else may trust them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line, plural

_TEXTS = (
    *("entry_point", "prompt", "buggy_code", "reference_code", "visible_tests", "hidden_tests", "plus_tests"),
    *("bug_type", "model", "category"),
)
UNKNOWN = "not given"
"""Bug type or author of a record that names none."""


@dataclass(frozen=True, slots=True)
class BenchRecord:
    """One task of a suite as its file has it; texts that are absent are empty."""

    id: str
    entry_point: str
    prompt: str
    buggy_code: str
    """Empty when the code is still to be written."""
    visible_tests: str
    hidden_tests: str
    plus_tests: str
    """Stronger hidden tests; their verdict is told apart."""
    bug_type: str
    author: str
    """The model that wrote the wrong program."""
    files: Mapping[str, str] = field(default_factory=dict)
    """A whole project, path -> text; else what lies beside the program."""
    program_path: str = ""
    """Where the tests expect the program; empty when they are to be run in its namespace."""
    tests_path: str = ""
    """Name of the file that hidden tests with imports of their own belong in."""
    reference_code: str = ""
    """A right program. The loop never sees it: it says how much of a repair lies where the mistake was."""
    fixed_files: Mapping[str, str] = field(default_factory=dict)
    """The same of a project: path -> text of the files that its fix changes."""
    category: str = ""
    """What the task is about."""
    attempt: int = 1
    """Which try this is, where each task is tried several times."""


def select(records: tuple[BenchRecord, ...], ids: tuple[str, ...]) -> tuple[BenchRecord, ...]:
    """Return the records of these ids, in the file's order; all for none. Raises: InputError for an unknown id."""
    unknown = sorted(set(ids) - {record.id for record in records})
    if unknown:
        raise InputError(
            f"The suite has no task {one_line(unknown[0], 60)!r} among its {plural(len(records), 'record')}.",
            "Ids are the `id` of its records, separated by commas.",
        )
    return tuple(record for record in records if not ids or record.id in ids)


def build_record(row: Mapping[str, Any], where: str) -> BenchRecord:
    """Check a row in our form. Raises: InputError saying `where`."""
    if not isinstance(row.get("id"), str) or not row["id"].strip():
        raise InputError(f"A record needs an `id` ({where}).", "It is a text of its own for each record.")
    for name in _TEXTS:
        if not isinstance(row.get(name), str | None):
            raise InputError(f"`{name}` must be a text ({where}), not {type(row[name]).__name__}.")
    layout, files, fixed = row.get("layout") or {}, row.get("files") or {}, row.get("fixed_files") or {}
    for name, mapping in (("layout", layout), ("files", files), ("fixed_files", fixed)):
        if not isinstance(mapping, dict) or not all(isinstance(v, str) for v in mapping.values()):
            raise InputError(f"`{name}` must map names to texts ({where}).")
    return BenchRecord(
        id=row["id"],
        entry_point=row.get("entry_point") or "",
        prompt=row.get("prompt") or "",
        buggy_code=row.get("buggy_code") or "",
        visible_tests=row.get("visible_tests") or "",
        hidden_tests=row.get("hidden_tests") or "",
        plus_tests=row.get("plus_tests") or "",
        bug_type=row.get("bug_type") or UNKNOWN,
        author=row.get("model") or UNKNOWN,
        files=files,
        program_path=layout.get("solution", ""),
        tests_path=layout.get("tests", ""),
        reference_code=row.get("reference_code") or "",
        fixed_files=fixed,
        category=row.get("category") or "",
    )
