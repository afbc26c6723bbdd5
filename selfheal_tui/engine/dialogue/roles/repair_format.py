"""How a repair is asked for: edits, whole functions or whole files."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from selfheal_tui.llm.plugged import plugged
from selfheal_tui.llm.registry import split_model

from ...moment.state import RepairFormat

FILES_UP_TO = 1_500
"""Characters (about 45 lines) of all files that may change: up to here they are asked for whole.

tests/benchmarks/edits.py measures where edits begin to take fewer tokens: at 1,200 characters.
"""
_REWRITES = ("rewrite", "blind retry")
"""Strategies that write a function anew."""
_COPIES_BADLY = ("ollama",)
"""Providers of ours with mostly small models: they write a function more surely than they copy lines exactly."""


def chosen_format(
    wanted: str, files: Mapping[str, str], model: str, strategy: str, shown_in_part: Collection[str]
) -> RepairFormat:
    """Return the format for a repair of these files; `auto` chooses by their size, the strategy and the model."""
    match wanted:
        case "edits" | "functions" | "files":
            return wanted
    if sum(map(len, files.values())) <= FILES_UP_TO and not shown_in_part:
        return "files"
    is_python = all(path.endswith(".py") for path in files)
    if is_python and strategy != "test" and (strategy in _REWRITES or _copies_badly(model)):
        return "functions"
    return "edits"


def _copies_badly(model: str) -> bool:
    provider = split_model(model)[0]
    said = plugged(provider)
    return provider in _COPIES_BADLY or (said is not None and said.whole_functions)


def too_long_to_give_whole(files: Mapping[str, str], named: Collection[str], max_tokens: int) -> str:
    """Say which file no reply of this length can hold, where only that is left to change; else empty.

    `named` are the paths that the diagnosis names. A token is taken for four characters, as the cheapest.
    """
    likely = [path for path in files if path in named] or list(files)
    sizes = {path: len(files[path]) // 4 for path in likely}
    if not sizes or min(sizes.values()) <= max_tokens:
        return ""
    path = min(sizes, key=lambda one: sizes[one])
    return (
        f"{path} is too long to be answered whole: some {sizes[path]:,} tokens, and a reply has {max_tokens:,}. "
        "Set repair_format to edits, functions or auto."
    )
