"""The question a run stops with and the decision that answers it; `ask()` is the only caller of interrupt()."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict, cast

from .steering import Avoid

ReviewKind = Literal["code", "tests", "diagnosis", "repair", "budget", "stalled", "end"]
Verdict = Literal["approve", "edit", "reject", "stop"]
VERDICTS: tuple[Verdict, ...] = ("approve", "edit", "reject", "stop")
UNKNOWN = "?"
"""The answer to a question about a call of a human who does not know: no case is made, and it is not asked again."""


class ReviewRequest(TypedDict):
    """What is asked; it is stored with the checkpoint, whose state holds the rest."""

    kind: ReviewKind
    iteration: int
    proposal_ref: NotRequired[str]
    """In sessions of before only: the Diagnosis, the Repair ranked first, or what else the kind is about."""
    evidence_refs: NotRequired[dict[str, str]]
    """In sessions of before only: name -> ref of what the decision rests on."""


class Comment(TypedDict):
    """What the user wrote at a line of what a question shows."""

    path: str
    line: int
    """1-based, in the file as it is proposed; with `removed`, in the file as it was before."""
    text: str
    """One line of at most COMMENT_LIMIT characters."""
    quoted: NotRequired[str]
    """The line itself, shortened; filled in where it is not given."""
    removed: NotRequired[bool]
    """The line is one that the change takes away."""
    pick: NotRequired[str]
    """Label of the candidate whose change was commented; absent where there are no candidates."""


OF_TESTS = "tests"
"""The `part` of an unsent text that is a test file: it is sent with a fork, not with an answer."""
OF_CODE = "code"
"""The `part` of an unsent text that is the program, written by hand: it is sent with a fork too."""


class UnsentText(TypedDict):
    """What the user wrote in an editor or a form, and did not send."""

    label: str
    """Of which candidate or place, by its label; of a test file its path. Empty where there are no candidates."""
    part: str
    """OF_TESTS, OF_CODE, or of which hunks, by a hash of their text; empty for all of them."""
    texts: dict[str, str]
    """Path -> text, where that is not as in the program; of a form name of the field -> text."""
    of: NotRequired[str]
    """Which hunks, or which candidates together, in words: `hunk 1`. Absent for all, and in sessions of before."""


class UnsentChoice(TypedDict):
    """What the user chose of a candidate, and did not send."""

    label: str
    left_out: NotRequired[list[int]]
    """Numbers of the hunks that are left out; empty where all were taken back; absent where none was touched."""
    marked: NotRequired[bool]
    """It is to be taken together with others."""


class Decision(TypedDict):
    """The answer to a review."""

    verdict: Verdict
    value_ref: str
    """With edit: ref of the edited Diagnosis or Repair. With approve of a diagnosis's other place: ref of the diagnosis
    for it. With approve of a repair: label of the one chosen, as `pick`. Else empty."""
    pick: str
    """Label of the candidate, or number of the place, that was approved or edited; empty means the first."""
    note: str
    """Reason or remark, at most NOTE_LIMIT characters; reaches the next attempt."""
    by: str
    """`human`, `policy`, or the name of a rule (`rule 1`)."""
    agent: NotRequired[str]
    """Name of the agent that answered in the human's place, who allowed it; absent where they answered themselves."""
    changes: NotRequired[dict[str, str]]
    """With edit of the first code: path -> content ref of the edited files."""
    edited: NotRequired[str]
    """With edit of anything but a repair: what was edited, in a few words."""
    answered: NotRequired[str]
    """With edit that answers the question beside a proposal: the answer; the proposal is not edited."""
    together: NotRequired[list[str]]
    """With approve of several repairs at once: their labels, of which `pick` is the first."""
    rule_lines: NotRequired[int]
    """With approve of a repair: from now on approve such repairs up to this many changed lines; 0 for none."""
    avoid: NotRequired[list[Avoid]]
    """With reject: what the search leaves as it is from here on."""
    comments: NotRequired[list[Comment]]
    """What the user wrote at lines; reaches the next attempt with the note."""


TRIED = "Tried: "
"""How a line of a note begins that holds what came of a try."""
NOTE_LIMIT = 2000
COMMENT_LIMIT = 500
MOST_COMMENTS = 40
"""Comments that go with one decision."""


class Answer(TypedDict, total=False):
    """What a user interface hands to `Session.decide`: bodies instead of refs."""

    verdict: Verdict
    value: dict[str, Any] | None
    """With edit: a whole Diagnosis, `{"changes": {path: text}}` for a repair, code or tests, `{"hunks": [1, 3]}` for
    some hunks of the candidate `pick`; limits for a budget."""
    pick: str
    note: str
    together: list[str]
    """With approve of a repair: labels of several candidates that are taken as one."""
    rule_lines: int
    """With approve of a repair: let the policy approve such repairs up to this many changed lines from now on."""
    avoid: list[str]
    """With reject: what the search is to leave as it is from here on: `function:NAME`, `line:FILE:N`, `data`."""
    comments: list[Comment]
    agent: str
    """Name of the agent that answers in the human's place; absent where they answer themselves."""


def approve(pick: str = "", note: str = "") -> Answer:
    """Accept the proposal, or the candidate labelled `pick`."""
    return {"verdict": "approve", "value": None, "pick": pick, "note": note}


def edit(value: dict[str, Any], note: str = "", pick: str = "") -> Answer:
    """Accept the user's own version, of the candidate labelled `pick`."""
    return {"verdict": "edit", "value": value, "pick": pick, "note": note}


def reject(note: str, avoid: Sequence[str] = ()) -> Answer:
    """Refuse; the note is the reason and reaches the next attempt, `avoid` is what the search leaves as it is."""
    answer: Answer = {"verdict": "reject", "value": None, "pick": "", "note": note}
    return {**answer, "avoid": list(avoid)} if avoid else answer


def stop(note: str = "") -> Answer:
    """End the run here, unhealed."""
    return {"verdict": "stop", "value": None, "pick": "", "note": note}


def ask(request: ReviewRequest) -> Decision:
    """Stop the run with this question; return the decision when it is resumed.

    A node that calls this runs again from its start on resume, so it does nothing else.
    """
    from langgraph.types import interrupt

    return cast(Decision, interrupt(request))
