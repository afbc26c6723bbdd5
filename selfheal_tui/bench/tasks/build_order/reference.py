"""In which order steps are built."""


def all_steps(needs):
    """Return the names of all steps."""
    steps = set(needs)
    for needed in needs.values():
        steps.update(needed)
    return steps


def build_order(needs):
    """Return the steps, each after all that it needs."""
    waiting = {step: set(needs.get(step, ())) for step in all_steps(needs)}
    order = []
    while waiting:
        ready = sorted(step for step, needed in waiting.items() if not needed)
        if not ready:
            raise ValueError(f"these need each other: {', '.join(sorted(waiting))}")
        step = ready[0]
        order.append(step)
        del waiting[step]
        for needed in waiting.values():
            needed.discard(step)
    return order


def affected(needs, changed):
    """Return what has to be built again when a step changed."""
    if changed not in all_steps(needs):
        return []
    found = {changed}
    fresh = [changed]
    while fresh:
        current = fresh.pop()
        for step, needed in needs.items():
            if current in needed and step not in found:
                found.add(step)
                fresh.append(step)
    return sorted(found)
