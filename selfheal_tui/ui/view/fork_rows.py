"""What a fork may change, as a picker shows it: the field and its value now, then the values it can have. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from selfheal_tui.engine.loop.advisors import ADVISORS
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import AUTONOMIES, STRATEGIES, RepairFormat
from selfheal_tui.setting_values import EFFORTS
from selfheal_tui.text import one_line

from .picks import Pick

AGAIN, AFRESH, MODEL = "", "afresh=yes", "model"
"""Values of the first rows."""
AUTONOMY_WORDS = {
    "review_all": "asks about tests, first code, diagnoses, repairs and the end",
    "review_repairs": "asks about each diagnosis and each repair",
    "full_auto": "asks nothing; takes a repair only when more cases pass",
}
_STRATEGY_WORDS = {
    "minimal": "the smallest change that a model finds",
    "rewrite": "a model writes the function anew",
    "defensive": "a model also guards against other bad input",
    "search": "the embedded search, without a model",
}
_LIMITS = {
    "max_iterations": "most repairs that are tried",
    "max_calls": "most model calls",
    "max_tokens": "most tokens",
    "max_cost_usd": "most dollars",
    "max_time_s": "most seconds",
}
_POLICY = {
    "strategies": "which repairs compete",
    "min_confidence": "below it a diagnosis is not used (0 to 1)",
    "debug_steps": "most steps of the debugger with tools",
    "near_miss_s": "seconds of search on a candidate that mends some cases",
    "adversary": "tests by a hostile reader of the code",
    "critic": "a reader of the finished program",
    "advisors": "who reads the finished program once more",
    "effort": "how much the models think",
    "repair_format": "how a model writes a repair down",
}
_ADVISOR_WORDS = {
    "security_review": "bandit looks for what is dangerous",
    "quality": "complexity, length and docstrings of the functions",
}
NONE = "none"
"""What stands in the list for no value at all."""
SEVERAL = ("strategies", "advisors")
"""Fields of several values, all of which are known here."""


def first_rows() -> list[Pick]:
    """Return what a fork can be without another value."""
    return [
        Pick(AGAIN, "run again", "replays what is recorded, at no cost"),
        Pick(AFRESH, "ask afresh", "asks the models again, whatever is recorded"),
    ]


def typed_words(text: str) -> str:
    """Say what a text does that is none of the rows: `runs again on a new branch called mine`."""
    if "=" in text:
        return f"runs again on a new branch with {one_line(text, 60)}"
    name = one_line(text.removeprefix("!").strip(), 60)
    how = "asks the models afresh" if text.startswith("!") else "runs again"
    return f"{how} on a new branch" + (f" called {name}" if name else "")


def field_rows(snapshot: Snapshot) -> list[Pick]:
    """Return the fields that may differ from here on, each with its value now."""
    rows = [Pick("autonomy", "autonomy", _now(snapshot.autonomy, "what you are asked about"))]
    policy: Mapping[str, Any] = snapshot.policy
    rows += [Pick(name, name, _now(policy.get(name), words)) for name, words in _POLICY.items()]
    limits: Mapping[str, Any] = snapshot.limits
    rows += [Pick(name, name, _now(limits.get(name), words)) for name, words in _LIMITS.items()]
    rows += [
        Pick("feedback", "feedback", "a hint for the next diagnosis"),
        Pick("spec", "spec", "another specification"),
        Pick("lessons", "lessons", "what this branch has learnt, in your words"),
    ]
    return [*rows, *([Pick("revoke", "revoke", "take a rule back")] if snapshot.rules else [])]


def value_rows(name: str, snapshot: Snapshot | None = None) -> list[Pick]:
    """Return the values that a field can have, rules those of a moment; none where any text or number may be typed."""
    match name:
        case "autonomy":
            return [Pick(word, word, AUTONOMY_WORDS[word]) for word in AUTONOMIES]
        case "strategies":
            return [Pick(word, word, _STRATEGY_WORDS.get(word, "")) for word in STRATEGIES]
        case "advisors":
            return [
                Pick("", NONE, "nobody advises"),
                *(Pick(word, word, _ADVISOR_WORDS.get(word, "")) for word in ADVISORS),
            ]
        case "adversary" | "critic":
            return [Pick(word, word) for word in ("auto", "on", "off")]
        case "repair_format":
            return [Pick(word, word) for word in ("auto", *get_args(RepairFormat))]
        case "effort":
            return [Pick(word, word) for word in ("auto", *EFFORTS)]
        case "revoke":
            rules = snapshot.rules if snapshot is not None else ()
            return [Pick(rule["name"], rule["name"], f"up to {rule['max_lines']} lines") for rule in rules]
    return []


def values_now(name: str, snapshot: Snapshot) -> list[str]:
    """Return what a field of several values holds."""
    policy: Mapping[str, Any] = snapshot.policy
    return list(policy.get(name) or ())


def lane_rows(snapshot: Snapshot) -> list[Pick]:
    """Return what a lane of a race may do differently, models left out."""
    now = set(snapshot.policy["strategies"])
    rows = [
        Pick(
            f"strategies={word}",
            f"repairs: {word}",
            _STRATEGY_WORDS.get(word, "") + (" (now)" if {word} == now else ""),
        )
        for word in STRATEGIES
    ]
    return [*rows, Pick(AFRESH, "ask afresh", "the same again, the models asked once more")]


def _now(value: Any, words: str) -> str:
    if isinstance(value, Mapping):
        value = " ".join(f"{role}={level}" if role != "*" else str(level) for role, level in value.items())
    if isinstance(value, list | tuple):
        value = ",".join(map(str, value))
    shown = "no limit" if value is None else one_line(str(value), 60) or "none"
    return f"{shown} · {words}"
