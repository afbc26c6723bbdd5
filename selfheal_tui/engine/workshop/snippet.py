"""Python beside a program, run as a suite of one case in the sandbox: for the debugger's tools and for the human."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from selfheal_tui.sandbox.base import Limits, Suite

from ..moment.workspace import Workspace

_SELECTING = ("-k", "-m", "--deselect", "--ignore", "--ignore-glob")


def snippet_suite(
    workspace: Workspace,
    limits: Limits,
    files: Mapping[str, str],
    case: str,
    changes: Mapping[str, str] | None = None,
) -> Suite:
    """Return the suite that runs the test file `case`, one of `files` (name -> text), beside the moment's tests.

    What those can import, the files can. `changes` (path -> text) are laid over the program.
    """
    folder = PurePosixPath(next((p for p in workspace.test_files if p.endswith(".py")), "x.py")).parent
    placed = {str(folder / name): text for name, text in files.items()}
    return replace(
        workspace.suite(_shortened(limits), changes={**(changes or {}), **placed}),
        tests=(str(folder / case),),
        pytest_args=_without_selection(workspace.pytest_args),
    )


def _shortened(limits: Limits) -> Limits:
    return replace(limits, time_s=min(limits.time_s, limits.case_time_s + 5.0))


def _without_selection(arguments: Sequence[str]) -> tuple[str, ...]:
    """Drop pytest arguments that could deselect the only case."""
    arguments_left: list[str] = []
    skip = False
    for argument in arguments:
        if skip:
            skip = False
        elif argument in _SELECTING:
            skip = True
        elif not argument.startswith(tuple(f"{option}=" for option in _SELECTING)) and argument[:2] not in ("-k", "-m"):
            arguments_left.append(argument)
    return tuple(arguments_left)
