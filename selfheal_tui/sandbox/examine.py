"""What a batch child tells of programs beside which cases pass: values seen in one, answers of many.

It says what the program's own process says: a guide for a search and for questions, never a verdict.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from selfheal_tui.python_source import callables_in, inner_imports, parse_or_none

from .base import Suite
from .follow import order_of
from .inside.roots import import_roots, module_names
from .inside.sift.changes import packed
from .protocol import Frame
from .sift import OpenAttempt, SiftLimits, Unfit, Variant

_ATTEMPT_S = 30.0
Span = tuple[int, int, int, int]
"""Line, column, end line, end column as `ast` counts."""


@dataclass(frozen=True, slots=True)
class Returned:
    """A `return` that answered a test's own call."""

    path: str
    line: int
    local: Mapping[str, str]
    """Local -> literal repr; those without one are left out."""


@dataclass(frozen=True, slots=True)
class Examined:
    """What running each case showed."""

    rounds: Mapping[str, int] = field(default_factory=dict)
    """Case id -> rounds of loops, as far as the fuel went."""
    places: Sequence[tuple[str, Span]] = ()
    """Program path and place of each expression."""
    types: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Expression, by its number -> names of types."""
    values: Mapping[int, tuple[int | str, ...]] = field(default_factory=dict)
    """Expression -> integers and short strings, most frequent first."""
    evaluated: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Case id -> expressions."""
    returns: Mapping[str, tuple[Returned, ...]] = field(default_factory=dict)
    """Case id -> returns."""


async def examine(open_attempt: OpenAttempt, suite: Suite, limits: SiftLimits, plain: bool = False) -> Examined:
    """Run each case of the suite with the program instrumented. The observations of a case that dies are lost.

    `plain`: no file of the suite names pytest.

    Raises: SandboxError, Unfit.
    """
    frames = [frame async for frame in play(open_attempt, suite, limits, role="examine", plain=plain)]
    try:
        return _read(frames)
    except (KeyError, TypeError, ValueError):
        return Examined()  # the program wrote into the pipe


def _read(frames: Sequence[Frame]) -> Examined:
    cases = {str(frame["id"]): frame for frame in frames if frame.get("t") == "examined"}
    last: Mapping[str, Any] = next((frame for frame in frames if frame.get("t") == "seen"), {})
    return Examined(
        {case: int(frame["rounds"]) for case, frame in cases.items()},
        [(str(path), (int(a), int(b), int(c), int(d))) for path, (a, b, c, d) in last.get("places", ())],
        {int(number): tuple(map(str, names)) for number, names in last.get("types", {}).items()},
        {
            int(n): tuple(v for v in literals if isinstance(v, int | str))
            for n, literals in last.get("values", {}).items()
        },
        {case: tuple(int(number) for number in frame["seen"]) for case, frame in cases.items()},
        {
            case: tuple(Returned(str(path), int(line), dict(local)) for path, line, local in frame["returns"])
            for case, frame in cases.items()
        },
    )


async def ask(
    open_attempt: OpenAttempt,
    suite: Suite,
    variants: Sequence[Variant],
    calls: Sequence[str],
    limits: SiftLimits,
    plain: bool = False,
) -> list[list[str]]:
    """Return for each variant the repr of each call's value, `!Name` for an exception, `!` where it took too long.

    A call may use what the test files name, also what their functions import, and what the program defines at its top.
    A variant that takes its process along has no answers. Raises: SandboxError, Unfit.
    """
    answers: list[list[str]] = []
    imports = inner_imports(text for path, text in suite.files.items() if path not in suite.program)
    homes = {name: sorted(modules) for name, modules in _homes(suite, calls).items()}
    calling: dict[str, Any] = {"role": "answer", "calls": list(calls), "imports": imports, "homes": homes}
    calling["plain"] = plain
    while len(answers) < len(variants):
        packed_rest = [packed(suite.files, variant) for variant in variants[len(answers) :]]
        over = False
        async with aclosing(play(open_attempt, suite, limits, variants=packed_rest, **calling)) as frames:
            async for frame in frames:
                replies = frame.get("of")
                if frame.get("t") == "answers" and isinstance(replies, list) and len(answers) < len(variants):
                    answers.append([str(answer) for answer in replies])
                over = frame.get("t") in ("done", "renew")
        if not over and len(answers) < len(variants):
            answers.append([])
    return answers


def _homes(suite: Suite, calls: Sequence[str]) -> Mapping[str, set[str]]:
    """Return name in the calls -> modules of the program that may define it, for names that only one file defines."""
    trees = [tree for call in calls if (tree := parse_or_none(call)) is not None]
    named = {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}
    files: dict[str, list[str]] = {}
    for path in suite.program:
        for name in named & callables_in(suite.files.get(path, "")):
            files.setdefault(name, []).append(path)
    roots = import_roots(suite.files, suite.tests, suite.program, suite.pytest_args) if files else []
    return {name: {*module_names(paths, roots)} for name, paths in files.items() if len(paths) == 1}


async def play(
    open_attempt: OpenAttempt, suite: Suite, limits: SiftLimits, seconds: float = _ATTEMPT_S, **more: Any
) -> AsyncGenerator[Frame, None]:
    """Yield what a batch child sends that plays `role`; it is killed after so many seconds.

    Raises: SandboxError, Unfit.
    """
    order = order_of(suite, rewrite=False, variant_time_s=limits.time_s, fuel=limits.fuel, compiled=[], **more)
    deadline = asyncio.get_running_loop().time() + seconds
    async with (
        open_attempt(suite, order, seconds) as attempt,
        aclosing(attempt.frames(lambda: deadline)) as frames,
    ):
        async for frame in frames:
            if frame.get("t") == "unfit":
                raise Unfit
            yield frame
