from slow import is_prime, primes_below, twins_below


def test_small_numbers():
    assert [number for number in range(12) if is_prime(number)] == [2, 3, 5, 7, 11]


def test_four_is_no_prime():
    assert not is_prime(4)


def test_a_large_prime():
    assert is_prime(100_003)


def test_how_many_there_are():
    assert len(primes_below(2000)) == 303


def test_twins():
    assert twins_below(20) == 4


def test_many_twins():
    assert twins_below(1500) == 50
