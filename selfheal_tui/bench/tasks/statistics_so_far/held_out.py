import pytest
from statistics_so_far import Statistics


def of(*values):
    statistics = Statistics()
    for value in values:
        statistics.add(value)
    return statistics


def test_nothing_so_far():
    found = Statistics()
    assert (found.count, found.mean, found.least, found.greatest, found.variance()) == (0, 0.0, None, None, 0.0)


def test_one_value():
    found = of(-3.5)
    assert (found.count, found.mean, found.least, found.greatest, found.variance()) == (1, -3.5, -3.5, -3.5, 0.0)


@pytest.mark.parametrize(
    ("values", "mean", "variance"),
    [
        ((2, 4), 3.0, 2.0),
        ((2, 4, 4, 4, 5, 5, 7, 9), 5.0, 32 / 7),
        ((5, 5, 5), 5.0, 0.0),
        ((-1, 1), 0.0, 2.0),
        ((0, 0, 10), 10 / 3, 100 / 3),
        ((0.5, 1.5, 2.5, 3.5), 2.0, 5 / 3),
    ],
)
def test_values(values, mean, variance):
    assert of(*values).mean == pytest.approx(mean)
    assert of(*values).variance() == pytest.approx(variance)


def test_large_numbers_close_together():
    assert of(1e9, 1e9 + 1, 1e9 + 2).variance() == pytest.approx(1.0)


def test_least_and_greatest_come_in_any_order():
    assert (of(0, -5, 7, 2).least, of(0, -5, 7, 2).greatest) == (-5, 7)


@pytest.mark.parametrize("cut", range(6))
def test_merging_is_adding_all(cut):
    values = (3, -1, 4, 10, 5)
    both, all_ = of(*values[:cut]).merged(of(*values[cut:])), of(*values)
    assert (both.count, both.least, both.greatest) == (all_.count, all_.least, all_.greatest)
    assert both.mean == pytest.approx(all_.mean)
    assert both.variance() == pytest.approx(all_.variance())


def test_merging_nothing():
    both = Statistics().merged(Statistics())
    assert (both.count, both.mean, both.least, both.variance()) == (0, 0.0, None, 0.0)


def test_merging_changes_neither():
    one, other = of(1, 2), of(10)
    both = one.merged(other)
    both.add(100)
    assert (one.count, one.mean, one.greatest, other.count, other.mean) == (2, 1.5, 2, 1, 10.0)
