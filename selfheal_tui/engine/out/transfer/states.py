"""Whether a state from elsewhere is one of this version: every field by its type, every body by what names it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, cast

from selfheal_tui.errors import SelfHealError
from selfheal_tui.llm.registry import check_model
from selfheal_tui.sandbox.base import SuiteReport

from ...loop.graph import NODES
from ...moment.budget import BudgetReached
from ...moment.recent import RecentLines
from ...moment.review import Decision, ReviewRequest
from ...moment.state import (
    GRAPH_VERSION,
    Advice,
    DebugStep,
    Diagnosis,
    HealState,
    Inquiry,
    Manifest,
    Objection,
    Question,
    Record,
    Repair,
    SetAside,
    Suspects,
)
from .form import Refused, parsed
from .shapes import fields, problem

_REF = re.compile(r"[0-9a-f]{64}")
_STATE = fields(HealState)
_MARKS = {"__start__", "__interrupt__", "__resume__", "__error__", "__no_writes__", "__pregel_tasks", "__input__"}
_NODE_NAMES = {node.__name__ for node in NODES}
_BODIES: Mapping[str, Any] = {
    "recent_ref": list[RecentLines],
    "set_aside_ref": SetAside,
    "report_ref": SuiteReport,
    "diagnosis_ref": Diagnosis,
    "debug_ref": list[DebugStep],
    "inquiries_ref": list[Inquiry],
    "suspects_ref": Suspects,
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


class States:
    """Checks states, and gathers the bodies that they name."""

    def __init__(self) -> None:
        self.named: set[tuple[str, str]] = set()
        """Ref, and the field that names it."""

    def initial(self, text: str) -> HealState:
        """Return the state that the session starts with."""
        state = json_of(text, "the start")
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
        held = json_of(text, field)
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

    def channels(self, values: Any, where: str) -> None:
        if not isinstance(values, dict):
            raise Refused(f"{where} holds no state")
        for channel, value in values.items():
            self.channel(channel, value, where)

    def channel(self, channel: Any, value: Any, where: str) -> None:
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
            elif name == "best" and value:
                _check_paths(value["changes"])
                self._name(value["report_ref"], "report_ref")
            elif name == "healed_groups":
                for group in value:
                    _check_paths(group["changes"])
                    for ref in group["changes"].values():
                        self._name(ref, "changes")
            elif name == "models":
                for spec in value.values():
                    _check_known_model(spec)

    def _name(self, ref: str, field: str) -> None:
        if not _REF.fullmatch(ref):
            raise Refused(f"{field} names no body")
        self.named.add((ref, field))


def json_of(text: str, where: str) -> Any:
    try:
        return parsed(text)
    except ValueError as error:
        raise Refused(f"{where} holds what is no JSON") from error


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
