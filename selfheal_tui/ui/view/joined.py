"""Candidates that are marked to be taken together, and what the suite said to just those. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.state import Mark, Repair
from selfheal_tui.engine.moment.together import joined_repair
from selfheal_tui.engine.workshop.trial import SuiteTried
from selfheal_tui.errors import InputError

from .shown import FileChange


@dataclass(frozen=True, slots=True)
class Joined:
    """Two candidates or more that are marked."""

    labels: tuple[str, ...]
    words: str
    """`repairs 2 + 3`."""
    repair: Repair | None
    """Them as one repair; None where they cannot be taken together."""
    marks: tuple[Mark, ...] = ()
    """What speaks for a coincidence, of each of them."""
    tried: SuiteTried | None = None
    """What they do together; None while it is not known."""
    error: str = ""
    """Why they cannot be taken together, or could not be tried."""

    def change(self, snapshot: Snapshot) -> tuple[str, list[FileChange]] | None:
        """Return what is compared, in words, and (path, old, new); None where there is no joined repair."""
        if self.repair is None:
            return None
        now = {**snapshot.tests, **snapshot.program}
        files = [(path, now.get(path, ""), text) for path, text in self.repair["changes"].items()]
        return f"{self.words[:1].upper()}{self.words[1:]} together, against the code they were made for", files


def join(snapshot: Snapshot, labels: Sequence[str]) -> Joined | None:
    """Return the candidates with these labels as one; None for fewer than two."""
    if len(labels) < 2:
        return None
    places = {label: str(place) for place, label in enumerate(snapshot.candidates, 1)}
    words = f"repairs {' + '.join(places[label] for label in labels)}"
    try:
        repair = joined_repair({**snapshot.tests, **snapshot.program}, snapshot.candidates, labels)
    except InputError as error:
        return Joined(tuple(labels), words, None, error=str(error))
    marks = {mark["why"]: mark for label in labels for mark in snapshot.candidates[label].get("marks", [])}
    return Joined(tuple(labels), words, repair, tuple(marks.values()))
