"""What pytest and its plug-ins give to tests is there in the sandbox too, also of those that it leaves out."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from _pytest.config import default_plugins
from _pytest.fixtures import FixtureFunctionDefinition

from selfheal_tui.sandbox.base import Suite, SuiteReport, run_through
from selfheal_tui.sandbox.local import LocalSandbox

Run = Callable[..., Awaitable[SuiteReport]]
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


@asynccontextmanager
async def running(python: str = sys.executable) -> AsyncIterator[Run]:
    """Give what runs suites in one sandbox, as each start of one takes a while."""
    sandbox = LocalSandbox(python=python)

    async def run(files: dict[str, str], *args: str) -> SuiteReport:
        tests = tuple(name for name in files if name.startswith("test_"))
        return (await run_through(sandbox, Suite(files, tests, (), args))).report

    try:
        yield run
    finally:
        await sandbox.aclose()


def not_passed(report: SuiteReport) -> list[str]:
    messages = [f"{case['id']}: {case['message']}" for case in report["cases"] if case["outcome"] != "passed"]
    return [*messages, *([report["error"]] if report["error"] else [])]


async def test_every_fixture_of_pytest_is_there() -> None:
    assert {"cache", "doctest_namespace", "record_property", "monkeypatch"} <= {*OWN}
    pytester = {"test_p.py": "def test_a(pytester):\n    pass\n", "pytest.ini": "[pytest]\naddopts = -p pytester\n"}
    async with running() as run:
        assert not_passed(await run({"test_own.py": CASES})) == []
        assert not_passed(await run({"test_own.py": CASES, **SETTINGS})) == []
        assert not_passed(await run(pytester)) == []


async def test_a_conftest_may_ask_for_the_cache_and_an_autouse_fixture_for_the_namespace() -> None:
    conftest = (
        "import pytest\n\n\ndef pytest_configure(config):\n    config.cache.set('a/b', 1)\n\n\n"
        "@pytest.fixture(autouse=True)\ndef names(doctest_namespace, cache):\n"
        "    doctest_namespace['one'] = cache.get('a/b', None)\n"
    )
    program = "def f():\n    '''\n    >>> one\n    1\n    '''\n"
    files = {"test_a.py": "def test_a():\n    assert True\n", "test_doc.py": program, "conftest.py": conftest}
    async with running() as run:
        assert not_passed(await run(files)) == []
        report = await run(files, "--doctest-modules")
        assert not_passed(report) == [] and len(report["cases"]) == 2
        refused = await run(files, "--lf")
        assert "selfheal fix --last-failed" in str(refused["error"])


async def test_left_out_plugins_give_their_fixtures_marks_and_hooks(python: str) -> None:
    files = {f"test_{name}.py": text for name, text in GIVEN.items()}
    hooks = {"conftest.py": "def pytest_configure_node(node):\n    pass\n"}
    async with running(python) as run:
        for settings in ({}, SETTINGS, hooks):
            assert not_passed(await run(files | settings)) == []


async def test_what_is_not_installed_gives_nothing() -> None:
    async with running() as run:
        report = await run({"test_h.py": GIVEN["html"]})
    assert "fixture 'extra' not found" in report["cases"][0]["message"]
