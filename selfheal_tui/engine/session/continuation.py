"""What a fork may change, and where the run goes on from then: one table.

| field | as if this node had just ended | so that next |
|---|---|---|
| (nothing) | - | the same node runs again |
| code | learn | the suite runs over the new code |
| diagnosis | review_diagnosis (accepted) | a repair is proposed for it |
| place | review_diagnosis (the search's, at that place) | the search looks there first |
| feedback, spec, avoid | run_suite | a new diagnosis is made with it |
| group | learn | the suite runs; the cases of other groups wait for their turn |
| take_in | learn | the suite runs with cases that were set aside in the first run |
| wrong | learn | the suite runs with one case more |
| tests, drop | learn; before the first run the checkpoint's own node | the suite runs with the changed tests |
| afresh | the node before the question | the model is asked it again, and all later ones, whatever is recorded |
| a budget, where it is asked about | settle_budget | what waited for it |
| model, strategies, min_confidence, where a round is planned | settle_budget | the round is planned anew |
| pin, unpin, model, autonomy, limits, lessons, revoke, policy | the checkpoint's own node | what would have come next |
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, cast

from selfheal_tui.errors import InputError
from selfheal_tui.llm.registry import check_model, check_role, check_writers
from selfheal_tui.settings import Settings
from selfheal_tui.store.blobs import Blobs
from selfheal_tui.text import one_line

from ..loop.policy_fields import POLICY_FIELDS, policy_value
from ..loop.reviews.edit_checks import filled_diagnosis
from ..loop.reviews.table import REVIEWS, edited_diagnosis
from ..moment.budget import BUDGETS
from ..moment.closed import with_avoided
from ..moment.lessons import LESSONS_KEPT
from ..moment.limits import amount_of, count_of
from ..moment.node_facts import asked_by, facts_of
from ..moment.review import NOTE_LIMIT, Decision
from ..moment.snapshot import Snapshot
from ..moment.state import AUTONOMIES, Diagnosis, GroupTurn, HealState, RunLimits
from ..moment.steering import NOTHING_CLOSED, at_line, at_place, avoided, place_labels
from ..moment.timeline import Checkpoint
from ..suites.failing_groups import failing_groups, group_turn
from .edit_checks import edit_problems
from .test_changes import changed_pins, changed_tests, listed, taken_in
from .told_cases import with_told

FIELDS = (
    "code",
    "diagnosis",
    "place",
    "avoid",
    "feedback",
    "spec",
    "group",
    "take_in",
    "wrong",
    "tests",
    "drop",
    "pin",
    "unpin",
    "lessons",
    "revoke",
    "afresh",
    "model",
    "autonomy",
    "max_iterations",
    "max_tokens",
    "max_cost_usd",
    "max_time_s",
    "max_calls",
    *(name for name in POLICY_FIELDS if name != "lessons"),
)
_ENTRY = {
    "code": "learn",
    **dict.fromkeys(("diagnosis", "place"), "review_diagnosis"),
    **dict.fromkeys(("feedback", "spec", "avoid"), "run_suite"),
    **dict.fromkeys(("group", "take_in", "wrong"), "learn"),
}
_YES, _NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0", "")
_PLANNED = {"model", "strategies", "min_confidence"}
"""Fields that a round of repairs is planned by."""
_TESTS, _PINS = {"tests", "drop"}, {"pin", "unpin"}
_ACCEPTED: Decision = {"verdict": "edit", "value_ref": "", "pick": "", "note": "", "by": "human"}


def _written_anew(snapshot: Snapshot, code: Mapping[str, str]) -> set[str]:
    """Return the files whose code differs from the moment's; another comment or form is no other code."""
    from selfheal_tui.search.hunt.candidates import shape_of

    def shape(path: str, text: str) -> str:
        return (shape_of({path: text}) if path.endswith(".py") else None) or text

    now = snapshot.program
    return {path for path, text in code.items() if path not in now or shape(path, text) != shape(path, now[path])}


async def continuation(
    blobs: Blobs, snapshot: Snapshot, checkpoint: Checkpoint, changes: Mapping[str, Any]
) -> tuple[HealState, str] | None:
    """Return the state update and the node it counts as; None when nothing changes and the run can go on.

    Raises: InputError for an unknown field, a value that does not fit, or two fields that go on differently.
    """
    if unknown := sorted(set(changes) - set(FIELDS)):
        if unknown[0] in {field.name for field in fields(Settings)}:
            flag = f"--{unknown[0].replace('_', '-')}"
            raise InputError(
                f"{unknown[0]} is of the whole session, and a fork cannot set it.",
                f"Open it with another value: selfheal resume SESSION {flag} VALUE",
            )
        raise InputError(f"A fork cannot set {unknown[0]!r}.", f"It can set: {', '.join(FIELDS)}.")
    entries = {_ENTRY[name] for name in changes if name in _ENTRY}
    if _TESTS & changes.keys() and snapshot.report is not None:
        entries.add("learn")
    if len(entries) > 1:
        raise InputError("These fields go on differently; a fork sets one of them.", "Fork twice.")
    if entries and snapshot.report is None and entries != {"learn"}:
        raise InputError("The suite has not run at this checkpoint yet.", "Choose a later one.")
    if not changes:
        if not checkpoint.next:
            raise InputError(
                "The run ended at this moment: there is nothing to run again.",
                "Change something, or choose an earlier moment.",
            )
        return None
    update: HealState = {"outcome": "", "reason": ""}
    if entries or not checkpoint.next:
        update["green"] = False
    for name, value in changes.items():
        if name not in _TESTS | _PINS:
            update |= await _field(blobs, _changed(snapshot, update), name, value)
    if _TESTS & changes.keys():
        update |= await changed_tests(blobs, snapshot, changes.get("tests"), changes.get("drop"))
        if entries:
            update |= {"decision": _ACCEPTED, "candidates": {}}
    if _PINS & changes.keys():
        pinned_now = replace(snapshot, pinned=tuple(update.get("pinned", snapshot.pinned)))
        update |= changed_pins(pinned_now, changes.get("pin"), changes.get("unpin"))
    if entries:
        return update, entries.pop()
    if checkpoint.next == ("review_budget",) and changes.keys() & set(BUDGETS):
        return update | {"budget_ref": "", "decision": None}, "settle_budget"
    if checkpoint.next[:1] == ("propose",) and changes.keys() & _PLANNED:
        return update | {"budget_next": "plan"}, "settle_budget"
    if "afresh" in update and (kind := asked_by(checkpoint.next[:1])):
        cleared, as_node = REVIEWS[kind].afresh(snapshot)
        if as_node:
            return update | cleared, as_node
    return update, own_node(snapshot, checkpoint)


def _changed(snapshot: Snapshot, update: HealState) -> Snapshot:
    """Return the snapshot with the fields that hold several settings as `update` has them: each change adds to them."""
    return replace(
        snapshot,
        policy=update.get("policy", snapshot.policy),
        limits=update.get("limits", snapshot.limits),
        models=update.get("models", snapshot.models),
    )


def own_node(snapshot: Snapshot, checkpoint: Checkpoint) -> str:
    """Return the node that a fork goes on from; after an end that is the suite's run, so that a diagnosis follows.

    A review that ended it is no exception: gone on from there, a stop would count as an approval.
    """
    ended_it = checkpoint.outcome and facts_of(checkpoint.node).asks
    if checkpoint.next and checkpoint.node != "start" and not ended_it:
        return checkpoint.node
    if snapshot.report is None and snapshot.written == "adversarial":
        return "write_adversarial_tests"
    if snapshot.report is None:
        return "generate" if snapshot.mode == "spec" and snapshot.program else "__start__"
    if snapshot.report["verdict"] == "passed":
        raise InputError(
            "Every case passes at this checkpoint: there is nothing to go on with.",
            "Choose an earlier one, or set the code.",
        )
    return "run_suite"


async def _field(blobs: Blobs, snapshot: Snapshot, name: str, value: Any) -> HealState:
    match name:
        case "code":
            _check(edit_problems("repair", {"changes": value}, snapshot.program))
            refs = {path: await blobs.put_text(text) for path, text in {**snapshot.program, **value}.items()}
            update: HealState = {"changes": refs, "decision": _ACCEPTED, "feedback": [], "candidates": {}}
            written = _written_anew(snapshot, value)
            if written:
                update["unsettled"] = None
            # What was repaired and is written anew is the user's own; other repairs are doubted as before.
            if written >= {path for path, text in snapshot.program.items() if snapshot.base.get(path) != text}:
                update["doubts"] = []
            return update
        case "diagnosis":
            if not isinstance(value, Mapping):
                raise InputError("The diagnosis is no JSON object.", "Give its fields, as `sessions show` does.")
            value = filled_diagnosis(value, snapshot.diagnosis or {})
            _check(edit_problems("diagnosis", value, snapshot.program, snapshot.tests))
            return {"diagnosis_ref": await blobs.put(edited_diagnosis(snapshot, value)), "decision": _ACCEPTED}
        case "place":
            if snapshot.report is not None and snapshot.report["verdict"] == "passed":
                raise InputError(
                    "Every case passes at this moment: a place is looked at where cases fail.",
                    "Fork at the moment of the diagnosis: --at, as `selfheal sessions show SESSION` names it.",
                )
            labels = place_labels(snapshot.diagnosis)
            if snapshot.diagnosis is not None and labels and _is_first(snapshot.diagnosis, str(value).strip()):
                # As an approval of the diagnosis: what it found is taken, and nothing is searched twice.
                return {"diagnosis_ref": await blobs.put(snapshot.diagnosis), "decision": _ACCEPTED}
            line = at_line(snapshot.diagnosis, str(value), snapshot.program) if snapshot.diagnosis else None
            if line is not None:
                return {"diagnosis_ref": await blobs.put(line), "decision": _ACCEPTED}
            if snapshot.diagnosis is None or str(value).strip() not in labels:
                there = _places_there(labels) if labels else "Only a diagnosis of the search has places."
                raise InputError(f"There is no place {one_line(str(value), 40)!r} here.", there)
            chosen = at_place(snapshot.diagnosis, str(value).strip())
            return {"diagnosis_ref": await blobs.put(chosen), "decision": _ACCEPTED}
        case "avoid":
            texts = value if isinstance(value, list) else [str(value)]
            if texts == [NOTHING_CLOSED]:
                return {"avoid": []}
            return {"avoid": with_avoided(snapshot.avoid, avoided(texts, snapshot.program))}
        case "feedback":
            note = str(value).strip()[:NOTE_LIMIT]
            if not note:
                raise InputError("The feedback is empty.", "Say what the next attempt should know.")
            return {"feedback": [*snapshot.feedback, note]}
        case "spec":
            return {"spec_ref": await blobs.put_text(str(value).strip())}
        case "group":
            return {"turn": _turn(snapshot, count_of(name, value)), "decision": _ACCEPTED, "candidates": {}}
        case "take_in":
            aside = taken_in(snapshot.aside, listed(value))
            update = {"set_aside_ref": await blobs.put(aside) if aside else "", "decision": _ACCEPTED}
            update["best"] = None  # it counted fewer cases
            return update | {"candidates": {}}
        case "wrong":
            return await with_told(blobs, snapshot, value)
        case "lessons" if isinstance(value, bool) or value in ("on", "off"):
            return {"policy": cast(Any, {**snapshot.policy, name: policy_value(name, value)})}
        case "lessons":
            return {"lessons": _lessons(value)}
        case "revoke":
            if value not in (names := [rule["name"] for rule in snapshot.rules]):
                raise InputError(f"There is no {value!r} here.", f"There are: {', '.join(names) or 'no rules'}.")
            return {"rules": [rule for rule in snapshot.rules if rule["name"] != value]}
        case _ if name in POLICY_FIELDS:
            return {"policy": cast(Any, {**snapshot.policy, name: policy_value(name, value)})}
        case "afresh":
            # Never used before, so that what was recorded on any branch cannot answer.
            return {"afresh": secrets.token_hex(4)} if _is_yes(name, value) else {}
        case "model":
            models = {**snapshot.models, **_models(value)}
            if snapshot.mode == "spec" and not snapshot.program:
                check_writers(models)
            return {"models": models}
        case "max_iterations" | "max_tokens" | "max_calls":
            return {"limits": cast(RunLimits, {**snapshot.limits, name: count_of(name, value)})}
        case "max_cost_usd" | "max_time_s":
            return {"limits": cast(RunLimits, {**snapshot.limits, name: amount_of(name, value)})}
        case "autonomy" if value in AUTONOMIES:
            return {"autonomy": cast(Any, value)}
    raise InputError(f"{value!r} is no autonomy.", f"There are: {', '.join(AUTONOMIES)}.")


def _is_first(diagnosis: Diagnosis, text: str) -> bool:
    """Tell whether a place is the one that the diagnosis names first: `1`, `shop.py:8`."""
    first = diagnosis["evidence"][0]
    return text in ("1", f"{first['file']}:{first['line']}")


def _turn(snapshot: Snapshot, number: int) -> GroupTurn:
    groups = failing_groups(snapshot)
    if number > len(groups):
        how_many = "is 1 group" if len(groups) == 1 else f"are {len(groups)} groups"
        raise InputError(f"There is no group {number}.", f"There {how_many} of failing cases here.")
    return group_turn(groups[number - 1], picked=True)


def _is_yes(name: str, value: Any) -> bool:
    word = str(value).strip().lower()
    if word not in (*_YES, *_NO):
        raise InputError(f"{name} cannot be {value!r}.", "Give yes or no.")
    return word in _YES


def _lessons(value: Any) -> list[str]:
    lines = value if isinstance(value, list) else str(value).splitlines()
    lessons = [str(line).strip().removeprefix("- ")[:NOTE_LIMIT] for line in lines if str(line).strip()]
    if len(lessons) > LESSONS_KEPT:
        raise InputError(f"There can be at most {LESSONS_KEPT} lessons.", "Leave the best.")
    return lessons


def _places_there(labels: Sequence[str]) -> str:
    if len(labels) == 1:
        return "There is place 1 only. Another way, as an example: avoid=line:FILE:N, or autonomy=full_auto"
    return f"There are: {', '.join(labels)}."


def _check(problems: list[Any]) -> None:
    if problems:
        raise InputError(f"The value cannot be used: {problems[0].field} {problems[0].message}.")


def _models(value: Any) -> dict[str, str]:
    models = dict(value) if isinstance(value, Mapping) else {"*": str(value)}
    for role, spec in models.items():
        if role != "*":
            check_role(role)
        check_model(spec)
    return models
