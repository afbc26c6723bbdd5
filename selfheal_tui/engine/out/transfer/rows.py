"""Whether rows from elsewhere are rows of a session: tables, columns, types and ids that this version writes.

A row that is not known is no row: the whole file is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NotRequired, TypedDict, cast

from selfheal_tui.store.acts import PURGE, REDO, UNDO, ActDetails
from selfheal_tui.store.blobs import text_ref
from selfheal_tui.store.copying import own_tables
from selfheal_tui.store.ledger import SEEN, SENT
from selfheal_tui.store.marks import CHOICES, COMMENTS, HIDE, NOTE, PIN, STANDS, TEXTS, TITLE, TRIES
from selfheal_tui.store.sent import SentFile

from ...moment.review import Comment, Decision, UnsentChoice, UnsentText
from ...moment.state import GRAPH_VERSION
from ...workshop.trial import Tried
from .form import CHECKPOINT, WRITE, Refused, from_json
from .shapes import fields, problem
from .states import States, json_of

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_META = {"title", "created_at", "root", "initial", "reason", "error", "error_subject", "schema_version", STANDS}
_MARKS = (NOTE, PIN, HIDE)
_UNSENT: Mapping[str, Any] = {
    COMMENTS: list[Comment],
    TEXTS: list[UnsentText],
    CHOICES: list[UnsentChoice],
    TRIES: list[Tried],
}
"""Prefix of header values -> what each holds."""
_MOST_ROWS = 1 << 53
"""SQLite counts on from the largest number there is, and has none left after 2**63."""


class Usage(TypedDict):
    """A bill as it lies in the file."""

    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    cached_tokens: int
    cache_write_tokens: int
    thinking_tokens: NotRequired[int]
    estimated: bool
    lane: NotRequired[str]
    """The branch that pays, where branches run side by side."""


_NEEDED = {
    "race": ("at", "lanes", "budget"),
    "rename": ("rename",),
    "delete": ("needs",),
    UNDO: ("of",),
    REDO: ("of",),
    PURGE: ("purged",),
}
"""Kind of an act -> what is read of it."""
_JSON_COLUMNS: Mapping[tuple[str, str], Any] = {
    ("call", "reply"): Any,
    ("call", "usage"): Usage,
    ("call_use", "usage"): Usage,
    ("call_use", "unread"): dict[str, Any],
    ("sent", "files"): list[SentFile],
    ("draft", "reply"): dict[str, Any],
    ("bill", "usage"): Usage,
    ("decision", "value"): Decision,
    ("act", "what"): dict[str, Any],
}


class Rows:
    """Checks the rows of one file in their order, and keeps of them what later ones must agree with."""

    def __init__(self) -> None:
        self.meta: dict[str, str] = {}
        self.states = States()
        self._checkpoints: set[str] = set()
        self._rooted = False
        self._bodies: set[str] = set()
        self._done: set[int] = set()
        self._undone: set[int] = set()

    def blob(self, row: Any) -> tuple[str, str]:
        """Return ref and text of a body."""
        _check_keys(row, ("ref", "text"), "blob")
        ref, text = row["ref"], row["text"]
        if not isinstance(text, str) or not isinstance(ref, str) or text_ref(text) != ref:
            raise Refused(f"body {str(ref)[:12]!r} is not what its hash says")
        if ref in self._bodies:
            raise Refused(f"body {ref[:12]} is there twice")
        self._bodies.add(ref)
        return ref, text

    def own(self, table: str, row: Any) -> dict[str, Any]:
        """Return a row of one of our tables."""
        columns = own_tables()[table]
        _check_keys(row, [column.name for column in columns], table)
        for column in columns:
            value = row[column.name]
            if value is None and column.nullable:
                continue
            if why := problem(value, column.kind, f"{table}.{column.name}"):
                raise Refused(why)
            if column.name == "id" and not 0 < value < _MOST_ROWS:
                raise Refused(f"a row of {table} has the number {value}")
            hint = _JSON_COLUMNS.get((table, column.name))
            if hint and value and (why := problem(json_of(value, table), hint, f"{table}.{column.name}")):
                raise Refused(why)
        if table == "meta":
            if row["key"] not in _META and not row["key"].startswith((SENT, SEEN, *_UNSENT, *_MARKS)):
                raise Refused(f"the header holds {row['key'][:40]!r}")
            _check_unsent(row["key"], row["value"])
            self.meta[row["key"]] = row["value"]
        elif table == "act":
            self._act(row)
        return cast(dict[str, Any], row)

    def checkpoint(self, row: Any) -> tuple[str, str | None, dict[str, Any], dict[str, Any]]:
        """Return id, parent, facts and state, as LangGraph holds them."""
        _check_keys(row, CHECKPOINT, "checkpoints")
        checkpoint_id, parent_id, facts, saved = (row[name] for name in CHECKPOINT)
        _check_id(checkpoint_id)
        if checkpoint_id in self._checkpoints:
            raise Refused(f"checkpoint {checkpoint_id} is there twice")
        if (parent_id is None and self._rooted) or (parent_id is not None and parent_id not in self._checkpoints):
            raise Refused(f"checkpoint {checkpoint_id} has no moment before it")
        self._rooted = True
        self._checkpoints.add(checkpoint_id)
        if not isinstance(facts, dict) or not isinstance(saved, dict) or saved.get("id") != checkpoint_id:
            raise Refused(f"checkpoint {checkpoint_id} is not one of LangGraph's")
        for name in ("branch", "node"):
            if not isinstance(facts.get(name, ""), str) or len(facts.get(name, "")) > 200:
                raise Refused(f"the {name} of checkpoint {checkpoint_id} is no name")
        if facts.get("graph_version", GRAPH_VERSION) not in (0, GRAPH_VERSION):
            raise Refused(f"checkpoint {checkpoint_id} is of another version")
        value = _from_json(saved)
        self.states.channels(value.get("channel_values"), f"checkpoint {checkpoint_id}")
        return checkpoint_id, parent_id, facts, value

    def write(self, row: Any) -> Any:
        """Return the value of a node's result, as LangGraph holds it."""
        _check_keys(row, WRITE, "writes")
        checkpoint_id, task_id, path, index, channel, saved = (row[name] for name in WRITE)
        if checkpoint_id not in self._checkpoints:
            raise Refused("a result belongs to no checkpoint")
        for value, kind, name in ((task_id, str, "task"), (path, str, "path"), (index, int, "index")):
            if why := problem(value, kind, f"the {name} of a result"):
                raise Refused(why)
        value = _from_json(saved)
        self.states.channel(channel, value, f"a result at checkpoint {checkpoint_id}")
        return value

    def _act(self, row: Mapping[str, Any]) -> None:
        """Refuse what undoing it, or doing it again, would write elsewhere than where acts write."""
        written: dict[str, Any] = json_of(row["what"], "an act")
        read = {name: value for name, value in written.items() if name in fields(ActDetails)}
        if why := problem(read, ActDetails, "an act"):
            raise Refused(why)
        act = cast(ActDetails, read)
        if missing := [name for name in _NEEDED.get(row["kind"], ()) if name not in act]:
            raise Refused(f"an act lacks {missing[0]!r}")
        for key, values in act.get("meta", {}).items():
            if (key not in (STANDS, TITLE) and not key.startswith((*_MARKS, *_UNSENT))) or len(values) != 2:
                raise Refused("an act writes what no act does")
            for value in values:
                _check_unsent(key, value)
        if row["kind"] == "delete" and not act["needs"]:
            raise Refused("an act names no branch")
        names = [pair for pair in (act.get("rename"), act.get("moved")) if pair is not None]
        line = act.get("line") or ["", "", 0]
        if any(len(pair) != 2 for pair in names) or [type(part) for part in line] != [str, str, int]:
            raise Refused("an act is not whole")
        if any("prompts" in lane for lane in act.get("lanes", {}).values()):
            raise Refused("an act names a folder of prompts")
        self._stack(row["kind"], row["id"], act.get("of"))

    def _stack(self, kind: str, number: int, of: int | None) -> None:
        """Refuse to take back what is not in force, and to do again what was not taken back."""
        if kind in (UNDO, REDO):
            there, other = (self._done, self._undone) if kind == UNDO else (self._undone, self._done)
            if of not in there:
                raise Refused("an act takes back one that is not there")
            there.remove(of)
            other.add(of)
        elif kind != PURGE:
            self._done.add(number)
            self._undone.clear()


def _check_keys(row: Any, names: Iterable[str], table: str) -> None:
    if not isinstance(row, dict) or set(row) != set(names):
        raise Refused(f"a row of {table} has other columns")


def _check_unsent(key: str, value: str | None) -> None:
    for prefix, kind in _UNSENT.items():
        if (
            key.startswith(prefix)
            and value is not None
            and (why := problem(json_of(value, "a draft"), kind, "a draft"))
        ):
            raise Refused(why)


def _check_id(checkpoint_id: Any) -> None:
    if not isinstance(checkpoint_id, str) or not _ID.fullmatch(checkpoint_id):
        raise Refused(f"{str(checkpoint_id)[:40]!r} is no checkpoint")


def _from_json(saved: Any) -> Any:
    try:
        return from_json(saved)
    except ValueError as error:
        raise Refused(f"it holds {error}") from error
