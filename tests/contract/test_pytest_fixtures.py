"""What pytest and its plug-ins give to tests is there in the sandbox too, also of those that it leaves out."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from _pytest.config import default_plugins
from _pytest.fixtures import FixtureFunctionDefinition

from selfheal_tui.sandbox.base import Suite, SuiteReport, run_through
from selfheal_tui.sandbox.local import LocalSandbox

SETTINGS = {"conftest.py": "", "pytest.ini": "[pytest]\nfilterwarnings = error\n"}
OWN = sorted(
    found._get_wrapped_function().__name__ if found.name is None else found.name
    for module in (importlib.import_module(f"_pytest.{name}") for name in default_plugins if name != "main")
    for found in vars(module).values()
    if isinstance(found, FixtureFunctionDefinition)
)
"""The fixtures of pytest itself."""
CASES = "".join(f"def test_{name}({name}):\n    pass\n" for name in OWN if name != "record_xml_attribute")
GIVEN = {
    "xdist": "def test_x(worker_id, testrun_uid):\n    assert worker_id == 'master' and testrun_uid\n",
    "pytest_cov": "def test_c(cov, no_cover):\n    assert cov is None\n",
    "html": "def test_h(extra, extras):\n    extras.append(1)\n",
    "rerunfailures": "import pytest\n@pytest.mark.flaky(reruns=2)\ndef test_r():\n    assert True\n",
}
"""Entry point of a plug-in that is left out -> a test that needs it."""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the interpreter of an environment with the plug-ins that are left out; loading one would raise."""
    folder = tmp_path_factory.mktemp("project") / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages = next(folder.glob("lib/python3*/site-packages"))
    for name in GIVEN:
        facts = packages / f"dist_{name}-1.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: dist_{name}\nVersion: 1\n")
        (facts / "entry_points.txt").write_text(f"[pytest11]\n{name} = no_module_of_{name}\n")
    (packages / "xdist").mkdir()
    (packages / "xdist" / "newhooks.py").write_text("def pytest_configure_node(node): ...\n")
    return str(folder / "bin" / "python")


async def report_of(files: dict[str, str], python: str = sys.executable, *args: str) -> SuiteReport:
    sandbox = LocalSandbox(python=python)
    try:
        tests = tuple(name for name in files if Path(name).name.startswith("test_"))
        return (await run_through(sandbox, Suite(files, tests, (), args))).report
    finally:
        await sandbox.aclose()


def not_passed(report: SuiteReport) -> list[str]:
    messages = [f"{case['id']}: {case['message']}" for case in report["cases"] if case["outcome"] != "passed"]
    return [*messages, *([report["error"]] if report["error"] else [])]


@pytest.mark.parametrize("settings", [{}, SETTINGS])
async def test_every_fixture_of_pytest_is_there(settings: dict[str, str]) -> None:
    assert {"cache", "doctest_namespace", "record_property", "monkeypatch"} <= {*OWN}
    assert not_passed(await report_of({"test_own.py": CASES, **settings})) == []


async def test_a_conftest_may_ask_for_the_cache_and_an_autouse_fixture_for_the_namespace() -> None:
    conftest = (
        "import pytest\n\n\ndef pytest_configure(config):\n    config.cache.set('a/b', 1)\n\n\n"
        "@pytest.fixture(autouse=True)\ndef names(doctest_namespace, cache):\n"
        "    doctest_namespace['one'] = cache.get('a/b', None)\n"
    )
    program = "def f():\n    '''\n    >>> one\n    1\n    '''\n"
    files = {"test_a.py": "def test_a():\n    assert True\n", "test_doc.py": program, "conftest.py": conftest}
    assert not_passed(await report_of(files)) == []
    report = await report_of(files, sys.executable, "--doctest-modules")
    assert not_passed(report) == [] and len(report["cases"]) == 2


async def test_the_pytester_of_addopts_is_there() -> None:
    files = {"test_a.py": "def test_a(pytester):\n    pass\n", "pytest.ini": "[pytest]\naddopts = -p pytester\n"}
    assert not_passed(await report_of(files)) == []


@pytest.mark.parametrize("settings", [{}, SETTINGS])
async def test_left_out_plugins_give_their_fixtures_and_marks(python: str, settings: dict[str, str]) -> None:
    files = {f"test_{name}.py": text for name, text in GIVEN.items()}
    assert not_passed(await report_of(files | settings, python)) == []


async def test_what_is_not_installed_gives_nothing() -> None:
    report = await report_of({"test_h.py": GIVEN["html"]})
    assert "fixture 'extra' not found" in report["cases"][0]["message"]


async def test_a_conftest_may_have_hooks_of_a_left_out_plugin(python: str) -> None:
    conftest = "def pytest_configure_node(node):\n    pass\n"
    files = {"test_a.py": "def test_a():\n    assert True\n", "conftest.py": conftest}
    assert not_passed(await report_of(files, python)) == []


async def test_options_that_ask_for_earlier_runs_are_refused_with_a_sentence() -> None:
    report = await report_of({"test_a.py": "def test_a():\n    assert True\n"}, sys.executable, "--lf")
    assert "selfheal fix --last-failed" in str(report["error"])
