"""Capitals in headlines and names."""

SMALL = {"a", "an", "and", "at", "by", "for", "in", "of", "on", "or", "the", "to"}


def capital(word):
    """Return a word with a capital at its start; one with capitals inside stays."""
    if any(letter.isupper() for letter in word[1:]):
        return word
    return word[:1].upper() + word[1:].lower()


def hyphened(word):
    """Return a word whose parts begin with capitals, small words inside excepted."""
    parts = word.split("-")
    last = len(parts) - 1
    return "-".join(
        part.lower() if 0 < place < last and part.lower() in SMALL else capital(part)
        for place, part in enumerate(parts)
    )


def headline(text):
    """Return a text as a headline."""
    words = text.split()
    result = []
    for place, word in enumerate(words):
        inside = 0 < place < len(words) - 1
        if inside and word.lower() in SMALL:
            result.append(word.lower())
        else:
            result.append(hyphened(word))
    return " ".join(result)


def initials(name):
    """Return the first letters of a name, with dots."""
    return " ".join("-".join(f"{part[0].upper()}." for part in word.split("-") if part) for word in name.split())
