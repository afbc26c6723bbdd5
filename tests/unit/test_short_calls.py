"""Long lists of the tests are asked with a few of their items."""

from __future__ import annotations

from selfheal_tui.search.weigh.short_calls import build_short_calls


def test_long_lists_are_cut_to_a_few_items() -> None:
    text = "from p import f\n\n\ndef test_f():\n    assert f([1, 2, 3, 4, 5], 6, (7, 8, 9, 10)) == 3\n"
    text += "    assert f([1], 2, ()) == 0\n"
    calls = build_short_calls({"test_p.py": text})
    assert calls[:3] == ["f([1, 2], 6, (7, 8))", "f([4, 5], 6, (9, 10))", "f([1, 2], 6, (9, 10))"]
    assert "f([1], 6, (7,))" in calls and len(calls) == 9
    assert build_short_calls({"test_p.py": "from p import f\n\n\ndef test_f():\n    assert f([1, 2, 3]) == 2\n"}) == []
