"""A project's settings for pytest: which files are its tests, and are never taken for the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.engine.task.pytest_settings import DEFAULT_PATTERNS, read_pytest_settings
from selfheal_tui.engine.task.task import load_task
from selfheal_tui.sandbox.inside.long_way import _arguments

CASE = "from shop import fee\n\n\ndef test_fee():\n    assert fee() == 1\n"
SETTINGS = {
    "pytest.ini": "[pytest]\ntestpaths = checks\npython_files = check_*.py\n",
    ".pytest.ini": "[pytest]\ntestpaths = checks\npython_files = check_*.py\n",
    "pytest.toml": '[pytest]\ntestpaths = ["checks"]\npython_files = ["check_*.py"]\n',
    ".pytest.toml": '[pytest]\ntestpaths = ["checks"]\npython_files = ["check_*.py"]\n',
    "pyproject.toml": '[tool.pytest.ini_options]\ntestpaths = ["checks"]\npython_files = "check_*.py"\n',
    "tox.ini": "[pytest]\ntestpaths = checks\npython_files =\n    check_*.py\n",
    "setup.cfg": "[tool:pytest]\ntestpaths = checks\npython_files = check_*.py\n",
}


def project(folder: Path, settings: str, text: str) -> Path:
    (folder / "src").mkdir()
    (folder / "checks").mkdir()
    (folder / "src" / "shop.py").write_text("def fee(): return 2\n")
    (folder / "checks" / "conftest.py").write_text("import shop\n")
    (folder / "checks" / "check_shop.py").write_text(CASE)
    (folder / "test_elsewhere.py").write_text("def test_x(): assert False\n")
    (folder / settings).write_text(text)
    return folder


@pytest.mark.parametrize("name", SETTINGS)
def test_a_folder_has_the_tests_that_its_pytest_settings_name(name: str, tmp_path: Path) -> None:
    task = load_task([project(tmp_path, name, SETTINGS[name])])
    assert (task.tests, task.program) == (("checks/check_shop.py",), ("src/shop.py",))


def test_a_table_of_pytest_9_in_pyproject_counts(tmp_path: Path) -> None:
    text = '[tool.pytest]\ntestpaths = ["checks"]\npython_files = ["check_*.py"]\naddopts = ["-k", "not slow"]\n'
    settings = read_pytest_settings(project(tmp_path, "pyproject.toml", text), {tmp_path / "pyproject.toml": text})
    assert settings.patterns == ("check_*.py",) and settings.arguments == ("-knot slow",)


def test_tests_run_in_the_order_of_the_test_paths(tmp_path: Path) -> None:
    folder = project(tmp_path, "pytest.ini", "[pytest]\ntestpaths = later checks\npython_files = *_shop.py\n")
    (folder / "later").mkdir()
    for name in ("b", "a"):
        (folder / "later" / f"{name}_shop.py").write_text(CASE)
    assert load_task([folder]).tests == ("later/a_shop.py", "later/b_shop.py", "checks/check_shop.py")


def test_a_hidden_file_that_is_no_setting_of_pytest_is_not_copied(tmp_path: Path) -> None:
    folder = project(tmp_path, ".pytest.ini", SETTINGS[".pytest.ini"])
    (folder / ".env").write_text("KEY=1\n")
    (folder / "src" / ".pytest.ini").write_text("[pytest]\n")
    assert [name for name in load_task([folder]).files if "/." in f"/{name}"] == [".pytest.ini"]


def test_the_first_file_with_a_section_counts_as_for_pytest(tmp_path: Path) -> None:
    folder = project(tmp_path, "tox.ini", SETTINGS["tox.ini"])
    files = {folder / "pyproject.toml": "[project]\nname = 'x'\n", folder / "tox.ini": SETTINGS["tox.ini"]}
    assert read_pytest_settings(folder, files).patterns == ("check_*.py",)
    assert read_pytest_settings(folder, files | {folder / "pytest.ini": ""}).patterns == DEFAULT_PATTERNS
    assert read_pytest_settings(folder, files | {folder / ".pytest.ini": ""}).patterns == ("check_*.py",)
    names = {folder / ".pytest.ini": "[pytest]\npython_files = hidden_*.py\n"}
    assert read_pytest_settings(folder, files | names).patterns == ("hidden_*.py",)


@pytest.mark.parametrize("text", ["[tool", "[tool.pytest]\nini_options = 3\n", "tool = 1\n", "[tool]\npytest = 2\n"])
def test_broken_settings_are_none(text: str, tmp_path: Path) -> None:
    assert read_pytest_settings(tmp_path, {tmp_path / "pyproject.toml": text}).patterns == DEFAULT_PATTERNS


def test_test_paths_that_lead_nowhere_or_out_are_none(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "elsewhere").mkdir()
    folder = tmp_path / "project"
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    text = "[pytest]\ntestpaths = gone ../elsewhere /** link\n"
    assert read_pytest_settings(folder, {folder / "pytest.ini": text}).testpaths == ()
    assert read_pytest_settings(folder, {folder / "pytest.ini": "[pytest\n"}).testpaths == ()


def test_patterns_with_a_folder_match_paths_below_it(tmp_path: Path) -> None:
    text = "[pytest]\npython_files = checks/*.py\n"
    settings = read_pytest_settings(tmp_path, {tmp_path / "pytest.ini": text})
    assert settings.names_test(tmp_path / "checks" / "one.py") and not settings.names_test(tmp_path / "one.py")


def test_the_sandbox_reads_the_file_that_has_the_settings() -> None:
    job = {"files": {"pyproject.toml": "[project]\n", "setup.cfg": "[tool:pytest]\n"}, "tests": [], "rewrite": True}
    arguments = _arguments(job, "/work")
    assert arguments[arguments.index("-c") + 1] == "setup.cfg"
    job["files"] = {"pyproject.toml": "[tool.pytest.ini_options]\n", "setup.cfg": "[tool:pytest]\n"}
    assert "pyproject.toml" in _arguments(job, "/work")
    job["files"][".pytest.ini"] = "[pytest]\naddopts = --doctest-modules\n"
    assert {".pytest.ini", "--doctest-modules"} <= {*_arguments(job, "/work")}
