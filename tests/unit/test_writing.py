"""Writing into the user's tree: all or nothing, only where and only while it is as expected."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from selfheal_tui.errors import InputError
from selfheal_tui.store import writing
from selfheal_tui.store.writing import FileChange, changes_of, pending_changes, read_now, write_changes


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "pkg").mkdir(parents=True)
    (folder / "a.py").write_bytes(b"a = 1\n")
    (folder / "pkg" / "b.py").write_bytes(b"b = 1\r\n")
    return folder


BOTH = [FileChange("a.py", "a = 1\n", "a = 2\n"), FileChange("pkg/b.py", "b = 1\r\n", "b = 2\r\n")]


def listing(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_files_are_replaced_and_keep_mode_line_ends_and_byte_order_mark(root: Path) -> None:
    (root / "a.py").write_bytes(b"\xef\xbb\xbfa = 1\n")
    (root / "a.py").chmod(0o754)
    assert pending_changes(root, BOTH) == BOTH
    assert write_changes(root, BOTH) == [root / "a.py", root / "pkg/b.py"]
    assert listing(root) == {"a.py": b"\xef\xbb\xbfa = 2\n", "pkg/b.py": b"b = 2\r\n"}
    assert stat.S_IMODE((root / "a.py").stat().st_mode) == 0o754
    assert pending_changes(root, BOTH) == [], "written already"


@pytest.mark.parametrize("content", [b"a = 1", b"a = 1\r\n", b"a = 3\n", b"\xff\xfe", b""])
def test_a_file_that_changed_meanwhile_stops_everything(root: Path, content: bytes) -> None:
    (root / "a.py").write_bytes(content)
    before = listing(root)
    for act in (pending_changes, write_changes):
        with pytest.raises(InputError, match="changed since"):
            act(root, BOTH)
    assert listing(root) == before


def test_a_file_that_is_gone_or_in_the_way_stops_everything(root: Path) -> None:
    (root / "pkg" / "b.py").unlink()
    before = listing(root)
    for changes in (BOTH, [BOTH[0], FileChange("a.py/c.py", None, "")], [FileChange("pkg", "x", "y")]):
        with pytest.raises(InputError):
            write_changes(root, changes)
        assert listing(root) == before


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_any_more_stops_everything(root: Path, kind: str) -> None:
    (root / "pkg" / "b.py").unlink()
    if kind == "folder":
        (root / "pkg" / "b.py").mkdir()
    else:
        os.mkfifo(root / "pkg" / "b.py")
    before, is_told = listing(root), {"folder": "is a folder now", "pipe": "is no regular file"}[kind]
    for act in (pending_changes, write_changes, read_now):
        for changes in (BOTH, [BOTH[0], FileChange("pkg/b.py", None, "b = 2\n")]):
            with pytest.raises(InputError, match=rf"pkg/b\.py {is_told}: nothing was written"):
                act(root, changes)
    assert listing(root) == before


@pytest.mark.parametrize("path", ["../out.py", "pkg/../../out.py", "/tmp/out.py", "", "pkg/\0.py"])
def test_nothing_outside_the_root_is_named(root: Path, path: str) -> None:
    for act in (pending_changes, write_changes):
        with pytest.raises(InputError, match="outside"):
            act(root, [FileChange(path, None, "x")])
    assert not (root.parent / "out.py").exists()


def test_no_link_is_written_through(root: Path) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "b.py").write_bytes(b"b = 1\r\n")
    (root / "a.py").unlink()
    (root / "a.py").symlink_to(outside / "b.py")
    (root / "linked").symlink_to(outside)
    (root / "nowhere.py").symlink_to(outside / "new.py")
    for change in (
        FileChange("a.py", "b = 1\r\n", "x"),
        FileChange("linked/b.py", "b = 1\r\n", "x"),
        FileChange("linked/new.py", None, "x"),
        FileChange("nowhere.py", None, "x"),
    ):
        for act in (pending_changes, write_changes):
            with pytest.raises(InputError, match="link"):
                act(root, [change])
    assert listing(outside) == {"b.py": b"b = 1\r\n"} and (root / "a.py").is_symlink()


def test_a_failure_half_way_puts_everything_back(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "a.py").chmod(0o640)
    before, real, seen = listing(root), os.rename, []

    def rename(source: str, target: str, **rest: int) -> None:
        seen.append(target)
        if len(seen) == 2:
            raise OSError(28, "No space left on device", source)
        real(source, target, **rest)

    monkeypatch.setattr(os, "rename", rename)
    with pytest.raises(InputError, match=r"project/pkg/b.py cannot be written: No space left"):
        write_changes(root, BOTH)
    assert seen[:2] == ["a.py", "b.py"] and listing(root) == before
    assert stat.S_IMODE((root / "a.py").stat().st_mode) == 0o640


def test_a_folder_that_cannot_be_written_is_named_and_no_file_beside(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def opened(path: str, flags: int, *rest: int, **more: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(1, "Operation not permitted", path)
        return real(path, flags, *rest, **more)

    monkeypatch.setattr(os, "open", opened)
    with pytest.raises(InputError, match=r"project/pkg cannot be written: Operation not permitted\."):
        write_changes(root, BOTH[1:])


def test_a_change_between_the_look_and_the_write_is_seen(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = writing._stage

    def stage(*given: object) -> object:
        staged = real(*given)  # type: ignore[arg-type]
        (root / "pkg" / "b.py").write_bytes(b"b = 99\r\n")
        return staged

    monkeypatch.setattr(writing, "_stage", stage)
    with pytest.raises(InputError, match=r"b\.py changed"):
        write_changes(root, BOTH)
    assert listing(root) == {"a.py": b"a = 1\n", "pkg/b.py": b"b = 99\r\n"}


def test_new_files_and_folders_are_made(root: Path) -> None:
    write_changes(root, [FileChange("new/deep/c.py", None, "c = 1\n")])
    assert (root / "new/deep/c.py").read_text() == "c = 1\n"
    with pytest.raises(InputError, match="surrogate"):
        write_changes(root, [FileChange("bad.py", None, "'\ud800'")])
    assert not (root / "bad.py").exists()


def test_only_what_differs_is_a_change() -> None:
    assert changes_of({"a.py": "1", "b.py": "2"}, {"a.py": "1", "b.py": "3", "c.py": "4"}) == [
        FileChange("b.py", "2", "3"),
        FileChange("c.py", None, "4"),
    ]


def test_a_folder_that_has_become_a_link_is_not_written_through(root: Path, tmp_path: Path) -> None:
    """Neither the folder itself nor one above it."""
    elsewhere = tmp_path / "elsewhere"
    root.rename(elsewhere)
    before = {path.name: path.read_bytes() for path in elsewhere.rglob("*.py")}
    root.symlink_to(elsewhere)
    above = tmp_path / "above"
    above.symlink_to(tmp_path)
    for folder in (root, above / elsewhere.name):
        for act in (pending_changes, write_changes):
            with pytest.raises(InputError, match="is a link now"):
                act(folder, BOTH)
    assert {path.name: path.read_bytes() for path in elsewhere.rglob("*.py")} == before
