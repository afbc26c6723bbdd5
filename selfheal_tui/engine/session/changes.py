"""What a fork changes, as people write it: `FIELD=VALUE`. The only reader of that form.

`continuation.py` checks what a field takes, wherever the changes come from.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from selfheal_tui.errors import InputError
from selfheal_tui.setting_values import ROLES, parse_value
from selfheal_tui.settings import parse_setting

from ..task.source_files import read_named
from .continuation import FIELDS

ASSIGNABLE = ("code:PATH", "tests:PATH", *FIELDS)
"""What the left side of a `FIELD=VALUE` may be."""
_OF_FILES = ("code", "tests")
_SEVERAL = ("drop", "pin", "unpin", "avoid", "take_in", "wrong")
_TEXTS = ("group", "place", "feedback", "spec", "lessons", "revoke")
_TO_THE_END = frozenset((*_OF_FILES, "diagnosis", "feedback", "spec", "lessons", "wrong", "revoke"))
"""What may be any text; no other value has a blank before a field's name."""
_NAMED = re.compile(r"(?<!\S)(\w+)=")


def parse_changes(line: str) -> dict[str, Any]:
    """Read a line in the app, `FIELD=VALUE`, several with blanks between: `max_calls=20 autonomy=full_auto`.

    A text goes on to the end of the line. Names and values are checked where the fork is made.
    """
    name, _, value = (part.strip() for part in line.partition("="))
    more: dict[str, Any] = {}
    if name not in _TO_THE_END:
        # After `model`, `critic=ollama:q` is the model of a role.
        further = {*FIELDS} - {*ROLES} if name == "model" else {*FIELDS}
        begins = (found.start() for found in _NAMED.finditer(value) if found[1] in further)
        at = next(begins, len(value))
        value, more = value[:at].strip(), parse_changes(value[at:]) if at < len(value) else {}
    return {name: parse_models(value) if name == "model" else value} | more


def parse_models(text: str) -> dict[str, str]:
    """Read `PROVIDER:NAME` (for every role, `*`) and `ROLE=PROVIDER:NAME`, several with blanks between."""
    models: dict[str, str] = {}
    for word in text.split():
        role, equals, model = word.partition("=")
        models.update({role: model} if equals else {"*": word})
    return models


def split_assignment(item: str) -> tuple[str, str]:
    """Split `FIELD=VALUE` or `FIELD=@FILE` (read here) into field and text. Raises: InputError."""
    field, equals, text = item.partition("=")
    kind = field.partition(":")[0]
    if not equals:
        raise InputError(f"--set {item!r} is not FIELD=VALUE.", "FIELD is one of: " + ", ".join(ASSIGNABLE) + ".")
    if kind not in FIELDS or (kind not in _OF_FILES and ":" in field):
        near = difflib.get_close_matches(field, ASSIGNABLE, n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise InputError(f"A fork cannot set {field!r}.", f"{hint}It can set: {', '.join(ASSIGNABLE)}.")
    return field, read_named(Path(text[1:])) if text.startswith("@") else text


def typed_changes(
    assignments: Iterable[tuple[str, str]], program: Collection[str], tests: Collection[str] = ()
) -> dict[str, Any]:
    """Turn what `split_assignment` returned into what `Session.fork` takes; `tests` are the generated test files.

    Raises: InputError, SettingsError.
    """
    changes: dict[str, Any] = {}
    for field, text in assignments:
        kind, _, path = field.partition(":")
        if kind == "code":
            changes.setdefault("code", {})[_program_path(path, program)] = text
        elif kind == "tests":
            changes.setdefault("tests", {})[path or _only(tests)] = text
        elif kind == "model":
            changes.setdefault("model", {}).update(parse_models(text))
        elif kind in _SEVERAL:
            changes.setdefault(kind, []).append(text.strip())
        elif kind == "diagnosis":
            changes[kind] = _json_object(text)
        elif kind in _TEXTS:
            changes[kind] = text
        elif kind == "afresh":
            changes[kind] = parse_value(kind, bool, text, "--set afresh", Path.cwd())
        else:
            changes[kind] = parse_setting(kind, text, f"--set {kind}", Path.cwd())
    return changes


def _program_path(path: str, program: Collection[str]) -> str:
    if not path and len(program) == 1:
        return next(iter(program))
    if path in program:
        return path
    near = difflib.get_close_matches(path, list(program), n=1)
    hint = f"Did you mean code:{near[0]}?" if near else "Program files: " + ", ".join(sorted(program)) + "."
    raise InputError(f"{path!r} is no file of the program." if path else "The program has several files.", hint)


def _only(tests: Collection[str]) -> str:
    if len(tests) == 1:
        return next(iter(tests))
    names = ", ".join(sorted(tests)) or "none yet"
    raise InputError("Say which generated test file: tests:PATH=@FILE.", f"There are: {names}.")


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"The diagnosis is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise InputError("The diagnosis must be a JSON object.")
    return value
