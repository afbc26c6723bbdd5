"""What the debugger's tools share: refusing, numbered lines, and the nearest names."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable

from selfheal_tui.python_source import parse_python
from selfheal_tui.text import one_line


class Refused(ValueError):
    """The tool cannot do what it was asked to; the message tells the model what would be right."""


def numbered_lines(text: str, first: int, last: int) -> str:
    """Return lines `first` to `last` (1-based, both shown) with their numbers."""
    lines = text.splitlines()[first - 1 : last]
    return "\n".join(f"{number:4} {line}" for number, line in enumerate(lines, first))


def known_path(path: str, files: Iterable[str]) -> str:
    """Return the one of `files` that a path means. Raises: Refused naming those there are."""
    paths = list(files)
    wanted = path.strip().removeprefix("./")
    if wanted in paths:
        return wanted
    ending = [one for one in paths if one.endswith(f"/{wanted}")]
    if wanted and len(ending) == 1:
        return ending[0]
    raise Refused(f"there is no file {one_line(path, 80)!r}; {alternatives(wanted, paths)}")


def alternatives(wanted: str, existing: Iterable[str], most: int = 12) -> str:
    """Name the existing ones, the nearest first: `there are a.py, b.py`."""
    names = list(dict.fromkeys(existing))
    if not names:
        return "there are none"
    near = difflib.get_close_matches(wanted, names, 3, 0.5)
    ordered = [*near, *(name for name in names if name not in near)]
    more = f" and {len(ordered) - most} more" if len(ordered) > most else ""
    return f"there {'are' if len(names) > 1 else 'is'} {', '.join(ordered[:most])}{more}"


def parsed(text: str) -> ast.Module | None:
    """Return the tree of a Python text; None when it does not parse."""
    try:
        return parse_python(text)
    except SyntaxError:
        return None
