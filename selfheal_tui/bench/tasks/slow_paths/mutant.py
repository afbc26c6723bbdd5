"""Which paths of a web server are slow."""

import math


def parse(line):
    """Return (path, status, ms) of a log line; None when it is none."""
    parts = line.split()
    if len(parts) != 4 or not parts[2].isdecimal() or not parts[3].isdecimal():
        return None
    path = parts[0].partition("?")[0]
    return path.rstrip("/") or "/", int(parts[2]), int(parts[3])


def percentile(times, share):
    """Return the nearest-rank percentile of times; `share` is above 0 and at most 1."""
    ordered = sorted(times, reverse=True)
    return ordered[math.ceil(round(share * len(ordered), 9)) - 1]


def slow_paths(lines, limit_ms):
    """Return (path, count, p95) of the slow paths, slowest first."""
    times = {}
    for line in lines:
        request = parse(line)
        if request is None:
            continue
        path, status, ms = request
        if status >= 500:
            continue
        times[path] = [ms]
    slow = []
    for path, values in times.items():
        p95 = percentile(values, 0.95)
        if p95 > limit_ms:
            slow.append((path, len(values), p95))
    return sorted(slow, key=lambda row: (-row[2], row[0]))
