"""Lines of test files that put a folder on `sys.path`, and uses of `os` and `sys` that bind no test to its process."""

from __future__ import annotations

import pytest

from selfheal_tui.sandbox.base import Suite
from selfheal_tui.sandbox.inside.path_lines import alike_in_all, folders_added
from selfheal_tui.sandbox.inside.roots import import_roots
from selfheal_tui.sandbox.split_judge import obstacle

AT = "pkg/tests/conftest.py"
LINES = {
    "sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))": "pkg",
    "sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, 'src')))": "pkg/src",
    "sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))": "",
    "sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'lib'))": "pkg/lib",
    "sys.path.insert(0, str(Path(__file__).parents[2]))": "",
    "HERE = os.path.dirname(__file__)\nTOP = os.path.dirname(HERE)\nsys.path.insert(0, TOP)": "pkg",
    "if os.getcwd() not in sys.path:\n    sys.path.append(os.getcwd())": "",
    "sys.path.insert(0, os.getcwd())": "",
    "sys.path.insert(0, './src')": "src",
}
BOUND = (
    "sys.path.insert(0, '/opt/lib')",
    "sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', '..', '..'))",
    "sys.path.insert(0, os.environ['LIB'])",
    "for folder in ('a', 'b'):\n    sys.path.insert(0, folder)",
    "sys.path = ['src', *sys.path]",
    "sys.path[:0] = ['src']",
    "sys.path.remove('src')",
    "def pytest_configure():\n    sys.path.insert(0, 'src')",
    "WHERE = 'a'\nWHERE = 'b'\nsys.path.insert(0, WHERE)",
    "sys.modules.clear()",
    "os.chdir('x')",
    "os.path.exists('x')",
    "os.sep = 'x'",
    "use(sys)",
    "import sys as system",
    "sys.path.insert(0, ''.join('ab'))",
)


def text(line: str) -> str:
    return f"import os\nimport sys\nfrom pathlib import Path\n{line}\n"


@pytest.mark.parametrize("line", LINES)
def test_a_folder_that_a_line_names_is_a_root(line: str) -> None:
    assert folders_added(AT, text(line)) == (LINES[line],)
    assert {"os", "sys"} <= alike_in_all(AT, text(line))
    files = {AT: text(line), "pkg/tests/test_a.py": "", f"{LINES[line]}/geo.py".lstrip("/"): ""}
    program = [path for path in files if path.endswith("geo.py")]
    assert LINES[line] in import_roots(files, ["pkg/tests"], program)
    assert not obstacle(Suite(files, ("pkg/tests",), tuple(program)))


@pytest.mark.parametrize("line", BOUND)
def test_what_is_not_understood_binds_the_tests_to_their_process(line: str) -> None:
    assert not {"os", "sys"} <= alike_in_all(AT, text(line))
    suite = Suite({AT: text(line), "pkg/tests/test_a.py": "", "geo.py": ""}, ("pkg/tests",), ("geo.py",))
    assert " uses `" in obstacle(suite)


@pytest.mark.parametrize("used", ["sys.version_info >= (3, 11)", "os.path.join('a', 'b')", "os.linesep", "sys.maxsize"])
def test_what_is_the_same_in_each_process_binds_nothing(used: str) -> None:
    suite = Suite({"geo.py": "", "test_a.py": text(f"X = {used}")}, ("test_a.py",), ("geo.py",))
    assert obstacle(suite) == ""


@pytest.mark.parametrize(
    ("line", "is_bound"),
    [
        ("from os.path import dirname, join", False),
        ("from os.path import exists", True),
        ("from os import environ", True),
    ],
)
def test_names_taken_from_os_count_too(line: str, is_bound: bool) -> None:
    suite = Suite({"geo.py": "", "test_a.py": f"{line}\n"}, ("test_a.py",), ("geo.py",))
    assert bool(obstacle(suite)) == is_bound


def test_lines_of_the_program_are_its_own_affair() -> None:
    line = "import sys\nsys.path.insert(0, 'lib')\n"
    assert "lib" not in import_roots({"geo.py": line, "test_a.py": ""}, ["test_a.py"], ["geo.py"])
