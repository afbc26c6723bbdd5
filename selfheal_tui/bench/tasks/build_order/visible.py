import pytest
from build_order import affected, build_order


def test_a_step_comes_after_what_it_needs():
    assert build_order({"app": ["lib"], "lib": []}) == ["lib", "app"]


def test_a_step_that_is_only_needed():
    assert build_order({"app": ["lib", "core"], "lib": ["core"]}) == ["core", "lib", "app"]


def test_a_circle_is_named():
    with pytest.raises(ValueError, match="a, b"):
        build_order({"a": ["b"], "b": ["a"], "c": []})


def test_what_a_change_affects():
    assert affected({"app": ["lib"], "lib": ["core"], "core": []}, "core") == ["app", "core", "lib"]
