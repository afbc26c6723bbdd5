"""The words and glyphs of the app: one place, so that no state is told by colour alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import one_line, plural, price_words

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.snapshot import Snapshot
    from selfheal_tui.engine.moment.state import RunLimits, Spent
    from selfheal_tui.sandbox.base import SuiteReport

OUTCOMES: dict[str, tuple[str, str, str]] = {
    "healed": ("✓", "healed", "$text-success"),
    "waiting": ("◆", "your decision", "$text-warning"),
    "running": ("▸", "unfinished", "$text-primary"),
    "": ("▸", "unfinished", "$text-primary"),
    "gave_up": ("✗", "gave up", "$text-error"),
    "stalled": ("≡", "stalled", "$text-error"),
    "budget": ("▪", "budget used up", "$text-error"),
    "damaged": ("!", "damaged", "$text-error"),
    "stopped": ("■", "stopped", "$foreground 60%"),
    "failed": ("!", "failed", "$text-error"),
}
"""Outcome -> glyph, word, style."""

NODES: dict[str, str] = {
    "start": "starting",
    "generate": "writing the code",
    "review_code": "code review",
    "run_suite": "running the tests",
    "diagnose": "looking for the cause",
    "review_diagnosis": "diagnosis review",
    "plan": "choosing strategies",
    "propose": "looking for repairs",
    "rank": "comparing the repairs",
    "review_repair": "repair review",
    "apply": "applying the repair",
    "write_spec_tests": "writing tests for the spec",
    "review_budget": "budget review",
    "settle_budget": "changing the budget",
    "review_tests": "review of the tests",
    "write_adversarial_tests": "reading the code with hostile eyes",
    "learn": "taking a lesson",
    "critique": "looking for what nobody checked",
    "security_review": "reviewing security",
    "quality": "reviewing quality",
    "review_end": "the last review",
    "review_stalled": "review of the repetition",
    "conclude": "ending",
}
"""Node -> what it does, to follow "is"."""

MOMENTS: dict[str, str] = {
    "start": "start",
    "generate": "code written",
    "review_code": "code decided",
    "run_suite": "tests ran",
    "diagnose": "diagnosis made",
    "review_diagnosis": "diagnosis decided",
    "plan": "strategies chosen",
    "propose": "repairs proposed",
    "rank": "repairs compared",
    "review_repair": "repair decided",
    "apply": "repair applied",
    "write_spec_tests": "tests written",
    "review_budget": "budget decided",
    "settle_budget": "budget changed",
    "review_tests": "tests decided",
    "write_adversarial_tests": "hostile tests written",
    "learn": "lesson taken",
    "critique": "criticised",
    "security_review": "security reviewed",
    "quality": "quality reviewed",
    "review_end": "end decided",
    "review_stalled": "repetition decided",
    "conclude": "end",
}
"""Node -> the moment after it."""

_VERDICTS = {"approve": "approved", "edit": "edited", "reject": "rejected", "stop": "stopped"}


def outcome_words(outcome: str) -> tuple[str, str, str]:
    """Return glyph, word and style; an unknown outcome shows as itself."""
    return OUTCOMES.get(outcome, ("·", outcome, "$foreground 60%"))


def decision_words(decision: Mapping[str, Any]) -> str:
    """Say who decided what: `approved by you`."""
    verdict = str(decision.get("verdict", ""))
    by = {"human": "you", "policy": "the run's autonomy"}.get(decision.get("by", ""), decision.get("by", ""))
    return f"{_VERDICTS.get(verdict, verdict)} by {by}"


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


def short_number(number: int) -> str:
    """Say a number in at most five characters: `950`, `1.2k`, `20k`, `3.4M`."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}".removesuffix(".0") + unit
    return str(number)


def time_words(seconds: float) -> str:
    """Say how long: `12 s`, `3 min 05 s`, `2 h 07 min`; empty below a second."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s" if whole else ""
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def role_words(models: Mapping[str, str]) -> str:
    """Name the model of all roles, then of each role that has another: `search, debugger: ollama:qwen3`."""
    most = models.get("*", SEARCH)
    return ", ".join([most, *(f"{role}: {name}" for role, name in models.items() if name != most)])


def case_name(case_id: str) -> str:
    """Return a test's short name: the part after the file, on one line."""
    return one_line(case_id.partition("::")[2] or case_id, 80)


def names(case_ids: Collection[str], limit: int = 4) -> str:
    """List cases by short name; a long list is cut and says by how much."""
    shown = [case_name(c) for c in list(case_ids)[:limit]]
    more = len(case_ids) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def report_now(snapshot: Snapshot) -> SuiteReport | None:
    """Return the suite's result over the code that is shown; a repair that has just gone in has none yet."""
    return None if snapshot.node == "apply" else snapshot.report


def counts(snapshot: Snapshot) -> str:
    """Say how many cases pass: `3 of 7 pass`; empty while the suite has not run over this code."""
    report = report_now(snapshot)
    if report is None:
        return ""
    total = len(report["cases"]) or sum(report[k] for k in ("passed", "failed", "errors", "timeouts", "skipped"))
    return f"{report['passed']} of {total} pass"
