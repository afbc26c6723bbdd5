"""A story in the format that was asked for, without keys: what the command line writes and the app exports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.money import json_text

from .html import page
from .markdown import markdown
from .patch import git_patch
from .prompts import prompts_page
from .redact import names_in, redacted


def decision_line(decision: Mapping[str, Any], environ: Mapping[str, str], home: str) -> str:
    """Return a decision as a line of JSONL, without keys and the home folder's path."""
    return json_text(redacted(decision, environ, home)) + "\n"


def exported(story: Mapping[str, Any], form: str, environ: Mapping[str, str], home: str) -> str:
    """Return a story in a format, without keys and the home folder's path.

    Raises: InputError for a patch that would hold a key (it could not be left out of one), or no Unicode text.
    """
    if form == "patch":
        patch = git_patch(story["base"], story["program"])
        if names := names_in(patch, environ):
            raise InputError(f"The patch would hold the value of {names[0]}.", "Take the key out of the program.")
        try:
            patch.encode()
        except UnicodeEncodeError as error:
            raise InputError("The program holds half a surrogate pair, which no file in UTF-8 can.") from error
        return patch
    clean = redacted(story, environ, home)
    if form == "prompts":
        return prompts_page(clean)
    if form == "json":
        return json_text(clean, indent=1) + "\n"
    return page(clean) if form == "html" else markdown(clean)
