"""What goes into the record of a repair that was taken: why it mends, and the lines that it changes. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from selfheal_tui.search.blame import PlaceEffect, place_sentence
from selfheal_tui.setting_values import SEARCH

from ..moment.state import Diagnosis, Evidence, Repair, Taken
from ..moment.steering import is_chosen_place
from ..moment.taken import changed_lines, touched_lines
from ..moment.together import whole_summary

_ONE_EDIT = re.compile(r"(?:\S+ )?line \d+: (.+)")
_EDIT = re.compile(r"(?:^|; |: |, and )((?:(\S+) )?line (\d+): )")
_INDEPENDENT = "independent edits: "


def taken_record(
    repair: Repair,
    diagnosis: Diagnosis | None,
    now: Mapping[str, str],
    *,
    failing: int,
    several: bool,
    proposed: Repair | None = None,
) -> Taken:
    """Return it for a repair of the files `now`; `several`: a line needs its file's name.

    The search's diagnosis is of the repair that it ranked first, which need not be the one that was taken: the cause
    of its repairs is made from the repair, where the human wrote none. `proposed` is the whole repair, of which only
    some hunks were taken.
    """
    before = {path: now.get(path, "") for path in repair["changes"]}
    taken: Taken = {
        "cause": "",
        "by": "",
        "evidence": [],
        "lines": [list(line) for line in changed_lines(before, repair["changes"])],
        "by_hand": repair["by"] == "human" and proposed is None,
    }
    if proposed is not None:
        taken["in_part"] = True
    whole = proposed or repair
    if whole["by"] == SEARCH:
        edits = _edits(whole)
        if proposed is not None:
            touched = touched_lines(before, repair["changes"])
            edits = [edit for edit in edits if (edit["file"], edit["line"]) in touched]
        if diagnosis is not None and _writer(diagnosis) == "human":
            return {**taken, "cause": diagnosis["cause"], "by": "human", "evidence": edits}
        cause = _cause(whole, repair, edits, failing, several) if edits else ""
        return {**taken, "cause": cause, "by": SEARCH, "evidence": edits}
    if diagnosis is None or (by := _writer(diagnosis)) == SEARCH:
        return taken
    return {**taken, "cause": diagnosis["cause"], "by": by, "evidence": diagnosis["evidence"]}


def _writer(diagnosis: Diagnosis) -> str:
    """Return whose words the cause is: of a place of the search that the human chose, the search's."""
    by = diagnosis.get("cause_by", diagnosis["by"])
    return SEARCH if by == "human" and is_chosen_place(diagnosis) else by


def _edits(repair: Repair) -> list[Evidence]:
    """Return the edits that the summary of a search's repair names, each with its line; one of several names its file.

    Empty where a file is not named.
    """
    summary, paths = whole_summary(repair), [*repair["changes"]]
    matches = [*_EDIT.finditer(summary)]
    ends = [*(match.start() for match in matches[1:]), len(summary)]
    edits: list[Evidence] = [
        {"file": match[2] or paths[0], "line": int(match[3]), "why": summary[match.start(1) : end]}
        for match, end in zip(matches, ends, strict=True)
    ]
    is_named = all(match[2] in paths if match[2] else len(paths) == 1 for match in matches)
    return edits if is_named else []


def _cause(whole: Repair, repair: Repair, edits: Sequence[Evidence], failing: int, several: bool) -> str:
    words = [edit["why"] for edit in edits]
    match = _ONE_EDIT.fullmatch(words[0]) if len(words) == 1 else None
    report = repair.get("report")
    place: PlaceEffect = {
        "file": edits[0]["file"],
        "line": edits[0]["line"],
        "edit": match[1] if match else "; ".join(words),
        "together": match is None,
        "edits": len(edits),
        "fixes": repair.get("fixes", []),
        "breaks": len(repair.get("breaks", [])),
        "whole": report is not None and report["verdict"] == "passed",
        "alike": 1,
    }
    if match is None and _INDEPENDENT in whole["summary"]:
        place["each"] = words
    return place_sentence(place, failing, several)
