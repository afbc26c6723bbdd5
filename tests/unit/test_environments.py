"""Virtual environments: the one of the user's shell is used, the one of a project's folder is proposed."""

from __future__ import annotations

import base64
import hashlib
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from selfheal_tui.cli import main
from selfheal_tui.cli.start import tell_interpreter
from selfheal_tui.engine.suites.missing_packages import missing_words
from selfheal_tui.environments import active_python, other_python_words, project_environment, unused_words
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
    assert unused_words({"VIRTUAL_ENV": str(tmp_path / "bare")}).endswith(
        "bare (VIRTUAL_ENV) is not used: it has no pytest"
    )
    assert unused_words({"VIRTUAL_ENV": str(tmp_path / "gone")}).endswith("there is no virtual environment")
    assert unused_words({"VIRTUAL_ENV": sys.prefix}) == unused_words({}) == ""


def test_the_settings_name_the_interpreter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VIRTUAL_ENV", str(environment(tmp_path / "bare")))
    assert main(["config"]) == 0
    told = capsys.readouterr().out
    assert f"{sys.executable} (selfheal's own)" in told and "bare (VIRTUAL_ENV) is not used: it has no pytest" in told


def test_the_environment_of_the_folder_is_proposed_and_not_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    tell_interpreter(settings_in(tmp_path), tmp_path)
    assert capsys.readouterr().err == ""
    assert project_environment(tmp_path, {}) is None
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
    (tmp_path / ".venv/lib/python3.12/site-packages/my_lib-1.0.dist-info").mkdir()
    assert ".venv of this project has it" in missing_words(["my-lib"], str(tmp_path))
    assert ".venv of this project has it: start again with --python .venv/bin/python." in told
    assert "of this project" not in missing_words(["yaml"], str(tmp_path))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "proj").mkdir()
    (tmp_path / "proj" / "pyproject.toml").write_text('[project]\nname = "My.Cool_pkg"\n')
    (tmp_path / "proj" / "Pipfile").touch()
    return tmp_path / "proj"


@pytest.mark.skipif(sys.platform == "darwin", reason="the folders of Linux")
@pytest.mark.parametrize(
    ("tool", "place", "environ"),
    [
        ("uv", "proj/envs/mine", {"UV_PROJECT_ENVIRONMENT": "envs/mine"}),
        ("poetry", "home/.cache/pypoetry/virtualenvs/my-cool-pkg-MARK-py3.12", {}),
        ("poetry", "c/virtualenvs/my-cool-pkg-MARK-py3.12", {"POETRY_CACHE_DIR": "HERE/c"}),
        ("poetry", "v/my-cool-pkg-MARK-py3.12", {"POETRY_VIRTUALENVS_PATH": "HERE/v"}),
        ("poetry", "from-its-settings/my-cool-pkg-MARK-py3.12", {"XDG_CONFIG_HOME": "HERE/config"}),
        ("hatch", "home/.local/share/hatch/env/virtual/my-cool-pkg/MARK/my-cool-pkg", {}),
        ("hatch", "d/env/virtual/my-cool-pkg/MARK/hatch-test.py3.12", {"HATCH_DATA_DIR": "HERE/d"}),
        ("pipenv", "home/.local/share/virtualenvs/proj-AbCdEfGh", {}),
        ("pipenv", "w/proj-AbCdEfGh", {"WORKON_HOME": "HERE/w"}),
    ],
)
def test_the_environment_that_a_tool_keeps_elsewhere_is_proposed(
    tmp_path: Path, project: Path, tool: str, place: str, environ: dict[str, str]
) -> None:
    """The folders are those that the tools make; the mark is of the project's path, as theirs is."""
    environ = {name: value.replace("HERE", str(tmp_path)) for name, value in environ.items()}
    (tmp_path / "config" / "pypoetry").mkdir(parents=True)
    (tmp_path / "config" / "pypoetry" / "config.toml").write_text(
        f'cache-dir = "{tmp_path}"\n[virtualenvs]\npath = "{{cache-dir}}/from-its-settings"\n'
    )
    mark = base64.urlsafe_b64encode(hashlib.sha256(str(project).encode()).digest()).decode()[:8]
    made = environment(tmp_path / place.replace("MARK", mark), "pytest")
    (made / ".project").write_text(f"{project}\n")
    of_another = str(made).replace(mark, "AnOtherX")
    environment(Path(f"{made}x" if of_another == str(made) else of_another), "pytest")
    assert project_environment(project, environ) == (made, f"{tool}'s environment of this project")


@pytest.mark.parametrize(
    "text", ['name = "../../x"', "[project]\nname = 3", "[project", '[project]\nname = "*"', "[tool]\npoetry = 1", "\0"]
)
def test_a_project_of_a_stranger_names_no_environment(tmp_path: Path, project: Path, text: str) -> None:
    (project / "pyproject.toml").write_text(text)
    environment(tmp_path / "home" / ".local" / "share" / "virtualenvs" / "proj-AbCdEfGh", "pytest")
    assert project_environment(project, {}) is None


def test_another_interpreter_than_the_first_is_told(tmp_path: Path) -> None:
    own = str(environment(tmp_path / "own", "pytest") / "bin" / "python")
    assert other_python_words("", own) == other_python_words(own, own) == other_python_words(sys.executable, "") == ""
    words = other_python_words(own, "")
    assert words == (
        f"this session began with {own}; its tests run with {sys.executable} now (--python names another one)"
    )
    gone = other_python_words(str(tmp_path / "gone"), "/usr/bin/python3")
    assert "gone, which is not there any more; its tests run with /usr/bin/python3 now" in gone
    assert "\x1b" not in other_python_words("/tmp/\x1b[2Jpython", "")
