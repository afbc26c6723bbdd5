"""Grades of an exam."""

BANDS = (("A", 90), ("B", 80), ("C", 65), ("D", 50), ("F", 0))


def grade(points, out_of=100):
    """Return the letter for so many points."""
    if out_of <= 0 or not 0 <= points <= out_of:
        raise ValueError(f"{points} of {out_of} points cannot be")
    for letter, percent in BANDS:
        if points * 100 >= percent * out_of:
            return letter
    raise AssertionError("the last band begins at 0")


def overview(results, out_of=100):
    """Return letter -> how many have it, A first."""
    counts = {letter: 0 for letter, _ in BANDS}
    for points in results:
        counts[grade(points, out_of)] += 1
    return counts


def needed(letter, out_of=100):
    """Return the fewest whole points that give a grade."""
    for name, percent in BANDS:
        if name == letter:
            return -(-percent * out_of // 100)
    raise ValueError(f"there is no grade {letter!r}")
