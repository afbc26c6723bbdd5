"""A story in the format that was asked for, without keys: what the command line writes and the app exports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.money import json_text
from selfheal_tui.python_encoding import BOM
from selfheal_tui.store.writing import FileChange, read_now

from .html import page
from .markdown import markdown
from .patch import git_patch
from .plugged import plugged_export, plugged_formats
from .prompts import prompts_page
from .rdjson import rdjson
from .redact import names_in, redacted
from .sarif import sarif

_OBJECTS: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
    "json": lambda story: story,
    "sarif": sarif,
    "rdjson": rdjson,
}
"""Format -> the object that is written."""


def decision_line(decision: Mapping[str, Any], environ: Mapping[str, str], home: str) -> str:
    """Return a decision as a line of JSONL, without keys and the home folder's path."""
    return json_text(redacted(decision, environ, home)) + "\n"


def exported(
    story: Mapping[str, Any], form: str, environ: Mapping[str, str], home: str, root: Path | None = None
) -> str:
    """Return a story in a format, without keys and the home folder's path; `patch_bytes` makes a file's bytes of it.

    A patch is made for the files of the folder `root` as they begin there: with a byte order mark, or without.

    Raises: InputError for a patch that would hold a key (it could not be left out of one), or no Unicode text.
    """
    if form == "patch":
        try:
            patch = git_patch(story["base"], story["program"], _marked(root, story["base"]))
        except UnicodeEncodeError as error:
            raise InputError("The program holds half a surrogate pair, which no file in UTF-8 can.") from error
        if names := names_in(patch, environ):
            raise InputError(f"The patch would hold the value of {names[0]}.", "Take the key out of the program.")
        return patch
    clean = redacted(story, environ, home)
    if form == "prompts":
        return prompts_page(clean)
    if form in _OBJECTS:
        return json_text(_OBJECTS[form](clean), indent=1) + "\n"
    if form in plugged_formats():
        return plugged_export(form, clean)
    return page(clean) if form == "html" else markdown(clean)


def _marked(root: Path | None, paths: Iterable[str]) -> set[str]:
    """Return the files that begin with a byte order mark where they came from; nothing of what cannot be read."""
    marked: set[str] = set()
    if root is None:
        return marked
    for path in paths:
        with suppress(InputError, OSError):
            (now,) = read_now(root, [FileChange(path, None, "")])
            if now is not None and now.startswith(BOM):
                marked.add(path)
    return marked
