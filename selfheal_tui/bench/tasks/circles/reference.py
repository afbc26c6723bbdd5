"""Groups of people who know each other."""

from collections import deque


def known(friendships):
    """Return name -> set of friends."""
    friends = {}
    for one, other in friendships:
        friends.setdefault(one, set()).add(other)
        friends.setdefault(other, set()).add(one)
    return friends


def steps_from(friends, start):
    """Return name -> number of friendships from the start."""
    steps = {start: 0}
    waiting = deque([start])
    while waiting:
        name = waiting.popleft()
        for friend in friends.get(name, ()):
            if friend not in steps:
                steps[friend] = steps[name] + 1
                waiting.append(friend)
    return steps


def groups(people, friendships):
    """Return groups of names, the largest first."""
    friends = known(friendships)
    found, seen = [], set()
    for name in [*people, *friends]:
        if name not in seen:
            group = sorted(steps_from(friends, name))
            seen.update(group)
            found.append(group)
    return sorted(found, key=lambda group: (-len(group), group[0]))


def distance(friendships, one, other):
    """Return over how many friendships somebody is reached; None where there is no way."""
    return steps_from(known(friendships), one).get(other)
