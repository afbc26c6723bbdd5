"""What a fork may change, as a picker shows it: the field and its value now, then the values it can have. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from selfheal_tui.engine.loop.advisors import ADVISORS
from selfheal_tui.engine.moment.closed import still_closed
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import AUTONOMIES, STRATEGIES, Evidence, RepairFormat
from selfheal_tui.engine.moment.steering import (
    NOTHING_CLOSED,
    avoid_words,
    avoided,
    edited_lines,
    holds_data,
    offered,
    place_labels,
    place_words,
)
from selfheal_tui.engine.moment.taken import touched_lines
from selfheal_tui.engine.suites.failing_groups import failing_groups, group_words
from selfheal_tui.setting_values import EFFORTS, SEARCH
from selfheal_tui.text import one_line

from .picks import Pick
from .shown import is_stale

AGAIN, AFRESH, MODEL = "", "afresh=yes", "model"
"""Values of the first rows."""
CODE_ROW = Pick("code", "code", "write it yourself, in the editor; the suite runs over it")
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
    "oracle_calls": "how often a model is asked what is right where repairs disagree",
    "advisors": "who reads the finished program once more",
    "effort": "how much the models think",
    "repair_format": "how a model writes a repair down",
}
_ADVISOR_WORDS = {
    "security_review": "bandit looks for what is dangerous",
    "quality": "complexity, length and docstrings of the functions",
}
_MOST_PLACES = 3
_AVOID = "the search looks anew, and leaves it as it is"
_AVOID_DATA = "the search looks anew, and leaves lists, tuples, sets and dicts of constants as they are"
_FOR_MODELS = ("strategies", "debug_steps", "near_miss_s", "effort", "repair_format")
"""Fields of the policy that change nothing for the search."""
NO_MODEL = " · the search does not change with it"
NONE = "none"
"""What stands in the list for no value at all."""
SEVERAL = ("strategies", "advisors")
"""Fields of several values, all of which are known here."""


def first_rows(snapshot: Snapshot, *, at_end: bool) -> list[Pick]:
    """Return what a fork can be without a value: again, afresh or with your code; at an end nothing is run again."""
    whom = "searches once more" if searches(snapshot) else "asks the models again"
    afresh = Pick(AFRESH, "ask afresh", f"{whom}, whatever is recorded")
    if at_end:
        return [CODE_ROW, afresh]
    return [Pick(AGAIN, "run again", "replays what is recorded, at no cost"), afresh, CODE_ROW]


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
    of_models = _FOR_MODELS if searches(snapshot) else ()
    if snapshot.models.get("oracle", snapshot.models.get("*")) == SEARCH:
        of_models = (*of_models, "oracle_calls")
    rows += [
        Pick(name, name, _now(policy.get(name), words) + (NO_MODEL if name in of_models else ""))
        for name, words in _POLICY.items()
    ]
    limits: Mapping[str, Any] = snapshot.limits
    rows += [Pick(name, name, _now(limits.get(name), words)) for name, words in _LIMITS.items()]
    rows += [
        Pick("feedback", "feedback", "a hint for the next diagnosis"),
        Pick("wrong", "wrong", "what a call should give, as f(3) should be 5: it becomes a case"),
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
    """Return what a lane of a race may do differently, models left out.

    With the search these are places, groups and what it leaves alone: it asks nobody, and knows no strategies.
    """
    if searches(snapshot):
        return [*_place_rows(snapshot), *_group_rows(snapshot), *_avoid_rows(snapshot)]
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


def can_race(snapshot: Snapshot) -> bool:
    """Tell whether lanes could differ from here on: where every case passes there is nothing to go on with."""
    return snapshot.report is None or snapshot.report["verdict"] != "passed"


def searches(snapshot: Snapshot) -> bool:
    """Tell whether the search proposes the repairs from here on."""
    return snapshot.models.get("repairer", snapshot.models.get("*")) == SEARCH


def first_lanes(snapshot: Snapshot) -> list[str]:
    """Return the lanes that are marked from the start: the search's first two places, or groups; they cost nothing."""
    for rows in (_place_rows(snapshot), _group_rows(snapshot)) if searches(snapshot) else ():
        if len(rows) > 1:
            return [row.value for row in rows[:2]]
    return []


def second_lane(value: str, snapshot: Snapshot) -> str:
    """Name a lane that a race could have beside this one: `not in overlap`; empty where the list has none."""
    return next((row.text for row in lane_rows(snapshot) if row.value != value.strip()), "")


def _place_rows(snapshot: Snapshot) -> list[Pick]:
    """Return the places of the candidates in their order, and below them those that only the diagnosis names."""
    diagnosis = None if is_stale(snapshot) else snapshot.diagnosis
    named: dict[tuple[str, int], tuple[str, Evidence]] = {
        (one["file"], one["line"]): (label, one)
        for label, one in zip(place_labels(diagnosis), diagnosis["evidence"] if diagnosis else (), strict=False)
    }
    places: dict[tuple[str, int], tuple[str, Evidence]] = {}
    for repair in snapshot.candidates.values() if diagnosis is not None else ():
        for at in sorted(touched_lines(snapshot.program, {**snapshot.program, **repair["changes"]}))[:1]:
            one: Evidence = {"file": at[0], "line": at[1], "why": repair["summary"]}
            places.setdefault(at, named.get(at, (f"{at[0]}:{at[1]}", one)))
    return _rows_of([*(places | {at: place for at, place in named.items() if at not in places}).values()], snapshot)


def _group_rows(snapshot: Snapshot) -> list[Pick]:
    """Return the groups of failing cases, each to be healed before the others, where there are several."""
    groups = failing_groups(snapshot)
    rows = [Pick(f"group={n}", "heal first", group_words(group)) for n, group in enumerate(groups, 1)]
    return rows if len(rows) > 1 else []


def _rows_of(places: Sequence[tuple[str, Evidence]], snapshot: Snapshot) -> list[Pick]:
    return [
        Pick(f"place={label}", f"look first at {place_words(one)}", one_line(one["why"], 240))
        for label, one in places
        if not any(
            _is_avoided(text, snapshot)
            for text in offered(snapshot.program, one["file"], one["line"])
            if text != "data"
        )
    ]


def _is_avoided(text: str, snapshot: Snapshot) -> bool:
    """Tell whether the search leaves this alone already: `function:shop.py:total`, `line:shop.py:3`, `data`."""
    closed = [
        (one["what"], one.get("file"), one.get("name"), one.get("text"))
        for one in still_closed(snapshot.avoid, snapshot.report)
    ]
    return any(
        (one["what"], one.get("file"), one.get("name"), one.get("text")) in closed
        for one in avoided([text], snapshot.program)
    )


def _avoid_rows(snapshot: Snapshot) -> list[Pick]:
    diagnosis = None if is_stale(snapshot) else snapshot.diagnosis
    places = diagnosis["evidence"][:_MOST_PLACES] if diagnosis and diagnosis["by"] == SEARCH else ()
    lines = [line for one in places for line in edited_lines(one)]
    texts = [text for file, line in lines for text in offered(snapshot.program, file, line)] or (
        ["data"] if holds_data(snapshot.program) else []
    )
    rows = [
        Pick(f"avoid={text}", avoid_words(avoided([text], snapshot.program)), _AVOID_DATA if text == "data" else _AVOID)
        for text in texts
        if not _is_avoided(text, snapshot)
    ]
    if closed := still_closed(snapshot.avoid, snapshot.report):
        rows.append(
            Pick(f"avoid={NOTHING_CLOSED}", "open all to the search again", f"Closed now: {avoid_words(closed)}.")
        )
    return sorted(dict.fromkeys(rows), key=lambda row: row.value in ("avoid=data", f"avoid={NOTHING_CLOSED}"))


def is_as_now(changes: Mapping[str, Any], snapshot: Snapshot) -> bool:
    """Tell whether a fork would change nothing: each field has the value already that it is to get."""
    return bool(changes) and all(_is_now(name, value, snapshot) for name, value in changes.items())


def _is_now(name: str, value: Any, snapshot: Snapshot) -> bool:
    now: Mapping[str, Any] = {**snapshot.policy, **snapshot.limits, "autonomy": snapshot.autonomy}
    if name == "model":
        models = snapshot.models
        others = {model for role, model in models.items() if role != "*"} if "*" in value else set()
        return all(models.get(role, models.get("*")) == model for role, model in value.items()) and not (
            others - {value.get("*")}
        )
    if name not in now:
        return False
    before = now[name]
    if isinstance(before, list | tuple):
        return sorted(str(value).split(",")) == sorted(before)
    if isinstance(before, int | float) and not isinstance(before, bool):
        try:
            return float(value) == before
        except (TypeError, ValueError):
            return False
    return before is not None and str(value) == str(before)


def _now(value: Any, words: str) -> str:
    if isinstance(value, Mapping):
        value = " ".join(f"{role}={level}" if role != "*" else str(level) for role, level in value.items())
    if isinstance(value, list | tuple):
        value = ",".join(map(str, value))
    shown = "no limit" if value is None else one_line(str(value), 60) or "none"
    return f"{shown} · {words}"
