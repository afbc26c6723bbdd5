"""Joins of tables that are lists of dicts."""


def join_rows(left, right, key, kind="inner"):
    """Return the rows of both tables that belong together."""
    if kind not in ("inner", "left"):
        raise ValueError(f"unknown kind of join {kind!r}")
    columns = _columns(right, key)
    taken = set(_columns(left, key))
    names = {column: f"right_{column}" if column in taken else column for column in columns}
    partners = {}
    for row in right:
        if row.get(key) is not None:
            partners.setdefault(row[key], []).append(row)
    joined = []
    for row in left:
        found = partners.get(row.get(key), []) if row.get(key) is not None else []
        if not found and kind == "left":
            found = [{}]
        for partner in found:
            joined.append({**row, **{names[column]: partner.get(column) for column in columns}})
    return joined


def _columns(rows, key):
    """Return all columns but the key, in order of appearance."""
    columns = []
    for row in rows:
        columns.extend(column for column in row if column != key and column not in columns)
    return columns
