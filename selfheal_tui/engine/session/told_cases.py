"""What the user says of a program at a moment where they were not asked, or where it was over: it becomes a case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.store.blobs import Blobs

from ..moment.review import UNKNOWN, Decision
from ..moment.snapshot import Snapshot
from ..moment.state import HealState
from ..suites.answers import answer_problem, answers_suite
from ..suites.told import answer_text, told_answers
from .test_changes import listed

_ACCEPTED: Decision = {"verdict": "edit", "value_ref": "", "pick": "", "note": "", "by": "human"}


async def with_told(blobs: Blobs, snapshot: Snapshot, value: Any) -> HealState:
    """Return the update that holds what the user says: sentences as `f(3) should be 5`, or {"call", "answer"}.

    The second is the answer to a question that an end left open, a repr, `!Name` or `?` where the user does not know.
    Raises: InputError for what cannot become a case, and for a call that was settled otherwise before.
    """
    update: HealState = {"decision": _ACCEPTED, "candidates": {}, "question_ref": "", "unsettled": None}
    update["best"] = None  # it counted fewer cases
    if isinstance(value, Mapping):
        call, answer = str(value["call"]), str(value["answer"]).strip()
        if answer == UNKNOWN:
            return update | {"unknown": [*snapshot.unknown, call]}
        if why := answer_problem(answer, snapshot.program, snapshot.tests):
            raise InputError(f"The answer {why}.")
        told, volunteered = [[call, answer]], 0
    else:
        others = {path: text for path, text in snapshot.tests.items() if snapshot.origins.get(path) != "answers"}
        told = told_answers(listed(value), snapshot.program, others)
        volunteered = len(told)
    settled = dict(snapshot.answers)
    for call, _ in told:
        if call in settled:
            raise InputError(
                f"You have said already what {call} should be: {answer_text(settled[call])}.",
                "Go back to before that (u), and say it otherwise there.",
            )
    answers = [*([call, text] for call, text in snapshot.answers), *told]
    kinds = {kind: "" for kind in snapshot.origins.values() if kind != "answers"}
    suites = {
        kind: await blobs.put({path: snapshot.tests[path] for path, of in snapshot.origins.items() if of == kind})
        for kind in kinds
    }
    taken = {*snapshot.program, *snapshot.tests} - {p for p, of in snapshot.origins.items() if of == "answers"}
    suite = answers_suite(answers, snapshot.program, taken, snapshot.tests)
    volunteered += snapshot.volunteered
    more: HealState = {"suites": {**suites, "answers": await blobs.put(suite)}, "answers": answers}
    return update | more | {"volunteered": volunteered, "outcome": "", "reason": ""}
