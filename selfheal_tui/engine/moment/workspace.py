"""Base + changes -> the files of one moment, and what differs from the base. Never touches the user's tree."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from selfheal_tui.python_encoding import is_data
from selfheal_tui.python_source import parse_or_none
from selfheal_tui.sandbox.base import Limits, Suite
from selfheal_tui.store.blobs import Blobs

from .state import HealState, Manifest, SetAside

_FILES_IN_TIME = 20
"""So many test files must run in the time of a suite."""
_MORE_S = 3.0
"""Seconds for each further one."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """All files of one moment."""

    files: Mapping[str, str]
    """Everything that goes into the sandbox."""
    program: tuple[str, ...]
    """Paths that may be changed."""
    tests: tuple[str, ...]
    """Test files, folders or node ids."""
    test_files: tuple[str, ...]
    """Paths of files that hold tests or support them."""
    base: Mapping[str, str]
    """Program files as given."""
    pytest_args: tuple[str, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict)
    """Path of a generated test file -> its suite (examples, spec, adversarial, critic)."""
    waiting: tuple[str, ...] = ()
    """Failing cases that do not run, as the turn of their group comes later."""

    def suite(
        self,
        limits: Limits,
        *,
        coverage: bool = False,
        verify: bool = False,
        changes: Mapping[str, str] | None = None,
    ) -> Suite:
        """Return the suite over these files, with `changes` laid over them; one of many files may run for longer."""
        more_files = max(0, len(self.test_files) - _FILES_IN_TIME)
        return Suite(
            files={**self.files, **(changes or {})},
            tests=self.tests,
            program=self.program,
            pytest_args=self.pytest_args,
            limits=replace(limits, time_s=limits.time_s + more_files * _MORE_S) if more_files else limits,
            coverage=coverage,
            verify=verify,
        )

    @property
    def program_texts(self) -> dict[str, str]:
        """Program path -> text now."""
        return {path: self.files[path] for path in self.program if path in self.files}

    @property
    def test_texts(self) -> dict[str, str]:
        """Test path -> text."""
        return {path: self.files[path] for path in self.test_files}


async def load_workspace(blobs: Blobs, state: HealState) -> Workspace:
    """Read the files of a state. Raises: SessionError when a body is damaged."""
    manifest: Manifest = await blobs.get(state["manifest_ref"])
    aside = await load_set_aside(blobs, state)
    tests = aside["tests"] if aside else manifest["tests"]
    waiting = tuple(aside.get("waiting", ())) if aside else ()
    files = {path: await blobs.get_text(ref) for path, ref in manifest["files"].items()}
    base = {path: files[path] for path in manifest["program"] if path in files}
    generated: dict[str, str] = {}
    origins: dict[str, str] = {}
    for kind, ref in state.get("suites", {}).items():
        suite = await blobs.get(ref)
        generated |= suite
        origins |= dict.fromkeys(suite, kind)
    changes = {path: await blobs.get_text(ref) for path, ref in state.get("changes", {}).items()}
    program = tuple(dict.fromkeys([*manifest["program"], *changes]))
    files |= generated | changes
    test_files = test_files_of(files, program, tests)
    return Workspace(
        files=files,
        program=program,
        tests=(*tests, *(test for path in generated for test in _not_waiting(path, generated[path], waiting))),
        test_files=tuple(dict.fromkeys([*test_files, *generated])),
        base=base,
        pytest_args=tuple(manifest["pytest_args"]),
        origins=origins,
        waiting=waiting,
    )


def _not_waiting(path: str, text: str, waiting: Collection[str]) -> list[str]:
    """Return what to name to pytest of a generated test file: all of it, or its tests without those that wait."""
    own = {case for case in waiting if case.partition("::")[0] == path}
    tree = parse_or_none(text) if own else None
    if tree is None:
        return [path]
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")]
    return [f"{path}::{name}" for name in names if f"{path}::{name}" not in own]


async def load_set_aside(blobs: Blobs, state: HealState) -> SetAside | None:
    """Return what the first run has set aside; None for nothing. Raises: SessionError when the body is damaged."""
    ref = state.get("set_aside_ref", "")
    return cast(SetAside, await blobs.get(ref)) if ref else None


def test_files_of(files: Mapping[str, str], program: Collection[str], tests: Iterable[str]) -> tuple[str, ...]:
    """Return the paths of texts that hold tests or support them; `tests` are files, folders or node ids."""
    named = [test.split("::")[0] for test in tests]
    others = [
        path for path, text in files.items() if path not in program and (path.endswith(".py") or not is_data(text))
    ]
    below = [path for path in others if any(path == t or path.startswith(t.rstrip("/") + "/") for t in named)]
    return tuple(dict.fromkeys([*below, *(path for path in named if path in program)]))


def unified_diff(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """Return a unified diff that `patch -p1` and `git apply` read; empty when nothing differs."""
    out: list[str] = []
    for path in sorted({*old, *new}):
        a, b = old.get(path, ""), new.get(path, "")
        if a != b:
            source = f"a/{path}" if path in old else "/dev/null"
            target = f"b/{path}" if path in new else "/dev/null"
            out += _lines(difflib.unified_diff(_split(a), _split(b), source, target))
    return "".join(out)


def _split(text: str) -> list[str]:
    """Split at newlines only: `splitlines` would also split at form feeds and break the patch."""
    return [part for part in re.split(r"(?<=\n)", text) if part]


def _lines(diff: object) -> list[str]:
    return [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff]  # type: ignore[attr-defined]
