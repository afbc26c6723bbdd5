"""What an act changes, forwards and back: marks on branches, a name, or the line that a decision went on with.

Nothing is taken off disk. A decision that is taken back leaves its question open again; the moments that it made
become a hidden branch of their own, which can be looked at and brought back.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import cast

from selfheal_tui.store.acts import Act, ActDetails, has_lost
from selfheal_tui.store.branch_rows import Line, put_line_back, rename_branch, set_line_aside
from selfheal_tui.store.decisions import give_up_open
from selfheal_tui.store.marks import HIDE
from selfheal_tui.store.notes import set_taken_back
from selfheal_tui.store.session_db import Statement, header_values

from .branch_names import free_name


@dataclass(frozen=True, slots=True)
class Undone:
    """An act that was taken back, or done again."""

    kind: str
    words: str
    """What it was: `the approval of the repair on main`."""


def words(act: Act) -> str:
    """Say what an act was."""
    return act.details.get("words", act.kind)


def is_void(act: Act, branches: Collection[str], again: bool = False) -> bool:
    """Tell whether an act has nothing left to change, as its branch was deleted for good; `again`: to be redone."""
    if act.gone:
        return True
    if again and "rename" in act.details:
        return act.details["rename"][0] not in branches
    return has_lost(act, lambda name: name not in branches)


def forwards(details: ActDetails) -> list[Statement]:
    """Return the statements that do an act, the first time or again."""
    statements = _marks(details, 1)
    if names := details.get("rename"):
        statements += rename_branch(names[0], names[1])
    if moved := details.get("moved"):
        statements += rename_branch(moved[1], moved[0])
    if (line := _line(details)) and (name := details.get("line_name")):
        statements += put_line_back(line, name)
    if note_id := details.get("note_id"):
        statements.append(set_taken_back(note_id, False))
    return statements


def backwards(details: ActDetails, names: Collection[str]) -> tuple[list[Statement], ActDetails]:
    """Return the statements that take an act back, and the details that doing it again needs besides.

    `names` are those of all branches. Undoing the renaming of `a` to `b`, while a branch that was brought back is
    called `a`, calls that one `undone-1`.
    """
    lanes_gone = [HIDE + name for name in details.get("needs", ()) if name not in names] if "lanes" in details else []
    statements = _marks(details, 0, lanes_gone)
    more: ActDetails = {}
    if rename := details.get("rename"):
        old, new = rename
        if old in names:
            more["moved"] = [old, free_name("undone", names)]
            statements += rename_branch(*more["moved"])
        statements += rename_branch(new, old)
    if note_id := details.get("note_id"):
        statements.append(set_taken_back(note_id, True))
    if "line" in details:
        statements.append(give_up_open())
    if line := _line(details):
        more["line_name"] = free_name("undone", names)
        statements += set_line_aside(line, more["line_name"])
    return statements, more


def _line(details: ActDetails) -> Line | None:
    line = details.get("line")
    return Line(*cast("tuple[str, str, int]", line)) if line else None


def _marks(details: ActDetails, which: int, without: Collection[str] = ()) -> list[Statement]:
    meta = details.get("meta", {})
    return header_values({key: values[which] for key, values in meta.items() if key not in without})
