"""Plug-ins of pytest: those of the project's environment are there, those that change which cases run are not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from selfheal_tui.sandbox.base import Suite, run_through
from selfheal_tui.sandbox.local import LocalSandbox

PLUGIN = """import pytest

@pytest.fixture
def seven():
    return 7
"""
TWICE = """def pytest_generate_tests(metafunc):
    metafunc.fixturenames.append("again")
    metafunc.parametrize("again", [0, 1])
"""
SAYS = [
    ("pytest.ini", "[pytest]\n# pytest-asyncio\n"),
    ("pytest.ini", "[pytest]\n"),
    ("requirements-dev.txt", "pytest-asyncio==1.0\n"),
    ("requirements-dev.txt", "attrs\n"),
]
"""Files of a project that name a plug-in, or none."""
TEST = "def test_seven(seven):\n    assert seven == 7\n"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of an environment with two plug-ins: a fixture, and one that runs cases twice."""
    folder = tmp_path_factory.mktemp("project") / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages = next(folder.glob("lib/python3*/site-packages"))
    for module, name, text in (("seven_plugin", "seven", PLUGIN), ("twice_plugin", "rerunfailures", TWICE)):
        (packages / f"{module}.py").write_text(text)
        facts = packages / f"{module}-1.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1\n")
        (facts / "entry_points.txt").write_text(f"[pytest11]\n{name} = {module}\n")
    return folder / "bin" / "python"


@pytest.fixture
async def sandbox(python: Path) -> AsyncIterator[LocalSandbox]:
    own = LocalSandbox(python=str(python))
    yield own
    await own.aclose()


@pytest.mark.parametrize("settings", [{}, {"conftest.py": "", "pytest.ini": "[pytest]\n"}])
async def test_a_suite_has_the_plugins_of_its_environment(sandbox: LocalSandbox, settings: dict[str, str]) -> None:
    suite = Suite({"test_a.py": TEST, **settings}, ("test_a.py",), ())
    report = (await run_through(sandbox, suite)).report
    assert [(case["id"], case["outcome"]) for case in report["cases"]] == [("test_a.py::test_seven", "passed")]


async def test_without_an_environment_of_its_own_a_suite_has_none(python: Path) -> None:
    own = LocalSandbox()
    try:
        report = (await run_through(own, Suite({"test_a.py": TEST}, ("test_a.py",), ()))).report
    finally:
        await own.aclose()
    assert "fixture 'seven' not found" in report["cases"][0]["message"]


async def test_beside_selfheal_a_suite_has_the_plugins_that_it_names() -> None:
    """Here it is pytest-asyncio, which these tests need themselves."""
    test = "import pytest\n\n@pytest.mark.asyncio\nasync def test_a():\n    assert 1\n"
    own = LocalSandbox()
    outcomes = []
    try:
        for name, text in SAYS:
            files = {"test_a.py": test, name: text}
            report = (await run_through(own, Suite(files, ("test_a.py",), ()))).report
            outcomes.append(report["cases"][0]["outcome"])
    finally:
        await own.aclose()
    assert outcomes == ["passed", "failed", "passed", "failed"]
