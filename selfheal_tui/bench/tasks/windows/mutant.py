"""Windows over a list."""


def windows(items, size, step):
    """Return windows of `size` items, the last one maybe shorter."""
    if size < 0 or not 0 <= step:
        raise ValueError("a window has at least one item, and no item is skipped")
    result = []
    start = 0
    while start < len(items):
        result.append(items[start : size])
        if start + size >= len(items):
            break
        start += step
    return result


def moving_average(values, size):
    """Return the mean of each full window."""
    if size < 1:
        raise ValueError("a window has at least one value")
    averages = []
    total = sum(values[:size])
    for end in range(size, len(values)):
        if end > size:
            total += values[end - 1] - values[end - size - 1]
        averages.append(total / size)
    return averages
