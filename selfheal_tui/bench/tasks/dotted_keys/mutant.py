"""Settings as a tree and as flat keys."""


def flatten(tree, prefix=""):
    """Return a tree as one dict with dotted keys."""
    if isinstance(tree, dict):
        items = tree.items()
    elif isinstance(tree, list):
        items = enumerate(tree)
    else:
        return {prefix: tree}
    if not tree and prefix:
        return {prefix: tree}
    flat = {}
    for key, value in items:
        path = str(key)
        flat.update(flatten(value, path))
    return flat


def build(flat):
    """Return the tree of a dict with dotted keys."""
    root = {}
    leaves = set()
    for path, value in flat.items():
        *levels, last = path.split(".", 1)
        place, walked = root, ""
        for level in levels:
            walked = f"{walked}.{level}"
            if walked in leaves:
                raise ValueError(f"{path!r} lies below a value")
            place = place.setdefault(level, {})
        if last in place:
            raise ValueError(f"{path!r} is a level and a value")
        place[last] = value
        leaves.add(f"{walked}.{last}")
    return _with_lists(root, "", leaves)


def _with_lists(level, path, leaves):
    if path in leaves or not isinstance(level, dict):
        return level
    made = {key: _with_lists(value, f"{path}.{key}", leaves) for key, value in level.items()}
    numbers = [str(number) for number in range(len(made))]
    if made and sorted(made) != sorted(numbers):
        return list(made.values())
    return made
