from slow import is_prime, primes_below, twins_below


def test_primes():
    assert primes_below(30) == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
    assert not is_prime(1)
    assert not is_prime(91)


def test_twins():
    assert [twins_below(n) for n in (0, 5, 6, 8, 14, 32, 101)] == [0, 0, 1, 2, 3, 5, 8]
