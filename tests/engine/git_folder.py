"""A folder of the user in a git repository of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True, timeout=60).stdout


def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> Path:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    project = tmp_path / "project"
    project.mkdir()
    for path, text in files.items():
        (project / path).write_text(text, "utf-8")
    git(project, "init", "-q")
    for words in (["config", "user.name", "me"], ["config", "user.email", "me@here"], ["add", "."]):
        git(project, *words)
    git(project, "commit", "-qm", "first")
    return project
