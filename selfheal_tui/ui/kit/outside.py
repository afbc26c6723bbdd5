"""Editing a text in the user's own editor: `$VISUAL` or `$EDITOR`, on a throw-away file."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line


def editor_command(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the user's editor as a command. Raises: InputError when none is named, or its name cannot be read."""
    named = environment.get("VISUAL", "").strip() or environment.get("EDITOR", "").strip()
    if not named:
        raise InputError("No editor of your own is named.", "Set VISUAL or EDITOR, or go on writing here.")
    try:
        return shlex.split(named)
    except ValueError:
        raise InputError(f"VISUAL or EDITOR cannot be read: {one_line(named, 60)}", "Mend its quotes.") from None


def edit_outside(command: list[str], path: str, text: str) -> str:
    """Return the text as the editor leaves it; the file has the name of `path`, and is gone afterwards.

    Blocks until the editor ends. Raises: InputError, and then the text is as it was.
    """
    with tempfile.TemporaryDirectory(prefix="selfheal-edit-") as folder:
        file = Path(folder) / (PurePosixPath(path).name or "text.py")
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            code = subprocess.run([*command, str(file)], check=False).returncode
        except OSError as error:
            raise InputError(f"{command[0]} cannot be started: {error.strerror}.", "Set VISUAL or EDITOR.") from error
        if code != 0:
            raise InputError(f"{command[0]} ended with {code}: its text is not taken.", "Try again, or write here.")
        try:
            return file.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"What {command[0]} left cannot be read as UTF-8: {one_line(str(error))}.") from error
