"""What a repairer's reply makes of the files: edits, functions and whole files, all or nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from selfheal_tui.python_source import parse_python, why_not

from .functions import replaced
from .places import placed
from .splices import Misplaced, Splice, lines_of, spliced

_MOST_PROBLEMS = 3


@dataclass(frozen=True, slots=True)
class Applied:
    """The files after a reply, or why it cannot be applied."""

    changes: dict[str, str] = field(default_factory=dict)
    """Path -> whole new text, where it differs; empty with problems."""
    problems: tuple[str, ...] = ()
    """What the model is to put right, as `edits.0: why`."""
    foreign: tuple[str, ...] = ()
    """Paths that the reply changes and may not."""


def apply_reply(files: Mapping[str, str], reply: Mapping[str, Any], shown_in_part: Collection[str] = ()) -> Applied:
    """Apply the `edits`, `functions` and `files` of a reply to the files that it may change.

    All places are looked up in the files as they are now, so the order of the changes does not matter. One change that
    cannot be placed refuses them all. A file that was `shown_in_part` cannot be given whole: the rest would be lost.
    """
    splices: dict[str, list[Splice]] = {}
    whole: dict[str, str] = {}
    problems: list[str] = []
    foreign: set[str] = set()
    for kind in ("files", "functions", "edits"):
        for index, item in enumerate(reply.get(kind) or ()):
            path = _path(str(item["path"]), files)
            if path not in files:
                foreign.add(path)
                continue
            try:
                if kind == "files":
                    whole[path] = _whole(path, item["text"], shown_in_part)
                elif kind == "functions":
                    splices.setdefault(path, []).append(replaced(files[path], item["name"], item["text"]))
                else:
                    splices.setdefault(path, []).append(placed(lines_of(files[path]), item["find"], item["replace"]))
            except Misplaced as error:
                problems.append(f"{kind}.{index} ({path}): {error}")
    if foreign or problems:
        return Applied({}, tuple(problems[:_MOST_PROBLEMS]), tuple(sorted(foreign)))
    changes = dict(whole)
    for path, own in splices.items():
        try:
            changes[path] = _edited(path, files[path], own, path in whole)
        except Misplaced as error:
            problems.append(f"{path}: {error}")
    if problems:
        return Applied({}, tuple(problems[:_MOST_PROBLEMS]))
    return Applied({path: text for path, text in changes.items() if text != files[path]})


def _path(path: str, files: Mapping[str, str]) -> str:
    """Return the path that is meant: `./a.py` is `a.py`, and a block without a path is of the only file."""
    if path in files:
        return path
    if not path.strip() and len(files) == 1:
        return next(iter(files))
    return path.strip().removeprefix("./")


def _whole(path: str, text: str, shown_in_part: Collection[str]) -> str:
    if path in shown_in_part:
        raise Misplaced("you were shown a part of this file only, so give edits or functions and not the whole file")
    return text


def _edited(path: str, text: str, splices: list[Splice], is_whole: bool) -> str:
    """Return a file after its splices. Raises: Misplaced, also when Python that parsed does not parse afterwards."""
    if is_whole:
        raise Misplaced("give this file whole or give edits of it, not both")
    new = spliced(lines_of(text), splices)
    if path.endswith(".py") and new.strip() and _fault(text) is None and (fault := _fault(new)) is not None:
        line = fault.lineno or 1
        around = "\n".join(new.split("\n")[max(0, line - 3) : line + 2])
        raise Misplaced(f"with these changes the file does not parse{why_not(fault)}; there it would read:\n{around}")
    return new


def _fault(text: str) -> SyntaxError | None:
    try:
        parse_python(text)
    except SyntaxError as error:
        return error
    return None
