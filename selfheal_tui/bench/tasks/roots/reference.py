"""Zeros of polynomials by halving intervals."""


def value(coefficients, x):
    """Return the value of a polynomial (Horner's scheme)."""
    result = 0
    for coefficient in reversed(coefficients):
        result = result * x + coefficient
    return result


def root(coefficients, low, high, precision=1e-9):
    """Return a zero between two ends whose values have different signs."""
    if low >= high or precision <= 0:
        raise ValueError("the interval has a length, and the precision is above 0")
    at_low, at_high = value(coefficients, low), value(coefficients, high)
    if at_low == 0:
        return low
    if at_high == 0:
        return high
    if (at_low > 0) == (at_high > 0):
        raise ValueError("the signs at both ends are the same")
    while high - low > precision:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        at_middle = value(coefficients, middle)
        if at_middle == 0:
            return middle
        if (at_middle > 0) == (at_low > 0):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def roots(coefficients, low, high, steps):
    """Return the zeros found in equal parts of an interval."""
    if steps < 1 or low >= high:
        raise ValueError("there is at least one step, and the interval has a length")
    borders = [low + (high - low) * number / steps for number in range(steps + 1)]
    found = [border for border in borders if value(coefficients, border) == 0]
    for left, right in zip(borders, borders[1:]):
        at_left, at_right = value(coefficients, left), value(coefficients, right)
        if at_left * at_right < 0:
            found.append(root(coefficients, left, right))
    return sorted(found)
