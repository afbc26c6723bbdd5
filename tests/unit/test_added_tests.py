"""What a session learnt becomes tests of the user's suite: below what stands there, in the file's style."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import SimpleNamespace
from typing import cast

import pytest

from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.out.added_tests import added_onto, added_tests, offers_tests
from selfheal_tui.engine.suites.answers import answers_suite
from selfheal_tui.errors import InputError

PROGRAM = {"src/shop.py": "def fee(days):\n    return days * 2\n"}
ANSWERS = [["fee(7)", "14"], ["fee('')", "!ValueError"], ["fee(0.5)", "1.5"]]
CRITIC = (
    '# Objection of iteration 1: zero\n# It goes by: "a fee"\nfrom shop import fee\n\n\n'
    "def test_zero():\n    assert fee(0) == 0\n"
)
PLAIN = "import pytest\n\nfrom shop import fee\n\n\ndef test_zero():\n    assert fee(1) == 2\n"
UNITTEST = (
    "import unittest\nimport shop\n\n\nclass FeeTest(unittest.TestCase):\n"
    "    def test_fee(self):\n        self.assertEqual(shop.fee(1), 2)\n"
)


def moment(files: Mapping[str, str], answers: list[list[str]] = ANSWERS, critic: str = CRITIC) -> Snapshot:
    suite = answers_suite(answers, PROGRAM, files)
    made = {**suite, **({"test_critic.py": critic} if critic else {})}
    origins = {**dict.fromkeys(suite, "answers"), **({"test_critic.py": "critic"} if critic else {})}
    return cast(Snapshot, SimpleNamespace(tests={**files, **made}, origins=origins))


def test_new_cases_stand_below_and_nothing_else_moves() -> None:
    snapshot = moment({"tests/test_other.py": "def test_a():\n    pass\n", "tests/test_shop.py": PLAIN})
    change = added_tests(snapshot)
    assert change.path == "tests/test_shop.py", "the file that imports the program"
    assert change.before == PLAIN and change.after.startswith(PLAIN)
    added = change.after[len(PLAIN) :]
    assert added.startswith("\n\ndef test_fee_7():\n    assert fee(7) == 14\n\n\ndef ")
    assert "    with pytest.raises(ValueError):\n        fee('')\n" in added
    assert "def test_zero_2():\n    assert fee(0) == 0\n" in added and "import" not in added
    assert offers_tests(snapshot) == "4 new tests for tests/test_shop.py"


def test_what_the_file_does_not_import_is_imported_in_the_test() -> None:
    change = added_tests(moment({"test_shop.py": "import shop\n\n\ndef test_a():\n    assert shop.fee(1) == 2"}))
    assert change.after.startswith(f"{change.before}\n\n\ndef test_fee_7():\n    from shop import fee\n    assert ")
    assert "    import pytest\n    from shop import fee\n    with pytest.raises" in change.after
    ast.parse(change.after)


def test_line_ends_and_tabs_are_those_of_the_file() -> None:
    text = "from shop import fee\r\n\r\n\r\ndef test_a():\r\n\tassert fee(1) == 2\r\n"
    after = added_tests(moment({"test_shop.py": text}, critic="")).after
    assert after.startswith(text) and "\n" not in after.replace("\r\n", "") and "\r\n\tassert fee(7) == 14\r\n" in after


def test_a_file_of_unittest_gets_a_class_of_unittest() -> None:
    added = added_tests(moment({"test_shop.py": UNITTEST})).after[len(UNITTEST) :]
    assert added.startswith("\n\nclass TestRegressions(unittest.TestCase):\n    def test_fee_7(self):\n")
    assert "        self.assertEqual(fee(7), 14)\n" in added
    assert "        with self.assertRaises(ValueError):\n            fee('')\n" in added
    assert "pytest.raises" not in added and "        import pytest\n" in added, "only for what compares fractions"
    assert "self.assertEqual(fee(0.5), pytest.approx(1.5" in added


@pytest.mark.parametrize("text", [PLAIN, PLAIN.replace("\n", "\r\n"), UNITTEST])
def test_what_was_learnt_since_is_added_to_what_was_written_before(text: str) -> None:
    files = {"test_shop.py": text}
    written = added_tests(moment(files, ANSWERS[:1], critic="")).after
    more = moment(files, ANSWERS[:2], critic="")
    change = added_onto(more, written)
    assert change is not None and change.before == written and change.after.startswith(written)
    assert change.after.count("def test_fee_") == 2
    assert added_onto(more, change.after) is None, "it has them all"
    assert added_onto(more, text) is None, "nothing was written before"
    assert added_onto(more, written + "# mine\n") is None, "it holds something else"


def test_they_stand_above_the_line_that_runs_the_file() -> None:
    main = 'if __name__ == "__main__":\n    unittest.main()\n'
    after = added_tests(moment({"test_shop.py": f"{UNITTEST}\n\n{main}"})).after
    assert after.startswith(f"{UNITTEST}\n\nclass TestRegressions(") and after.endswith(f"\n\n\n{main}")


def test_nothing_is_added_where_nothing_was_learnt_or_there_is_no_file() -> None:
    for snapshot, why in (
        (moment({"test_shop.py": PLAIN}, [], ""), "No question was answered"),
        (moment({"conftest.py": ""}), "no test file of yours"),
        (
            moment({"test_shop.py": "from shop import fee\ndef test_a():\n    assert fee(7) == 14\n"}, ANSWERS[:1], ""),
            "already",
        ),
    ):
        with pytest.raises(InputError, match=why):
            added_tests(snapshot)
        assert offers_tests(snapshot) == ""
