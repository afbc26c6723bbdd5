"""What the lanes of a race do differently: read from a line, and checked. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError

from .changes import parse_models
from .continuation import FIELDS

PROMPTS = "prompts"
"""The one field of a lane that a fork does not have: a folder of prompts."""
MOST_LANES = 9


def parse_race(text: str) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Read lanes, one a line or with `|` between, and after `all` the budget of all of them; return both.

    `strategies=minimal | model=ollama:qwen3 afresh=yes | all max_cost_usd=1`. Raises: InputError.
    """
    lanes: list[dict[str, Any]] = []
    budget: dict[str, str] = {}
    for part in (part.strip() for line in text.splitlines() for part in line.split("|")):
        if part == "all" or part.startswith("all "):
            pairs = (word.partition("=") for word in part.split()[1:])
            budget.update({name: value for name, _, value in pairs})
        elif part:
            lanes.append(parse_lane(part))
    return lanes, budget


def parse_lane(text: str) -> dict[str, Any]:
    """Read `FIELD=VALUE ...` of one lane; words without `=` belong to the value before. Raises: InputError."""
    pairs: list[list[str]] = []
    for word in text.split():
        name, mark, value = word.partition("=")
        if mark and (name in (*FIELDS, PROMPTS) or name.startswith(("code:", "tests:"))):
            pairs.append([name, value])
        elif pairs and not (mark and name.isidentifier() and len(pairs[-1][1].split()) == 1):
            pairs[-1][1] += f" {word}"
        else:
            names = ", ".join((*FIELDS, PROMPTS))
            raise InputError(f"A lane cannot set {name!r}.", f"Write FIELD=VALUE; fields: {names}.")
    lane: dict[str, Any] = {}
    for name, value in pairs:
        if name == "model":
            lane.setdefault("model", {}).update(parse_models(value))
        else:
            lane[name] = value
    return lane


def check_lanes(lanes: Sequence[Mapping[str, Any]]) -> None:
    """Raise InputError for too few or too many lanes, or a folder of prompts that is not there."""
    if not 2 <= len(lanes) <= MOST_LANES:
        raise InputError(
            f"A race has 2 to {MOST_LANES} lanes, not {len(lanes)}.",
            "Say what each does differently, as --lane group=1 --lane group=2; in the app, space marks them.",
        )
    for lane in lanes:
        if PROMPTS in lane and not Path(str(lane[PROMPTS])).is_dir():
            raise InputError(f"There is no folder {str(lane[PROMPTS])!r} of prompts.", "Give prompts=DIR.")
