"""What an edit changed of a proposal, in a few words: `the cause and the strategy`. Pure.

What was edited of a repair, the step that carries it out says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from selfheal_tui.text import one_line

from ..loop.reviews.edit_checks import NOT_EDITED
from ..loop.reviews.table import diagnosis_at
from ..moment.gist import LONGEST, change_words
from ..moment.review import ReviewKind
from ..moment.snapshot import Snapshot

_UNSAID = (*NOT_EDITED, "thought")


def edited_words(kind: ReviewKind, snapshot: Snapshot, pick: str, body: Mapping[str, Any]) -> str:
    """Return what an edit's body changed of what was asked about at a moment; empty for kinds that say it later.

    `pick` is the number of the place that was picked, of a diagnosis that names several.
    """
    match kind:
        case "diagnosis":
            proposed: Mapping[str, Any] = {"disproof": "", **diagnosis_at(snapshot, pick)}
            fields = [name for name in proposed if name not in _UNSAID and body.get(name, "") != proposed[name]]
            return _listed([*["the place"] * (pick not in ("", "1")), *(f"the {name}" for name in fields)])
        case "code":
            return change_words(snapshot.program, body["changes"])
        case "tests":
            files = dict(snapshot.suite_files)
            return change_words(files, {path: text for path, text in body.items() if files.get(path) != text})
        case "budget":
            return one_line(", ".join(f"{name} {value}" for name, value in body.items()), LONGEST)
    return ""


def _listed(names: list[str]) -> str:
    return " and ".join([part for part in (", ".join(names[:-1]), names[-1]) if part]) if names else ""
