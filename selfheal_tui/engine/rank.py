"""Which repair first: by what the rehearsal showed, then by how little it changes. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.text import plural

from .state import Repair
from .workspace import unified_diff


def rehearsed(repair: Repair, program: Mapping[str, str], before: SuiteReport, after: SuiteReport) -> Repair:
    """Return the repair with its rehearsal: report, cases fixed and broken, diff."""
    good_before = {c["id"] for c in before["cases"] if c["outcome"] == "passed"}
    outcomes = {c["id"]: c["outcome"] for c in after["cases"]}
    return {
        **repair,
        "report": after,
        "fixes": [i for i, outcome in outcomes.items() if outcome == "passed" and i not in good_before],
        "breaks": [i for i in sorted(good_before) if outcomes.get(i) not in ("passed", "skipped")],
        "diff": unified_diff(program, {**program, **repair["changes"]}),
    }


def rank_repairs(repairs: Sequence[Repair]) -> list[Repair]:
    """Order rehearsed repairs and say why: all green, fewer broken, more fixed, smaller change, as proposed."""

    def key(repair: Repair) -> tuple[bool, int, int, int]:
        green = repair["report"]["verdict"] == "passed"
        return (not green, len(repair["breaks"]), -len(repair["fixes"]), _size(repair))

    ordered = sorted(repairs, key=key)
    return [{**repair, "rank": n, "reasons": _reasons(repair, len(ordered))} for n, repair in enumerate(ordered, 1)]


def _size(repair: Repair) -> int:
    """Count changed lines: a line replaced by another is one."""
    lines = [line for line in repair["diff"].splitlines() if line[:3] not in ("+++", "---")]
    return max(sum(line[:1] == "+" for line in lines), sum(line[:1] == "-" for line in lines))


def _reasons(repair: Repair, rivals: int) -> list[str]:
    report = repair["report"]
    reasons = [
        "every case passes" if report["verdict"] == "passed" else f"fixes {plural(len(repair['fixes']), 'case')}"
    ]
    if report["verdict"] == "error" and report["error"]:
        reasons.append(f"the suite cannot run: {report['error']}")
    reasons.append(f"breaks {plural(len(repair['breaks']), 'case')}" if repair["breaks"] else "breaks none")
    reasons.append(f"changes {plural(_size(repair), 'line')}")
    if rivals > 1:
        reasons.append(f"{plural(rivals, 'candidate')} were rehearsed")
    return reasons
