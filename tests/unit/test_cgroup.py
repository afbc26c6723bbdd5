"""The control group is made where it is delegated, and its absence has a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.sandbox.cgroup import close_group, join_group, open_group


@pytest.fixture
def tree(tmp_path: Path) -> tuple[Path, Path]:
    """A session's group in a tree of plain files, and the file that names it."""
    root, own = tmp_path / "cgroup", tmp_path / "own"
    (root / "app.slice" / "term.scope").mkdir(parents=True)
    (root / "cgroup.controllers").write_text("cpu memory pids\n")
    (root / "app.slice" / "cgroup.subtree_control").write_text("memory pids\n")
    own.write_text("0::/app.slice/term.scope\n")
    return root, own


def test_the_group_is_made_beside_ours(tree: tuple[Path, Path]) -> None:
    root, own = tree
    group, why = open_group(1 << 30, root, own)
    assert why == "" and group is not None and group.parent == root / "app.slice"
    assert (group / "memory.max").read_text() == str(1 << 30)
    assert join_group(group, 4321) == "" and (group / "cgroup.procs").read_text() == "4321"
    other, _ = open_group(1 << 30, root, own)
    assert other != group


def test_what_is_not_delegated_has_a_reason(tree: tuple[Path, Path]) -> None:
    root, own = tree
    (root / "app.slice" / "cgroup.subtree_control").write_text("cpu\n")
    assert open_group(1, root, own) == (None, "the memory controller is not delegated to this session")
    own.write_text("3:memory:/x\n")
    assert open_group(1, root, own) == (None, "cgroup v2 is not in use")
    own.write_text("0::/missing/x\n")
    group, why = open_group(1, root, own)
    assert group is None and "not delegated" in why
    close_group(root / "nowhere")
