"""Ranges without the parts that others cover; a range holds its start and not its end."""


def merged(ranges):
    """Return the same points as few sorted ranges."""
    result = []
    for start, end in sorted(ranges):
        if start >= end:
            raise ValueError(f"({start}, {end}) is no range")
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        else:
            result.append((start, end))
    return result


def subtract(ranges, holes):
    """Return what of `ranges` no hole covers."""
    left = []
    gaps = merged(holes)
    for start, end in merged(ranges):
        for hole_start, hole_end in gaps:
            if hole_end <= start or hole_start >= end:
                continue
            if hole_start > start:
                left.append((start, hole_start))
            start = hole_start
        if start < end:
            left.append((start, end))
    return left
