"""Test methods are read as plain functions: what they set on their object, and unittest's assertions."""

from __future__ import annotations

import ast

from selfheal_tui.search.weigh.object_steps import own_steps
from selfheal_tui.search.weigh.plain_cases import plain_cases
from selfheal_tui.search.weigh.sequences import asked_by_tests, build_sequences

UNITTEST = """import unittest
from shop import Shop


class TestShop(unittest.TestCase):
    def setUp(self):
        self.shop = Shop()
        self.shop.add("cup", 4)

    def test_left(self):
        self.shop.sell("cup", 1)
        self.assertEqual(self.shop.left("cup"), 3)
        self.assertTrue(self.shop.has("cup"))
        self.assertFalse(self.shop.has("pot"))
        self.assertIsNone(self.shop.last)

    def helper(self):
        self.fail("not called")
"""


def test_a_method_has_its_set_up_in_front_and_plain_assertions() -> None:
    (case,) = plain_cases(UNITTEST)
    assert case.name == "test_left" and case.args.args == []
    assert [ast.unparse(ast.fix_missing_locations(statement)) for statement in case.body] == [
        "shop = Shop()",
        "shop.add('cup', 4)",
        "shop.sell('cup', 1)",
        "assert shop.left('cup') == 3",
        "assert shop.has('cup')",
        "assert not shop.has('pot')",
        "assert shop.last is None",
    ]


def test_a_method_of_pytest_keeps_its_fixtures_and_what_nobody_sets() -> None:
    text = "class TestA:\n    limit = 3\n\n    def test_b(self, shop):\n        assert shop.left(self.limit) == 3\n"
    (case,) = plain_cases(text)
    assert [one.arg for one in case.args.args] == ["shop"]
    assert ast.unparse(ast.fix_missing_locations(case.body[0])) == "assert shop.left(self.limit) == 3"
    (function,) = plain_cases("def test_c():\n    pass\n\n\nclass B:\n    x = 1\n")
    assert function.name == "test_c"
    assert [*plain_cases("def test_(:\n")] == []


def test_objects_of_test_classes_are_asked_by_their_steps() -> None:
    calls = build_sequences({"test_shop.py": UNITTEST})
    made = "shop := Shop(), shop.add('cup', 4)"
    assert f"[{made}, shop.left('cup')][-1]" in calls
    assert f"[{made}, shop.sell('cup', 1), shop.sell('cup', 1), shop.left('cup')][-1]" in calls
    assert not any("self" in call for call in calls)


def test_what_an_object_holds_is_read_of_other_steps_too() -> None:
    text = (
        "from box import Box\n\n\ndef test_a():\n    box = Box(2)\n    box.put('a')\n    box.put('b')\n"
        "    assert 'a' in box\n    assert 'c' not in box.names\n    assert wanted in box\n"
    )
    reads = [ast.unparse(read) for _, read in own_steps({"t.py": text})]
    assert reads == ["'a' in box", "'c' in box.names"]
    calls = build_sequences({"t.py": text})
    assert "[box := Box(2), box.put('a'), 'a' in box][-1]" in calls
    looked_twice = "[box := Box(2), box.put('a'), box.put('b'), 'a' in box, 'a' in box][-1]"
    not_looked = "[box := Box(2), box.put('a'), box.put('b'), 'c' in box.names][-1]"
    told = asked_by_tests([*calls, looked_twice, not_looked, "f(1)"], {"t.py": text})
    assert {looked_twice, not_looked} <= told and "[box := Box(2), box.put('a'), 'a' in box][-1]" not in told
