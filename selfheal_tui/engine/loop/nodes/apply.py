"""Node: carry the decision on a repair out, in the session's copy; write it into the record either way."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, cast

from langgraph.runtime import Runtime

from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.search.hunt.candidates import changes_key, shape_of
from selfheal_tui.search.weigh.equal_values import are_equal
from selfheal_tui.steps import call_words
from selfheal_tui.store.blobs import Blobs
from selfheal_tui.text import one_line

from ...moment.gist import LONGEST, refused_words, taken_words
from ...moment.lessons import edited_summary
from ...moment.review import UNKNOWN, Decision
from ...moment.state import Diagnosis, HealState, Question, Record, Repair
from ...moment.steering import Avoid
from ...moment.sureness import unsure_of_taken
from ...moment.together import joined_repair
from ...moment.unsettled import unsettled_by
from ...moment.workspace import Workspace, load_workspace, unified_diff
from ...suites.answers import answers_suite
from ...workshop.deps import Deps
from ...workshop.rehearsal import Rehearsal
from ...workshop.searched import touched_of
from ...workshop.taken import taken_record
from ...workshop.taken_steps import taken_steps
from ...workshop.trusted import doubts_about, doubts_of_person

_KNOWN_OF_CODE = ("confidence", "answers", "marks")
"""What the search knows of a program, whatever its comments."""


async def apply(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Apply an approved or edited repair and end the iteration; of a rejected one write only the record.

    An edit is rehearsed, as the proposal was: the next attempt reads what it did to the cases.
    """
    blobs, decision = runtime.context.blobs, cast(Decision, state["decision"])
    edited = cast(dict[str, Any], await blobs.get(decision["value_ref"])) if decision["verdict"] == "edit" else {}
    if "answer" in edited:
        return await _answered(state, blobs, str(edited["answer"]))
    candidates = {label: cast(Repair, await blobs.get(ref)) for label, ref in state["candidates"].items()}
    repair = candidates[decision["pick"] or "1"]
    refused = decision["verdict"] == "reject"
    workspace = await load_workspace(blobs, state)
    going = _going(repair, candidates.values(), decision.get("avoid", ()), workspace) if refused else [repair]
    keys = [one["key"] for one in going]
    edit = declined = doubt = ""
    proposed, proposed_summary = repair, repair["summary"]
    same: Repair | None = None
    if decision["verdict"] == "edit":
        now = {**workspace.test_texts, **workspace.program_texts}
        unchanged = {path: now[path] for path in repair["changes"] if path in now}
        edit = unified_diff(repair["changes"], {**repair["changes"], **unchanged, **edited["changes"]})
        declined = edited.get("declined", "")
        own: Repair = {
            "summary": edited_summary(proposed_summary, in_part=bool(declined)),
            "changes": edited["changes"],
            "strategy": "human",
            "by": "human",
            **({"of_test": True} if repair.get("of_test") else {}),  # type: ignore[typeddict-item]
        }
        before = cast(SuiteReport, await blobs.get(state["report_ref"]))
        repair = await Rehearsal(runtime.context, state, workspace, before, runtime.stream_writer).run(own)
        keys = [repair["key"]]
        same = None if declined else _same_code(edited["changes"], [proposed, *candidates.values()], now)
        if same is not None:
            known = {name: same[name] for name in _KNOWN_OF_CODE if name in same}  # type: ignore[literal-required]
            repair = cast(Repair, {**repair, **known})
    elif together := decision.get("together"):
        repair = await _joined(runtime.context, state, candidates, together)
        keys = [repair["key"]]
    record: Record = {
        "prev": state.get("head", ""),
        "iteration": state["iteration"],
        "repair_ref": await blobs.put(repair),
        "changes_ref": await blobs.put(repair["changes"]),
        "verdict": decision["verdict"],
        "note": decision["note"],
        "by": decision["by"],
        "keys": keys,
        **({"refused": [changes_key(one["changes"]) for one in going]} if refused else {}),  # type: ignore[typeddict-item]
        **({"of_place": True} if refused and decision.get("avoid") else {}),  # type: ignore[typeddict-item]
        **({"comments": decision["comments"]} if decision.get("comments") else {}),  # type: ignore[typeddict-item]
        **({"edit": edit} if edit else {}),  # type: ignore[typeddict-item]
        **({"proposed_summary": proposed_summary} if decision["verdict"] == "edit" else {}),  # type: ignore[typeddict-item]
        **({"declined": declined} if declined else {}),  # type: ignore[typeddict-item]
    }
    labels = decision.get("together") or [decision["pick"] or "1"]
    several = len(workspace.program) > 1
    if not refused:
        diagnosis = cast(Diagnosis, await blobs.get(ref)) if (ref := state.get("diagnosis_ref")) else None
        now = {**workspace.test_texts, **workspace.program_texts}
        record["taken"] = taken_record(
            repair,
            diagnosis,
            now,
            failing=state.get("failed", 0),
            several=several,
            proposed=proposed if declined else None,
        )
        if "confidence" in repair:
            record["taken"]["confidence"] = repair["confidence"]
        if steps := await taken_steps(runtime.context, workspace, repair, diagnosis, failing=state.get("failed", 0)):
            record["taken"]["steps"] = steps
        if decision["by"] != "human":
            passed_over = state.get("withheld", "") if decision["pick"] not in ("", "1") else ""
            doubt = doubts_about(repair, passed_over, first=candidates["1"], several=several)
        elif decision["verdict"] == "approve" or declined or same:  # What a person wrote is theirs.
            in_part, with_marks = bool(declined), state["autonomy"] == "full_auto"
            taken, taken_from = same or repair, [same] if same else [candidates[one] for one in labels]
            unsure = unsure_of_taken(taken, taken_from, candidates.values(), in_part=in_part)
            doubt = doubts_of_person(
                taken, unsure, with_marks=with_marks, proposed=same or proposed, in_part=in_part, several=several
            )
        if doubt:
            record["taken"]["doubt"] = doubt
    head = await blobs.put(record)
    if refused:
        gist = refused_words(going, workspace)
        return {**_after_refusal(state, decision["by"]), "head": head, "gist": gist}
    label = " + ".join(labels)
    question = cast(Question, await blobs.get(state["question_ref"])) if state.get("question_ref") else None
    return {
        "unsettled": unsettled_by(question, repair),
        "doubts": [*state.get("doubts", []), *([doubt] if doubt else [])],
        "gist": taken_words(repair, label, workspace, edited=decision["verdict"] == "edit", in_part=bool(declined)),
        "head": head,
        "iteration": state["iteration"] + 1,
        "attempt": 0,
        "feedback": [],
        "empty_rounds": [],
        "candidates": {},
        "repeats": 0,
        "repeated": "",
        **(await _taken(state, blobs, repair)),
    }


def _same_code(changes: Mapping[str, str], candidates: Iterable[Repair], now: Mapping[str, str]) -> Repair | None:
    """Return the candidate that an edit is but for comments and form: whoever adds a comment takes that candidate."""

    def shape(one: Mapping[str, str], paths: Collection[str]) -> str | None:
        return shape_of({path: one.get(path, now.get(path, "")) for path in paths})

    for one in candidates:
        paths = {path for path in (*changes, *one["changes"]) if path.endswith(".py")}
        own = shape(changes, paths) if {*changes, *one["changes"]} <= paths else None
        if own is not None and own == shape(one["changes"], paths):
            return one
    return None


def _going(repair: Repair, candidates: Iterable[Repair], avoid: Sequence[Avoid], workspace: Workspace) -> list[Repair]:
    """Return the repairs that a rejection of one is about: all of them, or those at the places that it closes."""
    others = [one for one in candidates if one is not repair]
    if avoid and all(one["what"] != "data" for one in avoid):
        others = [one for one in others if touched_of(avoid, workspace.files, one["changes"])]
    return [repair, *others]


async def _joined(deps: Deps, state: HealState, candidates: Mapping[str, Repair], labels: Sequence[str]) -> Repair:
    """Return several candidates as one repair, rehearsed as one program. Raises: SandboxError."""
    workspace = await load_workspace(deps.blobs, state)
    now = {**workspace.test_texts, **workspace.program_texts}
    before = cast(SuiteReport, await deps.blobs.get(state["report_ref"]))
    return await Rehearsal(deps, state, workspace, before).run(joined_repair(now, candidates, labels))


async def _answered(state: HealState, blobs: Blobs, answer: str) -> HealState:
    """Make a case of the right answer, or note that it is not known; then the suite runs again."""
    question = cast(Question, await blobs.get(state["question_ref"]))
    if answer == UNKNOWN:
        unknown = [*state.get("unknown", []), question["call"]]
        gist = one_line(f"{call_words(question['call'])}: you do not know", LONGEST)
        return {"candidates": {}, "question_ref": "", "again": True, "unknown": unknown, "gist": gist}
    answers = [*state.get("answers", []), [question["call"], answer]]
    workspace = await load_workspace(blobs, {**state, "suites": _without_answers(state)})
    suite = answers_suite(answers, workspace.program_texts, workspace.files, workspace.test_texts)
    suites = {**_without_answers(state), **({"answers": await blobs.put(suite)} if suite else {})}
    gist = one_line(f"{call_words(question['call'])} is {answer}", LONGEST)
    update: HealState = {"candidates": {}, "question_ref": "", "again": True}
    listed = state.get("candidates", {})
    first = cast(Repair, await blobs.get(listed["1"])) if "1" in listed else None
    given = first.get("answers", {}).get(question["call"]) if first is not None else None
    if given is not None and not are_equal(given, answer):
        update["misjudged"] = state.get("misjudged", 0) + 1
    if (unsettled := state.get("unsettled")) and unsettled["call"] == question["call"]:
        update["unsettled"] = None
    return {**update, "gist": gist, "answers": answers, "suites": suites}


def _without_answers(state: HealState) -> dict[str, str]:
    return {kind: ref for kind, ref in state.get("suites", {}).items() if kind != "answers"}


async def _taken(state: HealState, blobs: Blobs, repair: Repair) -> HealState:
    """Return the changed program, or the changed suites when the repair is one of a generated test."""
    if not repair.get("of_test"):
        changes = {path: await blobs.put_text(text) for path, text in repair["changes"].items()}
        return {"changes": {**state.get("changes", {}), **changes}}
    suites = dict(state.get("suites", {}))
    for kind, ref in suites.items():
        files = await blobs.get(ref)
        mended = {path: text for path, text in repair["changes"].items() if path in files}
        if mended:
            suites[kind] = await blobs.put({**files, **mended})
    # The best so far was counted by other tests.
    return {"suites": suites, "best": None}


def _after_refusal(state: HealState, by: str) -> HealState:
    """A human may refuse as often as they like; the policy's refusals count as iterations, so they end."""
    if by == "human":
        return {"candidates": {}}
    iteration, most = state["iteration"] + 1, state["limits"]["max_iterations"]
    update: HealState = {
        "iteration": iteration,
        "candidates": {},
    }
    if iteration >= most:
        update |= {"outcome": "gave_up", "reason": f"No repair helped in {most} iterations."}
    return update
