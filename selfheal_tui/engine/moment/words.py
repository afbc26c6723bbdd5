"""The words that the app, the command line and exports share: decisions, reports, bills. Pure.

Who shows them adds glyphs and colours. What a node is called stands in `node_facts.py`, what an event says in
`event_words.py`, and what an outcome is called in `text.py`: the list of sessions is drawn before the engine is there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from selfheal_tui.sandbox.base import NOT_JUDGED_AGAIN
from selfheal_tui.text import one_line, plural, price_words, short_number

from .review import TRIED, Decision
from .snapshot import Snapshot
from .state import RunLimits, Spent
from .steering import avoid_words

_MOST_FAILING = 3
_ITERATION = re.compile(r"^iteration \d+ ")
VERDICTS = {"approve": "approved", "edit": "edited", "reject": "rejected", "stop": "stopped"}
"""Verdict -> what was done."""


def decider(by: str, human: str = "you") -> str:
    """Say who decided: the human, the autonomy's policy, or a rule by its name."""
    return {"human": human, "policy": "the run's autonomy"}.get(by, by)


def decided_by(decision: Mapping[str, Any]) -> str:
    """Return who decided, as `decider` takes it: what `by` says, or the agent that answered in the human's place."""
    agent = one_line(str(decision.get("agent", "")), 60)
    return f"agent {agent}" if agent else str(decision.get("by", ""))


def verdict_word(decision: Mapping[str, Any]) -> str:
    """Say what was done with a proposal; an answer to the question beside it does nothing with it."""
    verdict = str(decision.get("verdict", ""))
    return "answered" if decision.get("answered") else VERDICTS.get(verdict, verdict)


def decision_words(decision: Mapping[str, Any], human: str = "you") -> str:
    """Say who decided what: `approved by you`, `approved by you (1, 3 together)`."""
    labels = decision.get("together") or ""
    together = labels if isinstance(labels, str) else ", ".join(labels)
    who = decider(decided_by(decision), human)
    return f"{verdict_word(decision)} by {who}" + (f" ({together} together)" if together else "")


def decision_line(decision: Mapping[str, Any]) -> str:
    """Say who decided what, and the reason: `rejected by you: too long`."""
    reason = decision_reason(decision)
    return decision_words(decision) + (f": {reason}" if reason else "")


def decision_reason(decision: Mapping[str, Any]) -> str:
    """Say what was edited, the reason, and how many lines were commented: `too long · 2 comments`."""
    comments = decision.get("comments") or 0
    count = len(comments) if isinstance(comments, list) else int(comments)
    note = one_line(str(decision.get("note", "")).replace(f"\n{TRIED}", f" · {TRIED}"))
    edited = one_line(str(decision.get("edited", "")))
    return " · ".join([*(words for words in (edited, note) if words), *([plural(count, "comment")] if count else [])])


class NoteParts(NamedTuple):
    """What a decision's note holds, told apart."""

    chosen: str
    """What was chosen to be left alone: `not in merge`."""
    reason: str
    """The human's own words."""
    tries: list[str]
    """What came of tries that went with the answer."""
    commented: str
    """What is left alone because a line of it was commented on."""


def note_parts(decision: Decision) -> NoteParts:
    """Tell a note's parts apart: choices that are read as its first line, a reason, results of tries."""
    lines = decision["note"].splitlines()
    tries = [line.removeprefix(TRIED) for line in lines if line.startswith(TRIED)]
    reason = "\n".join(line for line in lines if not line.startswith(TRIED))
    avoid = decision.get("avoid", [])
    chosen = next((n for n in range(len(avoid), 0, -1) if avoid_words(avoid[:n]) == reason), 0)
    if chosen:
        reason = ""
    elif not decision.get("comments"):
        chosen = len(avoid)
    return NoteParts(avoid_words(avoid[:chosen]), reason, tries, avoid_words(avoid[chosen:]))


def verified_words(report: Mapping[str, Any] | None) -> str:
    """Say that a pass does not rest on the program's word; empty where it does."""
    is_verified = report and report["verdict"] == "passed" and report["trust"] == "verified"
    return "verified: tests and program ran in two processes" if is_verified else ""


def ran_before_words(where: str) -> str:
    """Say that a repair's result is that of an earlier run of the very same program, `iteration 1 on main`.

    The number is left out: a repair that was not taken has none that the user saw.
    """
    return f"tried before, {_ITERATION.sub('', where).strip('()')}: its result is shown, no test ran again"


def not_verified_words(report: Mapping[str, Any] | None) -> str:
    """Return why a pass rests on the program's word; empty where none is claimed, and where it is verified."""
    return str(report["not_verified"] or "") if report and report["verdict"] == "passed" else ""


def not_verified_line(report: Mapping[str, Any] | None) -> str:
    """Say that a pass rests on the program's word, and why: `not verified: ...`; empty as `not_verified_words`."""
    doubt = not_verified_words(report)
    return doubt if not doubt or doubt.startswith(NOT_JUDGED_AGAIN) else f"not verified: {doubt}"


def report_line(report: Mapping[str, Any]) -> str:
    """Say how the cases of a suite ended: `3 passed, 1 failed`."""
    if report["error"]:
        return f"the suite could not run: {one_line(report['error'], 300)}"
    names = (("failed", "failed"), ("errors", "broken"), ("timeouts", "timed out"), ("skipped", "skipped"))
    return ", ".join(
        [f"{report['passed']} passed", *(f"{report[name]} {word}" for name, word in names if report[name])]
    )


def left_out_words(report: Mapping[str, Any]) -> str:
    """Say how many failing cases of the project a session leaves alone: `2 other failing cases were left out.`"""
    count = report.get("left_out", 0)
    return f"{plural(count, 'other failing case')} {'was' if count == 1 else 'were'} left out." if count else ""


def still_failing_words(report: Mapping[str, Any] | None, waiting: int = 0) -> str:
    """Name the cases that do not pass: `2 cases still fail: test_a, test_b`; empty where all do, or none ran.

    `waiting` counts failing cases of other groups, of which the newest run has none.
    """
    cases = [one_line(str(case["id"]).rpartition("::")[2], 60) for case in failing_cases(report)] if report else []
    more = f" and {len(cases) - _MOST_FAILING} more" if len(cases) > _MOST_FAILING else ""
    verb = "fails" if len(cases) == 1 else "fail"
    others = f"{waiting} of other groups {'was' if waiting == 1 else 'were'} not run again" if waiting else ""
    words = f"{plural(len(cases), 'case')} still {verb}: {', '.join(cases[:_MOST_FAILING])}{more}" if cases else ""
    return f"{words}; {others}" if words and others else words or others


def tried_words(snapshot: Snapshot) -> str:
    """Count the repairs that were shown to choose from: `5 candidates proposed`; in sessions of before, iterations.

    "Tried" is the word for the edits of the search, of which there are thousands.
    """
    count = snapshot.rehearsed or snapshot.iteration
    return f"{plural(count, 'candidate')} proposed" if count else "no candidate proposed"


def failing_cases(report: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the cases that neither passed nor were skipped."""
    return [case for case in report["cases"] if case["outcome"] not in ("passed", "skipped")]


def bill_line(spent: Mapping[str, Any]) -> str:
    """Say what was spent: calls, tokens in and out, money, time, as far as the mapping knows them."""
    parts = [plural(spent["calls"], "call")] if "calls" in spent else []
    if spent.get("replayed_calls"):
        parts.append(f"{spent['replayed_calls']} from the ledger")
    parts.append(f"{spent['input_tokens']:,} + {spent['output_tokens']:,} tokens")
    parts.append(price_words(None if spent.get("unpriced_calls") else spent.get("cost_usd")))
    if "time_s" in spent:
        parts.append(f"{spent['time_s']:.1f} s")
    return ", ".join(parts)


def bill_words(spent: Spent, limits: RunLimits | None = None) -> str:
    """Say in one short phrase what was used, of each budget where one is set: `3 calls · 1.2k/20k tokens · $0.02`.

    Replayed calls cost nothing and say so.
    """
    budgets: Mapping[str, Any] = limits or {}
    calls, tokens, cost = budgets.get("max_calls"), budgets.get("max_tokens"), budgets.get("max_cost_usd")
    if not (spent["calls"] or spent["replayed_calls"] or calls or tokens or cost):
        return "no model calls"
    replayed = f" ({spent['replayed_calls']} replayed)" if spent["replayed_calls"] else ""
    used = short_number(spent["input_tokens"] + spent["output_tokens"])
    paid = price_words(spent["cost_usd"], 2)
    return " · ".join(
        [
            (f"{spent['calls']}/{calls} calls" if calls else plural(spent["calls"], "call")) + replayed,
            f"{used}/{short_number(tokens)} tokens" if tokens else f"{used} tokens",
            f"{paid}/${cost:.2f}" if cost else paid,
        ]
    )


def not_searched_words(paths: Sequence[str]) -> str:
    """Say that failing cases run files that were not searched; empty for no paths."""
    if not paths:
        return ""
    named = ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
    was, it = ("was", "it") if len(paths) == 1 else ("were", "them")
    return f"{named} {was} not searched, and the failing cases run {it}."
