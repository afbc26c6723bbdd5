"""Names of tasks where there is little room: what all begin with says nothing. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def shared_beginning(names: Sequence[str]) -> str:
    """Return what all names begin with up to a slash, as `HumanEval/`: a short list leaves it out."""
    folder = names[0].rpartition("/")[0] if len(names) > 1 else ""
    while folder and not all(name.startswith(f"{folder}/") and len(name) > len(folder) + 1 for name in names):
        folder = folder.rpartition("/")[0]
    return f"{folder}/" if folder else ""
