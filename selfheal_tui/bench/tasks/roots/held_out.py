import pytest
from roots import root, roots, value


@pytest.mark.parametrize(
    ("coefficients", "x", "result"),
    [([], 5, 0), ([7], 5, 7), ([0, 1], 5, 5), ([1, 2, 3], 2, 17), ([1, 2, 3], -1, 2), ([0, 0, 0, 1], 0.5, 0.125)],
)
def test_values(coefficients, x, result):
    assert value(coefficients, x) == result


@pytest.mark.parametrize(
    ("coefficients", "low", "high", "zero"),
    [
        ([-3, 1], 0, 10, 3),
        ([3, -1], 0, 10, 3),
        ([-1, 0, 0, 1], 0, 5, 1),
        ([-7, 0, 1], 2, 3, 7**0.5),
        ([-7, 0, 1], -3, -2, -(7**0.5)),
        ([-1, -1, 0, 1], 1, 2, 1.324717957244746),
    ],
)
def test_roots_between(coefficients, low, high, zero):
    assert root(coefficients, low, high) == pytest.approx(zero, abs=1e-8)


def test_a_root_at_an_end_is_just_that_end():
    assert root([-4, 0, 1], 2, 9) == 2
    assert root([-4, 0, 1], -1, 2) == 2
    assert root([0, -1, 1], 0, 1) == 0


def test_a_coarse_precision():
    assert root([-3, 1], 0, 8, 3) == 3.0
    assert root([-7, 2], 0, 8, 2) == 3.0


def test_a_precision_below_what_numbers_have():
    assert root([-2, 0, 1], 1, 2, 1e-300) == pytest.approx(2**0.5)


@pytest.mark.parametrize(
    ("low", "high", "precision"), [(2, 1, 1e-9), (1, 1, 1e-9), (0, 2, 0), (0, 2, -1), (2, 3, 1e-9)]
)
def test_what_cannot_be(low, high, precision):
    with pytest.raises(ValueError):
        root([-2, 0, 1], low, high, precision)


@pytest.mark.parametrize(
    ("coefficients", "low", "high", "steps", "zeros"),
    [
        ([1, 0, 1], -5, 5, 10, []),
        ([0, -1, 0, 1], -1.5, 1.5, 4, [-1, 0, 1]),
        ([0, -1, 0, 1], -2, 2, 4, [-1, 0, 1]),
        ([0, -1, 0, 1], -2, 2, 1, [0]),
        ([6, -5, 1], 0, 5, 5, [2, 3]),
        ([6, -5, 1], 2, 3, 1, [2, 3]),
        ([6, -5, 1], 0, 5, 2, [2, 3]),
    ],
)
def test_all_roots(coefficients, low, high, steps, zeros):
    assert roots(coefficients, low, high, steps) == pytest.approx(zeros, abs=1e-8)


@pytest.mark.parametrize(("low", "high", "steps"), [(0, 1, 0), (1, 0, 3), (1, 1, 3)])
def test_intervals_that_cannot_be(low, high, steps):
    with pytest.raises(ValueError):
        roots([0, 1], low, high, steps)
