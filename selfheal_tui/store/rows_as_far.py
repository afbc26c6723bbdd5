"""The rows of a session's file as far as they can be read; each function also says why it could not go on.

The reason is empty when all rows could be read. An altered row may hold another type than its column's.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from .integrity import UNREADABLE
from .marks import STANDS

SESSION_TABLES = (
    *("meta", "blob", "call", "call_use", "sent", "decision", "act", "program", "note", "usage"),
    *("checkpoints", "writes"),
)
"""What tells of a session; the rest is only needed to go on with it, or made again."""
HEADER_NEEDED = ("schema_version", "initial", "title", "created_at", "root", STANDS)
"""Header values without which a session is not shown, or shown wrong."""
_WIDEST_GAP = 500
"""Most rows in a run that are taken for lost one by one; a page holds some ten."""
Rows = list[tuple[Any, ...]]


def has_header(connection: sqlite3.Connection) -> bool:
    """Tell whether the file has a header to read. Raises: UNREADABLE."""
    return connection.execute("select 1 from sqlite_master where name='meta'").fetchone() is not None


def header(connection: sqlite3.Connection) -> tuple[dict[str, str], str]:
    """Return the header's values."""
    rows, why = _rows(connection, f"select {_text('key')}, {_text('value')} from meta")
    return dict(rows), why


def header_values(connection: sqlite3.Connection, keys: Iterable[str]) -> dict[str, str]:
    """Return those of some values of the header that can be read, each by itself."""
    values: dict[str, str] = {}
    for key in keys:
        rows, _ = _rows(connection, "select key, cast(value as text) from meta where key=?", (key,))
        values |= dict(rows)
    return values


def body_sizes(connection: sqlite3.Connection) -> tuple[dict[str, int], str]:
    """Return ref -> compressed bytes of every body."""
    rows, why = _rows(connection, f"select {_text('ref')}, coalesce(length(body), 0) from blob")
    return dict(rows), why


def checkpoints(connection: sqlite3.Connection) -> tuple[Rows, str]:
    """Return id, parent's id, facts, and the kind and bytes of the state, oldest first."""
    columns = f"{_text('checkpoint_id')}, cast(parent_checkpoint_id as text), metadata, type, checkpoint"
    return _rows_of(connection, "checkpoints", columns)


def moments(connection: sqlite3.Connection) -> Rows:
    """Return id, parent's id and facts of each checkpoint that can be read, oldest first, also after damaged pages."""
    columns = f"{_text('checkpoint_id')}, cast(parent_checkpoint_id as text), metadata"
    return [row for row in _past_gaps(connection, columns) if row[0]]


def state_of(connection: sqlite3.Connection, checkpoint_id: str) -> tuple[str, bytes] | None:
    """Return kind and bytes of a checkpoint's state; None where they cannot be read."""
    rowids = [row[0] for row in _past_gaps(connection, f"rowid, {_text('checkpoint_id')}") if row[1] == checkpoint_id]
    rows, _ = (
        _rows(connection, "select type, checkpoint from checkpoints where rowid=?", rowids) if rowids else ([], "")
    )
    return (rows[0][0], rows[0][1]) if rows else None


def _past_gaps(
    connection: sqlite3.Connection, columns: str, where: str = "checkpoints where rowid>? and checkpoint_ns=''"
) -> Rows:
    """Return columns of the checkpoints that can be read, oldest first, also after damaged pages.

    `where`: of another table, and which of its rows.
    """
    sql = f"select rowid, {columns} from {where} order by rowid"
    found: Rows = []
    last = gap = 0
    while gap < _WIDEST_GAP:
        rows, why = _rows(connection, sql, (last,))
        found += [row[1:] for row in rows]
        if not why:
            break
        gap = 0 if rows else gap + 1
        # The next row may lie on the damaged page too.
        last = max(rows[-1][0] if rows else 0, last) + 1
    return found


def table_rows(connection: sqlite3.Connection, table: str) -> Rows:
    """Return all columns of the rows of a table that can be read, also after damaged pages."""
    rows, why = _rows(connection, f"select * from {table}")
    if not why:
        return rows
    columns = _rows(connection, f"pragma table_info({table})")[0]
    key = ", ".join(f"{column[1]} desc" for column in sorted(columns, key=lambda one: one[5]) if column[5])
    if _rows(connection, f"select rowid from {table} limit 0")[1]:
        # Without a number to each row it is read from both ends, up to what is damaged.
        from_end = _rows(connection, f"select * from {table} order by {key}")[0]
        return [*dict.fromkeys([*rows, *reversed(from_end)])]
    return _past_gaps(connection, "*", f"{table} where rowid>?")


def writes(connection: sqlite3.Connection) -> tuple[Rows, str]:
    """Return checkpoint id, channel, and the kind and bytes of the value, for each result of a node."""
    columns = f"{_text('checkpoint_id')}, {_text('channel')}, type, value"
    return _rows_of(connection, "writes", columns)


def decisions(connection: sqlite3.Connection) -> tuple[Rows, str]:
    """Return the checkpoint that asked, and the decision as JSON."""
    return _rows(connection, f"select {_text('asked_at')}, {_text('value')} from decision")


def programs(connection: sqlite3.Connection) -> tuple[Rows, str]:
    """Return the report's ref, iteration and branch of each program that was run."""
    return _rows(connection, f"select {_text('report_ref')}, iteration, branch from program")


def calls(connection: sqlite3.Connection) -> tuple[Rows, str]:
    """Return role, model, prompt, reply (both packed) and usage as JSON of each recorded call."""
    return _rows(connection, f"select role, model, prompt, reply, {_text('usage')} from call")


def _rows_of(connection: sqlite3.Connection, table: str, columns: str) -> tuple[Rows, str]:
    """Return the rows of one of LangGraph's tables, which is not there before the first run."""
    tables, _ = _rows(connection, f"select 1 from sqlite_master where name='{table}'")
    return _rows(connection, f"select {columns} from {table} order by rowid") if tables else ([], "")


def _rows(connection: sqlite3.Connection, sql: str, values: Sequence[Any] = ()) -> tuple[Rows, str]:
    rows: Rows = []
    try:
        for row in connection.execute(sql, values):
            rows.append(tuple(row))
    except UNREADABLE as error:
        return rows, str(error)
    return rows, ""


def _text(column: str) -> str:
    """Return the SQL for a column as text, whatever lies in it."""
    return f"coalesce(cast({column} as text), '')"
