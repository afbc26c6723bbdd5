"""Break text into lines of a given width without breaking words."""

from __future__ import annotations


def wrap(text: str, width: int) -> list[str]:
    """Return lines of at most `width` characters; a longer word gets a line of its own."""
    lines: list[str] = []
    current = ""
    for word in text.split():
        if not current:
            current = word
        elif len(current) + 1 + len(word) <= width:
            current = f"{current} {word}"
        else:
            lines.append(current)
            current = ""
    if current:
        lines.append(current)
    return lines


def boxed(text: str, width: int) -> str:
    """Draw a box of the given inner width around the wrapped text."""
    edge = "+" + "-" * (width + 2) + "+"
    rows = [f"| {line.ljust(width)} |" for line in wrap(text, width)]
    return "\n".join([edge, *rows, edge])
