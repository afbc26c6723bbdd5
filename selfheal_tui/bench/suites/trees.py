"""Published benchmarks that are folders of files: read as they lie in a clone of their repository."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.python_source import parse_python
from selfheal_tui.text import one_line
from selfheal_tui.walled import read_below

from .entries import Entry

_MOST_BYTES = 1_000_000
_SHOWN = 3
"""How many cases of a QuixBugs program the loop sees."""
_PLAIN = """\
def _plain(value):
    if isinstance(value, (list, tuple)) or hasattr(value, "__next__"):
        return [_plain(part) for part in value]
    return value


"""
"""Tuples and generators as lists: JSON has no others, and QuixBugs compares them so."""


def quixbugs(folder: Path) -> Iterator[Entry] | None:
    """Return the programs of a clone of jkoppel/QuixBugs; None when the folder is none.

    Cases are those of `json_testcases`; a program that has none there cannot be read.
    """
    if not (folder / "python_programs").is_dir() or not (folder / "json_testcases").is_dir():
        return None
    names = [path.stem for path in sorted((folder / "python_programs").glob("*.py"))]
    programs = [name for name in names if not name.endswith("_test") and name != "node"]
    return (_entry(f"{folder}, {name}", lambda name=name: _quixbugs_row(folder, name)) for name in programs)


def exercism(folder: Path) -> Iterator[Entry] | None:
    """Return the exercises of a clone of exercism/python; None when the folder is none."""
    inside = folder / "exercises" / "practice"
    exercises = sorted(
        path.parent.parent for path in (inside if inside.is_dir() else folder).glob("*/.meta/config.json")
    )
    return (_entry(str(path), lambda path=path: _exercism_row(path)) for path in exercises) if exercises else None


def _entry(where: str, read: Any) -> Entry:
    try:
        return Entry(where, read())
    except InputError as error:
        return Entry(where, None, f"{error.message.rstrip('.')} ({where}).")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SyntaxError) as error:
        return Entry(where, None, f"{where}, cannot be read: {one_line(str(error))}.")


def _quixbugs_row(folder: Path, name: str) -> dict[str, Any]:
    if not (folder / "json_testcases" / f"{name}.json").exists():
        raise InputError("It has no cases in json_testcases")
    code = _text(folder, f"python_programs/{name}.py")
    tree = parse_python(code)
    prompt = "\n".join(node.value.value for node in tree.body if _is_text(node))  # type: ignore[attr-defined]
    lines = _text(folder, f"json_testcases/{name}.json").splitlines()
    cases = [_case(name, *json.loads(line)) for line in lines if line.strip()]
    return {
        "id": f"QuixBugs/{name}",
        "entry_point": name,
        "prompt": prompt.strip(),
        "buggy_code": code,
        "reference_code": _text(folder, f"correct_python_programs/{name}.py"),
        "visible_tests": _PLAIN + "".join(cases[:_SHOWN]),
        "hidden_tests": _PLAIN + "".join(cases),
    }


def _case(name: str, given: Any, expected: Any) -> str:
    arguments = ", ".join(map(repr, given if isinstance(given, list) else [given]))
    return f"assert _plain({name}({arguments})) == {expected!r}\n"


def _exercism_row(folder: Path) -> dict[str, Any]:
    files = json.loads(_text(folder, ".meta/config.json")).get("files", {})
    name = folder.name.replace("-", "_")
    usual = {"solution": f"{name}.py", "test": f"{name}_test.py", "example": ".meta/example.py"}
    # Some exercises leave these lists empty.
    solution, tests, example = (str((files.get(kind) or [usual[kind]])[0]) for kind in usual)
    stub = _text(folder, solution)
    docs = [_text(folder, f".docs/{name}.md") for name in ("introduction", "instructions", "instructions.append")]
    prompt = "\n\n".join(part.strip() for part in docs if part.strip())
    return {
        "id": f"Exercism/{folder.name}",
        "prompt": f"{prompt}\n\nThe program has these names:\n\n{stub}",
        "reference_code": _text(folder, example),
        "hidden_tests": _text(folder, tests),
        "layout": {"solution": solution, "tests": tests},
    }


def _is_text(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False


def _text(folder: Path, name: str) -> str:
    """Return a file's text; empty when it is not there."""
    return read_below(folder, Path(name), _MOST_BYTES).decode("utf-8") if (folder / name).exists() else ""
