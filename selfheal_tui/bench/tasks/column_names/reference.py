"""Clean names for the columns of a table."""

SPELLED = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}
ALLOWED = "abcdefghijklmnopqrstuvwxyz0123456789"


def clean(header):
    """Return one header with letters, digits and single underscores only."""
    letters = "".join(SPELLED.get(letter, letter) for letter in header.lower())
    words = "".join(letter if letter in ALLOWED else " " for letter in letters).split()
    name = "_".join(words) or "column"
    return "c" + name if name[0].isdigit() else name


def column_names(headers):
    """Return a name for each header, no two the same."""
    names = []
    for header in headers:
        name = wanted = clean(header)
        number = 2
        while name in names:
            name = f"{wanted}_{number}"
            number += 1
        names.append(name)
    return names
