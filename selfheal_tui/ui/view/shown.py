"""What the tabs show of a snapshot: which files, which change, and whether the diagnosis still speaks of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from selfheal_tui.engine.moment.node_facts import facts_of
from selfheal_tui.engine.moment.snapshot import Snapshot


def is_stale(snapshot: Snapshot) -> bool:
    """Tell whether the code is another one than the diagnosis is about: what it says of lines holds no more."""
    return facts_of(snapshot.node).outdates_diagnosis or snapshot.outcome == "healed"


def asked_files(snapshot: Snapshot) -> Mapping[str, str]:
    """Return what the Code tab shows: the program, or tests that wait for their review."""
    about_tests = snapshot.node in ("write_spec_tests", "write_adversarial_tests") and snapshot.suite_files
    return snapshot.suite_files if about_tests else snapshot.program


def proposed_change(snapshot: Snapshot, pick: str = "") -> tuple[str, list[tuple[str, str, str]]]:
    """Return what is compared, in words, and (path, old, new): the candidate against the code, else all so far."""
    repair = snapshot.candidates.get(pick) or next(iter(snapshot.candidates.values()), None)
    if repair is not None:
        now = {**snapshot.tests, **snapshot.program}
        files = [(path, now.get(path, ""), text) for path, text in repair["changes"].items()]
        return "The repair proposed, against the code it was made for", files
    changed = [
        (path, snapshot.base.get(path, ""), text)
        for path, text in snapshot.program.items()
        if text != snapshot.base.get(path)
    ]
    return "Everything that changed since the start" if changed else "The code is as it was given.", changed
