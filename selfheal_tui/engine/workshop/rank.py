"""Which repair first: by what the rehearsal showed, then by how little it changes. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from selfheal_tui.edit_size import edit_size
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.setting_values import SEARCH
from selfheal_tui.text import plural

from ..moment.state import Repair
from ..moment.words import ran_before_words
from ..moment.workspace import unified_diff


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


def rank_repairs(repairs: Sequence[Repair], unwatched: bool = False) -> list[Repair]:
    """Order rehearsed repairs and say why.

    Where only the search proposes, those that mend a case at a line that the human chose come first. Then all green,
    most fixed minus broken, fewer broken, fewer regressions on cases that ever passed, no check lost that held and
    more mended cases of other groups, a change of the program before
    one of a test, fewer changed lines, then tokens, cheaper. What the search found comes in the search's order: it
    knows more of them than their size, so the size of its first stands for all. Where nobody looks (`unwatched`), a
    minimised repair comes right behind the one that it is a part of.
    """
    only_search = all(repair["strategy"] == SEARCH for repair in repairs)
    first_of_search = next((repair for repair in repairs if repair["strategy"] == SEARCH), None)

    def key(repair: Repair) -> tuple[object, ...]:
        fixes, breaks = len(repair["fixes"]), len(repair["breaks"])
        green = repair["report"]["verdict"] == "passed"
        lost = len(repair.get("regressions", [])) - len(repair.get("mends_waiting", []))
        lost += any(mark["kind"] == "loses" for mark in repair.get("marks", []))
        sized = first_of_search if first_of_search is not None and repair["strategy"] == SEARCH else repair
        size = changed_lines(sized), changed_tokens(sized)
        elsewhere = not (only_search and repair.get("at_chosen") and fixes)
        return (elsewhere, not green, breaks - fixes, breaks, lost, bool(repair.get("of_test")), size, _cost(repair))

    ordered = sorted(repairs, key=key)
    if unwatched:
        ordered = _parts_behind(ordered)
    return [{**repair, "rank": n, "reasons": _reasons(repair, len(ordered))} for n, repair in enumerate(ordered, 1)]


def _parts_behind(ordered: Sequence[Repair]) -> list[Repair]:
    """Move each part of a repair right behind the whole one, where that is among them."""
    keys = {repair["key"] for repair in ordered if "key" in repair}
    moved = [repair for repair in ordered if repair.get("part_of", "") in keys]
    rest = [repair for repair in ordered if repair.get("part_of", "") not in keys]
    return [one for whole in rest for one in (whole, *(p for p in moved if p["part_of"] == whole.get("key")))]


def _cost(repair: Repair) -> float:
    """Return what it cost in USD; what is unknown comes after what is known."""
    cost = repair.get("cost_usd", 0.0)
    return float("inf") if cost is None else cost


def left_out_words(keys: Sequence[str], tried: Collection[str], present: str) -> str:
    """Say why some of the repairs that ran are no candidates; empty where all are.

    `keys` are their programs', `tried` those of this branch, `present` that of the program as it is.
    """
    again = sum(key in tried for key in keys)
    idle = sum(key == present and key not in tried for key in keys)
    rest = [key for key in keys if key not in tried and key != present]
    counts = {
        "tried before on this branch": again,
        "the same as the program is now": idle,
        "the same as another one": len(rest) - len({*rest}),
    }
    parts = [f"{count} {why}" for why, count in counts.items() if count]
    return (
        f"{len(keys) - len({*rest})} of {plural(len(keys), 'repair')} are left out ({', '.join(parts)})."
        if parts
        else ""
    )


def changed_lines(repair: Repair) -> int:
    """Count changed lines: a line replaced by another is one."""
    lines = [line for line in repair["diff"].splitlines() if line[:3] not in ("+++", "---")]
    return max(sum(line[:1] == "+" for line in lines), sum(line[:1] == "-" for line in lines))


def changed_tokens(repair: Repair) -> int:
    """Count changed words and signs: of two changes of one line the more precise is smaller."""
    lines = [line for line in repair["diff"].splitlines() if line[:3] not in ("+++", "---")]
    old, new = ("\n".join(line[1:] for line in lines if line[:1] in (" ", sign)) for sign in "-+")
    return edit_size({"": old}, {"": new})["tokens"]


def _reasons(repair: Repair, rivals: int) -> list[str]:
    report = repair["report"]
    reasons = [
        "every case passes" if report["verdict"] == "passed" else f"fixes {plural(len(repair['fixes']), 'case')}"
    ]
    if report["verdict"] == "error" and report["error"]:
        reasons.append(f"the suite cannot run: {report['error']}")
    reasons.append(f"breaks {plural(len(repair['breaks']), 'case')}" if repair["breaks"] else "breaks none")
    if repair.get("at_chosen"):
        reasons.append("at a line that you chose")
    only_earlier = set(repair.get("regressions", [])) - set(repair["breaks"])
    if only_earlier:
        reasons.append(f"loses {plural(len(only_earlier), 'case')} that passed earlier")
    reasons.append(f"changes {plural(changed_lines(repair), 'line')}{' of a test' if repair.get('of_test') else ''}")
    if "part_of" in repair:
        reasons.append("a part of another candidate")
    if "same_as" in repair:
        reasons.append(ran_before_words(repair["same_as"]))
    if rivals > 1:
        reasons.append(f"{plural(rivals, 'candidate')} were rehearsed")
    return reasons
