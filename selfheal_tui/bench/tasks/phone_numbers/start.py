"""Phone numbers in one form: `+` and digits."""

IGNORED = " .-/()"


def normalise(text, country="49"):
    """Return a phone number as `+` and digits."""
    text = text.strip()
    international = text.startswith("+")
    digits = "".join(c for c in text.removeprefix("+") if c not in IGNORED)
    if not digits.isdecimal():
        raise ValueError(f"{text!r} is no phone number")
    if international:
        digits = digits.lstrip("0")
    else:
        digits = country + digits.removeprefix("0")
    if not 7 <= len(digits) <= 15:
        raise ValueError(f"{text!r} has {len(digits)} digits")
    return "+" + digits


def unique(texts, country="49"):
    """Return the numbers among texts, each once, in order of appearance."""
    numbers = []
    for text in texts:
        try:
            number = normalise(text, country)
        except ValueError:
            continue
        if number not in numbers:
            numbers.append(number)
    return numbers
