"""Pages of a long list, counted from 1."""

from __future__ import annotations

from collections.abc import Sequence


def page_count(total: int, size: int) -> int:
    """Return how many pages `total` items fill; an empty list has one empty page."""
    if size < 1:
        raise ValueError("a page holds at least one item")
    return max(1, (total + size) // size)


def page_items(items: Sequence[str], page: int, size: int) -> list[str]:
    """Return the items of one page; a page beyond the end is empty."""
    first = page * size
    return list(items[first : first + size])


def page_links(page: int, count: int) -> str:
    """Return the links under a page: `1 [2] 3`."""
    numbers = range(1, count + 1)
    return " ".join(f"[{number}]" if number == page else str(number) for number in numbers)
