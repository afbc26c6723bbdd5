"""A suite as a folder of task folders: our own tasks, and those that a user writes.

Each holds `task.yaml` and either a program (`start.py`, absent where it is to be written; `reference.py`, `visible.py`,
`held_out.py`) or a project (the folder `project/`, and `fixed/` with the files that its fix changes).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line
from selfheal_tui.walled import read_below

from .entries import Entry

BUILTIN = Path(__file__).parents[1] / "tasks"
_TASK = "task.yaml"
_MOST_BYTES = 10_000_000
_TO_WRITE = "to be written"


def read_tasks(folder: Path) -> Iterator[Entry] | None:
    """Return the tasks of a folder, by name; None when no folder in it is a task."""
    tasks = sorted(path.parent for path in folder.glob(f"*/{_TASK}"))
    return map(_entry, tasks) if tasks else None


def _entry(folder: Path) -> Entry:
    try:
        return Entry(str(folder), _row(folder))
    except InputError as error:
        return Entry(str(folder), None, str(error))
    except (OSError, UnicodeDecodeError) as error:
        return Entry(str(folder), None, f"The task {folder} cannot be read: {one_line(str(error))}.")


def _row(folder: Path) -> dict[str, Any]:
    meta = _meta(folder)
    row = {"id": folder.name, "prompt": meta.get("spec"), "category": meta.get("category")}
    if (folder / "project").is_dir():
        files, fixed = _files(folder / "project"), _files(folder / "fixed")
        row |= {"files": files, "fixed_files": fixed, "bug_type": meta.get("mistake")}
        return row | {name: meta.get(name) for name in ("visible_tests", "hidden_tests")}
    start = _text(folder, "start.py")
    return row | {
        "bug_type": meta.get("mistake") if start else _TO_WRITE,
        "buggy_code": start,
        "reference_code": _text(folder, "reference.py"),
        "visible_tests": _text(folder, "visible.py"),
        "hidden_tests": _text(folder, "held_out.py"),
        "layout": {"solution": f"{folder.name}.py", "tests": "test_held_out.py"},
    }


def _meta(folder: Path) -> dict[str, Any]:
    import yaml

    try:
        meta = yaml.safe_load(_text(folder, _TASK))
    except (yaml.YAMLError, RecursionError) as error:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        line = f", line {mark.line + 1}," if mark else ""
        raise InputError(
            f"{folder / _TASK}{line} is no YAML: {one_line(str(problem or 'it nests too deeply'))}."
        ) from error
    if not isinstance(meta, dict):
        raise InputError(f"{folder / _TASK} holds no fields.")
    return meta


def _text(folder: Path, name: str) -> str:
    return read_below(folder, Path(name), _MOST_BYTES).decode("utf-8") if (folder / name).exists() else ""


def _files(folder: Path) -> dict[str, str]:
    """Return path -> text of a folder's files; what is no UTF-8 text is no part of a task."""
    texts = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else []:
        if path.is_file() and not {"__pycache__", ".git"} & set(path.relative_to(folder).parts):
            try:
                name = path.relative_to(folder)
                texts[name.as_posix()] = read_below(folder, name, _MOST_BYTES).decode("utf-8")
            except UnicodeDecodeError:
                continue
    return texts
