"""From which folders a suite's modules are imported, and which names its files have."""

from __future__ import annotations

import pytest

from selfheal_tui.sandbox.base import Suite
from selfheal_tui.sandbox.inside.roots import import_roots, module_names, named_twice
from selfheal_tui.sandbox.split_judge import obstacle

LAYOUTS: dict[str, tuple[dict[str, str], list[str]]] = {
    "beside the module": ({"sub/geo.py": "", "sub/test_geo.py": ""}, ["sub", "", "src"]),
    "in a package": ({"pkg/__init__.py": "", "pkg/geo.py": "", "pkg/test_geo.py": ""}, ["", "src"]),
    "a package in a folder": (
        {"libs/geo/__init__.py": "", "libs/geo/tests/__init__.py": "", "libs/geo/tests/test_geo.py": ""},
        ["libs", "", "src"],
    ),
    "a conftest above": (
        {"sub/conftest.py": "", "sub/geo.py": "", "sub/tests/test_geo.py": "", "more/conftest.py": ""},
        ["sub", "sub/tests", "", "src"],
    ),
    "settings": (
        {"pytest.ini": "[pytest]\npythonpath = sub ../out\n", "sub/geo.py": "", "tests/test_geo.py": ""},
        ["tests", "sub", "", "src"],
    ),
    "settings in TOML, and the import mode importlib": (
        {
            "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["./s"]\naddopts = "--import-mode=importlib"\n',
            "s/geo.py": "",
            "tests/test_geo.py": "",
        },
        ["s", "", "src"],
    ),
    "the import mode append": (
        {"pytest.ini": "[pytest]\naddopts = --import-mode append\n", "sub/test_geo.py": ""},
        ["", "src", "sub"],
    ),
    "examples in docstrings": (
        {"pytest.ini": "[pytest]\naddopts = --doctest-modules\n", "sub/geo.py": ""},
        ["sub", "", "src"],
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_roots_are_those_of_pytest(name: str) -> None:
    files, roots = LAYOUTS[name]
    tests = [path for path in files if "test_" in path]
    program = [path for path in files if path.endswith("geo.py") and path not in tests]
    assert import_roots(files, tests, program) == roots


def test_arguments_of_the_command_line_count() -> None:
    files = {"sub/test_geo.py": ""}
    assert import_roots(files, ["sub"], (), ["--import-mode=importlib", "-o", "pythonpath=a b"]) == [
        "a",
        "b",
        "",
        "src",
    ]


def test_a_file_may_have_several_names_and_the_first_root_counts() -> None:
    paths = ["sub/geo.py", "geo.py", "sub/pkg/__init__.py", "data.txt"]
    names = module_names(paths, ["sub", ""])
    assert names == {
        "geo": "sub/geo.py",
        "pkg": "sub/pkg/__init__.py",
        "sub.geo": "sub/geo.py",
        "sub.pkg": "sub/pkg/__init__.py",
    }
    assert named_twice(paths, ["sub", ""]) == {"geo": ["sub/geo.py", "geo.py"]}


def test_a_name_that_two_files_have_is_not_judged_apart() -> None:
    files = {"a/util.py": "", "b/util.py": "", "a/test_a.py": "import util\n", "b/test_b.py": ""}
    suite = Suite(files, ("a/test_a.py", "b/test_b.py"), ("a/util.py", "b/util.py"))
    assert obstacle(suite) == "a/test_a.py imports util, which may be a/util.py or b/util.py."


@pytest.mark.parametrize(
    "line", ['if "pytest" in sys.modules:', "if modules.get('_pytest'):", "if os.environ.get('PYTEST_CURRENT_TEST'):"]
)
def test_a_program_that_asks_for_pytest_is_not_judged_apart(line: str) -> None:
    files = {"shop.py": f"import os, sys\n{line}\n    os._exit(0)\n", "test_shop.py": "import shop\n"}
    suite = Suite(files, ("test_shop.py",), ("shop.py",))
    assert obstacle(suite) == "shop.py asks whether pytest runs, and may do something else where it does not."
    plain = Suite({**files, "shop.py": '"""Run with pytest."""\n'}, ("test_shop.py",), ("shop.py",))
    assert obstacle(plain) == ""


def test_of_a_file_that_does_not_parse_it_is_said() -> None:
    files = {"shop.py": "A = 1\n", "test_shop.py": "def test_(:\n", "test_two.py": "import shop\n"}
    told = obstacle(Suite(files, ("test_shop.py", "test_two.py"), ("shop.py",)))
    assert told == "test_shop.py does not parse. A pass rests on the program's own process."
