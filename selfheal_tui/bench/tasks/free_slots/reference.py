"""Free times of a calendar day; all times are minutes after midnight."""


def clipped(busy, opens, closes):
    """Return the meetings inside the opening hours, cut at their ends, sorted."""
    inside = []
    for start, end in busy:
        start, end = max(start, opens), min(end, closes)
        if start < end:
            inside.append((start, end))
    return sorted(inside)


def free_slots(busy, opens, closes, shortest=1):
    """Return the free times as (start, end), earliest first."""
    if shortest < 1:
        raise ValueError("a free time has at least one minute")
    slots = []
    free_from = opens
    for start, end in clipped(busy, opens, closes):
        if start - free_from >= shortest:
            slots.append((free_from, start))
        free_from = max(free_from, end)
    if closes - free_from >= shortest:
        slots.append((free_from, closes))
    return slots


def total_free(busy, opens, closes):
    """Return how many minutes are free in all."""
    return sum(end - start for start, end in free_slots(busy, opens, closes))
