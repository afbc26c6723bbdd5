"""Hostile text, a session that is made of it, and how a screen is checked."""

from __future__ import annotations

import dataclasses
import inspect
import unicodedata
from collections.abc import AsyncIterator, Awaitable, Mapping
from typing import Any

from rich.cells import cell_len
from textual.app import App

from selfheal_tui.engine.moment.snapshot import Snapshot
from selfheal_tui.engine.moment.timeline import Checkpoint, Timeline, build_timeline
from selfheal_tui.errors import SelfHealError
from tests.ui.fakes import FakeSession

TEXTS: dict[str, str] = {
    "colour and cursor": "\x1b[31mred\x1b[2J\x1b[5;5Hmoved\x1b[?1049l\x1b[6n",
    "title and clipboard": "\x1b]0;pwned\x07\x1b]52;c;cHduZWQ=\x07\x1b]8;;http://pwned.example\x1b\\click\x1b]8;;\x1b\\",
    "device controls": "\x1bP1;1|17/pwned\x1b\\\x1b_pwned\x1b\\\x1b^pwned\x1b\\\x1bXpwned\x1b\\\x1bc\x1b#8",
    "never closed": "before \x1b]0;pwned and what follows\nthe next line \x1bPq",
    "eight bits": "\x9b31m\x9d0;pwned\x9c\x90q\x9c\x85\x84\x8d\x9e",
    "line and page": "a\rb\x0bc\x0cd\x08e\x07f\x00g\x7fh\u2028i\u2029j\x1e\x1c",
    "right to left": "\u202eevil\u202c \u2066a\u2069 \u200fמחק את הכל\u200e \u061cنص",
    "markup": "[bold]b[/bold] [@click=app.quit]quit[/] [link=http://pwned.example]l[/link] [/] [[ ]] [/nothing] [#zz]",
    "braces": "{x} {} {0} {{ }} %s %(x)d $name ${name} %% `code` <b>&amp;</b> \\[ \\n",
    "wide": "日本語のテスト名前がとても長い" * 30,
    "zero width": "a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg\u180eh\U000e0041i",
    "combining": "Z" + "\u0361\u0489\u0301" * 300 + "algo",
    "emoji": "👩‍👩‍👧‍👦 🇩🇪 ☎️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️‍🔥" * 5,
    "surrogates": "\ud800 \udfff \udcff x\ud83d",
    "tabs and blanks": "\t\ta\u00a0b\u3000c\u2003d" + "\t" * 40 + "e" + " " * 200 + "\n" * 30,
    "nothing": "\n \n\n",
    "a long line": "x" * 1_000_000,
    "a long line of words": "lorem \x1b[1m[b]ipsum " * 50_000,
}
"""Name -> text. What must never reach a terminal says pwned."""

FORBIDDEN = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_OURS = frozenset(
    [
        "id",
        "checkpoint_id",
        "parent_id",
        "node",
        "next",
        "mode",
        "autonomy",
        "outcome",
        "verdict",
        "trust",
        "kind",
        "pending",
        "fault",
        "isolation",
        "created_at",
        "value_ref",
        "pick",
        "prev",
        "repair_ref",
        "changes_ref",
        "keys",
        "budget",
        "passed",
        "bars",
        "trust",
        "position",
        "fixes_ref",
    ]
)
"""Fields that the engine fills with words of its own; everything else may come from anybody."""


def check(app: App[Any], where: str) -> None:
    """Look at every cell of the screen as it would be sent to the terminal."""
    for y, strip in enumerate(app.screen._compositor.render_strips()):
        text = "".join(segment.text for segment in strip if not segment.control)
        at = f"{where}, line {y}: {text!r}"
        assert not any(segment.control for segment in strip), at
        odd = [c for c in text if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or c in FORBIDDEN]
        assert not odd, (odd, at)
        assert sum(cell_len(segment.text) for segment in strip) == app.size.width, at
        for segment in strip:
            if segment.style is not None:
                assert segment.style.link is None, at
                assert not any("pwned" in str(v) or "quit" in str(v) for v in segment.style.meta.values()), at


def poison(value: Any, text: str, key: str = "") -> Any:
    """Return the value with hostile text in every string that may come from a model, a program or a user."""
    match value:
        case str():
            return value if key in _OURS else value + text
        case SelfHealError():
            return type(value)(value.message + text, value.hint + text)
        case Timeline():
            return build_timeline([poison(checkpoint, text) for checkpoint in value])
        case Checkpoint():
            decision = poison(value.decision, text)
            return dataclasses.replace(value, branch=value.branch + text, decision=decision)
        case Snapshot():
            return dataclasses.replace(_fields(value, text), **_filled(text))
        case Mapping() if "message" in value and "traceback" in value:
            return {**_mapping(value, text), "id": value["id"] + text, "outcome": value["outcome"]}
        case Mapping():
            return _mapping(value, text)
        case list() | tuple():
            return type(value)(poison(item, text, key) for item in value) if not hasattr(value, "_fields") else value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _fields(value, text)
    return value


class HostileSession:
    """A fake session, all of whose answers and events are poisoned."""

    def __init__(self, text: str) -> None:
        self._inner = FakeSession("s1")
        self._text = text
        self.id = "s1"
        self.title = "title" + text

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not callable(found):
            return poison(found, self._text, name)

        def call(*args: Any, **named: Any) -> Any:
            answer = found(*args, **named)
            if inspect.isasyncgen(answer):
                return self._each(answer)
            return self._one(answer) if inspect.isawaitable(answer) else poison(answer, self._text, name)

        return call

    async def head(self) -> str | None:
        return await self._inner.head()

    async def _each(self, events: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for event in events:
            yield poison(event, self._text)

    async def _one(self, answer: Awaitable[Any]) -> Any:
        return poison(await answer, self._text)


def _fields(value: Any, text: str) -> Any:
    return dataclasses.replace(
        value, **{f.name: poison(getattr(value, f.name), text, f.name) for f in dataclasses.fields(value) if f.init}
    )


def _mapping(value: Mapping[Any, Any], text: str) -> dict[Any, Any]:
    return {key: poison(item, text, key if isinstance(key, str) else "") for key, item in value.items()}


def _filled(text: str) -> dict[str, Any]:
    """Return what the fake session leaves empty."""
    step = {"thought": text, "tool": "run_snippet", "arguments": {"code": text}, "observation": text}
    record = {"prev": "", "iteration": 1, "repair_ref": "", "changes_ref": "", "verdict": "reject", "note": text}
    why = {"file": text, "line": 1, "why": text}
    return {
        "feedback": (text,),
        "lessons": (text, text),
        "offered": (text,),
        "opinions": (text,),
        "thrown_out": (text,),
        "failures": {"minimal": text},
        "empty_rounds": (text,),
        "repeated": text,
        "debug_steps": (step,),
        "suspects": ({"path": text, "line": 1, "score": 1.0, "why": text},),
        "records": ({**record, "by": "human", "keys": []},),
        "rules": ({"name": "rule 1" + text, "max_lines": 3},),
        "advice": {"quality": {"by": "quality", "summary": text, "items": [why]}},
        "spec": text,
    }
