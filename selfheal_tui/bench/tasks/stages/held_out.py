import pytest
from stages import run_stages


def test_no_stages():
    assert run_stages({}) == {}


def test_one_stage():
    assert run_stages({"a": ([], 7)}) == {"a": ("done", 17)}


def test_a_diamond():
    found = run_stages({"d": (["b", "c"], 120), "b": (["a"], 60), "c": (["a"], 40), "a": ([], 120)})
    assert found == {"d": ("done", 1 + 3 + 4), "b": ("done", 3), "c": ("done", 4), "a": ("done", 1)}


def test_a_long_chain():
    stages = {f"s{n}": ([f"s{n - 1}"] if n else [], 120) for n in range(40)}
    assert run_stages(stages)["s39"] == ("done", 40)


def test_a_long_chain_given_backwards():
    stages = {f"s{n}": ([f"s{n - 1}"] if n else [], 120) for n in reversed(range(40))}
    found = run_stages(stages)
    assert (list(found)[0], found["s39"]) == ("s39", ("done", 40))


def test_a_failure_leaves_others_alone():
    found = run_stages({"bad": ([], 0), "good": ([], 2), "both": (["good", "bad"], 1), "next": (["good"], 60)})
    assert found == {
        "bad": ("failed", None),
        "good": ("done", 60),
        "both": ("skipped", None),
        "next": ("done", 62),
    }


def test_everything_after_a_failure_is_skipped():
    stages = {"a": ([], 0), **{f"s{n}": ([f"s{n - 1}" if n else "a"], 120) for n in range(5)}}
    assert [state for state, _ in run_stages(stages).values()] == ["failed", *["skipped"] * 5]


def test_a_stage_that_would_fail_is_skipped_first():
    assert run_stages({"a": ([], 0), "b": (["a"], 0)})["b"] == ("skipped", None)


def test_a_stage_that_is_needed_twice_by_name_counts_twice():
    assert run_stages({"a": ([], 120), "b": (["a", "a"], 120)})["b"] == ("done", 3)


def test_an_unknown_stage():
    with pytest.raises(ValueError):
        run_stages({"a": ([], 1), "b": (["a", "x"], 1)})


def test_a_circle():
    with pytest.raises(ValueError):
        run_stages({"a": (["b"], 1), "b": (["c"], 1), "c": (["b"], 1), "d": ([], 1)})
