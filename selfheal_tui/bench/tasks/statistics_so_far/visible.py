from statistics_so_far import Statistics


def of(*values):
    statistics = Statistics()
    for value in values:
        statistics.add(value)
    return statistics


def test_mean_and_ends():
    found = of(4, 8, 3)
    assert (found.count, found.mean, found.least, found.greatest) == (3, 5.0, 3, 8)


def test_variance():
    assert of(1, 2, 3).variance() == 1.0


def test_two_streams():
    both = of(1).merged(of(3, 5))
    assert (both.count, both.mean) == (3, 3.0)
