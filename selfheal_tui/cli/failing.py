"""Where `selfheal fix` takes the failing cases from: node ids, pytest's cache, a JUnit file, or standard input."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from selfheal_tui.errors import InputError
from selfheal_tui.text import strip_controls

if TYPE_CHECKING:
    from selfheal_tui.engine.task.task import Task

STDIN = "-"
_MOST_CHARACTERS = 20_000_000


class Source(NamedTuple):
    """A red run somewhere else."""

    words: str
    """Its failing cases, for sentences."""
    node_ids: Callable[[Task, Sequence[str]], list[str]]
    """Returns them, for a task and what its suite collects. Raises: InputError when it cannot name any."""
    if_none: str = ""
    """The sentence when there is none."""
    is_run: bool = True
    """A run named them; else the user did, who may mean all cases of a file."""


def add_sources(parser: ArgumentParser) -> None:
    """Add the flags that name failing cases."""
    parser.add_argument(
        "--last-failed", action="store_true", help="heal the cases that failed in pytest's last run, from its cache"
    )
    parser.add_argument(
        "--from-junit", type=Path, metavar="FILE", help="heal the failing cases of a JUnit XML file, as of a CI run"
    )


def split_paths(words: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Return the files and folders that were named (none: this folder), and the node ids or `-`."""
    node_ids = [word for word in words if "::" in word or word == STDIN]
    return [Path(word) for word in words if word not in node_ids] or [Path(".")], node_ids


def chosen_source(args: Namespace, paths: Sequence[Path], node_ids: Sequence[str]) -> Source | None:
    """Read the source that was chosen; None where the suite itself is to say what fails. Raises: InputError."""
    ways = [bool(node_ids), args.last_failed, args.from_junit is not None]
    if sum(ways) > 1 or (STDIN in node_ids and len(node_ids) > 1):
        raise InputError(
            "The failing cases are named in two ways.", "Give node ids, --last-failed, --from-junit or -, one of them."
        )
    if args.last_failed:
        return _last_failed(paths[0])
    if args.from_junit is not None:
        return _junit(args.from_junit)
    if STDIN in node_ids:
        return _printed(_piped())
    return Source("these cases", lambda task, collected: list(node_ids), is_run=False) if node_ids else None


def _last_failed(path: Path) -> Source:
    from selfheal_tui.engine.suites.red.last_failed import read_last_failed
    from selfheal_tui.engine.task.pytest_settings import read_pytest_settings
    from selfheal_tui.engine.task.source_files import read_named
    from selfheal_tui.sandbox.inside.addopts import CONFIGS

    folder = (path if path.is_dir() else Path(".")).resolve()
    configs = {folder / name: read_named(folder / name) for name in CONFIGS if (folder / name).is_file()}
    cases = read_last_failed(folder, read_pytest_settings(folder, configs).cache_folder)
    return Source(
        "the cases that failed last", lambda task, collected: cases, f"Nothing failed in pytest's last run in {folder}."
    )


def _junit(path: Path) -> Source:
    from selfheal_tui.engine.suites.red.junit import addressed, load_junit

    addresses = load_junit(path)
    return Source(
        f"the failing cases of {path.name}",
        lambda task, collected: addressed(addresses, [*collected, *_files_of(collected), *task.tests]),
        f"{path.name} names no failing case.",
    )


def _files_of(collected: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(case.partition("::")[0] for case in collected if "::" in case))


def _printed(text: str) -> Source:
    from selfheal_tui.engine.suites.red.printed_run import read_printed_run

    def node_ids(task: Task, collected: Sequence[str]) -> list[str]:
        tests = {path: text for path, text in task.files.items() if path not in task.program}
        ids = read_printed_run(text, tests)
        if not ids:
            raise InputError(
                "Standard input names no failing case: it has no FAILED or ERROR line, and no place in a test.",
                "Pipe a failing run into it: pytest 2>&1 | selfheal fix -",
            )
        return ids

    return Source("the failing cases of your pytest run", node_ids)


def _piped() -> str:
    """Return what is piped in, repeating it on stderr; from then on the keys come from the terminal.

    Raises: InputError.
    """
    if sys.stdin.isatty():
        raise InputError("Standard input is a terminal.", "Pipe a run into it: pytest 2>&1 | selfheal fix -")
    parts: list[str] = []
    size = 0
    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    for line in sys.stdin:
        size += len(line)
        if size > _MOST_CHARACTERS:
            raise InputError("Standard input is too long for a run of pytest.", "Run pytest with --tb=short.")
        parts.append(line)
        if sys.stderr.isatty():
            print(strip_controls(line), end="", file=sys.stderr, flush=True)
    text = "".join(parts)
    if not text.strip():
        raise InputError("Standard input is empty.", "Pipe a run into it: pytest 2>&1 | selfheal fix -")
    _take_keys_from_terminal()
    return text


def _take_keys_from_terminal() -> None:
    """Put the terminal where the pipe was, for the app; without one everything stays as it is."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return
    os.dup2(terminal, 0)
    os.close(terminal)
