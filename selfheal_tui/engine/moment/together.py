"""Several candidates taken together: their changes joined into one repair. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from selfheal_tui.errors import InputError
from selfheal_tui.line_blocks import merged_files
from selfheal_tui.text import CUT

from .state import Repair, RepairPart


def joined_repair(now: Mapping[str, str], candidates: Mapping[str, Repair], labels: Sequence[str]) -> Repair:
    """Return the candidates with these labels as one repair; `now` is path -> text of the files as they are.

    Raises: InputError for a label that is not there or given twice, and for changes that do not fit together.
    """
    for label in labels:
        if label not in candidates:
            raise InputError(f"There is no candidate {label!r}.", f"There are: {', '.join(candidates)}.")
    if len(set(labels)) != len(labels) or len(labels) < 2:
        raise InputError("Several different candidates are taken together.", "Name each once, as in 1,3.")
    chosen = [candidates[label] for label in labels]
    names = f"{', '.join(labels[:-1])} and {labels[-1]}"
    if any(repair.get("of_test") for repair in chosen):
        raise InputError(f"Candidates {names} cannot be taken together: one changes a test.", "Take one of them.")
    whole = [label for label in labels if _mends_all(candidates[label])]
    if len(whole) > 1:
        raise InputError(
            f"Candidates {names} cannot be taken together: {whole[0]} and {whole[1]} mend every case, each by itself.",
            "Take one of them.",
        )
    changes = merged_files(now, [repair["changes"] for repair in chosen])
    if isinstance(changes, str):
        raise InputError(
            f"Candidates {names} cannot be taken together: they change the same lines of {changes}.",
            "Take one of them, or those that change different places.",
        )
    return {
        "summary": f"Candidates {names} together: {'; '.join(repair['summary'] for repair in chosen)}",
        "changes": changes,
        "strategy": " + ".join(dict.fromkeys(repair["strategy"] for repair in chosen)),
        "by": " + ".join(dict.fromkeys(repair["by"] for repair in chosen)),
        "parts": [part for repair in chosen for part in _parts(repair)],
    }


def whole_summary(repair: Repair) -> str:
    """Return a repair's summary with each edit that it was joined of as it is; the summary itself may cut them."""
    parts, (start, colon, _) = repair.get("parts", []), repair["summary"].partition(": ")
    if not colon or not start.endswith("independent edits") or CUT not in repair["summary"]:
        return repair["summary"]
    return f"{start}: {'; '.join(part['summary'] for part in parts)}" if parts else repair["summary"]


def _mends_all(repair: Repair) -> bool:
    report = repair.get("report")
    return report is not None and report["verdict"] == "passed"


def _parts(repair: Repair) -> list[RepairPart]:
    """Return what a candidate was joined of; itself where it was not."""
    whole: RepairPart = {
        "summary": repair["summary"],
        "changes": repair["changes"],
        "by": repair["by"],
        "fixes": repair.get("fixes", []),
    }
    return repair.get("parts") or [whole]
