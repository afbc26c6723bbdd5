"""Bursts of errors in a log."""

import re

LINE = re.compile(r"(\d\d):(\d\d):(\d\d) ERROR(?: |$)")


def seconds_of(line):
    """Return the second of the day of an error; None for any other line."""
    match = LINE.match(line)
    if match is None:
        return None
    hours, minutes, seconds = map(int, match.groups())
    return 3600 * hours + 60 * minutes + seconds


def clock(second):
    """Return a second of the day as HH:MM:SS."""
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"


def bursts(lines, count, seconds):
    """Return (first, last, errors) of each burst."""
    if count < 1:
        raise ValueError("a burst has at least one error")
    times = sorted(second for second in map(seconds_of, lines) if second is not None)
    found = []
    for first in range(len(times) - count + 1):
        last = first + count - 1
        if times[last] - times[first] <= seconds:
            continue
        if found and first <= found[-1][1]:
            found[-1][1] = last
        else:
            found.append([first, last])
    return [(clock(times[first]), clock(times[last]), last - first + 1) for first, last in found]
