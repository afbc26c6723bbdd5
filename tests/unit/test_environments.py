"""Virtual environments: the one of the user's shell is used, the one of a project's folder is proposed."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from selfheal_tui.cli.start import tell_interpreter
from selfheal_tui.engine.suites.missing_packages import missing_words
from selfheal_tui.environments import active_python, project_environment
from selfheal_tui.setting_layers import load_settings
from selfheal_tui.settings import Settings


def environment(folder: Path, *packages: str) -> Path:
    """Make what looks like an environment with these packages."""
    for package in packages:
        (folder / "lib" / "python3.12" / "site-packages" / package).mkdir(parents=True)
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (folder / "bin" / "python").write_text("#!/bin/sh\n")
    (folder / "bin" / "python").chmod(0o755)
    return folder


def settings_in(folder: Path, **environ: str) -> Settings:
    return load_settings({}, {"XDG_CONFIG_HOME": str(folder / "config"), **environ}, folder)


def test_the_environment_of_the_shell_is_used_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = environment(tmp_path / "own", "pytest")
    settings = settings_in(tmp_path, VIRTUAL_ENV=str(own))
    assert settings.python == str(own / "bin" / "python")
    assert settings.origins["python"] == "environment (VIRTUAL_ENV)"
    tell_interpreter(settings, tmp_path)
    assert capsys.readouterr().err == f"selfheal: the tests run with {own}/bin/python (VIRTUAL_ENV)\n"


def test_whatever_names_an_interpreter_is_stronger_than_the_shell(tmp_path: Path) -> None:
    own = environment(tmp_path / "own", "pytest")
    assert settings_in(tmp_path, VIRTUAL_ENV=str(own), SELFHEAL_PYTHON="/usr/bin/python3").python == "/usr/bin/python3"
    (tmp_path / "config" / "selfheal").mkdir(parents=True)
    (tmp_path / "config" / "selfheal" / "selfheal.yaml").write_text("python: /usr/bin/python3\n")
    assert settings_in(tmp_path, VIRTUAL_ENV=str(own)).python == "/usr/bin/python3"


def test_an_environment_that_cannot_run_tests_is_not_used(tmp_path: Path) -> None:
    for named in ("", "relative", str(tmp_path / "gone"), str(environment(tmp_path / "bare")), sys.prefix):
        assert active_python({"VIRTUAL_ENV": named}) == "", named


def test_the_environment_of_the_folder_is_proposed_and_not_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tell_interpreter(settings_in(tmp_path), tmp_path)
    assert capsys.readouterr().err == ""
    assert project_environment(tmp_path) is None
    environment(tmp_path / ".venv", "pytest")
    settings = settings_in(tmp_path)
    assert settings.python == ""
    tell_interpreter(settings, tmp_path)
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and ".venv of this project is not used" in told
    assert "--python .venv/bin/python" in told
    tell_interpreter(replace(settings, python="/usr/bin/python3"), tmp_path)
    assert capsys.readouterr().err == ""


def test_a_package_that_the_folders_environment_has_is_told_with_it(tmp_path: Path) -> None:
    environment(tmp_path / ".venv", "six")
    told = missing_words(["six"], str(tmp_path))
    assert ".venv of this project has it: start again with --python .venv/bin/python." in told
    assert "of this project" not in missing_words(["yaml"], str(tmp_path))
