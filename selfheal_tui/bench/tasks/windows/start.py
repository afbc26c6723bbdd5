"""Windows over a list."""


def windows(items, size, step):
    """Return windows of `size` items, the last one maybe shorter."""
    if size < 1 or not 1 <= step <= size:
        raise ValueError("a window has at least one item, and no item is skipped")
    result = []
    start = 0
    while start < len(items):
        result.append(items[start : start + size])
        if start + size > len(items):
            break
        start += step
    return result


def moving_average(values, size):
    """Return the mean of each full window."""
    if size < 1:
        raise ValueError("a window has at least one value")
    averages = []
    total = sum(values[:size])
    for end in range(size, len(values) + 1):
        if end > size:
            total += values[end - 1] - values[end - size - 1]
        averages.append(total / size)
    return averages
