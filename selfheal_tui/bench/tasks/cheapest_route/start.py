"""The cheapest way through a net of roads."""

import heapq


def neighbours(roads):
    """Return place -> list of (cost, next place)."""
    net = {}
    for one, other, cost in roads:
        if cost < 0:
            raise ValueError(f"the road from {one} to {other} has a negative cost")
        net.setdefault(one, []).append((cost, other))
        net.setdefault(other, []).append((cost, one))
    return net


def ways(roads, start):
    """Return place -> (cost, list of places) of the best way to each place."""
    net = neighbours(roads)
    best = {start: (0, [start])}
    waiting = [(0, 1, [start])]
    while waiting:
        cost, count, places = heapq.heappop(waiting)
        place = places[-1]
        for more, other in net.get(place, ()):
            if other not in best:
                best[other] = (cost + more, [*places, other])
                heapq.heappush(waiting, (cost + more, count + 1, [*places, other]))
    return best


def cheapest(roads, start, goal):
    """Return cost and places of the cheapest way; None without one."""
    return ways(roads, start).get(goal)


def reachable(roads, start, budget):
    """Return the places that cost at most so much."""
    return sorted(place for place, (cost, _) in ways(roads, start).items() if cost <= budget)
