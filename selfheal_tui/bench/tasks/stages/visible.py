import pytest
from stages import run_stages


def test_values_are_handed_on():
    assert run_stages({"a": ([], 2), "b": (["a"], 3)}) == {"a": ("done", 60), "b": ("done", 100)}


def test_what_needs_a_failed_stage_is_skipped():
    found = run_stages({"a": ([], 0), "b": (["a"], 3), "c": (["b"], 4)})
    assert found == {"a": ("failed", None), "b": ("skipped", None), "c": ("skipped", None)}


def test_results_are_in_the_order_of_the_stages():
    assert list(run_stages({"b": (["a"], 1), "a": ([], 1)})) == ["b", "a"]


def test_an_unknown_stage():
    with pytest.raises(ValueError):
        run_stages({"a": (["z"], 1)})
