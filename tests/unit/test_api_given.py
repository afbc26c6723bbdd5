"""What `heal` was given, as a task: names of files, imports that tests leave out, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import selfheal_tui
from selfheal_tui.api.given import build_task
from selfheal_tui.api.run_settings import NAMES, settings_of
from selfheal_tui.api.test_texts import as_test_file, module_of
from selfheal_tui.errors import InputError
from selfheal_tui.settings import setting_names

CODE = "import math\n\n\ndef area(r):\n    return math.pi * r\n\n\nLIMIT = 3\n"


@pytest.mark.parametrize(
    ("tests", "module"),
    [
        ("assert area(1) > 3", ""),
        ("from shapes import area\nassert area(1) > 3", "shapes"),
        ("import geo.shapes as g\nassert g.area(1) > 3", "geo/shapes"),
        ("import json\nfrom yaml import dump\nfrom circle import other", "circle"),
        ("import pytest\nimport json", ""),
        ("def (", ""),
    ],
)
def test_the_module_is_the_one_that_tests_import(tests: str, module: str) -> None:
    assert module_of([tests], CODE) == module


def test_names_that_tests_use_are_imported_and_no_others() -> None:
    plain = as_test_file("assert area(LIMIT) > math.floor(len('x'))", "shapes.py", CODE)
    assert plain.startswith("from shapes import LIMIT, area, math\n") and "def test_1():" in plain
    assert as_test_file("from shapes import area\nassert area(1)", "shapes.py", CODE).count("import") == 1
    later = as_test_file('"""Doc."""\nfrom __future__ import annotations\ndef test_a(): area(1)\n', "p/s.py", CODE)
    assert later.splitlines()[1:3] == ["from __future__ import annotations", "from p.s import area"]
    local = as_test_file("def test_a(area):\n    assert area\n", "shapes.py", CODE)
    assert "import" not in local, "a fixture of that name is meant"
    checked = as_test_file("def check(candidate):\n    assert candidate(1) > 3\n", "shapes.py", CODE)
    assert "from shapes import area" in checked and "test_1" in checked
    assert as_test_file("assert slug('A') == 'a'", "solution.py", None).startswith("from solution import slug\n")


def test_a_mapping_is_split_into_program_and_tests() -> None:
    files = {"pkg/__init__.py": "", "pkg/a.py": CODE, "tests/test_a.py": "def test_x(): pass\n", "data.txt": "x"}
    task = build_task(None, files, None, None, ())
    assert task.program == ("pkg/__init__.py", "pkg/a.py") and task.tests == ("tests/test_a.py",)
    task = build_task(None, files, ["pytest tests/test_a.py::test_x"], None, ())
    assert task.tests == ("tests/test_a.py::test_x",) and task.root is None


def test_plain_tests_of_several_files_use_the_one_that_has_their_names() -> None:
    files = {"a.py": "X = 1\n", "shapes.py": CODE}
    task = build_task(None, files, "assert area(1) > LIMIT", None, ())
    assert task.files["test_given.py"].startswith("from shapes import LIMIT, area\n")


def test_a_file_goes_with_tests_that_are_text_and_keeps_what_it_imports(tmp_path: Path) -> None:
    (tmp_path / "shapes.py").write_text("from base import PI\n" + CODE)
    (tmp_path / "base.py").write_text("PI = 3\n")
    task = build_task(None, tmp_path / "shapes.py", "assert area(1) > 3", None, ())
    assert task.program == ("shapes.py",) and "base.py" in task.files and task.root == str(tmp_path)


def test_examples_of_a_spec_are_enough_and_other_specs_are_not() -> None:
    assert build_task("area(0) == 0", CODE, None, None, ()).spec_judges
    with pytest.raises(InputError, match="nothing to judge the code by"):
        build_task("Make it right.", CODE, None, None, ())


@pytest.mark.parametrize("path", ["/etc/x.py", "../x.py", "a/../x.py", "a//x.py", "a\\x.py", "x\x1b.py", "", "./x.py"])
def test_a_path_that_leads_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(InputError, match="Give relative paths"):
        build_task(None, {path: CODE, "test_x.py": "def test_x(): pass"}, None, None, ())


def test_arguments_are_settings_and_a_folder_counts_only_when_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert set(NAMES) <= set(setting_names())
    missing = {*setting_names()} - {*NAMES}
    others = {"sessions", "model", "role_models", "autonomy", "advisors", "agent_decides", "theme", "bell", "keys"}
    others |= {"hooks", "hook_diff", "hook_time_s", "notify", "plain", "reduced_motion"}
    assert missing == others
    project = tmp_path / "project"
    project.mkdir()
    (project / "selfheal.yaml").write_text("max_iterations: 2\ncritic: 'off'\n")
    assert settings_of({}, project, trust=False).max_iterations == 6
    assert settings_of({}, project, trust=True).critic == "off"
    given = {"max_iterations": 4, "strategies": ("minimal", "search"), "python": Path(sys.executable)}
    settings = settings_of(given, project, trust=True)
    assert (settings.max_iterations, settings.strategies) == (4, "minimal,search")
    assert settings.python == sys.executable


def test_a_folder_that_is_gone_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for given in ({"path": "a.py"}, {"code": CODE, "tests": "assert area(1)"}):
        with pytest.raises(InputError, match="not there any more"):
            selfheal_tui.heal(**given)  # type: ignore[arg-type]


def test_importing_the_package_imports_nothing_else() -> None:
    code = (
        "import sys, selfheal_tui; ours = [n for n in sys.modules if n.startswith('selfheal_tui')]; "
        "print(ours, sorted({'asyncio', 'textual', 'langgraph', 'sqlite3', 'yaml'} & {*sys.modules}), "
        "{*selfheal_tui.__all__} <= {*dir(selfheal_tui)})"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.strip() == "['selfheal_tui'] [] True"
    for name in selfheal_tui.__all__:
        assert getattr(selfheal_tui, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'hael'"):
        _ = selfheal_tui.hael
