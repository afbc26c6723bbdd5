"""A diff in the user's own tool: `$DIFFTOOL`, or the one that their own git configuration names.

The tool is never taken from the folder that is healed: git is asked in an empty folder and looks no further, so that
the configuration of a clone, which may be hostile, is not read.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from textual.app import App, SuspendNotSupported

from selfheal_tui.errors import InputError
from selfheal_tui.text import one_line

FileChange = tuple[str, str, str]
"""Path, old text, new text."""
_GIT = ["git", "difftool", "--no-index", "--no-prompt"]
_DIFFERS = 1
"""The exit code with which tools say that the two files differ."""


def difftool_command(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the user's tool as a command that takes two files.

    Raises: InputError when none is named, or its name cannot be read.
    """
    if named := environment.get("DIFFTOOL", "").strip():
        try:
            return shlex.split(named)
        except ValueError:
            raise InputError(f"DIFFTOOL cannot be read: {one_line(named, 60)}", "Mend its quotes.") from None
    with tempfile.TemporaryDirectory(prefix="selfheal-diff-") as folder:
        if any(_git_value(name, Path(folder), environment) for name in ("diff.tool", "merge.tool")):
            return _GIT
    raise InputError(
        "No diff tool of your own is named.", "Set DIFFTOOL, or run: git config --global diff.tool NAME (as vimdiff)."
    )


def diff_outside(
    command: Sequence[str], files: Sequence[FileChange], environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Show each file that differs, one after the other; return path -> text of those whose new side the user changed.

    Blocks until the tool ends. Raises: InputError, and then nothing is taken.
    """
    changed: dict[str, str] = {}
    for path, old, new in files:
        if old == new:
            continue
        with tempfile.TemporaryDirectory(prefix="selfheal-diff-") as name:
            folder = Path(name).resolve()
            left, right = (_written(folder / side, path, text) for side, text in (("before", old), ("after", new)))
            _run([*command, str(left), str(right)], folder, environment)
            try:
                text = right.read_bytes().decode("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise InputError(f"What {command[0]} left cannot be read as UTF-8: {one_line(str(error))}.") from error
            if text.encode() != new.encode("utf-8", "surrogatepass"):
                changed[path] = text
    return changed


def shown_outside(app: App[str | None], files: Sequence[FileChange]) -> dict[str, str]:
    """Suspend the app while the tool shows the files; return what was changed.

    Raises: InputError when there is no tool, it cannot be started, or there is no terminal for it.
    """
    command = difftool_command()
    try:
        with app.suspend():
            return diff_outside(command, files)
    except SuspendNotSupported:
        raise InputError("No other tool can be opened here (in the browser, or without a terminal).") from None


def _written(folder: Path, path: str, text: str) -> Path:
    folder.mkdir(mode=0o700)
    file = folder / (PurePosixPath(path).name or "text.py")
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    return file


def _run(command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
    try:
        code = subprocess.run(command, check=False, cwd=folder, env=_away_from_projects(folder, environment)).returncode
    except OSError as error:
        raise InputError(f"{command[0]} cannot be started: {error.strerror}.", "Set DIFFTOOL.") from error
    if code not in (0, _DIFFERS):
        raise InputError(f"{command[0]} ended with {code}: nothing is taken from it.", "Try it in a terminal first.")


def _git_value(name: str, folder: Path, environment: Mapping[str, str]) -> str:
    try:
        told = subprocess.run(
            ["git", "config", "--get", name],
            check=False,
            cwd=folder,
            env=_away_from_projects(folder.resolve(), environment),
            capture_output=True,
            text=True,
        )
    except OSError:
        return ""
    return told.stdout.strip()


def _away_from_projects(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment in which git finds no repository from `folder` on upwards."""
    kept = {name: value for name, value in environment.items() if name not in ("GIT_DIR", "GIT_WORK_TREE")}
    return {**kept, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
