"""What `--json` prints has the form that docs/json.md tells: no key lacks or is too many, each value is of its type."""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NotRequired, Union, get_args, get_origin

import pytest

from selfheal_tui.cli import main
from selfheal_tui.cli.json_forms import PRINTED

NOT_TRIED = "a run that is cancelled"
PROGRAM = "def last(items):\n    return items[len(items)]\n"
TEST = "from last import last\n\n\ndef test_last():\n    assert last([1, 2]) == 2\n    assert last([3, 2, 1]) == 1\n"


def differences(value: Any, kind: Any, at: str = "") -> Iterator[str]:
    """Say where a value is not of a type."""
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any:
        return
    if origin is NotRequired:
        yield from differences(value, args[0], at)
    elif origin in (Union, types.UnionType):
        tried = [list(differences(value, one, at)) for one in args]
        yield from () if [] in tried else tried[0]
    elif typing.is_typeddict(kind) or hasattr(kind, "__dataclass_fields__") or hasattr(kind, "_fields"):
        yield from _of_fields(value, kind, at)
    elif origin is Literal:
        yield from () if value in args else (f"{at} is {value!r}",)
    elif origin in (list, tuple, Collection) and isinstance(value, list):
        for one in value:
            yield from differences(one, args[0], f"{at}[]")
    elif isinstance(origin, type) and issubclass(origin, Mapping) and isinstance(value, dict):
        for one in value.values():
            yield from differences(one, args[1], f"{at}{{}}")
    elif not isinstance(kind, type) or not isinstance(value, (int, float) if kind is float else kind):
        yield f"{at} is {value!r}, no {kind}"


def _of_fields(value: Any, kind: Any, at: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{at} is {value!r}, no {kind.__name__}"
        return
    hints = typing.get_type_hints(kind, include_extras=True)
    if hasattr(kind, "__dataclass_fields__"):
        hints = {name: hints[name] for name in kind.__dataclass_fields__}
    yield from (f"{at}.{name} is told by no form" for name in value.keys() - hints.keys())
    must = {name for name, hint in hints.items() if get_origin(hint) is not NotRequired}
    yield from (f"{at}.{name} lacks" for name in must - value.keys())
    for name in value.keys() & hints.keys():
        yield from differences(value[name], hints[name], f"{at}.{name}")


def test_each_command_prints_what_its_form_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SELFHEAL_SESSIONS", str(tmp_path / "sessions"))
    (tmp_path / "last.py").write_text(PROGRAM)
    (tmp_path / "test_last.py").write_text(TEST)

    def printed(*words: str) -> Any:
        capsys.readouterr()
        main([*words, "--json"])
        return json.loads(capsys.readouterr().out)

    run = printed("fix", "last.py")
    session = run["session_id"]
    lanes = ("--lane", "avoid=line:last.py:1", "--lane", "critic=off")
    found = {
        "fix": run,
        "run-tests": printed("run-tests", "last.py", "--tests", "test_last.py"),
        "any command that is refused": printed("fix", "gone.py"),
        "sessions race SESSION": printed("sessions", "race", session, *lanes),
        "sessions list": printed("sessions", "list"),
        "sessions show SESSION": printed("sessions", "show", session),
        "sessions compare SESSION A B": printed("sessions", "compare", session, "main", "main"),
        "sessions try SESSION CODE": printed("sessions", "try", session, "last([1])"),
        "sessions check SESSION": printed("sessions", "check", session),
        "demo --list": printed("demo", "--list"),
        "models": printed("models"),
        "doctor": printed("doctor"),
        "config": printed("config"),
        "sessions note TEXT": printed("sessions", "note", session, "be brief"),
        "sessions branch SESSION": printed("sessions", "branch", session),
        "sessions branch SESSION CHANGE BRANCH": printed("sessions", "branch", session, "note", "main", "the first"),
        "sessions rename SESSION TITLE": printed("sessions", "rename", session, "the last item"),
        "lessons": printed("lessons"),
    }
    main(["sessions", "export", session, "--format", "session", "-o", "last.selfheal"])
    found["sessions import FILE"] = printed("sessions", "import", "last.selfheal")
    printed("sessions", "decide", session, "approve")
    found["sessions undo SESSION"] = printed("sessions", "undo", session)
    printed("sessions", "decide", session, "approve")
    found["sessions apply SESSION"] = printed("sessions", "apply", session, "--yes", "--unhealed")
    found["sessions delete SESSION"] = printed("sessions", "delete", session, "--yes")
    assert run["outcome"] == "waiting" and run["report"]["failed"] == 1
    forms = {one.commands.replace("`", "").partition(",")[0]: one.form for one in PRINTED}
    assert [f"{name}{words}" for name, value in found.items() for words in differences(value, forms[name])] == []
    assert forms.keys() - found.keys() == {NOT_TRIED}
