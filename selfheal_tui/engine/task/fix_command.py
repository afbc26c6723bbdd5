"""The command that starts a session with the paths of another, or with more of them, complete to be copied."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selfheal_tui.sandbox.allowance import flags_of
from selfheal_tui.settings import Settings, sessions_flag

from ..moment.state import WELL_ENDED, Manifest

if TYPE_CHECKING:
    from ..moment.snapshot import Snapshot

_FEW = 5
"""Paths that are named one by one; else their folder is."""
PATH = "PATH"
"""What stands for tests that the user has to name."""


def not_searched_of(snapshot: Snapshot | None) -> Sequence[str]:
    """Return the files that failing cases run and that the search could not edit; none where it healed."""
    if snapshot is None or snapshot.diagnosis is None or snapshot.outcome in WELL_ENDED:
        return ()
    return snapshot.diagnosis.get("not_searched", ())


def wider_command(manifest: Manifest, settings: Settings, others: Sequence[str]) -> str:
    """Return the command that searches `others` too; empty for none, and where the files came from no folder."""
    return fix_command({**manifest, "program": [*manifest["program"], *others]}, settings) if others else ""


def fix_command(
    manifest: Manifest,
    settings: Settings,
    *,
    other_tests: bool = False,
    alone: str = "",
    python: str = "",
    allow: str = "",
    whole: bool = False,
) -> str:
    """Return the command that starts a session with the paths of another; empty where they came from no folder.

    `other_tests`: with a place for tests that the user has to name; `alone`: with this test file, and without those
    of the same name. `python`: with this interpreter; `allow`: with these flags too. `whole`: of all of
    the folder.
    """
    root = Path(manifest["root"] or "")
    if manifest["root"] is None:
        return ""
    if alone:
        others = [test for test in manifest["tests"] if test.endswith(".py") and Path(test).name != Path(alone).name]
        manifest = {**manifest, "tests": [alone, *others]}
    program, tests = ([_from_here(root / path) for path in manifest[kind]] for kind in ("program", "tests"))
    few = len(program) <= _FEW and len(tests) <= _FEW and not whole
    named = [PATH] if other_tests else tests if few or alone else []
    words = ["selfheal", "fix", *(program if few else [_from_here(root)]), *(["--tests", *named] if named else [])]
    pytest_args = shlex.join(["", "--", *manifest["pytest_args"]])[2:] if manifest["pytest_args"] else ""
    flag = f" --python {shlex.quote(python)}" if python else ""
    flags = f"{flags_of(settings)}{f' {allow}' if allow else ''}"
    return f"{shlex.join(words)}{flag}{sessions_flag(settings)}{flags}{pytest_args}"


def _from_here(path: Path) -> str:
    here = Path.cwd().resolve()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
