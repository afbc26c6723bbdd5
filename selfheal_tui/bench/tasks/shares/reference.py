"""Sharing money in whole cents."""

from fractions import Fraction


def share(cents, weights):
    """Return the part of each weight; the parts add up to `cents`."""
    exact = [Fraction(weight) for weight in weights]
    if not exact or min(exact) < 0 or sum(exact) == 0:
        raise ValueError("weights are 0 or more, and not all 0")
    if cents < 0:
        return [-part for part in share(-cents, weights)]
    whole = sum(exact)
    parts = [cents * weight / whole for weight in exact]
    result = [part.numerator // part.denominator for part in parts]
    left = cents - sum(result)
    by_fraction = sorted(range(len(parts)), key=lambda place: (result[place] - parts[place], place))
    for place in by_fraction[:left]:
        result[place] += 1
    return result


def settle(paid):
    """Return name -> what somebody gets back."""
    if not paid:
        return {}
    names = sorted(paid)
    parts = share(sum(paid.values()), [1] * len(names))
    return {name: paid[name] - part for name, part in zip(names, parts)}
