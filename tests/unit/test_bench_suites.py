"""From a file to tasks: what the loop sees, what only the judge sees, and what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.bench.suites.cases import build_task, build_verdict, loop_limits, obstacle
from selfheal_tui.bench.suites.named import SUITES, NamedSuite
from selfheal_tui.bench.suites.records import build_record
from selfheal_tui.bench.suites.suite import load_suite, with_examples
from selfheal_tui.errors import InputError
from selfheal_tui.sandbox.base import Limits
from tests.bench_data import record, records, write

HIDDEN = "def check(candidate):\n    assert candidate(41) == 42  # hidden\n"


def build(name: str = "inc", **changes: Any) -> Any:
    fields = {
        "buggy_code": "import math\nSTEP = 2\n\n\ndef inc(n):\n    return n + STEP\n",
        "reference_code": "SECRET",
        "visible_tests": "assert inc(1) == 2",
        "hidden_tests": HIDDEN,
    }
    return build_record(record(name, **{**fields, **changes}), "here")


def test_the_loop_sees_prompt_code_and_visible_tests_only() -> None:
    task = build_task(build(), "visible")
    assert (task.mode, task.program, task.tests) == ("fix", ("solution.py",), ("test_examples.py",))
    assert set(task.files) == {"solution.py", "test_examples.py"}
    everything = " ".join([*task.files.values(), task.spec])
    assert "hidden" not in everything and "SECRET" not in everything and "def inc" in everything


def test_with_all_tests_given_the_hidden_ones_are_a_file_of_their_own() -> None:
    task = build_task(build(), "all")
    assert task.tests == ("test_examples.py", "test_hidden.py")
    assert "assert candidate(41) == 42" in task.files["test_hidden.py"]


def test_tests_import_the_names_they_use_and_each_assertion_is_a_case() -> None:
    text = "assert inc(math.floor(1.5)) == 1 + STEP\nassert inc(2) == 4\n"
    made = build_task(build(visible_tests=text), "visible").files["test_examples.py"]
    assert made.startswith("import math\nfrom solution import inc, STEP\n")
    assert made.count("def test_") == 2


def test_only_the_test_functions_that_a_text_calls_are_given() -> None:
    text = "def test1():\n    assert inc(1) == 2\n\n\ndef test2():\n    assert inc(9) == 10\n\n\ntest1()\n"
    made = build_task(build(visible_tests=text), "visible").files["test_examples.py"]
    assert "def test1" in made and "test2" not in made and "\ntest1()" not in made
    made = build_task(build(visible_tests=text.replace("test1()\n", "", 1)), "visible").files["test_examples.py"]
    assert "test2" in made


def test_a_program_whose_name_begins_with_test_is_no_test() -> None:
    program = "def test_twice(items):\n    return len(items) == 2\n"
    named = build("test_twice", buggy_code=program, visible_tests="assert test_twice([1, 1])", hidden_tests=HIDDEN)
    for text in (
        build_task(named, "visible").files["test_examples.py"],
        build_verdict(named, {"solution.py": program}, "hidden").files["test_hidden.py"],
    ):
        assert text.startswith("from solution import test_twice as _test_twice\n") and text.count("def test_") == 1
        assert "_test_twice" in text.partition("def test_1")[2]


def test_a_check_that_nobody_calls_is_called() -> None:
    suite = build_verdict(build(), {"solution.py": "def inc(n):\n    return n + 1\n"}, "hidden")
    assert suite.verify and suite.program == ("solution.py",)
    assert "def test_1():\n    candidate = inc\n    assert candidate(41) == 42" in suite.files["test_hidden.py"]
    assert "test_examples.py" not in suite.files


def test_a_record_without_code_is_written_from_a_spec_that_names_the_function() -> None:
    unwritten = build(buggy_code=None, prompt="Return the next number.", visible_tests="assert inc(1) == 2")
    task = build_task(unwritten, "visible")
    assert task.mode == "spec" and "solution.py" not in task.files and "`inc`" in task.spec
    assert obstacle(unwritten, "visible", can_write=False) and not obstacle(unwritten, "visible", can_write=True)


def test_a_project_is_its_files_and_the_tests_its_command_names() -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/a.py": "X = 1\n",
        "tests/conftest.py": "",
        "tests/test_a.py": "...",
        "R.md": "",
    }
    project = build_record(
        {
            "id": "P/1",
            "files": files,
            "fixed_files": {"pkg/a.py": "X = 2\n"},
            "visible_tests": "python -m pytest -q tests/test_a.py::test_one",
            "hidden_tests": "python -m pytest -q tests/test_a.py",
        },
        "here",
    )
    task = build_task(project, "visible")
    assert task.program == ("pkg/__init__.py", "pkg/a.py") and task.tests == ("tests/test_a.py::test_one",)
    verdict = build_verdict(project, {"pkg/a.py": "X = 3\n"}, "hidden")
    assert verdict.tests == ("tests/test_a.py",) and verdict.files["pkg/a.py"] == "X = 3\n"


def test_tests_with_imports_of_their_own_lie_where_they_expect_the_program() -> None:
    tests = (
        "from unittest import TestCase\nfrom leap import leap\n\n\nclass T(TestCase):\n    def test_a(self): leap(4)\n"
    )
    own = build("leap", layout={"solution": "leap.py", "tests": "leap_test.py"}, hidden_tests=tests)
    suite = build_verdict(own, {"leap.py": "def leap(y): ..."}, "hidden")
    assert suite.files["leap_test.py"] == tests and suite.tests == ("leap_test.py",)


def test_a_task_with_little_time_runs_its_tests_in_a_part_of_it() -> None:
    assert loop_limits(None) == loop_limits(3600.0) == Limits()
    assert (loop_limits(30.0).time_s, loop_limits(30.0).case_time_s) == (10.0, 2.0)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"hidden_tests": None}, "no hidden tests"),
        ({"visible_tests": None}, "no visible tests"),
        ({"hidden_tests": "assert ("}, "do not parse"),
        ({"entry_point": None}, "no entry point"),
        ({"buggy_code": None, "prompt": None}, "neither code nor a prompt"),
    ],
)
def test_what_cannot_be_tried_says_why(changes: dict[str, Any], why: str) -> None:
    assert why in obstacle(build(**changes), "visible", can_write=True)


def test_a_suite_is_a_file_plain_or_gzipped_or_one_in_a_folder(tmp_path: Path) -> None:
    plain = write(tmp_path / "own.jsonl")
    (tmp_path / "zipped.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    by_path = load_suite(str(plain))
    assert by_path.name == "own" and [r.id for r in by_path.records] == ["Own/total", "Own/smaller", "Own/magic"]
    assert by_path.not_tried["Own/untested"] == "no visible tests"
    assert "the search writes none" in by_path.not_tried["Own/unwritten"]
    assert load_suite("zipped", tmp_path).records == load_suite("any", plain).records == by_path.records
    assert len(load_suite(str(plain), can_write=True).records) == 4
    assert [r.id for r in load_suite(str(plain), ids=("Own/magic",)).records] == ["Own/magic"]


def test_a_limit_takes_the_first_or_by_seed_the_same_at_random(tmp_path: Path) -> None:
    rows = [
        record(f"f{n}", **{k: v for k, v in records()[0].items() if k.endswith(("tests", "code"))}) for n in range(30)
    ]
    path = str(write(tmp_path / "many.jsonl", rows))
    assert [r.id for r in load_suite(path, limit=2).records] == ["Own/f0", "Own/f1"]
    drawn = load_suite(path, limit=5, seed=7).records
    assert drawn == load_suite(path, limit=5, seed=7).records != load_suite(path, limit=5, seed=8).records


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "holds no record"),
        ('{"id": "a"\n', "line 1, is no JSON"),
        ("[1]\n", "holds no JSON object"),
        ('{"prompt": "x"}\n', "needs an `id` (own.jsonl, line 1)"),
        ('{"id": "a", "prompt": 3}\n', "`prompt` must be a text"),
        ('{"id": "a", "files": {"a": 1}}\n', "`files` must map"),
        ('{"id": "a"}\n\n{"id": "a"}\n', "comes twice (own.jsonl, line 3)"),
        ('{"id": "a"}\n', "can be tried"),
        ('{"id": "a", "entry_point": "f", "prompt": "p", "hidden_tests": "f()"}\n', "Name a model that writes it"),
        ('{"id": "a", "entry_point": "f", "buggy_code": "f = 1", "hidden_tests": "f()"}\n', "--tests all"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.jsonl").write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"^[^\n]+$") as caught:
        load_suite("own.jsonl")
    assert says in str(caught.value)


def test_no_such_suite_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Did you mean humaneval\?"):
        load_suite("humanevl")
    write(tmp_path / "mine.jsonl")
    with pytest.raises(InputError, match=r"Did you mean mine\?"):
        load_suite("mien", tmp_path)
    with pytest.raises(InputError, match="no task 'x'"):
        load_suite("mine", tmp_path, ids=("x",))
    (tmp_path / "odd.jsonl").write_bytes(b"\x1f\x8bno gzip")
    with pytest.raises(InputError, match="no JSONL file"):
        load_suite(str(tmp_path / "odd.jsonl"))


def test_humaneval_rows_are_understood_and_their_examples_are_visible_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompt = 'def inc(n):\n    """Add one.\n    >>> inc(1)\n    2\n    >>> inc(\n    """\n'
    row = {"task_id": "HumanEval/0", "prompt": prompt, "entry_point": "inc", "canonical_solution": "", "test": HIDDEN}
    path = tmp_path / "HumanEval.jsonl"
    path.write_text(json.dumps(row) + "\n", "utf-8")
    human_eval = SUITES["humaneval"]
    monkeypatch.setitem(SUITES, "humaneval", NamedSuite("", lambda: path, human_eval.columns, human_eval.row))
    suite = load_suite("humaneval", can_write=True)
    assert (suite.name, suite.records[0].id, suite.records[0].hidden_tests) == ("humaneval", "HumanEval/0", HIDDEN)
    assert suite.records[0].visible_tests == "assert inc(1) == (2)\n"
    assert with_examples(build()).visible_tests == "assert inc(1) == 2"
    with pytest.raises(InputError, match="no code to heal"):
        load_suite("humaneval")
