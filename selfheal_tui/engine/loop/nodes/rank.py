"""Node: the tournament. Joins what the strategies rehearsed, leaves out what was tried, orders the rest."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import cast

from langgraph.runtime import Runtime

from selfheal_tui.store.tried import Settled
from selfheal_tui.text import one_line

from ...moment.events import Noticed
from ...moment.failures import read_failures
from ...moment.gist import LONGEST, round_words
from ...moment.state import FEEDBACK_KEPT, HealState, Record, Repair, iteration_of
from ...moment.workspace import load_workspace
from ...workshop.deps import Deps
from ...workshop.rank import changed_lines, left_out_words, rank_repairs
from ...workshop.rehearsal import key_with
from ...workshop.role_context import person_took_part
from ...workshop.trusted import taken_unseen
from .common import role_context, took
from .opinions import with_opinion


async def rank(state: HealState, runtime: Runtime[Deps]) -> HealState:
    """Rank the round; a round without anything new is a failed iteration."""
    started, blobs = time.monotonic(), runtime.context.blobs
    repairs = [
        cast(Repair, await blobs.get(ref)) for _, ref in sorted((state.get("proposed") or {}).items(), key=_order)
    ]
    tried = await _tried(runtime.context, state.get("head", ""), {repair["key"] for repair in repairs})
    workspace = await load_workspace(blobs, state)
    present = key_with(workspace, {})
    new: dict[str, Repair] = {}
    for repair in repairs:
        if repair["key"] not in tried and repair["key"] != present:
            new.setdefault(repair["key"], repair)
    update: HealState = {"decision": None, "proposed": None}  # type: ignore[typeddict-item]
    if not new:
        return update | _empty_round(state, [_repetition(repair, tried, present) for repair in repairs])
    if words := left_out_words([repair["key"] for repair in repairs], tried, present):
        runtime.stream_writer(Noticed(words))
    ranked = rank_repairs(list(new.values()), state["autonomy"] == "full_auto" or bool(state.get("rules")))
    first = ranked[0]
    refs = {str(n): await blobs.put(repair) for n, repair in enumerate(ranked, 1)}
    clean = first["report"]["verdict"] == "passed" and not first["breaks"] and not first.get("of_test")
    needs_surety = await person_took_part(runtime.context, state.get("head", ""))
    question = next((repair["question"] for repair in ranked if "question" in repair), None)
    spent = None
    if question := question if len(ranked) > 1 else None:
        question, spent = await with_opinion(await role_context(state, runtime), question)
    unseen, withheld = taken_unseen(ranked, question, needs_surety=needs_surety)
    return update | {
        "question_ref": await blobs.put(question) if question else "",
        "gist": round_words(ranked, workspace),
        "candidates": refs,
        "gain": len(first["fixes"]) - len(first["breaks"]),
        "clean_lines": changed_lines(first) if clean and not withheld else 0,
        "unseen": unseen,
        "withheld": withheld,
        "rehearsed": state.get("rehearsed", 0) + len(ranked),
        "repeats": 0,
        "repeated": "",
        **({"spent": took(started, spent)} if spent else {}),
    }


def _order(proposed: tuple[str, str]) -> list[object]:
    """Sort `search 2` before `search 10`: each strategy's own order decides between equals."""
    return [(0, int(word), "") if word.isdigit() else (1, 0, word) for word in proposed[0].split()]


async def _tried(deps: Deps, head: str, keys: Collection[str]) -> dict[str, int]:
    """Return key -> iteration of those programs that were taken or refused on this line, however long ago."""
    unlisted, ref = list[Settled](), head
    while ref and not await deps.tried.has(ref):
        record = cast(Record, await deps.blobs.get(ref))
        unlisted.append(Settled(ref, record["prev"], iteration_of(record), record["keys"]))
        ref = record["prev"]
    await deps.tried.add(unlisted)
    return await deps.tried.on_line(head, keys)


def _repetition(repair: Repair, tried: Mapping[str, int], present: str) -> str:
    """Say of which program a repair is the same again; `present` is the key of the program as it is."""
    if repair["key"] == present:
        return f"The repair changes nothing but comments or formatting: {repair['summary']}"
    where = f"iteration {tried[repair['key']]} on this branch"
    return f"Proposed again what was tried before: {repair['summary']} ({where})."


def _empty_round(state: HealState, repeated: list[str]) -> HealState:
    """Nothing to review: say why, count the iteration, and end where nothing can come of another."""
    failures = read_failures(state.get("failures")).values()
    same = [failure["why"] for failure in failures if failure.get("unchanged") or failure.get("unreadable")]
    repeated = [*repeated, *same]
    final = [failure["why"] for failure in failures if failure["final"]]
    if final and len(final) == len(state["round"]) and not repeated:
        return {"gist": one_line(final[0], LONGEST), "candidates": {}, "outcome": "gave_up", "reason": final[0]}
    repeats = state.get("repeats", 0) + bool(repeated)
    why = repeated[0] if repeated else " ".join(failure["why"] for failure in failures)
    iteration, most = state["iteration"] + 1, state["limits"]["max_iterations"]
    update: HealState = {
        "gist": one_line(why, LONGEST),
        "candidates": {},
        "iteration": iteration,
        "empty_rounds": [*state.get("empty_rounds", []), why][-FEEDBACK_KEPT:],
        "repeats": repeats,
        "repeated": why if repeated else state.get("repeated", ""),
    }
    if iteration >= most:
        update |= {"outcome": "gave_up", "reason": f"{why} That was iteration {iteration} of {most}."}
    return update
