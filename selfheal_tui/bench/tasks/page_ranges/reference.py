"""Page numbers as people write them: `1-3, 5, 8-9`."""


def to_text(pages):
    """Return page numbers as ranges, smallest first."""
    runs = []
    for page in sorted(set(pages)):
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def from_text(text):
    """Return the page numbers of a text, sorted, each once."""
    pages = set()
    for part in text.split(","):
        part = part.strip()
        if not part:
            continue
        first, dash, last = part.partition("-")
        if not dash:
            last = first
        if int(first) > int(last):
            raise ValueError(f"the range {part!r} runs backwards")
        pages.update(range(int(first), int(last) + 1))
    return sorted(pages)
