"""Projects as people lay them out: each is taken in as a folder and runs in the sandbox as pytest runs it outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfheal_tui.engine.task.task import load_task
from selfheal_tui.sandbox.base import Suite, run_through
from tests.warm import WarmSandbox

F = "def f(x):\n    return x + 1\n"
T = "def test_f():\n    assert f(1) == 2\n"
SETTINGS = "[tool.pytest.ini_options]\n"
LAYOUTS: dict[str, tuple[dict[str, str], list[str]]] = {
    "src": (
        {
            "pyproject.toml": "[project]\nname = 'pk'\n",
            "src/pk/__init__.py": "from .core import f\n",
            "src/pk/core.py": F,
            "tests/test_core.py": f"from pk import f\n{T}",
        },
        ["tests/test_core.py::test_f"],
    ),
    "namespace package, data beside it, a project that writes into its folder": (
        {
            "pyproject.toml": "[project]\nname = 'pk'\n",
            "acme/tools/core.py": "import pathlib\nHERE = pathlib.Path(__file__).parent\n\ndef f(x):\n"
            "    (HERE / 'kept').write_text('kept')\n    return x + int((HERE / 'one.txt').read_text())\n",
            "acme/tools/one.txt": "1",
            "tests/test_core.py": f"from acme.tools.core import f\n{T}",
        },
        ["tests/test_core.py::test_f"],
    ),
    "how often, where and with which output cases run is not the project's to say": (
        {
            "pytest.ini": "[pytest]\naddopts = -n 2 --cov=prog --cov-fail-under 90 --reruns 2 --junitxml=r.xml -x -q\n",
            "prog.py": F,
            "test_prog.py": f"from prog import f\n{T}",
        },
        ["test_prog.py::test_f"],
    ),
    "which cases there are is": (
        {
            "setup.cfg": "[tool:pytest]\naddopts =\n  -m 'not slow'\n  --deselect=test_prog.py::test_g\n"
            "markers = slow\n",
            "prog.py": F,
            "test_prog.py": f"import pytest\nfrom prog import f\n{T}"
            "def test_g():\n    assert 0\n@pytest.mark.slow\ndef test_h():\n    assert 0\n",
        },
        ["test_prog.py::test_f"],
    ),
    "a plug-in of the project, a settings module, conftest at two levels": (
        {
            "tox.ini": "[pytest]\naddopts = -p ours.plugin -p no:randomly -p nobodys\nSITE = ours.site\n",
            "ours/__init__.py": "",
            "ours/site.py": "ONE = 1\n",
            "ours/plugin.py": "import importlib, pytest\n\ndef pytest_addoption(parser):\n"
            "    parser.addini('SITE', '')\n@pytest.fixture\ndef site(pytestconfig):\n"
            "    return importlib.import_module(pytestconfig.getini('SITE'))\n",
            "conftest.py": "import pytest\n@pytest.fixture\ndef two():\n    return 1\n",
            "tests/conftest.py": "import pytest\n@pytest.fixture\ndef two(two):\n    return two + 1\n",
            "prog.py": F,
            "tests/test_prog.py": "from prog import f\ndef test_f(site, two):\n    assert f(site.ONE) == two\n",
        },
        ["tests/test_prog.py::test_f"],
    ),
    "files of one name, imported by importlib": (
        {
            "pyproject.toml": f"{SETTINGS}addopts = ['--import-mode=importlib']\npythonpath = ['code']\n",
            "code/prog.py": F,
            "tests/a/test_x.py": f"from prog import f\n{T}",
            "tests/b/test_x.py": f"from prog import f\n{T}",
        },
        ["tests/a/test_x.py::test_f", "tests/b/test_x.py::test_f"],
    ),
    "docstrings and unittest": (
        {
            "pyproject.toml": f"{SETTINGS}addopts = '--doctest-modules'\n",
            "setup.py": '">>> 1"\nraise SystemExit\n',
            "pk/__init__.py": "",
            "pk/prog.py": 'def f(x):\n    """Add one.\n\n    >>> f(1)\n    2\n    """\n    return x + 1\n',
            "tests/test_prog.py": "import unittest\nfrom pk.prog import f\nclass TestF(unittest.TestCase):\n"
            "    def setUp(self):\n        self.two = 2\n"
            "    def test_f(self):\n        self.assertEqual(f(1), self.two)\n",
        },
        ["pk/prog.py::pk.prog.f", "tests/test_prog.py::TestF::test_f"],
    ),
    "files that a conftest leaves out": (
        {
            "conftest.py": "collect_ignore = ['tests/test_old.py', 'old']\ncollect_ignore_glob = ['*_slow.py']\n",
            "prog.py": F,
            "tests/test_prog.py": f"from prog import f\n{T}",
            **dict.fromkeys(
                ("tests/test_old.py", "old/test_it.py", "tests/test_x_slow.py"), "def test():\n    0 / 0\n"
            ),
        },
        ["tests/test_prog.py::test_f"],
    ),
    "docstrings alone": (
        {
            "pytest.ini": "[pytest]\naddopts = --doctest-modules\n",
            "prog.py": 'def f(x):\n    """Add one.\n\n    >>> f(1)\n    2\n    """\n    return x + 1\n',
        },
        ["prog.py::prog.f"],
    ),
    "settings that are none": (
        {"pytest.ini": "[pytest]\naddopts = -m 'not\n", "prog.py": F, "test_prog.py": f"from prog import f\n{T}"},
        ["test_prog.py::test_f"],
    ),
}


@pytest.fixture
async def sandbox() -> WarmSandbox:
    return WarmSandbox()


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_a_project_runs_as_it_is_laid_out(layout: str, tmp_path: Path, sandbox: WarmSandbox) -> None:
    files, ids = LAYOUTS[layout]
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    task = load_task([tmp_path])
    report = (await run_through(sandbox, Suite(task.files, task.tests, task.program, task.pytest_args))).report
    await sandbox.aclose()
    assert [(case["id"], case["outcome"]) for case in report["cases"]] == [(one, "passed") for one in ids], report
    assert any(path.endswith(("core.py", "prog.py")) for path in task.program)
