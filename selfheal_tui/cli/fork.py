"""`selfheal sessions fork`: a new branch from a checkpoint, with something changed."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfheal_tui.engine.session.continuation import FIELDS as CHANGES
from selfheal_tui.engine.task.source_files import read_named
from selfheal_tui.errors import InputError
from selfheal_tui.setting_values import nearest, parse_value, split_models
from selfheal_tui.settings import parse_setting

from .find import find_checkpoint, find_session
from .trusting import load_from

if TYPE_CHECKING:
    from selfheal_tui.engine.moment.events import Event
    from selfheal_tui.engine.session.session import Session
    from selfheal_tui.engine.session.workbench import Workbench
    from selfheal_tui.settings import Settings

FIELDS = ("code:PATH", "tests:PATH", *CHANGES)
_OF_FILES = ("code", "tests")
_SEVERAL = ("drop", "pin", "unpin")
_TEXTS = ("feedback", "spec", "lessons", "revoke")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the action's arguments."""
    parser.add_argument("session", metavar="SESSION", help="its id or the start of it")
    parser.add_argument("--at", metavar="CHECKPOINT", required=True, help="where the branch starts")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help=f"change FIELD there; VALUE may be @FILE. Fields: {', '.join(FIELDS)}",
    )
    parser.add_argument("--label", default="", metavar="NAME", help="name of the branch")
    parser.add_argument("--run", dest="go_on", action="store_true", help="run on to the next pause or end")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Fork, and run on when asked to."""
    settings = load_from(args)
    given = [split_assignment(item) for item in args.set]
    session_id = find_session(settings.sessions, args.session)

    async def find(_: Workbench) -> str:
        return session_id

    async def act(session: Session) -> AsyncIterator[Event]:
        timeline = await session.timeline()
        checkpoint_id = find_checkpoint(timeline, args.at)
        snapshot = await session.snapshot(checkpoint_id)
        changes = parse_changes(given, snapshot.program, snapshot.origins)
        return session.fork(checkpoint_id, changes, args.label, run=args.go_on)

    if args.go_on:
        from .drive import drive_headless

        return drive_headless(settings, find, act, as_json=args.json)
    return _fork_only(settings, session_id, act, args.json)


def split_assignment(item: str) -> tuple[str, str]:
    """Split `FIELD=VALUE` or `FIELD=@FILE` (read here) into field and text. Raises: InputError."""
    field, equals, text = item.partition("=")
    kind = field.partition(":")[0]
    if not equals:
        raise InputError(f"--set {item!r} is not FIELD=VALUE.", "FIELD is one of: " + ", ".join(FIELDS) + ".")
    if kind not in FIELDS or (kind not in _OF_FILES and ":" in field):
        hint = f"{nearest(field, FIELDS, '')} It can set: {', '.join(FIELDS)}.".lstrip()
        raise InputError(f"A fork cannot set {field!r}.", hint)
    return field, read_named(Path(text[1:])) if text.startswith("@") else text


def parse_changes(
    given: Iterable[tuple[str, str]], program: Collection[str], tests: Collection[str] = ()
) -> dict[str, Any]:
    """Turn assignments into the changes that `Session.fork` takes; `tests` are the generated test files.

    Raises: InputError, SettingsError.
    """
    changes: dict[str, Any] = {}
    models: list[str] = []
    for field, text in given:
        kind, _, path = field.partition(":")
        if kind == "code":
            changes.setdefault("code", {})[_program_path(path, program)] = text
        elif kind == "tests":
            changes.setdefault("tests", {})[path or _only(tests)] = text
        elif kind in _SEVERAL:
            changes.setdefault(kind, []).append(text.strip())
        elif kind == "diagnosis":
            changes[kind] = _json_object(text)
        elif kind == "model":
            models.append(text)
        elif kind in _TEXTS:
            changes[kind] = text
        elif kind == "afresh":
            changes[kind] = parse_value(kind, bool, text, "--set afresh", Path.cwd())
        else:
            changes[kind] = parse_setting(kind, text, f"--set {kind}", Path.cwd())
    if models:
        everyone, roles = split_models(models, "--set model")
        changes["model"] = ({"*": everyone} if everyone else {}) | roles
        from selfheal_tui.llm.registry import check_model

        for model in changes["model"].values():
            check_model(model)
    return changes


def _program_path(path: str, program: Collection[str]) -> str:
    if not path and len(program) == 1:
        return next(iter(program))
    if path in program:
        return path
    message = f"{path!r} is no file of the program." if path else "The program has several files."
    raise InputError(message, nearest(path, program, f"Program files: {', '.join(sorted(program))}.", "code:{}".format))


def _only(tests: Collection[str]) -> str:
    if len(tests) == 1:
        return next(iter(tests))
    known = ", ".join(sorted(tests)) or "none yet"
    raise InputError("Say which generated test file: tests:PATH=@FILE.", f"There are: {known}.")


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"The diagnosis is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise InputError("The diagnosis must be a JSON object.")
    return value


def _fork_only(settings: Settings, session_id: str, act: Any, as_json: bool) -> int:
    from .look import act_on

    async def branch_off(session: Session) -> dict[str, Any]:
        return await _branch_off(session, act)

    result = act_on(settings, session_id, branch_off)
    if as_json:
        print(json.dumps(result))
    else:
        print(f"Branch {result['branch']} starts at checkpoint {result['checkpoint_id']}.")
        print(f"Run it with: selfheal resume {session_id}", file=sys.stderr)
    return 0


async def _branch_off(session: Session, act: Any) -> dict[str, Any]:
    from selfheal_tui.engine.moment.events import RunFailed

    from .drive import follow

    last, snapshot = await follow(await act(session))
    if isinstance(last, RunFailed):
        raise last.error
    if snapshot is None:
        head = await session.head()
        snapshot = await session.snapshot(head) if head else None
    return {
        "session_id": session.id,
        "branch": snapshot.branch if snapshot else "",
        "checkpoint_id": snapshot.checkpoint_id if snapshot else "",
    }
