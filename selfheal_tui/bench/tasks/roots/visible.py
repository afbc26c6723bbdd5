import pytest
from roots import root, roots, value


def test_value():
    assert value([2, 0, 1], 3) == 11


def test_the_root_of_two():
    assert root([-2, 0, 1], 0, 2) == pytest.approx(2**0.5)


def test_two_roots():
    assert roots([-2, 0, 1], -2, 2, 4) == pytest.approx([-(2**0.5), 2**0.5])


def test_equal_signs():
    with pytest.raises(ValueError):
        root([1, 0, 1], -1, 1)
