def fee(n):
    """Fee for n days: 2 a day, at least 5."""
    return min(5, 2 * n)
