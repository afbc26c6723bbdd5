"""What goes into the record of a repair that was taken: why it mends, and the lines that it changes. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from selfheal_tui.search.blame import place_sentence
from selfheal_tui.setting_values import SEARCH

from ..moment.state import Diagnosis, Evidence, Repair, Taken
from ..moment.taken import changed_lines

_ONE_EDIT = re.compile(r"line (\d+): (.+)")
_LINE = re.compile(r"\bline (\d+): ")


def taken_record(
    repair: Repair, diagnosis: Diagnosis | None, now: Mapping[str, str], *, failing: int, several: bool
) -> Taken:
    """Return it for a repair of the files `now`; `several`: a line needs its file's name.

    The search's diagnosis is of the repair that it ranked first, which need not be the one that was taken: the cause
    of its repairs is made from the repair.
    """
    before = {path: now.get(path, "") for path in repair["changes"]}
    lines = [list(line) for line in changed_lines(before, repair["changes"])]
    by_hand = repair["by"] == "human"
    if repair["by"] == SEARCH:
        evidence = _edits(repair)
        cause = _cause(repair, evidence, failing, several) if evidence else ""
        return {"cause": cause, "by": SEARCH, "evidence": evidence, "lines": lines, "by_hand": by_hand}
    if diagnosis is None or diagnosis["by"] == SEARCH:
        return {"cause": "", "by": "", "evidence": [], "lines": lines, "by_hand": by_hand}
    evidence = diagnosis["evidence"]
    return {
        "cause": diagnosis["cause"],
        "by": diagnosis["by"],
        "evidence": evidence,
        "lines": lines,
        "by_hand": by_hand,
    }


def _edits(repair: Repair) -> list[Evidence]:
    """Return the lines that the summary of a search's repair names; none where it changes several files."""
    if len(repair["changes"]) != 1:
        return []
    (path,) = repair["changes"]
    return [{"file": path, "line": int(line), "why": repair["summary"]} for line in _LINE.findall(repair["summary"])]


def _cause(repair: Repair, evidence: list[Evidence], failing: int, several: bool) -> str:
    match = _ONE_EDIT.fullmatch(repair["summary"]) if len(evidence) == 1 else None
    report = repair.get("report")
    return place_sentence(
        {
            "file": evidence[0]["file"],
            "line": evidence[0]["line"],
            "edit": match[2] if match else repair["summary"],
            "together": match is None,
            "edits": len(evidence),
            "fixes": repair.get("fixes", []),
            "breaks": len(repair.get("breaks", [])),
            "whole": report is not None and report["verdict"] == "passed",
            "alike": 1,
        },
        failing,
        several,
    )
