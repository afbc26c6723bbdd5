"""Where failing cases are read from: pytest's cache, JUnit XML, a printed run; and what they mean in a suite."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from selfheal_tui.engine.suites.red.junit import MOST_BYTES, Address, address_of, addressed, load_junit, read_junit
from selfheal_tui.engine.suites.red.last_failed import read_last_failed
from selfheal_tui.engine.suites.red.matching import match_ids, without_cases
from selfheal_tui.engine.suites.red.printed_run import read_printed_run
from selfheal_tui.errors import InputError

COLLECTED = [
    "tests/test_a.py::test_x",
    "tests/test_a.py::test_xy[1-2]",
    "tests/test_a.py::T::test_x",
    "tests/b_test.py",
]
TEXTS = {
    "tests/test_a.py": "def test_x():\n    f()\n\n\nclass TestT:\n    def test_y(self):\n        f()\n",
    "tests/test_b.py": "def (",
}


def kept(folder: Path, text: str) -> Path:
    cache = folder / ".pytest_cache" / "v" / "cache"
    cache.mkdir(parents=True)
    (cache / "lastfailed").write_text(text)
    return folder


def test_the_last_failed_cases_are_pytests_own(tmp_path: Path) -> None:
    assert read_last_failed(kept(tmp_path, json.dumps({"test_a.py::test_x": True}))) == ["test_a.py::test_x"]


def test_a_cache_without_a_failure_names_none(tmp_path: Path) -> None:
    (tmp_path / ".pytest_cache" / "v").mkdir(parents=True)
    assert read_last_failed(tmp_path) == []


@pytest.mark.parametrize("text", ["", "[]", '"x"', "{", "[" * 100_000])
def test_a_damaged_cache_is_told(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is damaged"):
        read_last_failed(kept(tmp_path, text))


def test_no_cache_and_one_that_leads_out_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no pytest cache"):
        read_last_failed(tmp_path)
    (tmp_path / "project").mkdir()
    os.symlink(kept(tmp_path, "{}") / ".pytest_cache", tmp_path / "project" / ".pytest_cache")
    with pytest.raises(InputError, match="leads out"):
        read_last_failed(tmp_path / "project")


def test_junit_names_failures_and_errors_alone() -> None:
    content = b"""<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest">
    <testcase classname="tests.test_a" name="test_x"><failure message="no">E</failure></testcase>
    <testcase classname="tests.test_a" name="test_ok"/>
    <testcase classname="tests.test_a" name="test_skipped"><skipped/></testcase>
    <testcase classname="" name="tests.b_test"><error message="collection failure">E</error></testcase>
    </testsuite></testsuites>"""
    addresses = read_junit(content)
    assert addresses == [Address("tests.test_a", "test_x"), Address("", "tests.b_test")]
    assert addressed(addresses, COLLECTED) == ["tests/test_a.py::test_x", "tests/b_test.py"]
    assert addressed([Address("gone", "test_z")], COLLECTED) == ["gone.test_z"]


def test_an_address_is_made_as_pytest_makes_it() -> None:
    assert address_of("tests/test_a.py::T::test_x[a/b.py::c]") == ("tests.test_a.T", "test_x[a/b.py::c]")


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no XML"),
        (b"<testsuite>", "no XML"),
        (b"<html/>", "no JUnit"),
        (b'<?xml version="1.0" encoding="nonsense"?><testsuite/>', "no XML"),
        (BOMB.encode(), "document type"),
        (BOMB.encode("utf-16"), "document type"),
        (b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuite/>', "document type"),
    ],
)
def test_hostile_and_broken_xml_is_refused(content: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_junit(content)


def test_a_junit_file_that_is_too_large_or_no_file_is_told(tmp_path: Path) -> None:
    large = tmp_path / "large.xml"
    with large.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    for path, words in ((large, "larger than"), (tmp_path / "gone.xml", "cannot be read"), (tmp_path, "regular file")):
        with pytest.raises(InputError, match=words):
            load_junit(path)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("FAILED a_test.py::test_x - assert 1 == 2", ["a_test.py::test_x"]),
        ("\x1b[31mFAILED\x1b[0m a_test.py::\x1b[1mtest_x[a - b] - c]\x1b[0m - E", ["a_test.py::test_x[a - b]"]),
        ("ERROR a_test.py\nFAILED a_test.py::test_x[a b]\n", ["a_test.py", "a_test.py::test_x[a b]"]),
        ("a_test.py::test_x FAILED    [ 50%]\na_test.py::test_z PASSED [100%]", ["a_test.py::test_x"]),
        ("[gw1] [ 50%] FAILED a_test.py::test_x ", ["a_test.py::test_x"]),
        (
            "tests/test_a.py:2: AssertionError\nlib.py:3: E\n/w/tests/test_a.py:7: E",
            ["tests/test_a.py::test_x", "tests/test_a.py::TestT::test_y"],
        ),
        ('  File "/work/tests/test_a.py", line 7, in test_y', ["tests/test_a.py::TestT::test_y"]),
        ("tests/test_b.py:1: SyntaxError", ["tests/test_b.py"]),
        ("3 passed in 0.1s\nFAILED\nFAILED to connect: x\n", []),
    ],
)
def test_a_printed_run_names_what_failed(text: str, ids: list[str]) -> None:
    assert read_printed_run(text, TEXTS) == ids


@pytest.mark.parametrize(
    ("one", "cases"),
    [
        ("tests/test_a.py::test_x", (COLLECTED[0],)),
        ("tests/test_a.py::test_xy", (COLLECTED[1],)),
        ("tests/test_a.py::T", (COLLECTED[2],)),
        ("tests/test_a.py", tuple(COLLECTED[:3])),
        ("test_a.py::test_x", (COLLECTED[0],)),
        ("project/tests/test_a.py::test_x", (COLLECTED[0],)),
        ("tests/test_a.py::test_xy[9-9]", ()),
        ("", ()),
    ],
)
def test_an_id_means_the_cases_at_or_below_it(one: str, cases: tuple[str, ...]) -> None:
    matched = match_ids([one], COLLECTED)
    assert (matched.cases, matched.unknown) == (cases, () if cases else (one,))


def test_leaving_a_case_out_leaves_no_other_of_a_similar_name_out() -> None:
    left_out = {"tests/test_a.py::test_x"}
    assert without_cases(["tests/test_a.py", "tests/b_test.py"], COLLECTED, left_out) == (
        "tests/test_a.py::test_xy[1-2]",
        "tests/test_a.py::T::test_x",
        "tests/b_test.py",
    )
    assert without_cases(["tests"], COLLECTED, {"tests/b_test.py"}) == ("tests/test_a.py",)
    assert without_cases(["tests"], COLLECTED, ()) == ("tests",)
