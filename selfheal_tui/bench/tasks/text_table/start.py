"""Tables in plain text."""


def cell_text(value):
    """Return what is printed for a value."""
    return "" if value is None else str(value)


def is_number(value):
    """Tell whether a value stands right."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def aligned(text, width, right):
    """Return a text filled up with blanks."""
    return text.rjust(width) if right else text.ljust(width)


def text_table(headers, rows):
    """Return a table as one text; lines have no blanks at their ends."""
    for row in rows:
        if len(row) != len(headers):
            raise ValueError(f"{len(row)} cells for {len(headers)} columns")
    widths = [max([1, *(len(cell_text(row[place])) for row in rows)]) for place, header in enumerate(headers)]
    rights = []
    for place in range(len(headers)):
        values = [row[place] for row in rows if row[place] is not None]
        rights.append(all(is_number(row[place]) for row in rows))
    lines = ["  ".join(aligned(*column) for column in zip(headers, widths, rights))]
    lines.append("  ".join("-" * width for width in widths))
    for row in rows:
        cells = [aligned(cell_text(value), width, is_number(value)) for value, width in zip(row, widths)]
        lines.append("  ".join(cells))
    return "\n".join(line.rstrip() for line in lines)
