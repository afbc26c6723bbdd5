"""Names of branches that say what makes them different; each can be changed later. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from selfheal_tui.steps import call_words
from selfheal_tui.text import one_line

_LONGEST = 32
_SAID = 120
"""Most characters of what the human said that are quoted."""
_WORDS = {
    "code": "edit",
    "drop": "tests",
    "unpin": "pin",
    "take_in": "more-cases",
    "revoke": "rules",
    "lessons": "lessons",
}
"""Field of a fork -> what the branch is called after, where the field's own name would not do."""
_BY_VALUE = ("autonomy", "strategies", "model", "adversary", "critic", "prompts")
"""Fields after whose value, short as it is, the branch is called."""
_BY_NAME_AND_VALUE = ("place", "avoid")
_NUMBER = re.compile(r"-\d{1,9}$")


def free_name(base: str, names: Collection[str]) -> str:
    """Return `base-1`, or the first number that is free."""
    number = 1
    while f"{base}-{number}" in names:
        number += 1
    return f"{base}-{number}"


def fork_name(changes: Mapping[str, Any], names: Collection[str]) -> str:
    """Name the branch of a fork after what it changes: `edit-1`, `full_auto-1`, `again-2`."""
    return free_name(_changed(changes) or "again", names)


def act_words(changes: Mapping[str, Any], branch: str) -> str:
    """Say what a fork was, for who takes it back: `the fork edit-1`, `what you said: f(3) should be 5`."""
    told = changes.get("wrong")
    if isinstance(told, Mapping):
        return f"your answer: {call_words(str(told['call']), _SAID)} is {one_line(str(told['answer']), _SAID)}"
    if told:
        return f"what you said: {one_line(told if isinstance(told, str) else '; '.join(map(str, told)), _SAID)}"
    return f"the fork {branch}"


def lane_name(changes: Mapping[str, Any], names: Collection[str]) -> str:
    """Name a lane of a race: `race-minimal`; a number only where that is taken."""
    base = f"race-{_changed(changes) or 'again'}"
    return free_name(base, names) if base in names else base


def _changed(changes: Mapping[str, Any]) -> str:
    for name in ("code", "model", *changes):
        if name not in changes:
            continue
        if name == "group":
            return f"group-{_slug(str(changes[name]))}"
        if name == "wrong" and isinstance(changes[name], Mapping):
            return "answer"  # to a question that an end left open: the program may well be right
        if name.startswith("max_"):
            return "limits"
        value = changes[name]
        if name == "model" and isinstance(value, Mapping):
            value = "-".join(str(model) for model in value.values())
        words = "-".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        if name in _BY_NAME_AND_VALUE:
            return _slug(f"{name}-{words.rsplit('/', 1)[-1]}")
        return _slug(words) if name in _BY_VALUE else _WORDS.get(name, name)
    return ""


def _slug(text: str) -> str:
    last = text.rsplit("/", 1)[-1]
    slug = re.sub(r"[^A-Za-z0-9._]+", "-", last).strip("-")
    if len(slug) > _LONGEST and (number := _NUMBER.search(slug)):
        # Two lines of one file differ in their number alone.
        return slug[: _LONGEST - len(number[0])].rstrip("-.") + number[0]
    return slug[:_LONGEST].strip("-") or "fork"
