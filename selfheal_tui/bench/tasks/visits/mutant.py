"""Visits of a web page, from single clicks."""


def visits(events, pause):
    """Return the visits, earliest first."""
    finished = []
    running = {}
    for user, second, page in sorted(events, key=lambda event: event[1]):
        visit = running.get(user)
        if visit is not None and second - visit["end"] > pause:
            finished.append(visit)
            visit = None
        if visit is None:
            visit = {"user": user, "start": second, "end": second, "pages": []}
        visit["end"] = second
        visit["pages"].append(page)
    finished.extend(running.values())
    return sorted(finished, key=lambda visit: (visit["start"], visit["user"]))


def longest(events, pause):
    """Return the visit that lasts longest; None without events."""
    best = None
    for visit in visits(events, pause):
        if best is None or visit["end"] - visit["start"] > best["end"] - best["start"]:
            best = visit
    return best
