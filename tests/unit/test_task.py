"""load_task: what is read, what becomes program and tests, and each input that is refused."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from selfheal_tui.engine.moment.workspace import test_files_of as files_of_tests
from selfheal_tui.engine.task import source_files
from selfheal_tui.engine.task.demos import DEFAULT_DEMO, list_demos, load_demo
from selfheal_tui.engine.task.local_imports import _imports_in, _written_imports
from selfheal_tui.engine.task.task import load_task
from selfheal_tui.errors import InputError
from selfheal_tui.python_encoding import is_data
from selfheal_tui.python_source import parse_or_none
from selfheal_tui.sandbox.inside.child import _encoded

TEST = "from prog import f\n\n\ndef test_f():\n    assert f() == 1\n"


def write(root: Path, **files: str) -> Path:
    """Write files; in a keyword `__` is a slash, INIT and PYCACHE are the names in underscores, `.py` is added."""
    for name, text in files.items():
        path = root / (name.replace("__", "/").replace("INIT", "__init__").replace("PYCACHE", "__pycache__") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def refusal(*paths: Path, tests: tuple[Path, ...] = (), spec: str = "") -> str:
    with pytest.raises(InputError) as caught:
        load_task(paths, tests, spec)
    return str(caught.value)


def test_a_file_brings_the_test_named_after_it(tmp_path: Path) -> None:
    write(tmp_path, prog="def f(): return 2\n", test_prog=TEST, test_other="def test_x(): pass\n", unrelated="x = 1\n")
    task = load_task([tmp_path / "prog.py"])
    assert (task.mode, task.title, task.root) == ("fix", "prog.py", str(tmp_path))
    assert (task.program, task.tests) == (("prog.py",), ("test_prog.py",))
    assert task.files == {"prog.py": "def f(): return 2\n", "test_prog.py": TEST}


def test_tests_in_a_tests_folder_are_found_with_their_conftest(tmp_path: Path) -> None:
    write(tmp_path, prog="f = 1\n", tests__test_prog=TEST, tests__conftest="import helper\n", helper="x = 1\n")
    task = load_task([tmp_path / "prog.py"])
    assert (task.root, task.tests) == (str(tmp_path), ("tests/test_prog.py",))
    assert set(task.files) == {"prog.py", "tests/test_prog.py", "tests/conftest.py", "helper.py"}


def test_a_test_that_imports_the_program_is_found_without_its_name(tmp_path: Path) -> None:
    write(tmp_path, prog="f = 1\n", test_all=TEST, test_other="import os\n\ndef test_x(): pass\n")
    assert load_task([tmp_path / "prog.py"]).tests == ("test_all.py",)


def test_local_imports_come_along_transitively(tmp_path: Path) -> None:
    write(
        tmp_path,
        prog="from lib import one\nimport json\n",
        lib__INIT="from .one import x\n",
        lib__one="import two\n",
        two="x = 1\n",
        three="x = 1\n",
        test_prog=TEST,
    )
    task = load_task([tmp_path / "prog.py"])
    assert set(task.files) == {"prog.py", "lib/__init__.py", "lib/one.py", "two.py", "test_prog.py"}
    assert task.program == ("prog.py",)


def test_a_file_of_a_package_is_rooted_above_the_package(tmp_path: Path) -> None:
    write(tmp_path, pkg__INIT="", pkg__core="f = 1\n", tests__test_core="from pkg.core import f\ndef test_f(): pass\n")
    task = load_task([tmp_path / "pkg" / "core.py"])
    assert (task.root, task.program, task.tests) == (str(tmp_path), ("pkg/core.py",), ("tests/test_core.py",))
    assert set(task.files) == {"pkg/__init__.py", "pkg/core.py", "tests/test_core.py"}


def test_named_tests_and_node_ids(tmp_path: Path) -> None:
    write(tmp_path, a__prog="f = 1\n", b__check="def test_x(): pass\ndef test_y(): pass\n")
    task = load_task([tmp_path / "a" / "prog.py"], [tmp_path / "b" / "check.py::test_x"], "adds", ["-k", "x"])
    assert (task.program, task.tests) == (("a/prog.py",), ("b/check.py::test_x",))
    assert (task.spec, task.pytest_args) == ("adds", ("-k", "x"))


def test_a_named_case_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    text = "def test_x(): pass\n\n\nclass TestIn:\n    def test_y(self): pass\n\n\nclass TestOf(Base):\n    pass\n"
    write(tmp_path, prog="f = 1\n", test_prog=text, test_all="from base import *\n\ndef test_f(): pass\n")
    for name in ("test_x", "test_x[1]", "TestIn::test_y", "TestOf::test_of_base"):
        assert load_task([tmp_path / "prog.py"], [tmp_path / f"test_prog.py::{name}"]).tests == (
            f"test_prog.py::{name}",
        )
    assert load_task([tmp_path / "prog.py"], [tmp_path / "test_all.py::test_of_base"])
    for name in ("test_zz", "TestIn::test_zz"):
        with pytest.raises(InputError) as error:
            load_task([tmp_path / "prog.py"], [tmp_path / f"test_prog.py::{name}"])
        assert str(error.value).startswith(f"test_prog.py has no case {name}. ") and "test_" in error.value.hint


def test_a_program_with_its_own_tests(tmp_path: Path) -> None:
    write(tmp_path, prog="import helper\n\ndef test_f(): assert helper.x\n", helper="x = 1\n")
    task = load_task([tmp_path / "prog.py"])
    assert (task.program, task.tests) == (("prog.py",), ("prog.py",))
    assert "helper.py" in task.files


def test_a_file_of_tests_alone_is_no_program_whatever_it_is_called(tmp_path: Path) -> None:
    tests = "import unittest\n\nimport prog\n\n\nclass Checks(unittest.TestCase):\n"
    tests += "    def test_f(self):\n        assert prog.f\n"
    write(tmp_path, prog="f = 1\n", checks=tests)
    for task in (load_task([tmp_path]), load_task([tmp_path], [tmp_path / "checks.py"])):
        assert (task.program, task.tests) == (("prog.py",), ("checks.py",))
    write(tmp_path, checks=f"def helper(): ...\n\n\n{tests}")
    assert load_task([tmp_path]).program == ("checks.py", "prog.py"), "it may be a program with its own tests"
    alone = load_task([tmp_path / "checks.py"])
    assert (alone.program, alone.tests) == (("checks.py",), ("checks.py",))


def test_naming_only_a_test_heals_what_it_imports(tmp_path: Path) -> None:
    write(tmp_path, prog="f = 1\n", tests__test_prog=TEST)
    task = load_task([tmp_path / "tests" / "test_prog.py"])
    assert (task.program, task.tests, task.title) == (("prog.py",), ("tests/test_prog.py",), "prog.py")
    write(tmp_path, more="g = 1\n", tests__test_both="import more, prog\n\n\ndef test_f(): assert prog.f\n")
    assert load_task([tmp_path / "tests" / "test_both.py"]).title == "test_both.py"


def test_a_folder_is_taken_whole_without_what_is_not_source(tmp_path: Path) -> None:
    write(tmp_path, prog="f = 1\n", tests__test_prog=TEST, tests__util="x = 1\n", tests__conftest="")
    write(tmp_path, venv__lib="", _git="", build__prog="", PYCACHE__x="")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.py").write_text("")
    (tmp_path / ".env").write_text("KEY=1")
    # Each session would carry all earlier ones, which may be of other projects.
    (tmp_path / "sessions" / "20261128-1-prog-ab").mkdir(parents=True)
    (tmp_path / "sessions" / "20261128-1-prog-ab" / "session.db").write_text("text")
    (tmp_path / "data.csv").write_text("a,b\n")
    (tmp_path / "big.csv").write_text("a" * 300_000)
    (tmp_path / "image.png").write_bytes(b"\x89PNG\0\xff")
    (tmp_path / "link.py").symlink_to("/etc/hostname")
    task = load_task([tmp_path])
    assert set(task.files) == {
        "prog.py",
        "_git.py",
        "data.csv",
        "big.csv",
        "image.png",
        "tests/test_prog.py",
        "tests/util.py",
        "tests/conftest.py",
    }
    assert task.program == ("_git.py", "prog.py")
    assert task.tests == ("tests/test_prog.py",)


def test_data_comes_along_byte_for_byte_as_far_as_it_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = bytes(range(256)) * 3 + b"\r\n\xed\xa0\x80\0"
    write(tmp_path, prog="import speed\n", tests__test_prog="import prog\n\n\ndef test_f(): assert prog.speed\n")
    (tmp_path / "tests" / "picture.png").write_bytes(content)
    (tmp_path / "speed.cpython-311-x86_64-linux-gnu.so").write_bytes(content)
    (tmp_path / "large.bin").write_bytes(bytes(3_000))
    monkeypatch.setattr(source_files, "MAX_DATA_BYTES", 2_900)
    task = load_task([tmp_path])
    assert "large.bin" not in task.files and task.program == ("prog.py",)
    picture = task.files["tests/picture.png"]
    assert is_data(picture) and _encoded("tests/picture.png", picture) == content
    assert files_of_tests(task.files, task.program, ("tests",)) == ("tests/test_prog.py",)
    alone = load_task([tmp_path / "prog.py"])
    assert "speed.cpython-311-x86_64-linux-gnu.so" in alone.files and alone.program == ("prog.py",)


def test_a_folder_named_twice_over_its_tests(tmp_path: Path) -> None:
    write(tmp_path, prog="f = 1\n", test_prog=TEST)
    task = load_task([tmp_path], [tmp_path])
    assert (task.program, task.tests) == (("prog.py",), (".",))


def test_several_files_share_a_root(tmp_path: Path) -> None:
    write(tmp_path, a__one="x = 1\n", b__two="x = 1\n", test_both="import a.one, b.two\ndef test_x(): pass\n")
    task = load_task([tmp_path / "a" / "one.py", tmp_path / "b" / "two.py"], [tmp_path / "test_both.py"])
    assert (task.title, task.program, task.root) == ("one.py and 1 more", ("a/one.py", "b/two.py"), str(tmp_path))


def test_a_program_that_does_not_parse_is_something_to_heal(tmp_path: Path) -> None:
    write(tmp_path, prog="def f(:\n", test_prog=TEST)
    assert load_task([tmp_path / "prog.py"]).files["prog.py"] == "def f(:\n"


def test_line_ends_stay_and_a_byte_order_mark_goes(tmp_path: Path) -> None:
    write(tmp_path, test_prog=TEST)
    (tmp_path / "prog.py").write_bytes(b"\xef\xbb\xbff = 1\r\n")
    assert load_task([tmp_path / "prog.py"]).files["prog.py"] == "f = 1\r\n"


def test_a_spec_alone_asks_for_new_code() -> None:
    task = load_task([], [], "  Sort words.\nShortest first. ")
    assert (task.mode, task.title, task.spec) == ("spec", "Sort words.", "Sort words.\nShortest first.")
    assert (dict(task.files), task.tests, task.root) == ({}, (), None)


def test_python_files_that_cannot_be_read_are_named_with_the_reason(tmp_path: Path) -> None:
    write(tmp_path, prog="import far.helper\ndef f(): return 1\n", test_prog=TEST, far__fine="x = 1\n")
    (tmp_path / "latin.py").write_bytes(b"# caf\xe9\n")
    (tmp_path / "test_latin.py").write_bytes(b"\n# caf\xe9\n")
    (tmp_path / "binary.py").write_bytes(b"x\0")
    (tmp_path / "table.py").write_text("x = 1\n" * 50_000)
    (tmp_path / "far" / "helper.py").write_bytes(b"# caf\xe9\n")
    (tmp_path / "notes.txt").write_bytes(b"caf\xe9\n")
    unread = {one.path: one for one in load_task([tmp_path]).unread}
    assert {path: one.why for path, one in unread.items()} == {
        "binary.py": "is a binary file, not Python",
        "far/helper.py": "is not UTF-8 text (line 1)",
        "latin.py": "is not UTF-8 text (line 1)",
        "table.py": "is larger than 256 KiB",
        "test_latin.py": "is not UTF-8 text (line 2)",
    }
    assert "PEP 263" in unread["latin.py"].remedy
    both = load_task([tmp_path, tmp_path / "table.py"])
    assert "table.py" in both.files and "table.py" not in {one.path for one in both.unread}, "a named one may be large"
    alone = load_task([tmp_path / "prog.py"])
    assert [one.path for one in alone.unread] == ["far/helper.py"], "of a file that is named, what it imports"


@pytest.mark.parametrize("named", [".", "test_prog.py"])
def test_where_nothing_is_left_the_file_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, test_prog="from prog import f\n" + TEST)
    (tmp_path / "prog.py").write_bytes(b"# caf\xe9\n")
    told = refusal(Path(named))
    assert "prog.py is not UTF-8 text (line 1)" in told and "PEP 263" in told
    (tmp_path / "test_prog.py").unlink()
    assert "holds no Python file that can be read: prog.py is not UTF-8 text (line 1)." in refusal(Path())
    write(tmp_path, other="x = 1\n")
    (tmp_path / "test_other.py").write_bytes(b"# caf\xe9\n")
    assert "test_other.py is not UTF-8 text (line 1)" in refusal(Path())
    (tmp_path / "test_other.py").rename(tmp_path / "check_other.py")
    (tmp_path / "pytest.ini").write_text("[pytest]\npython_files = check_*.py\n")
    told = refusal(Path())
    assert "No tests were found" in told and "check_other.py is not UTF-8 text (line 1)" in told


def test_what_cannot_be_used_is_refused_in_a_sentence(tmp_path: Path) -> None:
    write(tmp_path, prog="f = 1\n", alone__x="f = 1\n", only__test_x="def test_x(): pass\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "latin.py").write_bytes(b"x = 1\n# caf\xe9\n")
    (tmp_path / "binary.py").write_bytes(b"\x7fELF\0\0")
    write(tmp_path, bad__prog="f = 1\n", bad__test_prog="def test_f(:\n    pass\n")
    assert "does not exist" in refusal(tmp_path / "missing.py")
    assert "does not exist" in refusal(tmp_path / "prog.py", tests=(tmp_path / "test_missing.py::test_x",))
    assert "does not exist" in refusal(tmp_path / "prog.py" / "below.py")
    assert "does not exist" in refusal(Path("a\0b.py"))
    assert "holds no Python file" in refusal(tmp_path / "empty")
    assert "not a Python file" in refusal(tmp_path / "notes.txt")
    assert "not a regular file" in refusal(Path("/dev/null"))
    assert "No tests were found for x.py" in refusal(tmp_path / "alone" / "x.py")
    assert "No tests were found for alone" in refusal(tmp_path / "alone")
    assert "selfheal fix PATH --wrong" in refusal(tmp_path / "alone")
    write(tmp_path, beside__x="f = 1\n", beside__test_y="def test_y():\n    assert True\n")
    beside = refusal(tmp_path / "beside" / "x.py")
    assert "No tests were found for x.py: test_y.py does not import it." in beside and "--tests PATH" in beside
    assert "holds tests but no program" in refusal(tmp_path / "only")
    assert "not UTF-8 text (line 2)" in refusal(tmp_path / "latin.py")
    assert "binary file" in refusal(tmp_path / "binary.py")
    assert "test_prog.py does not parse, line 1" in refusal(tmp_path / "bad" / "prog.py")
    assert "spec is empty" in refusal()
    assert "spec is empty" in refusal(spec=" \n")


def test_a_folder_named_for_its_tests_that_holds_none_is_refused(tmp_path: Path) -> None:
    write(tmp_path, src__prog="f = 1\n", src__test_prog=TEST, helpers__h="x = 1\n", helpers__INIT="", checks__c=TEST)
    (tmp_path / "tests").mkdir()
    (tmp_path / "src" / "et").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "cases.yaml").write_text("- 1\n")
    empty = tmp_path / "tests"
    for program in (tmp_path / "src" / "prog.py", tmp_path / "src", tmp_path):
        told = refusal(program, tests=(empty,))
        assert told.startswith("tests holds no test file: no test_*.py or *_test.py. Name a test file")
        assert refusal(program, tests=(tmp_path / "src" / "et",)).startswith("et holds no test file")
        assert refusal(program, tests=(tmp_path / "helpers",)).startswith("helpers holds no test file")
        assert refusal(program, tests=(tmp_path / "src" / "test_prog.py", empty)).startswith("tests holds no test file")
        for left_to_pytest in ("checks", "data"):
            assert load_task([program], [tmp_path / left_to_pytest]).tests[0].endswith(left_to_pytest)
    (empty / "test_latin.py").write_bytes(b"# caf\xe9\n")
    told = refusal(tmp_path / "src", tests=(empty,))
    assert "tests holds no test file that can be read: test_latin.py is not UTF-8 text" in told
    (tmp_path / "helpers" / "pytest.ini").write_text("[pytest]\npython_files = check_*.py\n")
    assert "no check_*.py." in refusal(tmp_path / "src", tests=(tmp_path / "helpers",))
    write(tmp_path, helpers__check_all=TEST)
    assert load_task([tmp_path / "src"], [tmp_path / "helpers"]).tests == ("helpers",)


def test_a_named_folder_of_tests_may_lie_above_all_that_is_read(tmp_path: Path) -> None:
    write(tmp_path, all__here__prog="f = 1\n", all__here__test_prog=TEST)
    task = load_task([tmp_path / "all" / "here" / "prog.py"], [tmp_path / "all"])
    assert (task.root, task.program, task.tests) == (str(tmp_path / "all"), ("here/prog.py",), (".",))


def test_too_many_files_are_refused_with_the_folder_that_holds_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_files, "MAX_FILES", 20)
    write(tmp_path, prog="", test_prog="def test_x(): pass\n", few__a="", few__b="")
    (tmp_path / "many").mkdir()
    for number in range(30):
        (tmp_path / "many" / f"d{number}.txt").touch()
    told = refusal(tmp_path)
    assert "too large to copy: over 20 files" in told
    assert "Most of it is many/ (30 files, 0.0 MB)." in told and ".gitignore" in told


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def test_what_git_ignores_is_left_out_but_for_what_is_imported(tmp_path: Path) -> None:
    write(
        tmp_path,
        prog='"""\nimport written\n"""\nfrom _version import v\nimport made.made\ndef f(): return 1\n',
        written="only in a text",
        test_prog=TEST,
        _version="v = 1\n",
        made__INIT="",
        made__made="x = 1\n",
        made__other="x = 1\n",
        scratch__old="x = 1\n",
    )
    (tmp_path / ".gitignore").write_text("_version.py\nwritten.py\nmade/\nscratch/\n*.log\n")
    (tmp_path / "run.log").write_text("x")
    git(tmp_path, "init", "-q")
    task = load_task([tmp_path])
    assert {*task.files} == {"prog.py", "test_prog.py", "_version.py", "made/__init__.py", "made/made.py"}
    assert task.program == ("prog.py",)


def test_a_folder_that_is_ignored_as_a_whole_is_read_when_it_is_named(tmp_path: Path) -> None:
    write(tmp_path, scratch__prog="def f(): return 1\n", scratch__test_prog=TEST)
    (tmp_path / ".gitignore").write_text("scratch/\n")
    git(tmp_path, "init", "-q")
    assert load_task([tmp_path / "scratch"]).program == ("prog.py",)


def test_without_git_only_the_usual_folders_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, prog="def f(): return 1\n", test_prog=TEST, scratch__old="x = 1\n")
    (tmp_path / ".gitignore").write_text("scratch/\n")
    (tmp_path / ".git").mkdir()
    assert "scratch/old.py" in load_task([tmp_path]).files


def test_tests_that_do_not_parse_are_taken_along_where_others_do(tmp_path: Path) -> None:
    write(tmp_path, prog="def f(): return 1\n", test_prog=TEST, test_broken="def (\n")
    assert load_task([tmp_path]).tests == ("test_broken.py", "test_prog.py")


def test_too_much_text_is_refused(tmp_path: Path) -> None:
    write(tmp_path, prog="", test_prog="def test_x(): pass\n")
    for number in range(80):
        (tmp_path / f"d{number}.txt").write_text("x" * 256 * 1024)
    assert "too large" in refusal(tmp_path)


def test_demos_are_listed_and_load() -> None:
    demos = list_demos()
    assert demos[0].name == DEFAULT_DEMO and len(demos) >= 8
    assert len({demo.category for demo in demos}) >= 6
    assert [demo.healable for demo in demos].count(False) == 1
    for demo in demos:
        task = load_demo(demo.name)
        assert task.program and task.tests and task.root is None
        assert {*task.program, *task.tests} <= set(task.files)
        assert demo.title and demo.story.endswith((".", "?", "!"))


def test_an_unknown_demo_names_the_nearest() -> None:
    with pytest.raises(InputError, match="Did you mean intervals"):
        load_demo("interval")


def test_plain_assertions_become_cases(tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text("def f(x):\n    return x\n")
    (tmp_path / "checks.py").write_text("from prog import f\nassert f(1) == 1\nassert f(2) == 3\n")
    task = load_task([tmp_path / "prog.py"], [tmp_path / "checks.py"])
    assert task.tests == ("checks.py",)
    assert task.files["checks.py"].count("def test_") == 2
    assert task.program == ("prog.py",)


@pytest.mark.parametrize("named", ["prog.py", "."])
def test_tests_beside_a_source_folder_are_found_from_inside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    write(tmp_path, src__prog="f = 1\n", tests__test_prog=TEST)
    monkeypatch.chdir(tmp_path / "src")
    assert set(load_task([Path(named)]).files) == {"src/prog.py", "tests/test_prog.py"}


def test_a_package_is_read_whole_from_inside_one_of_its_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, pk__INIT="", pk__base="B = 1\n", pk__sub__INIT="", other__INIT="", other__x="X = 1\n")
    source = "from ..base import B\nfrom other.x import X\n\ndef test_b():\n    assert B\n"
    write(tmp_path, pk__sub__prog=source)
    monkeypatch.chdir(tmp_path / "pk" / "sub")
    task = load_task([Path("prog.py")])
    assert "pk/base.py" in task.files and "other/x.py" not in task.files
    assert "other/x.py" in task.left_out, "told, and not read: it lies beside the package, above where one stands"


def test_a_repository_is_the_project_and_a_home_folder_never(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, repo__pkg__INIT="", repo__pkg__prog="f = 1\n", repo__tests__test_prog="import pkg.prog\n" + TEST)
    (tmp_path / "repo" / ".git").write_text("gitdir: elsewhere\n")
    (tmp_path / "repo" / "pkg" / "pyproject.toml").write_text("")
    assert load_task([tmp_path / "repo" / "pkg" / "prog.py"]).tests == ("tests/test_prog.py",)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".git").mkdir()
    write(tmp_path, private="KEY = 1\n", zip__INIT="", zip__prog="import private\n", zip__test_prog=TEST)
    monkeypatch.chdir(tmp_path / "zip")
    assert not any("private" in path for path in load_task([Path("prog.py")]).files)


def test_a_name_too_long_for_a_file_is_no_module(tmp_path: Path) -> None:
    write(tmp_path, prog=f"import {'x' * 300}\nimport {'.'.join(['y'] * 3000)}\n", test_prog=TEST)
    assert set(load_task([tmp_path]).files) == {"prog.py", "test_prog.py"}


@pytest.mark.parametrize(
    "source",
    [
        "import a, b.c as d  # why\n    import e\n",
        "from .a import (b,\n  c as d,\n)\nfrom .. import x\nfrom a.b import *\n",
        '"""\nimport only_written\n"""\n',
        "import a; import b\n",
        "if x: import a\n",
        "from a \\\n import b\n",
        "from a \\\r\n import b",
        "from .import a\n",
        "from a import (b,  # an import\n c)\n",
        "from a import b as c, d\r\n",
        "import \N{LATIN SMALL LIGATURE FI}le\n",
        "x = 'import'\n",
        "def f(:\nimport a\n",
        f"from a import {' ' * 100_000}!\n",
        f"import a{' ,a' * 50_000} !\n",
    ],
)
def test_a_glance_misses_no_import(source: str) -> None:
    at_a_glance, tree = _written_imports(source), parse_or_none(source)
    if at_a_glance is not None and tree is not None:
        assert {*at_a_glance} >= {*_imports_in(tree)}
