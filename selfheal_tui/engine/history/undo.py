"""What an act changes, forwards and back: marks on branches, a name, or the line that a decision went on with.

Nothing is taken off disk. A decision that is taken back leaves its question open again; the moments that it made
become a hidden branch of their own, which can be looked at and brought back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from selfheal_tui.store.acts import Act
from selfheal_tui.store.history import BRANCH_SQL
from selfheal_tui.store.session_db import Statement
from selfheal_tui.store.usage import renamed

from .branch_names import free_name
from .marks import HIDE, MARKS, STANDS

_LINE = f"""with recursive line(id) as (
  select checkpoint_id from checkpoints where parent_checkpoint_id=? and {BRANCH_SQL}=?
  union select c.checkpoint_id from checkpoints c join line on c.parent_checkpoint_id=line.id
    where json_extract(cast(c.metadata as text), '$.branch')=?)"""
_OF_BRANCHES = ("decision", "program", "call_use", "sent")
_RENAMED = "metadata=cast(json_set(cast(metadata as text), '$.branch', ?) as blob)"


@dataclass(frozen=True, slots=True)
class Undone:
    """An act that was taken back, or done again."""

    kind: str
    words: str
    """What it was: `the approval of the repair on main`."""


def words(act: Act) -> str:
    """Say what an act was."""
    return str(act.what.get("words", act.kind))


def is_void(act: Act, branches: Collection[str], again: bool = False) -> bool:
    """Tell whether an act has nothing left to change, as its branch was deleted for good; `again`: to be redone."""
    if act.gone:
        return True
    if again and "rename" in act.what:
        return act.what["rename"][0] not in branches
    return any(name not in branches for name in act.what.get("needs", ()))


def forwards(what: Mapping[str, Any]) -> list[Statement]:
    """Return what does an act, or does it again."""
    statements = _marks(what, 1)
    if names := what.get("rename"):
        statements += renaming(names[0], names[1])
    if moved := what.get("moved"):
        statements += renaming(moved[1], moved[0])
    if what.get("line") and (name := what.get("line_name")):
        branch = what["line"][1]
        statements += [
            (f"update checkpoints set {_RENAMED} where {BRANCH_SQL}=?", (branch, name)),
            ("update program set branch=? where branch=?", (branch, name)),
            ("update call_use set branch=? where branch=?", (branch, name)),
            ("update sent set branch=? where branch=?", (branch, name)),
            ("delete from meta where key=?", (HIDE + name,)),
        ]
    return statements


def backwards(what: Mapping[str, Any], taken: Collection[str]) -> tuple[list[Statement], dict[str, Any]]:
    """Return what takes an act back, and what is needed to do it again; `taken` are the names of all branches.

    A decision has a `line`: where it went on, or None on a branch of its own. One that has not taken effect never will.
    A branch that has taken the old name of a renamed one, and was undone since, gives it back.
    """
    statements = _marks(what, 0)
    more: dict[str, Any] = {}
    if names := what.get("rename"):
        if names[0] in taken:
            more["moved"] = [names[0], free_name("undone", taken)]
            statements += renaming(*more["moved"])
        statements += renaming(names[1], names[0])
    if "line" in what:
        statements.append(("update decision set done=1 where done=0", ()))
    if not (line := what.get("line")):
        return statements, more
    asked_at, branch, iteration = line
    name = free_name("undone", taken)
    start = (asked_at, branch, branch)
    return [
        *statements,
        ("update program set branch=? where branch=? and iteration>?", (name, branch, iteration)),
        (f"insert or replace into meta {_LINE} select ?, 'undone' from line limit 1", (*start, HIDE + name)),
        *(
            (f"{_LINE} update {table} set branch=? where branch=? and asked_at in line", (*start, name, branch))
            for table in ("call_use", "sent")
        ),
        (f"{_LINE} update checkpoints set {_RENAMED} where checkpoint_id in line", (*start, name)),
    ], {"line_name": name}


def renaming(old: str, new: str) -> list[Statement]:
    """Return what gives a branch another name, wherever it stands."""
    return [
        (f"update checkpoints set {_RENAMED} where {BRANCH_SQL}=?", (new, old)),
        *((f"update {table} set branch=? where branch=?", (new, old)) for table in _OF_BRANCHES),
        *renamed(old, new),
        *(("update meta set key=? where key=?", (prefix + new, prefix + old)) for prefix in MARKS),
        ("update meta set value=? where key=? and value=?", (new, STANDS, old)),
    ]


def _marks(what: Mapping[str, Any], which: int) -> list[Statement]:
    statements: list[Statement] = []
    for key, values in what.get("meta", {}).items():
        value = values[which]
        if value is None:
            statements.append(("delete from meta where key=?", (key,)))
        else:
            statements.append(("insert or replace into meta values(?,?)", (key, value)))
    return statements
