"""Where a branch's name stands in a session's file, and the statements that put another one there.

A name lies in the facts of each checkpoint of the branch, in the journals, beside programs, and in header keys.
"""

from __future__ import annotations

from typing import NamedTuple

from .history import BRANCH_SQL
from .marks import HIDE, MARKS, STANDS
from .session_db import Statement
from .usage import renamed

_LINE = f"""with recursive line(id) as (
  select checkpoint_id from checkpoints where parent_checkpoint_id=? and {BRANCH_SQL}=?
  union select c.checkpoint_id from checkpoints c join line on c.parent_checkpoint_id=line.id
    where json_extract(cast(c.metadata as text), '$.branch')=?)"""
_OF_BRANCHES = ("decision", "program", "call_use", "sent")
_RENAMED = "metadata=cast(json_set(cast(metadata as text), '$.branch', ?) as blob)"


class Line(NamedTuple):
    """The moments that a decision went on with, on the branch of its question."""

    asked_at: str
    """The checkpoint that asked."""
    branch: str
    iteration: int
    """Of the checkpoint that asked."""


def rename_branch(old: str, new: str) -> list[Statement]:
    """Return what gives a branch another name, wherever it stands."""
    return [
        (f"update checkpoints set {_RENAMED} where {BRANCH_SQL}=?", (new, old)),
        *((f"update {table} set branch=? where branch=?", (new, old)) for table in _OF_BRANCHES),
        *renamed(old, new),
        *(("update meta set key=? where key=?", (prefix + new, prefix + old)) for prefix in MARKS),
        ("update meta set value=? where key=? and value=?", (new, STANDS, old)),
    ]


def set_line_aside(line: Line, name: str) -> list[Statement]:
    """Return what makes a line a hidden branch of its own, called `name`; its question is open again."""
    start = (line.asked_at, line.branch, line.branch)
    return [
        ("update program set branch=? where branch=? and iteration>?", (name, line.branch, line.iteration)),
        (f"insert or replace into meta {_LINE} select ?, 'undone' from line limit 1", (*start, HIDE + name)),
        *(
            (f"{_LINE} update {table} set branch=? where branch=? and asked_at in line", (*start, name, line.branch))
            for table in ("call_use", "sent")
        ),
        (f"{_LINE} update checkpoints set {_RENAMED} where checkpoint_id in line", (*start, name)),
    ]


def put_line_back(line: Line, name: str) -> list[Statement]:
    """Return what undoes `set_line_aside`."""
    return [
        (f"update checkpoints set {_RENAMED} where {BRANCH_SQL}=?", (line.branch, name)),
        *(
            (f"update {table} set branch=? where branch=?", (line.branch, name))
            for table in ("program", "call_use", "sent")
        ),
        ("delete from meta where key=?", (HIDE + name,)),
    ]
