"""A repair of one line changes the bytes of this line alone: line ends, encodings, marks, modes, final newline stay."""

from __future__ import annotations

import stat
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from selfheal_tui.engine.out.export.patch import git_patch, patch_bytes
from selfheal_tui.engine.out.merging import merge_changes
from selfheal_tui.python_encoding import BOM, decoded, encoded
from selfheal_tui.sandbox.inside.child import _encoded
from selfheal_tui.store.writing import FileChange, pending_changes, write_changes

_HEADS = {
    "utf-8": ("", "# coding: utf-8"),
    "latin-1": ("# -*- coding: latin-1 -*-",),
    "cp1252": ("#!x\n# coding=cp1252",),
}
_LINE = st.sampled_from(["a = 1", "", "b = 'ä'", "c = 2  # ñ é", "    return x", "d\x0ce", "f = '\x85\xa0'"])
_PATH = "pkg/a file.py"


@dataclass
class Case:
    """A file with a repair of its line `number`."""

    lines: list[bytes]
    number: int
    repaired: bytes
    marked: bool
    mode: int

    def content(self, repaired: bool) -> bytes:
        lines = [self.repaired if repaired and i == self.number else line for i, line in enumerate(self.lines)]
        return (BOM if self.marked else b"") + b"".join(lines)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    encoding = draw(st.sampled_from(list(_HEADS)))
    head = draw(st.sampled_from(_HEADS[encoding])).split("\n")
    ends = draw(st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n"]]))
    texts = [*head, *draw(st.lists(_LINE, min_size=1, max_size=12))]
    if encoding == "cp1252":
        texts = [text.replace("\x85", "…") for text in texts]
    lines = [text + draw(st.sampled_from(ends)) for text in texts]
    if draw(st.booleans()):
        lines[-1] = lines[-1].rstrip("\r\n") or "z"
    number = draw(st.integers(len(head), len(lines) - 1))
    end = lines[number][len(lines[number].rstrip("\r\n")) :]
    marked = encoding == "utf-8" and draw(st.booleans())
    mode = draw(st.sampled_from([0o644, 0o755, 0o600]))
    return Case([one.encode(encoding) for one in lines], number, f"new = 'ü'{end}".encode(encoding), marked, mode)


def _written(folder: Path, case: Case) -> FileChange:
    file = folder / _PATH
    file.parent.mkdir()
    file.write_bytes(case.content(False))
    file.chmod(case.mode)
    before, after = (decoded(_PATH, case.content(repaired)) for repaired in (False, True))
    return FileChange(_PATH, before, after)


@given(cases())
@settings(max_examples=60)
def test_writing_changes_just_the_line_and_undo_gives_every_byte_back(case: Case) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        change = _written(folder, case)
        assert encoded(_PATH, change.after) == case.content(True).removeprefix(BOM) == _encoded(_PATH, change.after)
        write_changes(folder, pending_changes(folder, [change]))
        file = folder / _PATH
        assert file.read_bytes() == case.content(True)
        assert stat.S_IMODE(file.stat().st_mode) == case.mode
        write_changes(folder, [FileChange(_PATH, change.after, change.before or "")])
        assert file.read_bytes() == case.content(False)


@given(cases())
@settings(max_examples=15, deadline=None)
def test_git_takes_the_patch_and_the_merge_keeps_what_is_the_users(case: Case) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        change = _written(folder, case)
        patch = git_patch({_PATH: change.before or ""}, {_PATH: change.after}, {_PATH} if case.marked else set())
        subprocess.run(
            ["git", "apply", "--whitespace=nowarn", "-"], input=patch_bytes(patch), cwd=folder, check=True, timeout=60
        )
        assert (folder / _PATH).read_bytes() == case.content(True)
        assert stat.S_IMODE((folder / _PATH).stat().st_mode) & 0o100 == case.mode & 0o100
        # Changes of lines that touch each other are a conflict for git, so one stands between.
        if case.number < len(case.lines) - 1 and case.lines[-1].endswith(b"\n"):
            (folder / _PATH).write_bytes(case.content(False) + b"mine = 1")
            (merged,), conflicts = merge_changes(folder, [change])
            write_changes(folder, [merged])
            assert not conflicts and (folder / _PATH).read_bytes() == case.content(True) + b"mine = 1"
