"""Whether rows from elsewhere are rows of a session: tables, columns, types, ids and states that this version writes.

A row that is not known is no row: the whole file is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, TypedDict, cast

from selfheal_tui.errors import SelfHealError
from selfheal_tui.llm.registry import check_model
from selfheal_tui.sandbox.base import SuiteReport
from selfheal_tui.store.blobs import text_ref

from ..budget import BudgetReached
from ..graph import NODES
from ..review import Decision, ReviewRequest
from ..state import (
    GRAPH_VERSION,
    Advice,
    DebugStep,
    Diagnosis,
    HealState,
    Manifest,
    Objection,
    Question,
    Record,
    Repair,
)
from .form import CHECKPOINT, WRITE, from_json, own_tables, parsed
from .shapes import fields, problem

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_REF = re.compile(r"[0-9a-f]{64}")
_STATE = fields(HealState)
_MARKS = {"__start__", "__interrupt__", "__resume__", "__error__", "__no_writes__", "__pregel_tasks", "__input__"}
_NODE_NAMES = {node.__name__ for node in NODES}


class Refused(ValueError):
    """What is wrong with a row, in words."""


class Usage(TypedDict):
    """A bill as it lies in the file."""

    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    cached_tokens: int
    cache_write_tokens: int
    estimated: bool


_JSON_COLUMNS: Mapping[tuple[str, str], Any] = {
    ("call", "reply"): Any,
    ("call", "usage"): Usage,
    ("call_use", "usage"): Usage,
    ("call_use", "unread"): dict[str, Any],
    ("draft", "reply"): dict[str, Any],
    ("bill", "usage"): Usage,
    ("decision", "value"): Decision,
    ("act", "what"): dict[str, Any],
}
_BODIES: Mapping[str, Any] = {
    "report_ref": SuiteReport,
    "diagnosis_ref": Diagnosis,
    "debug_ref": list[DebugStep],
    "ever_passed_ref": list[str],
    "objection_ref": Objection,
    "question_ref": Question,
    "budget_ref": BudgetReached,
    "head": Record,
    "manifest_ref": Manifest,
    "candidates": Repair,
    "proposed": Repair,
    "advice": Advice,
    "suites": dict[str, str],
    "repair_ref": Repair,
}
"""Field that names a body, or bodies by a key -> what those are; others are texts."""


class Rows:
    """Checks the rows of one file in their order, and keeps of them what later ones must agree with."""

    def __init__(self) -> None:
        self.meta: dict[str, str] = {}
        self._checkpoints: set[str] = set()
        self._rooted = False
        self._bodies: set[str] = set()
        self.named: dict[tuple[str, str], str] = {}
        """(ref, field that names it) -> ref."""

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
            hint = _JSON_COLUMNS.get((table, column.name))
            if hint and value and (why := problem(_parsed(value, table), hint, f"{table}.{column.name}")):
                raise Refused(why)
        if table == "meta":
            self.meta[row["key"]] = row["value"]
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
        self._channels(value.get("channel_values"), f"checkpoint {checkpoint_id}")
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
        self._channel(channel, value, f"a result at checkpoint {checkpoint_id}")
        return value

    def initial(self) -> HealState:
        """Return the state that the session starts with."""
        state = _parsed(self.meta.get("initial", ""), "meta")
        if why := problem(state, HealState, "the start"):
            raise Refused(why)
        if state.get("graph_version") != GRAPH_VERSION or "manifest_ref" not in state:
            raise Refused("the session's start is not one of this version")
        self._state(state, "the start")
        return cast(HealState, state)

    def body(self, field: str, text: str) -> None:
        """Check a body by the field that names it."""
        hint = _BODIES.get(field)
        if hint is None:
            return
        held = _parsed(text, field)
        if why := problem(held, hint, f"the {field.removesuffix('_ref')}"):
            raise Refused(why)
        if field == "manifest_ref":
            _check_manifest(held)
        elif field in ("candidates", "proposed", "repair_ref"):
            _check_paths(held["changes"])
        elif field == "suites":
            _check_paths(held)
        if field == "head":
            self._name(held["repair_ref"], "repair_ref")
            if held["prev"]:
                self._name(held["prev"], "head")

    def _channels(self, values: Any, where: str) -> None:
        if not isinstance(values, dict):
            raise Refused(f"{where} holds no state")
        for channel, value in values.items():
            self._channel(channel, value, where)

    def _channel(self, channel: Any, value: Any, where: str) -> None:
        from langgraph.types import Interrupt, Send

        match channel:
            case str() if channel in _STATE:
                if why := problem(value, _STATE[channel], channel):
                    raise Refused(f"{where}: {why}")
                self._state({channel: value}, where)
            case "__start__":
                if why := problem(value, HealState, "the input"):
                    raise Refused(f"{where}: {why}")
                self._state(value, where)
            case "__interrupt__":
                for one in value if isinstance(value, list) else [value]:
                    if not isinstance(one, Interrupt) or (why := problem(one.value, ReviewRequest, "a question")):
                        raise Refused(f"{where} asks what is no question")
            case "__pregel_tasks":
                for one in value if isinstance(value, list) else [value]:
                    if not isinstance(one, Send) or one.node not in _NODE_NAMES or problem(one.arg, HealState):
                        raise Refused(f"{where} sends work to no node")
                    self._state(one.arg, where)
            case "__resume__":
                for one in value if isinstance(value, list) else [value]:
                    if problem(one, Decision):
                        raise Refused(f"{where} holds an answer that is none")
            case str() if channel in _MARKS or channel.removeprefix("branch:to:") in _NODE_NAMES:
                if not isinstance(value, str | None):
                    raise Refused(f"{where}: {channel} holds more than a word")
            case _:
                raise Refused(f"{where} names {str(channel)[:60]!r}, which is no part of a state")

    def _state(self, state: Mapping[str, Any], where: str) -> None:
        for name, value in state.items():
            if name in ("changes", "suites", "candidates", "proposed", "advice"):
                if name == "changes":
                    _check_paths(value or {})
                for ref in (value or {}).values():
                    self._name(ref, name)
            elif (name in _BODIES or name == "spec_ref") and value:
                self._name(value, name)
            elif name == "best":
                _check_paths(value["changes"])
                self._name(value["report_ref"], "report_ref")
            elif name == "models":
                for spec in value.values():
                    _check_known_model(spec)

    def _name(self, ref: str, field: str) -> None:
        if not _REF.fullmatch(ref):
            raise Refused(f"{field} names no body")
        self.named[ref, field] = ref


def _check_keys(row: Any, names: Iterable[str], table: str) -> None:
    if not isinstance(row, dict) or set(row) != set(names):
        raise Refused(f"a row of {table} has other columns")


def _check_id(checkpoint_id: Any) -> None:
    if not isinstance(checkpoint_id, str) or not _ID.fullmatch(checkpoint_id):
        raise Refused(f"{str(checkpoint_id)[:40]!r} is no checkpoint")


def _check_manifest(manifest: Manifest) -> None:
    if manifest["root"] is not None:
        raise Refused("it names a folder that its files would be written to")
    _check_paths(manifest["files"])
    if unknown := set(manifest["program"]) - set(manifest["files"]):
        _check_paths(dict.fromkeys(unknown))


def _check_paths(paths: Mapping[str, Any]) -> None:
    """Refuse a path that leads out of a folder, wherever it is written to later."""
    for path in paths:
        parts = PurePosixPath(path).parts
        if not parts or path.startswith("/") or ".." in parts or "\0" in path or "\\" in path:
            raise Refused(f"the file {path[:80]!r} lies outside the session")


def _check_known_model(spec: str) -> None:
    try:
        check_model(spec)
    except SelfHealError as error:
        raise Refused(f"the model {spec[:60]!r} is none that is known") from error


def _from_json(saved: Any) -> Any:
    try:
        return from_json(saved)
    except ValueError as error:
        raise Refused(f"it holds {error}") from error


def _parsed(text: str, where: str) -> Any:
    try:
        return parsed(text)
    except ValueError as error:
        raise Refused(f"{where} holds what is no JSON") from error
