"""What of the disk an interpreter needs: its own folders, and never one that it merely names."""

from __future__ import annotations

import sys
from pathlib import Path

from selfheal_tui.sandbox.start import readable_paths


def test_our_own_interpreter_has_its_folders() -> None:
    assert {sys.prefix, sys.base_prefix} - {"/usr"} <= set(readable_paths(sys.executable))


def test_an_environment_that_names_a_home_folder_does_not_open_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    venv = home / "clone" / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "lib" / "python3.11").mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text(f"home = {home / '.ssh'}\n")
    (home / "tools").mkdir()
    (home / "tools" / "python").write_text("#!/bin/sh\n")
    (venv / "bin" / "python").symlink_to(home / "tools" / "python")
    paths = readable_paths(str(venv / "bin" / "python"))
    assert str(venv) in paths and str(home) not in paths
    (home / "clone" / "python").symlink_to(sys.executable)
    assert str(home) not in readable_paths(str(home / "clone" / "python"))
