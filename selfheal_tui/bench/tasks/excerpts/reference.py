"""A part of a text around a word."""

SIGNS = '.,;:!?()"'


def excerpt(text, word, width):
    """Return whole words around the first place of a word."""
    if width < 1:
        raise ValueError("an excerpt is at least one character wide")
    words = text.split()
    if len(" ".join(words)) <= width:
        return " ".join(words)
    first = find(words, word)
    last = first
    before, after = True, True
    while before or after:
        if before:
            before = first > 0 and len(shown(words, first - 1, last)) <= width
            first -= before
        if after:
            after = last < len(words) - 1 and len(shown(words, first, last + 1)) <= width
            last += after
    return shown(words, first, last)


def find(words, word):
    """Return the place of a word; 0 when it is not among them."""
    for place, candidate in enumerate(words):
        if candidate.strip(SIGNS).lower() == word.lower():
            return place
    return 0


def shown(words, first, last):
    """Return these words, with dots where others were left out."""
    start = "... " if first > 0 else ""
    end = " ..." if last < len(words) - 1 else ""
    return start + " ".join(words[first : last + 1]) + end
