"""What is told of a moment in words: how the diagnosis came about, what has been learnt; pure text builders."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from selfheal_tui.engine.moment.closed import still_closed
from selfheal_tui.engine.moment.comments import comment_line
from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import iteration_of
from selfheal_tui.engine.moment.steering import avoid_words
from selfheal_tui.engine.moment.words import decision_words
from selfheal_tui.engine.suites.failing_groups import failing_lines
from selfheal_tui.text import one_line, plural, strip_controls

from ...view.words import counts
from ..cards.diagnosis import diagnosis_content, steps_content

_DIM = "$foreground 60%"


def diagnosis_story(snapshot: Snapshot) -> Content:
    """Return the diagnosis, the steps towards it, what was decided before, and what it was made from."""
    parts: list[Content] = [diagnosis_content(snapshot.diagnosis), steps_content(snapshot.debug_steps)]
    if snapshot.records:
        count_words = plural(len(snapshot.records), "repair")
        more = " (the timeline shows the earlier ones)" if snapshot.records[-1]["prev"] else ""
        parts.append(Content.styled(f"\n\n{count_words} decided, newest first{more}", _DIM))
        for record in snapshot.records:
            note = f"  “{one_line(record['note'])}”" if record["note"] else ""
            parts.append(Content(f"\n{iteration_of(record)}. {decision_words(record)}{note}"))
            parts += [Content(f"\n   ✎ {comment_line(comment)}") for comment in record.get("comments", ())]
    if counts(snapshot):
        parts.append(Content.styled(f"\n\nTests at this moment: {counts(snapshot)}", _DIM))
    for line in failing_lines(snapshot, snapshot.report):
        parts.append(Content(f"\n{line}"))
    if snapshot.spec.strip():
        parts += [Content.styled("\n\nSpec\n", _DIM), Content(strip_controls(snapshot.spec).strip())]
    return Content("").join(parts)


def lessons_story(snapshot: Snapshot) -> Content:
    """Return what the models are told beside the code: lessons, reasons, rules, answers and opinions."""
    rules = [f"{r['name']}: mends all, breaks none, at most {r['max_lines']} lines" for r in snapshot.rules]
    sections: list[tuple[str, str, Sequence[str]]] = [
        ("Learnt so far", "Nothing yet: each decided repair leaves a lesson.", snapshot.lessons),
        ("What you said", "", [f"“{note}”" for note in snapshot.feedback]),
        ("Rounds that brought nothing new", "", snapshot.empty_rounds),
        ("From other sessions", "None fits this task." if snapshot.policy["lessons"] else "", snapshot.offered),
        ("Rules in force", "None: A on a repair makes one.", rules),
        ("The search leaves alone", "", [avoid_words([one]) for one in still_closed(snapshot.avoid, snapshot.report)]),
        ("Right answers you gave", "", [f"{call} is {text}" for call, text in snapshot.answers]),
        ("Opinions of the critic", "", snapshot.opinions),
        ("Tests thrown out", "", snapshot.thrown_out),
        ("Cases you pinned", "", snapshot.pinned),
    ]
    parts: list[Content] = []
    for title, none, texts in sections:
        if not texts and not none:
            continue
        parts.append(Content.styled(("\n\n" if parts else "") + title, "bold $text-accent"))
        parts += [Content(f"\n· {strip_controls(text).strip()}") for text in texts]
        if not texts:
            parts.append(Content.styled(f"\n{none}", _DIM))
    return Content("").join(parts)
