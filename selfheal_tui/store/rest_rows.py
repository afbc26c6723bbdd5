"""The rows of a damaged session on their way into a whole file of its own; the damaged one is only read."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from .damage import UNDECODABLE
from .packing import unpack
from .rows_as_far import SESSION_TABLES, Rows, table_rows

_JSON = {
    "call_use": (("asked_at", "branch", "number"), ("usage", "unread")),
    "decision": (("id",), ("value",)),
    "act": (("id",), ("what",)),
}
"""Table -> its key, and columns that hold JSON or nothing: a row whose JSON was altered is left out."""
_USAGE = {"input_tokens", "output_tokens", "cost_usd"}


def copy_tables(source: sqlite3.Connection, copy: sqlite3.Connection, header: Mapping[str, str]) -> set[str]:
    """Copy all but the bodies as far as it can be read, and these header values; return the names of the tables.

    What cannot be understood is left out. Raises: UNREADABLE where the file does not even say which tables it has.
    """
    tables = dict(source.execute("select name, sql from sqlite_master where type='table'").fetchall())
    there = {name for name in SESSION_TABLES if _is_plain(str(tables.get(name, "")))}
    for name in there:
        copy.execute(tables[name])
        if name != "blob":
            _insert(copy, name, table_rows(source, name))
    _insert(copy, "meta", list(header.items()))
    if "checkpoints" in there:
        copy.execute("delete from checkpoints where coalesce(checkpoint_id, '')=''")
    _drop_altered(copy)
    return there


def _is_plain(sql: str) -> bool:
    """Tell whether it makes a table and nothing else: whoever damaged the file may have written it."""
    words = sql.lower()
    return words.startswith("create table ") and not {"select", "as", "generated"} & {*re.findall(r"\w+", words)}


def copy_bodies(source: sqlite3.Connection, copy: sqlite3.Connection, whole: Iterable[str]) -> None:
    """Copy the bodies whose refs are proved to be whole, then the others that can be read."""
    for ref in whole:
        _insert(copy, "blob", source.execute("select ref, body from blob where ref=?", (ref,)).fetchall())
    _insert(copy, "blob", table_rows(source, "blob"))


def states(copy: sqlite3.Connection) -> Rows:
    """Return id, and kind and bytes of the state, of each checkpoint."""
    return copy.execute("select checkpoint_id, type, checkpoint from checkpoints").fetchall()


def cut_out(copy: sqlite3.Connection, parents: Mapping[str, str | None], lost: set[str]) -> None:
    """Take moments out; what followed one follows the moment before it.

    `parents`: moment -> the one before.
    """
    for checkpoint_id, parent in parents.items():
        before, passed = parent, {checkpoint_id}
        while before in lost:
            # Altered rows may name each other.
            following = None if before in passed else parents.get(before)
            passed.add(before)
            before = following
        if before != parent:
            sql = "update checkpoints set parent_checkpoint_id=? where checkpoint_id=?"
            copy.execute(sql, (before, checkpoint_id))
    for table in ("checkpoints", "writes"):
        copy.executemany(f"delete from {table} where checkpoint_id=?", [(one,) for one in lost])


def _insert(copy: sqlite3.Connection, table: str, rows: list[tuple[Any, ...]]) -> None:
    if rows:
        copy.executemany(f"insert or ignore into {table} values({','.join('?' * len(rows[0]))})", rows)


def _drop_altered(copy: sqlite3.Connection) -> None:
    """Leave out calls, decisions and acts whose bytes were altered: whoever lists them would stop there."""
    there = {name for (name,) in copy.execute("select name from sqlite_master where type='table'")}
    for table in _JSON.keys() & there:
        key, columns = _JSON[table]
        rows = copy.execute(f"select {', '.join((*key, *columns))} from {table}").fetchall()
        wrong = [row[: len(key)] for row in rows if not all(map(_is_json, row[len(key) :]))]
        copy.executemany(f"delete from {table} where {' and '.join(f'{name}=?' for name in key)}", wrong)
    if "call" in there:
        calls = copy.execute("select key, prompt, reply, usage from call").fetchall()
        copy.executemany("delete from call where key=?", [(key,) for key, *call in calls if not _is_call(*call)])


def _is_json(text: Any) -> bool:
    try:
        return text == "" or isinstance(json.loads(text), dict | list)
    except UNDECODABLE:
        return False


def _is_call(prompt: Any, reply: Any, usage: Any) -> bool:
    try:
        texts = [body if isinstance(body, str) else unpack(body) for body in (prompt, reply)]
        json.loads(texts[1])
        return set(json.loads(usage)) >= _USAGE
    except UNDECODABLE:
        return False
