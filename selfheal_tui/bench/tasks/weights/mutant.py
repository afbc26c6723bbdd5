"""Weights as people write them, in grams."""

UNITS = {"mg": 0.001, "g": 1.0, "kg": 1000.0, "t": 1_000_000.0, "lb": 453.59237, "oz": 28.349523125}


def split_unit(text):
    """Return the number and the unit of a weight as two texts; the unit may be empty."""
    text = text.strip().lower()
    end = len(text)
    while end > 0 and text[end - 1].isalpha():
        end -= 1
    return text[:end].strip(), text[end:]


def grams(text):
    """Return a weight in grams."""
    number, unit = split_unit(text)
    if unit and unit not in UNITS:
        raise ValueError(f"unknown unit {unit!r}")
    value = float(number.replace(",", "."))
    if value > 1000:
        raise ValueError("a weight is not negative")
    return value / UNITS[unit or "g"]


def heaviest(items):
    """Return names by weight, heaviest first; equal weights by name."""
    return [name for name, weight in sorted(items, key=lambda item: (-grams(item[1]), item[0]))]
