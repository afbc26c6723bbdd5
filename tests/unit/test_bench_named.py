"""Suites by name: each published form becomes records of ours; what cannot be read is told and spoils nothing else."""

from __future__ import annotations

import builtins
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from selfheal_tui.bench.suites.cases import build_task, build_verdict, obstacle, program_path
from selfheal_tui.bench.suites.named import SUITES
from selfheal_tui.bench.suites.records import BenchRecord
from selfheal_tui.bench.suites.suite import BenchSuite, load_suite
from selfheal_tui.errors import InputError
from tests.bench_data import records, write

HUMAN = {
    "task_id": "HumanEval/0",
    "prompt": 'def inc(n):\n    """Add one.\n    >>> inc(1)\n    2\n    """\n',
    "entry_point": "inc",
    "canonical_solution": "    return n + 1\n",
    "test": "def check(candidate):\n    assert candidate(41) == 42\n",
}
FIX = {
    **HUMAN,
    "task_id": "Python/0",
    "declaration": "def inc(n):\n",
    "buggy_solution": "    return n - 1\n",
    "bug_type": "operator misuse",
    "example_test": "def check(inc):\n    assert inc(1) == 2\ncheck(inc)\n",
    "test": "def check(inc):\n    assert inc(41) == 42\n\ncheck(inc)",
}
MBPP = {
    "task_id": 7,
    "text": "Write a function to double a number.",
    "code": "import math\ndef half(n):\n    return n / 2\ndef twice(n):\n    return 2 * n\n",
    "test_setup_code": "",
    "test_list": ["assert twice(1) == 2", "assert twice(4) == 8"],
    "challenge_test_list": ["assert twice(-3) == -6"],
}
CRUX = {"id": "sample_3", "code": "def f(a, b):\n    return a + b", "input": "1, 2", "output": "3"}


def jsonl(path: Path, *rows: Any) -> Path:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), "utf-8")
    return path


def only(suite: BenchSuite) -> BenchRecord:
    (record,) = suite.records
    return record


def passes(record: BenchRecord) -> bool:
    """Tell whether a record's own reference passes its hidden tests, as plain Python: these were written here."""
    space: dict[str, Any] = {}
    suite = build_verdict(record, {program_path(record): record.reference_code}, "hidden")
    tests = "\n".join(line for line in suite.files[suite.tests[0]].splitlines() if "from solution" not in line)
    exec(compile(record.reference_code + "\n\n" + tests, record.id, "exec"), space)
    cases = [value for name, value in space.items() if name.startswith("test_")]
    for case in cases:
        case()
    return bool(cases)


def test_humaneval_is_written_from_its_docstring(tmp_path: Path) -> None:
    record = only(load_suite("humaneval", jsonl(tmp_path / "HumanEval.jsonl", HUMAN), can_write=True))
    assert (record.id, record.entry_point, record.buggy_code) == ("HumanEval/0", "inc", "")
    assert record.visible_tests == "assert inc(1) == (2)\n" and passes(record)


def test_humanevalfix_has_the_wrong_code_and_its_example(tmp_path: Path) -> None:
    record = only(load_suite("humanevalfix", jsonl(tmp_path / "fix.jsonl", FIX)))
    assert record.buggy_code == "def inc(n):\n    return n - 1\n" and record.bug_type == "operator misuse"
    task = build_task(record, "visible")
    assert "inc(1) == 2" in task.files["test_examples.py"] and "41" not in "".join(task.files.values())
    assert passes(record)


@pytest.mark.parametrize("sanitized", [False, True])
def test_mbpp_shows_its_first_assertion(tmp_path: Path, sanitized: bool) -> None:
    row = dict(MBPP)
    if sanitized:
        row["prompt"], row["test_imports"] = row.pop("text"), ["import math"]
        del row["challenge_test_list"], row["test_setup_code"]
    record = only(load_suite("mbpp", jsonl(tmp_path / "mbpp.jsonl", row), can_write=True))
    assert (record.id, record.entry_point) == ("MBPP/7", "twice")
    assert record.prompt == "Write a function to double a number."
    assert "twice(1)" in record.visible_tests and "twice(4)" not in record.visible_tests
    assert "twice(4)" in record.hidden_tests and passes(record)
    assert ("-3" in record.plus_tests) is not sanitized


def test_cruxeval_asks_for_an_input_and_takes_any_that_is_right(tmp_path: Path) -> None:
    record = only(load_suite("cruxeval", jsonl(tmp_path / "cruxeval.jsonl", CRUX), can_write=True))
    assert CRUX["code"] in record.prompt and "1, 2" not in record.prompt and passes(record)
    suite = build_verdict(record, {"solution.py": "def arguments():\n    return (3, 0)\n"}, "hidden")
    assert "def f(a, b)" in suite.files["test_hidden.py"] and "import arguments" in suite.files["test_hidden.py"]


@pytest.mark.parametrize(
    ("row", "code"), [(HUMAN, ""), (FIX, "def inc(n):\n    return n - 1\n"), (MBPP, ""), (CRUX, "")]
)
def test_a_file_without_a_name_is_known_by_its_columns(tmp_path: Path, row: dict[str, Any], code: str) -> None:
    suite = load_suite(str(jsonl(tmp_path / "x.jsonl", row)), can_write=True)
    assert (suite.name, only(suite).buggy_code) == ("x", code)


def test_a_json_list_is_read_like_lines(tmp_path: Path) -> None:
    path = tmp_path / "sanitized-mbpp.json"
    path.write_text(json.dumps([MBPP, {**MBPP, "task_id": 8}, 5]), "utf-8")
    suite = load_suite("mbpp", path, can_write=True)
    assert [record.id for record in suite.records] == ["MBPP/7", "MBPP/8"]
    assert suite.not_read == (f"{path}, record 3, holds no JSON object.",)


@pytest.mark.parametrize("name", [name for name in SUITES if name != "projects"])
def test_records_in_our_own_form_are_read_for_every_name(tmp_path: Path, name: str) -> None:
    write(tmp_path / f"{name}.jsonl")
    suite = load_suite(name, tmp_path)
    assert suite.name == name and suite.records[0].id == "Own/total"


def clone_of_quixbugs(folder: Path) -> None:
    for place in ("python_programs", "correct_python_programs", "json_testcases"):
        (folder / place).mkdir(parents=True)
    (folder / "python_programs" / "evens.py").write_text('def evens(n):\n    yield n\n\n"""\nEven numbers\n"""\n')
    (folder / "correct_python_programs" / "evens.py").write_text("def evens(n):\n    yield from range(0, n, 2)\n")
    (folder / "json_testcases" / "evens.json").write_text(
        "[[1], [0]]\n[[5], [0, 2, 4]]\n[3, [0, 2]]\n[[9], [0,2,4,6,8]]\n"
    )
    (folder / "python_programs" / "pairs.py").write_text("def pairs(n):\n    return [(n, n)]\n")
    (folder / "correct_python_programs" / "pairs.py").write_text("def pairs(n):\n    return [(n, n + 1)]\n")
    (folder / "json_testcases" / "pairs.json").write_text("[[1], [[1, 2]]]\n")
    (folder / "python_programs" / "graph.py").write_text("def graph(n): ...\n")
    (folder / "python_programs" / "graph_test.py").write_text("")
    (folder / "python_programs" / "odd.py").write_text("def odd(\n")
    (folder / "json_testcases" / "odd.json").write_text("[[1], 0]\n")


def test_a_clone_of_quixbugs_gives_a_task_for_each_program_with_cases(tmp_path: Path) -> None:
    clone_of_quixbugs(tmp_path)
    suite = load_suite("quixbugs", tmp_path)
    record, pairs = suite.records
    assert (record.id, record.prompt) == ("QuixBugs/evens", "Even numbers")
    assert pairs.id == "QuixBugs/pairs" and passes(pairs)
    assert record.visible_tests.count("assert") == 3 and record.hidden_tests.count("assert") == 4 and passes(record)
    assert (
        len(suite.not_read) == 2 and "has no cases" in suite.not_read[0] and "odd, cannot be read" in suite.not_read[1]
    )


@pytest.mark.parametrize("named", [True, False])
def test_a_clone_of_exercism_gives_a_module_to_write(tmp_path: Path, named: bool) -> None:
    exercise = tmp_path / "exercises" / "practice" / "leap"
    (exercise / ".meta").mkdir(parents=True)
    (exercise / ".docs").mkdir()
    files = {"solution": ["leap.py"], "test": ["leap_test.py"], "example": [".meta/example.py"]}
    files = files if named else {"solution": [], "test": []}
    (exercise / ".meta" / "config.json").write_text(json.dumps({"files": files}))
    (exercise / ".meta" / "example.py").write_text("def leap(year):\n    return year % 4 == 0\n")
    (exercise / ".docs" / "instructions.md").write_text("# Leap years\n")
    (exercise / "leap.py").write_text("def leap(year):\n    pass\n")
    tests = "import unittest\n\nfrom leap import leap\n\n\nclass T(unittest.TestCase):\n    def test_a(self): leap(4)\n"
    (exercise / "leap_test.py").write_text(tests)
    record = only(load_suite("exercism", tmp_path, can_write=True))
    assert record.id == "Exercism/leap" and "# Leap years" in record.prompt and "def leap(year):" in record.prompt
    task = build_task(record, "visible")
    assert task.program == ("solution.py",)
    suite = build_verdict(record, {"solution.py": record.reference_code}, "hidden")
    assert suite.tests == ("leap_test.py",) and suite.program == ("solution.py",)
    assert suite.files["leap_test.py"] == tests.replace("from leap import", "from solution import")


def task_folder(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = folder / name.replace("__", "/").replace("_py", ".py").replace("_yaml", ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def test_a_folder_of_task_folders_is_a_suite(tmp_path: Path) -> None:
    task_folder(
        tmp_path / "inc",
        task_yaml="category: sums\nmistake: operator\nspec: Add one.\n",
        start_py="def inc(n):\n    return n - 1\n",
        visible_py="from inc import inc\n\n\ndef test_one():\n    assert inc(1) == 2\n",
    )
    (tmp_path / "inc" / "held_out.py").write_text("from inc import inc\n\n\ndef test_two():\n    assert inc(2) == 3\n")
    task_folder(tmp_path / "broken", task_yaml="a: [\n")
    task_folder(tmp_path / "binary", task_yaml="spec: x\n")
    (tmp_path / "binary" / "start.py").write_bytes(b"\xff\xfe")
    (tmp_path / "no task").mkdir()
    suite = load_suite(str(tmp_path))
    record = only(suite)
    assert (suite.name, record.id, record.category, record.bug_type) == (tmp_path.name, "inc", "sums", "operator")
    task = build_task(record, "visible")
    assert task.program == ("inc.py",) and task.files["test_examples.py"] == record.visible_tests
    assert len(suite.not_read) == 2 and "binary" in suite.not_read[0]
    assert "task.yaml, line 2, is no YAML: expected the node content" in suite.not_read[1]


def test_a_project_may_be_a_folder(tmp_path: Path) -> None:
    task_folder(
        tmp_path / "shop",
        task_yaml="spec: Wrong.\nvisible_tests: pytest tests/test_a.py::test_one\nhidden_tests: pytest tests\n",
        project__pkg__a_py="X = 1\n",
        project__tests__test_a_py="...\n",
        fixed__pkg__a_py="X = 2\n",
    )
    record = only(load_suite("projects", tmp_path))
    assert dict(record.files) == {"pkg/a.py": "X = 1\n", "tests/test_a.py": "...\n"}
    assert dict(record.fixed_files) == {"pkg/a.py": "X = 2\n"} and not obstacle(record, "visible", can_write=False)


def test_a_link_out_of_a_task_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("SECRET")
    suite = tmp_path / "suite"
    task_folder(suite / "a", task_yaml="spec: x\n")
    (suite / "a" / "start.py").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(InputError) as caught:
        load_suite(str(suite))
    assert "SECRET" not in str(caught.value)


BAD: list[tuple[Any, str]] = [
    ("no json", "line 2, is no JSON"),
    ("[1]", "line 2, holds no JSON object"),
    ({"id": ""}, "needs an `id`"),
    ({"id": "a", "prompt": 3}, "`prompt` must be a text"),
    ({"id": "a", "category": 3}, "`category` must be a text"),
    ({"id": "a", "layout": {"solution": 1}}, "`layout` must map"),
    (records()[0], "comes twice"),
    ({**MBPP, "test_list": "assert 1"}, "`test_list` must be a list of texts"),
    ({**MBPP, "code": None}, "`code` must be a text"),
    ({**MBPP, "code": "def ("}, "does not parse"),
    ({**FIX, "buggy_solution": None}, "`buggy_code` must be a text"),
    ({**HUMAN, "task_id": 3}, "needs an `id`"),
]


@pytest.mark.parametrize(("bad", "says"), BAD)
def test_a_bad_record_is_told_with_its_line_and_the_rest_runs(tmp_path: Path, bad: Any, says: str) -> None:
    good = records()
    path = jsonl(tmp_path / "own.jsonl", good[0], bad, *good[1:3])
    suite = load_suite(str(path))
    assert [record.id for record in suite.records] == ["Own/total", "Own/smaller", "Own/magic"]
    (sentence,) = suite.not_read
    assert says in sentence and "line 2" in sentence and "\n" not in sentence


@pytest.mark.parametrize("name", ["mbpp", "humanevalfix", "quixbugs", "exercism", "cruxeval", "projects"])
def test_a_suite_whose_data_is_missing_says_where_to_get_it(name: str) -> None:
    with pytest.raises(InputError, match="is not here") as caught:
        load_suite(name)
    assert "--data" in str(caught.value) and "\n" not in str(caught.value)


def test_a_record_of_another_suite_says_which_field_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="A record of mbpp has `task_id`, and this one has not"):
        load_suite("mbpp", jsonl(tmp_path / "x.jsonl", {"question": "?"}))


def test_an_unknown_suite_is_answered_with_all_names() -> None:
    with pytest.raises(InputError) as caught:
        load_suite("foo")
    assert all(name in str(caught.value) for name in SUITES)


def test_a_pipe_is_no_data(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(InputError, match="is no file and no folder"):
        load_suite("mbpp", tmp_path / "pipe.jsonl")
    with pytest.raises(InputError, match="There is no suite"):
        load_suite(str(tmp_path / "pipe.jsonl"))


def test_a_task_that_nests_without_end_is_one_sentence(tmp_path: Path) -> None:
    task_folder(tmp_path / "deep", task_yaml="[" * 5000 + "\n")
    task_folder(tmp_path / "list", task_yaml="- a\n")
    with pytest.raises(InputError, match=r"^[^\n]+$"):
        load_suite(str(tmp_path))


def test_a_folder_without_data_says_what_is_wanted(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no mbpp\.jsonl"):
        load_suite("mbpp", tmp_path)
    with pytest.raises(InputError, match=r"task\.yaml"):
        load_suite(str(tmp_path))


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(arrow.Table.from_pylist(rows), path)


def write_arrow(path: Path, rows: list[dict[str, Any]]) -> None:
    arrow, ipc = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.ipc")
    path.parent.mkdir(parents=True, exist_ok=True)
    table = arrow.Table.from_pylist(rows)
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize(
    ("name", "write_rows"),
    [
        ("x.parquet", write_parquet),
        ("data/test-00000-of-00001.parquet", write_parquet),
        ("x.arrow", write_arrow),
        ("test/data-00000-of-00001.arrow", write_arrow),
        ("data-00000-of-00001.arrow", write_arrow),
    ],
)
def test_files_of_hugging_face_datasets_are_read(
    tmp_path: Path, name: str, write_rows: Callable[[Path, list[dict[str, Any]]], None]
) -> None:
    write_rows(tmp_path / name, [MBPP, {**MBPP, "task_id": 8, "code": "def ("}, {**MBPP, "task_id": 9}])
    suites = [load_suite("mbpp", tmp_path, can_write=True), load_suite("mbpp", tmp_path / name, can_write=True)]
    for suite in suites:
        assert [record.id for record in suite.records] == ["MBPP/7", "MBPP/9"]
        assert len(suite.not_read) == 1 and "row 2" in suite.not_read[0]


def test_of_several_parts_the_test_part_is_taken(tmp_path: Path) -> None:
    write_parquet(tmp_path / "data" / "train-00000-of-00001.parquet", [MBPP])
    write_parquet(tmp_path / "data" / "prompt-00000-of-00001.parquet", [MBPP])
    with pytest.raises(InputError, match=r"several parts: prompt, train"):
        load_suite("mbpp", tmp_path, can_write=True)
    write_parquet(tmp_path / "data" / "test-00000-of-00002.parquet", [{**MBPP, "task_id": 1}])
    write_parquet(tmp_path / "data" / "test-00001-of-00002.parquet", [{**MBPP, "task_id": 2}])
    suite = load_suite("mbpp", tmp_path, can_write=True)
    assert [record.id for record in suite.records] == ["MBPP/1", "MBPP/2"]


def test_a_damaged_parquet_file_is_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    for name in ("x.parquet", "x.arrow"):
        (tmp_path / name).write_bytes(b"nothing of the kind")
        with pytest.raises(InputError, match="cannot be read"):
            load_suite("mbpp", tmp_path / name)


def test_without_pyarrow_a_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *rest, **more)

    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"needs the package pyarrow.*pip install 'selfheal-tui\[parquet\]'"):
        load_suite("mbpp", tmp_path / "x.parquet")


def test_the_same_data_has_the_same_hash_wherever_it_lies(tmp_path: Path) -> None:
    for place in ("a", "b"):
        task_folder(tmp_path / place / "t", task_yaml="spec: x\n", start_py="x = 1\n", visible_py="assert x\n")
        (tmp_path / place / "t" / "held_out.py").write_text("assert x\n")
    assert load_suite(str(tmp_path / "a")).sha256 == load_suite(str(tmp_path / "b")).sha256
