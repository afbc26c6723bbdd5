"""Prime numbers the plain way, which takes its time."""


def is_prime(number):
    """Tell whether a number is prime."""
    if number < 2:
        return False
    for divisor in range(2, number // 2):
        if number % divisor == 0:
            return False
    return True


def primes_below(limit):
    """Return all primes below the limit."""
    return [number for number in range(limit) if is_prime(number)]


def twins_below(limit):
    """Count the pairs of primes with a distance of 2, both below the limit."""
    primes = primes_below(limit)
    count = 0
    for number in primes:
        if number + 2 in primes and number > 3:
            count += 1
    return count
